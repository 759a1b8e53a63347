import { createLogger } from '@billing/chassis/logging';
import type { EpochStorage, UsageEpoch } from '../epoch/epoch';
import { EpochWorker } from '../epoch/epoch-worker';
import {
  atMinute,
  epochsOf,
  flushesOf,
  FlushWorld,
  minuteOf,
  type RemovedGuard,
  Violation,
} from '../testing/flush-world';
import { firstGeneration } from '../testing/events';
import { immediateTurns, randomOf, Scheduler } from '../testing/scheduler';
import { toEventDocument } from '../usage/event-store';
import { CountedEvents } from './counted';
import type { FlushStorage } from './flush-storage';
import { recoverSlot } from './recover-slot';
import { FencedError, type RetryUntilFenced, Slot } from './slot';
import { storeFlush } from './store-flush';

// Model test: runs the steps of flushes, epochs and recovery against stored state in memory, in an
// order that a seed determines. Processes crash, living writers are fenced, writes take effect late
// or twice, folds delete parts, a generation begins. `world` refuses what no later fold would find.

const seeds = process.env.TEST_TIER === 'nightly' ? 20_000 : 1_000;
// A removed guard must be missed by one of these.
const seedsOfMutant = 10_000;
const stepsMax = 400;
const stepsToRest = 4_000;
const allNames = ['a', 'b', 'c'];
const meter = { aggregation: 'COUNT', uniqueProperty: null } as const;
const logger = createLogger({ service: 'test', level: 'silent', file: undefined });
const customerId = 'c';
const meterId = 'm';

const retry: RetryUntilFenced = (step) => step();

function itemOf(name: string) {
  const document = toEventDocument(
    { environmentId: 'e' },
    {
      eventId: name,
      customerId,
      meterId,
      quantity: '1',
      timestamp: atMinute(allNames.indexOf(name)),
      properties: {},
      receivedAt: atMinute(0),
      arrival: 1,
    },
  );
  return { document, meter, firstArrivalMs: 0, isSame: () => true };
}

/** One run of the system from a seed. */
class Run {
  private readonly random: (below: number) => number;
  private readonly scheduler: Scheduler;
  private readonly world: FlushWorld;
  private readonly acknowledged = new Set<string>();
  private readonly livingActors = new Map<string, number>();
  private steps = 0;
  private crashesLeft: number;
  private fencesLeft: number;
  private isResting = false;
  private recoveryError: Error | undefined;
  private readonly names: readonly string[];
  /** Time that passes for an observer between two readings of its clock. */
  private readonly observedMs: number;
  /** One in how many steps is a crash, or a wrong fence. */
  private readonly faultOdds: number;

  constructor(seed: number, removed: RemovedGuard | undefined) {
    this.random = randomOf(seed);
    this.world = new FlushWorld(removed);
    this.scheduler = new Scheduler(this.random, {
      left: this.random(3),
      odds: this.oneOf(2, 8),
      steps: this.oneOf(1, 40),
    });
    this.observedMs = this.oneOf(1_600, 8_000);
    this.names = allNames.slice(0, this.oneOf(1, 2, 3));
    this.faultOdds = this.oneOf(15, 50);
    this.crashesLeft = this.random(3);
    this.fencesLeft = this.random(3);
  }

  private oneOf(...options: readonly [number, ...number[]]): number {
    return options[this.random(options.length)] ?? options[0];
  }

  async play(): Promise<void> {
    const writers = 2 + this.random(2);
    for (let index = 0; index < writers; index += 1) this.startWriter(`writer ${String(index)}`);
    for (const name of ['epochs 0', 'epochs 1']) this.startEpochs(name);
    this.startFolder();
    if (this.random(2) === 0) this.startGeneration();
    for (; this.steps < stepsMax && this.livingActors.size > 0; this.steps += 1) {
      this.interfere();
      if (!(await this.scheduler.step())) break;
      this.expectCounts();
    }
    await this.rest();
  }

  /** Crashes a writer or fences one that lives. */
  private interfere(): void {
    const living = [...this.livingActors];
    const [actor, writer] = living[this.random(living.length)] ?? [];
    if (actor === undefined || writer === undefined) return;
    if (this.crashesLeft > 0 && this.random(this.faultOdds) === 0) {
      this.crashesLeft -= 1;
      this.livingActors.delete(actor);
      this.scheduler.crash(actor);
    } else if (this.fencesLeft > 0 && this.random(this.faultOdds) === 0) {
      this.fencesLeft -= 1;
      this.scheduler.start(() => epochsOf(this.world, this.scheduler, 'fence').fence(writer));
    }
  }

  /** Lets everything finish: all events are then counted once, and no slot holds them back. */
  private async rest(): Promise<void> {
    this.isResting = true;
    const isAtRest = () =>
      this.livingActors.size === 0 &&
      !this.scheduler.hasLateWrites &&
      [...this.world.slots.values()].every(({ epoch }) => epoch === null);
    for (let steps = 0; !isAtRest(); steps += 1) {
      if (steps > stepsToRest) throw new Error('The run does not come to rest');
      if (!(await this.scheduler.step())) break;
      this.expectCounts();
    }
    for (const name of this.names) {
      const copies = this.world.copiesOf(itemOf(name).document._id);
      const count = this.world.countOf(allNames.indexOf(name));
      if (count !== copies) {
        throw new Violation(`${name} is stored ${String(copies)} times, counts ${String(count)}`);
      }
    }
  }

  private expectCounts(): void {
    if (this.recoveryError !== undefined) throw this.recoveryError;
    for (const name of this.names) {
      const count = this.world.countOf(allNames.indexOf(name));
      if (count > 1) throw new Violation(`${name} counts ${String(count)}`);
      if (count === 0 && this.acknowledged.has(name)) {
        throw new Violation(`${name} was acknowledged and does not count`);
      }
    }
  }

  /** A process with one slot, whose callers send batches of some of the events. */
  private startWriter(actor: string): void {
    const epochs = epochsOf(this.world, this.scheduler, actor);
    const storage = flushesOf(this.world, this.scheduler, actor);
    const counted = new CountedEvents(storage, epochs);
    this.livingActors.set(actor, 0);
    const work = async () => {
      let slot: Slot | undefined;
      let reading = await epochs.readEpoch();
      for (let batches = 1 + this.random(3); batches > 0;) {
        try {
          if (slot === undefined) {
            const writer = await epochs.registerWriter();
            this.livingActors.set(actor, writer);
            slot = new Slot({ writer, slot: 0 }, epochs);
          }
          if (!slot.isInUse) {
            await slot.acquire(retry);
            reading = await epochs.readEpoch();
          }
          const idle = this.random(4);
          if (idle === 0) await slot.park(retry);
          else if (idle === 1) {
            reading = await epochs.readEpoch();
            if (slot.isBehind(reading.current)) await slot.move(reading.current, retry);
          } else {
            batches -= 1;
            await this.send(slot, { epochs, storage, reading, counted });
          }
        } catch (error) {
          if (!(error instanceof FencedError)) throw error;
          slot = undefined;
        }
      }
      this.livingActors.delete(actor);
      await this.parkAtRest(slot);
    };
    this.scheduler.start(work);
  }

  private async send(
    slot: Slot,
    {
      epochs,
      storage,
      reading,
      counted,
    }: {
      epochs: EpochStorage;
      storage: FlushStorage;
      reading: UsageEpoch;
      counted: CountedEvents;
    },
  ): Promise<void> {
    const chosen = this.names.filter(() => this.random(2) === 0);
    const items = (chosen.length === 0 ? this.names : chosen).map(itemOf);
    const awaitOver = async (epoch: number) => {
      if (this.world.removed === 'generation without barrier') return;
      while ((await epochs.readEpoch()).until < epoch);
    };
    const { repeats } = await storeFlush(slot, items, { storage, reading, awaitOver, retry });
    // Otherwise the answer is 503.
    if (!(await counted.includes([...repeats.values()]))) return;
    for (const { document } of items) {
      this.acknowledged.add(allNames[minuteOf(document)] ?? '');
    }
    this.expectCounts();
  }

  private async parkAtRest(slot: Slot | undefined): Promise<void> {
    try {
      if (slot?.isInUse === true) await slot.park(retry);
    } catch (error) {
      if (!(error instanceof FencedError)) throw error;
    }
  }

  private startEpochs(actor: string): void {
    const epochs = epochsOf(this.world, this.scheduler, actor);
    const storage = flushesOf(this.world, this.scheduler, actor);
    let nowMs = 0;
    const worker = new EpochWorker({
      storage: epochs,
      recover: async (slot) => {
        const metersOf = () => Promise.resolve(new Map([[meterId, meter]]));
        try {
          await recoverSlot(slot, { epochs, storage, metersOf });
        } catch (error) {
          // The worker would retry.
          this.recoveryError ??= error as Error;
          throw error;
        }
      },
      ownWriter: () => undefined,
      // At rest, the slots of crashed writers stay silent for half a minute.
      nowMs: () => (nowMs += this.isResting ? 8_000 : this.observedMs),
      logger,
    });
    this.scheduler.start(async () => {
      for (;;) {
        await worker.run();
        await worker.recoverSlots(new AbortController().signal);
      }
    });
  }

  /** Begins a generation at some time. */
  private startGeneration(): void {
    const actor = 'generation';
    this.scheduler.start(async () => {
      for (let pauses = this.random(25); pauses > 0; pauses -= 1) await this.scheduler.pause(actor);
      const { current } = this.world;
      await this.scheduler.write(actor, () => this.world.beginGeneration(current));
    });
  }

  private startFolder(): void {
    const actor = 'folder';
    this.scheduler.start(async () => {
      for (;;) {
        const { until } = await epochsOf(this.world, this.scheduler, actor).readEpoch();
        await this.scheduler.pause(actor);
        this.world.fold(until);
      }
    });
  }
}

async function violationOf(seed: number, removed?: RemovedGuard): Promise<string | undefined> {
  try {
    await new Run(seed, removed).play();
    return undefined;
  } catch (error) {
    const violation = [error, (error as Error).cause].find((one) => one instanceof Violation);
    if (violation === undefined) throw new Error(`Seed ${String(seed)}`, { cause: error });
    return `seed ${String(seed)}: ${violation.message}`;
  }
}

test('each acknowledged event counts once, and nothing is added to an epoch that is over', async () => {
  for (let seed = 0; seed < seeds; seed += 1) {
    expect(await violationOf(seed)).toBeUndefined();
  }
}, 600_000);

test.each<RemovedGuard>([
  'slot change without dead',
  'slot change without n',
  'recovery without blockers',
  'dead slot that does not hold',
  'slot acquired without a hold',
  'repeat answered unchecked',
  'generation without barrier',
])(
  'the model finds the fault of a protocol with a %s',
  async (removed) => {
    for (let seed = 0; seed < seedsOfMutant; seed += 1) {
      if ((await violationOf(seed, removed)) !== undefined) return;
    }
    throw new Error('No run finds the fault');
  },
  600_000,
);

/**
 * A take-over takes effect after the recovery of its flush. Its event was blocked before, for
 * another dead flush. Too rare for random runs.
 */
async function takeOverLate(removed?: RemovedGuard): Promise<boolean> {
  const world = new FlushWorld(removed);
  const epochs = epochsOf(world, immediateTurns, 'writer');
  const storage = flushesOf(world, immediateTurns, 'writer');
  const metersOf = () => Promise.resolve(new Map([[meterId, meter]]));
  const dieAfterGate = async (writer: number) => {
    const { document } = itemOf('a');
    const slot = new Slot({ writer, slot: 0 }, epochs);
    await slot.acquire(retry);
    const name = await slot.beginFlush({ epoch: world.current, ids: [document._id] }, retry);
    await epochs.fence(writer);
    const dead = world.slots.get(slot.id);
    if (dead !== undefined) await recoverSlot(dead, { epochs, storage, metersOf });
    return { ...document, ...name };
  };
  await dieAfterGate(1);
  const late = await dieAfterGate(2);
  world.current = late.epoch + 1;
  world.until = late.epoch;
  return world.takeOver(late, firstGeneration);
}

test('a take-over by a dead flush has no effect, although another flush was blocked first', async () => {
  expect(await takeOverLate()).toBe(false);
  await expect(takeOverLate('one name in a blocker')).rejects.toThrow(Violation);
});

/**
 * The first insert of a slot hangs, and takes effect after the slot, inserted by a second attempt,
 * was recovered. Its writer stops before its gate, and goes on later. Too rare for random runs.
 */
async function insertSlotLate(removed?: RemovedGuard): Promise<void> {
  const world = new FlushWorld(removed);
  const epochs = epochsOf(world, immediateTurns, 'writer');
  const storage = flushesOf(world, immediateTurns, 'writer');
  const metersOf = () => Promise.resolve(new Map([[meterId, meter]]));
  const slot = new Slot({ writer: 1, slot: 0 }, epochs);
  await slot.acquire(retry);
  const reading = await epochs.readEpoch();
  await epochs.fence(1);
  const dead = world.slots.get(slot.id);
  if (dead !== undefined) await recoverSlot(dead, { epochs, storage, metersOf });
  world.current = reading.current + 2;
  world.until = reading.current + 1;
  await epochs.insertSlot({ id: slot.id, writer: 1 });
  const awaitOver = () => Promise.resolve();
  await storeFlush(slot, [itemOf('a')], { storage, reading, awaitOver, retry });
}

test('a slot is not brought back by an insert that takes effect after its recovery', async () => {
  await expect(insertSlotLate()).rejects.toThrow(FencedError);
  await expect(insertSlotLate('recovered slot that is removed')).rejects.toThrow(Violation);
});
