import type { Collection, Db, Filter } from 'mongodb';
import { type Tenant, timelineOf } from '@billing/chassis/call-context';
import { sleep } from '@billing/chassis/clock';
import { jitter } from '@billing/chassis/ids';
import { ensureIndexes } from '@billing/chassis/indexes';
import { duplicateKeyIndex, retryTransient } from '@billing/chassis/mongo';
import { Turns } from '@billing/chassis/turns';
import { DomainError } from '@billing/kernel/domain-error';
import {
  nextClaimStep,
  nextLoweringStep,
  type RedemptionLimit,
  type Slot,
  type SlotView,
} from './redemption-slot';

/** Who may hold a redemption. */
export type HolderKind = 'CHECKOUT_SESSION' | 'SUBSCRIPTION';

/** Takes a slot, and keeps it until it says what becomes of it. */
export interface Holder {
  readonly kind: HolderKind;
  readonly id: string;
  /** Business time of the reservation. */
  readonly heldAt: Date;
  /** Real time after which it is asked whether it still wants the slot. */
  readonly askAt: Date;
}

export type SlotState = 'FREE' | 'HELD' | 'CONFIRMED';

/** A slot in the database. It says whose it is as aggregates do, so that work without a caller knows its environment. */
export interface SlotDocument {
  /** `<discount id>:<number>`: whoever inserts it first has it. */
  readonly _id: string;
  readonly environmentId: string;
  readonly organizationId: string;
  readonly live: boolean;
  readonly timeline: string;
  readonly discountId: string;
  readonly number: number;
  readonly stamp: number;
  readonly state: SlotState;
  readonly holderKind: HolderKind | null;
  /** Of a free slot its own number, because the index counts those too. */
  readonly holderId: string;
  readonly heldAt: Date | null;
  /** Of a held slot alone. */
  readonly askAt: Date | null;
  /** How often its holder was asked. */
  readonly timesAsked: number;
}

/** All slots, of every environment. */
export interface SlotSurroundings {
  readonly slots: Collection<SlotDocument>;
  /** Redeemers of one discount go one after another. */
  readonly turns: Turns;
}

const holderIndex = 'holder';
// Each loss means that another replica has won; so many in a row are a storm, and the caller may try again later.
const attemptsMax = 50;
const firstNumber = 1;

export function openSlots(db: Db): SlotSurroundings {
  return { slots: db.collection<SlotDocument>('redemptionSlots'), turns: new Turns() };
}

export async function ensureSlotIndexes({ slots }: SlotSurroundings): Promise<void> {
  const ofDiscount = { environmentId: 1, discountId: 1 } as const;
  await ensureIndexes(slots, [
    { name: holderIndex, key: { ...ofDiscount, holderId: 1 }, unique: true },
    { name: 'number', key: { ...ofDiscount, number: 1 } },
    { name: 'state', key: { ...ofDiscount, state: 1, number: 1 } },
    { name: 'ask', key: { askAt: 1 } },
  ]);
}

/** The slots of one environment's discounts. */
export class RedemptionSlotStore {
  constructor(
    private readonly surroundings: SlotSurroundings,
    private readonly tenant: Tenant,
  ) {}

  /** Whether the holder has a slot of the discount, held or confirmed. */
  async isHolder(discountId: string, holderId: string): Promise<boolean> {
    return (await this.findHeld(discountId, holderId)) !== undefined;
  }

  /**
   * Takes a slot for a holder that has none; one that has keeps it. STALE: the limit must be read again, because it was read before a
   * change, or because a change of it is on its way.
   */
  async claim(
    discountId: string,
    holder: Holder,
    limit: RedemptionLimit,
  ): Promise<'HELD' | 'EXHAUSTED' | 'STALE'> {
    return this.surroundings.turns.take([discountId], async () => {
      for (let attempt = 1; attempt <= attemptsMax; attempt += 1) {
        const step = nextClaimStep(await this.look(discountId, limit), limit);
        if (step.kind === 'EXHAUSTED' || step.kind === 'STALE') return step.kind;
        const isTaken =
          step.kind === 'TAKE'
            ? await this.take(discountId, step.slot, { holder, limit })
            : await this.add(this.heldSlot(discountId, step.number, { holder, limit }));
        if (isTaken || (await this.isHolder(discountId, holder.id))) return 'HELD';
        await sleep(attempt * jitter(1));
      }
      throw new DomainError('unavailable', 'TOO_MANY_WRITERS', 'Service unavailable');
    });
  }

  /** Keeps a slot for ever; false where the holder has none. */
  async confirm(discountId: string, holderId: string): Promise<boolean> {
    const taken = { ...this.ofDiscount(discountId), holderId };
    const { matchedCount } = await this.update(
      { ...taken, state: { $in: ['HELD', 'CONFIRMED'] } },
      { state: 'CONFIRMED', askAt: null },
    );
    return matchedCount > 0;
  }

  /** Frees a held slot; a confirmed one stays. */
  async release(discountId: string, holderId: string): Promise<void> {
    const held = await this.findHeld(discountId, holderId);
    if (held?.state !== 'HELD') return;
    // The number alone does not say that it is still the same holder's.
    const filter = { _id: held._id, holderId, state: 'HELD' as const };
    await this.update({ ...this.ofDiscount(discountId), ...filter }, freed(held.number));
  }

  /** Slots that are held or confirmed. A free one that is taken meanwhile may be missing, but there are never more than there were. */
  async count(discountId: string): Promise<number> {
    const last = await this.last(discountId);
    if (last === undefined) return 0;
    const { slots } = this.surroundings;
    const free = await retryTransient(() =>
      slots.countDocuments({
        ...this.ofDiscount(discountId),
        state: 'FREE',
        number: { $lte: last.number },
      }),
    );
    return last.number - free;
  }

  /** Whether a slot above a number is taken. */
  async isTakenAbove(discountId: string, number: number): Promise<boolean> {
    const { slots } = this.surroundings;
    const taken = { state: { $in: ['HELD', 'CONFIRMED'] as SlotState[] }, number: { $gt: number } };
    const slot = await retryTransient(() =>
      slots.findOne({ ...this.ofDiscount(discountId), ...taken }, { projection: { _id: 1 } }),
    );
    return slot !== null;
  }

  /**
   * Closes all slots above a maximum to everybody who has not read `version` of the discount, which is to bring that maximum; false where
   * one of them is taken.
   */
  async close(
    discountId: string,
    { maximum, version }: { readonly maximum: number; readonly version: number },
  ): Promise<boolean> {
    await this.addBarrier(discountId, version);
    for (let attempt = 1; attempt <= attemptsMax; attempt += 1) {
      switch (nextLoweringStep(await this.above(discountId, maximum), version)) {
        case 'REFUSE':
          return false;
        case 'DONE':
          return true;
        case 'STAMP':
          await this.stampAbove(discountId, { maximum, version });
      }
    }
    throw new DomainError('unavailable', 'TOO_MANY_WRITERS', 'Service unavailable');
  }

  // The last one first: when it is the last that there may be and none is free afterwards, all are taken at that moment.
  private async look(discountId: string, { maximum }: RedemptionLimit): Promise<SlotView> {
    const last = await this.last(discountId);
    if (last === undefined) return { last, lowestFree: undefined };
    const { slots } = this.surroundings;
    const [lowestFree] = await retryTransient(() =>
      slots
        .find({
          ...this.ofDiscount(discountId),
          state: 'FREE',
          number: { $gte: firstNumber, $lte: Math.min(maximum ?? last.number, last.number) },
        })
        .sort({ number: 1 })
        .limit(1)
        .project<Slot>({ number: 1, stamp: 1 })
        .toArray(),
    );
    return { last, lowestFree: lowestFree === undefined ? undefined : toSlot(lowestFree) };
  }

  private async last(discountId: string): Promise<Slot | undefined> {
    const { slots } = this.surroundings;
    const [last] = await retryTransient(() =>
      slots
        .find({ ...this.ofDiscount(discountId), number: { $gte: firstNumber } })
        .sort({ number: -1 })
        .limit(1)
        .project<Slot>({ number: 1, stamp: 1 })
        .toArray(),
    );
    return last === undefined ? undefined : toSlot(last);
  }

  // In the order of their numbers, which never change: a slot that changes its state meanwhile is never passed over.
  private async above(discountId: string, number: number) {
    const { slots } = this.surroundings;
    const documents = await retryTransient(() =>
      slots
        .find({ ...this.ofDiscount(discountId), number: { $gt: number } })
        .sort({ number: 1 })
        .project<Pick<SlotDocument, 'number' | 'stamp' | 'state'>>({
          number: 1,
          stamp: 1,
          state: 1,
        })
        .toArray(),
    );
    return documents.map((slot) => ({ ...toSlot(slot), isFree: slot.state === 'FREE' }));
  }

  private async take(
    discountId: string,
    { number }: Slot,
    { holder, limit }: { holder: Holder; limit: RedemptionLimit },
  ): Promise<boolean> {
    const { state, holderKind, holderId, heldAt, askAt, timesAsked, stamp } = this.heldSlot(
      discountId,
      number,
      { holder, limit },
    );
    const free = {
      _id: slotId(discountId, number),
      state: 'FREE' as const,
      stamp: { $lte: limit.version },
    };
    try {
      const { modifiedCount } = await this.update(
        { ...this.ofDiscount(discountId), ...free },
        { state, holderKind, holderId, heldAt, askAt, timesAsked, stamp },
      );
      return modifiedCount > 0;
    } catch (error) {
      if (duplicateKeyIndex(error) === undefined) throw error;
      return false;
    }
  }

  private async add(slot: SlotDocument): Promise<boolean> {
    const { slots } = this.surroundings;
    try {
      await retryTransient(() => slots.insertOne(slot));
      return true;
    } catch (error) {
      if (duplicateKeyIndex(error) === undefined) throw error;
      return false;
    }
  }

  private async addBarrier(discountId: string, version: number): Promise<void> {
    for (let attempt = 1; attempt <= attemptsMax; attempt += 1) {
      const last = await this.last(discountId);
      const number = (last?.number ?? 0) + 1;
      const slot = { ...this.emptySlot(discountId, number), stamp: version };
      if (await this.add(slot)) return;
      await sleep(attempt * jitter(1));
    }
    throw new DomainError('unavailable', 'TOO_MANY_WRITERS', 'Service unavailable');
  }

  private async stampAbove(
    discountId: string,
    { maximum, version }: { maximum: number; version: number },
  ): Promise<void> {
    const { slots } = this.surroundings;
    const open = {
      ...this.ofDiscount(discountId),
      state: 'FREE' as const,
      number: { $gt: maximum },
      stamp: { $lt: version },
    };
    await retryTransient(() => slots.updateMany(open, { $set: { stamp: version } }));
  }

  private async findHeld(discountId: string, holderId: string): Promise<SlotDocument | undefined> {
    const { slots } = this.surroundings;
    const slot = await retryTransient(() =>
      slots.findOne({ ...this.ofDiscount(discountId), holderId }),
    );
    return slot ?? undefined;
  }

  private update(filter: Filter<SlotDocument>, changes: Partial<SlotDocument>) {
    const { slots } = this.surroundings;
    return retryTransient(() => slots.updateOne(filter, { $set: changes }));
  }

  private ofDiscount(discountId: string): Pick<SlotDocument, 'environmentId' | 'discountId'> {
    return { environmentId: this.tenant.environmentId, discountId };
  }

  private heldSlot(
    discountId: string,
    number: number,
    { holder, limit }: { holder: Holder; limit: RedemptionLimit },
  ): SlotDocument {
    return {
      ...this.emptySlot(discountId, number),
      stamp: limit.version,
      state: 'HELD',
      holderKind: holder.kind,
      holderId: holder.id,
      heldAt: holder.heldAt,
      askAt: holder.askAt,
    };
  }

  private emptySlot(discountId: string, number: number): SlotDocument {
    const { environmentId, organizationId, live } = this.tenant;
    return {
      _id: slotId(discountId, number),
      environmentId,
      organizationId,
      live,
      timeline: timelineOf(this.tenant),
      discountId,
      number,
      stamp: 0,
      ...freed(number),
    };
  }
}

function slotId(discountId: string, number: number): string {
  return `${discountId}:${String(number)}`;
}

function freed(number: number) {
  return {
    state: 'FREE' as const,
    holderKind: null,
    holderId: `free:${String(number)}`,
    heldAt: null,
    askAt: null,
    timesAsked: 0,
  };
}

// The driver gives whole numbers as it finds them, 32 or 64 bits wide.
function toSlot({ number, stamp }: { number: number | bigint; stamp: number | bigint }): Slot {
  return { number: Number(number), stamp: Number(stamp) };
}
