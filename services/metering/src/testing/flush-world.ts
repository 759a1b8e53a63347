import type { EpochStorage, SlotCommand, SlotState, SlotSummary } from '../epoch/epoch';
import { type Generation, nameOfMonth } from '../generation/generation';
import type { EventDocument, NewEventDocument } from '../usage/event-store';
import {
  type Blocker,
  type EventPlace,
  type FlushStorage,
  isBlocker,
} from '../flush/flush-storage';
import { epochOfPart, type UsagePart } from '../flush/part';
import { firstGeneration } from './events';
import type { Turns } from './scheduler';

/** A guard of the protocol that a test removes. */
export type RemovedGuard =
  | 'slot change without dead'
  | 'slot change without n'
  | 'recovery without blockers'
  | 'one name in a blocker'
  | 'dead slot that does not hold'
  | 'recovered slot that is removed'
  | 'slot acquired without a hold'
  | 'repeat answered unchecked'
  | 'generation without barrier';

/** A state that the protocol must never reach. */
export class Violation extends Error {}

const minuteMs = 60_000;

/**
 * Stored state of flushes in memory. Throws a Violation as soon as something is added at or below
 * `until`. Each event has a minute of its own, so that parts tell which events they count.
 */
export class FlushWorld {
  current = 1;
  until = 0;
  writers = 0;
  readonly slots = new Map<string, SlotState>();
  generations: readonly Generation[] = [firstGeneration];
  private readonly events = new Map<string, EventDocument | Blocker>();
  readonly parts = new Map<string, UsagePart>();
  /** Total of folded parts: number of events by minute. */
  readonly folded = new Map<number, number>();
  foldedUntil = 0;
  private readonly partsEver = new Set<string>();

  constructor(readonly removed?: RemovedGuard) {}

  /** Number of times that a reader counts the event of a minute. */
  countOf(minute: number): number {
    let count = this.folded.get(minute) ?? 0;
    for (const part of this.parts.values()) {
      if (epochOfPart(part) <= this.foldedUntil) continue;
      for (const [at, events] of part.minutes) if (at === minute) count += events;
    }
    return count;
  }

  /** Adds parts up to an epoch to the totals, and deletes them. */
  fold(until: number): void {
    for (const [id, part] of this.parts) {
      const epoch = epochOfPart(part);
      if (epoch > until) continue;
      if (epoch > this.foldedUntil) {
        for (const [at, events] of part.minutes) {
          this.folded.set(at, (this.folded.get(at) ?? 0) + events);
        }
      }
      this.parts.delete(id);
    }
    this.foldedUntil = Math.max(this.foldedUntil, until);
  }

  /** Begins a generation with the epoch after the given one, if that is the current one. */
  beginGeneration(from: number): boolean {
    if (this.current !== from) return false;
    this.current += 1;
    const since = new Date(Date.UTC(1970, this.generations.length));
    const generation = { name: nameOfMonth(since), from: this.current, since };
    this.generations = [...this.generations, generation];
    return true;
  }

  /** Number of generations that have an event. */
  copiesOf(_id: string): number {
    const stored = this.generations.map((place) => this.stored(_id, place));
    return stored.filter((one) => one !== undefined && !isBlocker(one)).length;
  }

  /** Returns the document that is stored under an id in a generation. */
  stored(_id: string, { name }: EventPlace): EventDocument | Blocker | undefined {
    return this.events.get(`${name} ${_id}`);
  }

  changeSlot({ id, n, epoch, flush, ids }: SlotCommand): boolean {
    const { removed } = this;
    const slot = this.slots.get(id);
    if (slot === undefined) return false;
    if (slot.dead && removed !== 'slot change without dead') return false;
    if (slot.n >= n && removed !== 'slot change without n') return false;
    const isHold = slot.epoch === null && epoch === 0;
    const after = isHold && removed === 'slot acquired without a hold' ? null : epoch;
    this.slots.set(id, { ...slot, n, epoch: after, flush, ids });
    return true;
  }

  insertEvent(event: NewEventDocument, place: EventPlace): boolean {
    if (this.stored(event._id, place) !== undefined) return false;
    this.store(event, place);
    return true;
  }

  takeOver(event: NewEventDocument, place: EventPlace): boolean {
    const stored = this.stored(event._id, place);
    if (stored === undefined || !isBlocker(stored)) return false;
    if (stored.blocked.includes(event.flush)) return false;
    this.store(event, place);
    return true;
  }

  block(_id: string, flush: string, place: EventPlace): void {
    if (this.removed === 'recovery without blockers') return;
    if (this.stored(_id, place) === undefined) this.put({ _id, blocked: [flush] }, place);
  }

  blockAlso(_id: string, flush: string, place: EventPlace): void {
    const stored = this.stored(_id, place);
    if (stored === undefined || !isBlocker(stored) || stored.blocked.includes(flush)) return;
    if (this.removed === 'one name in a blocker') return;
    this.put({ _id, blocked: [...stored.blocked, flush] }, place);
  }

  insertPart(part: UsagePart): void {
    if (this.parts.has(part._id)) {
      // The same flush and series always give the same part.
      if (JSON.stringify(this.parts.get(part._id)) !== JSON.stringify(part)) {
        throw new Violation(`Part ${part._id} has two contents`);
      }
      return;
    }
    const isRepeat = this.partsEver.has(part._id);
    if (epochOfPart(part) <= this.until && !isRepeat) {
      throw new Violation(`Part ${part._id} came after its epoch was over`);
    }
    this.partsEver.add(part._id);
    this.parts.set(part._id, part);
  }

  private store({ ...event }: NewEventDocument, place: EventPlace): void {
    if (event.epoch <= this.until) {
      throw new Violation(`Event ${event._id} of ${event.flush} came after its epoch was over`);
    }
    this.put(event, place);
  }

  private put(stored: EventDocument | Blocker, { name }: EventPlace): void {
    this.events.set(`${name} ${stored._id}`, stored);
  }
}

export function minuteOf({ timestamp }: Pick<EventDocument, 'timestamp'>): number {
  return timestamp.getTime() / minuteMs;
}

export function atMinute(minute: number): Date {
  return new Date(minute * minuteMs);
}

/** The storage of the epochs as one actor uses it: each step waits for its turn. */
export function epochsOf(world: FlushWorld, turns: Turns, actor: string): EpochStorage {
  const write = <T>(effect: () => T) => turns.write(actor, effect);
  return {
    registerWriter: () => write(() => (world.writers += 1)),
    readEpoch: async () => {
      await turns.pause(actor);
      const { current, until, generations } = world;
      return { current, until, generations };
    },
    advanceCurrent: (from) =>
      write(() => {
        if (world.current === from) world.current += 1;
      }),
    raiseUntil: (until) =>
      write(() => {
        world.until = Math.max(world.until, until);
      }),
    insertSlot: ({ id, writer }) =>
      write(() => {
        if (world.slots.has(id)) return;
        world.slots.set(id, { id, writer, dead: false, n: 0, epoch: 0, flush: '', ids: [] });
      }),
    changeSlot: (command) => write(() => world.changeSlot(command)),
    findSlot: async (id) => {
      await turns.pause(actor);
      return world.slots.get(id);
    },
    findSlots: async () => {
      const found: SlotSummary[] = [];
      // Slots may be read one after another.
      for (const id of [...world.slots.keys()]) {
        await turns.pause(actor);
        const slot = world.slots.get(id);
        if (slot === undefined) continue;
        const isSkipped =
          slot.dead && slot.epoch !== null && world.removed === 'dead slot that does not hold';
        found.push(isSkipped ? { ...slot, epoch: world.current } : slot);
      }
      return found;
    },
    fence: (writer) =>
      write(() => {
        for (const slot of world.slots.values()) {
          if (slot.writer === writer) world.slots.set(slot.id, { ...slot, dead: true });
        }
      }),
    releaseSlot: (id) =>
      write(() => {
        const slot = world.slots.get(id);
        if (slot?.dead !== true) return;
        if (world.removed === 'recovered slot that is removed') world.slots.delete(id);
        else world.slots.set(id, { ...slot, epoch: null, flush: '', ids: [] });
      }),
    removeSlot: (id) =>
      write(() => {
        world.slots.delete(id);
      }),
  };
}

/** The storage of events and parts as one actor uses it: each step waits for its turn. */
export function flushesOf(world: FlushWorld, turns: Turns, actor: string): FlushStorage {
  const write = <T>(effect: () => T) => turns.write(actor, effect);
  return {
    insertEvents: async (events, place) => {
      const duplicates = new Set<NewEventDocument>();
      // A crash may fall between any two.
      for (const event of events) {
        const copy = { ...event };
        if (!(await write(() => world.insertEvent(copy, place)))) duplicates.add(event);
      }
      return { duplicates, failed: new Map() };
    },
    findEvents: async (ids, place) => {
      const found = new Map<string, EventDocument | Blocker>();
      for (const id of ids) {
        await turns.pause(actor);
        const stored = world.stored(id, place);
        if (stored !== undefined) found.set(id, stored);
      }
      return found;
    },
    takeOver: (event, place) => {
      const copy = { ...event };
      return write(() => world.takeOver(copy, place));
    },
    block: async (ids, flush, place) => {
      for (const id of ids) {
        await write(() => {
          world.block(id, flush, place);
        });
      }
      for (const id of ids) {
        await write(() => {
          world.blockAlso(id, flush, place);
        });
      }
    },
    insertParts: async (parts) => {
      for (const part of parts) {
        await write(() => {
          world.insertPart(part);
        });
      }
    },
    findPartIds: async (ids) => {
      await turns.pause(actor);
      if (world.removed === 'repeat answered unchecked') return new Set(ids);
      return new Set(ids.filter((id) => world.parts.has(id)));
    },
  };
}
