import type { Logger } from '@billing/chassis/logging';
import type { Metrics, Observation } from '@billing/chassis/metrics';
import {
  type EpochStorage,
  isReleased,
  type SlotState,
  type SlotSummary,
  untilOf,
  type UsageEpoch,
} from './epoch';
import { SlotWatch } from './slot-watch';

/** Dependencies of the work on epochs. */
export interface EpochWorkerDependencies {
  readonly storage: EpochStorage;
  /** Counts what a dead slot has stored, and releases the slot. */
  readonly recover: (slot: SlotState) => Promise<void>;
  /** This process's own writer, which is never fenced by it; undefined if there is none. */
  readonly ownWriter: () => number | undefined;
  readonly nowMs: () => number;
  readonly logger: Logger;
}

/** The last reading of epochs and slots. */
export interface EpochReading extends UsageEpoch {
  readonly slots: readonly SlotSummary[];
}

// An epoch lasts about two seconds, however many processes are at work.
const epochMsMin = 1_500;
// A process that cannot read epochs must not hide what others see: alerts use the smallest lag.
const reportedMsMax = 30_000;

/**
 * Moves the epochs on, fences silent writers and recovers dead slots. Recovery is work of its own:
 * it may take long, and this process's writer must show that it lives in between.
 */
export class EpochWorker {
  private readonly watch = new SlotWatch();
  private last: EpochReading | undefined;
  private readAtMs = 0;
  private seen = { current: 0, sinceMs: 0 };

  constructor(private readonly dependencies: EpochWorkerDependencies) {}

  /** The last reading; undefined before the first run. */
  get reading(): EpochReading | undefined {
    return this.last;
  }

  /** The last reading, if it is recent enough to be reported. */
  get recentReading(): EpochReading | undefined {
    return this.dependencies.nowMs() - this.readAtMs > reportedMsMax ? undefined : this.last;
  }

  /** Writes nothing while no slot is in use. */
  async run(): Promise<EpochReading> {
    const { storage } = this.dependencies;
    // Read before the slots (see `untilOf`).
    const epoch = await storage.readEpoch();
    const slots = await storage.findSlots();
    const until = untilOf(epoch.current, slots);
    if (until > epoch.until) await storage.raiseUntil(until);
    await this.advance(epoch.current, slots);
    await this.endSilent(slots);
    this.last = { ...epoch, until: Math.max(until, epoch.until), slots };
    this.readAtMs = this.dependencies.nowMs();
    return this.last;
  }

  /** Recovers the dead slots of the last reading. */
  async recoverSlots(signal: AbortSignal): Promise<void> {
    for (const slot of this.last?.slots ?? []) {
      if (slot.dead && !isReleased(slot) && !signal.aborted) await this.recover(slot);
    }
  }

  /** A failure is retried at the next run: other slots must move on. */
  private async recover({ id, flush }: SlotSummary): Promise<void> {
    const { storage, recover, logger } = this.dependencies;
    const facts = { slot: id, flush };
    try {
      const slot = await storage.findSlot(id);
      // Another process may have recovered it.
      if (slot?.dead !== true || isReleased(slot)) return;
      await recover(slot);
      logger.warn(facts, 'recovered slot of a dead writer');
    } catch (error) {
      logger.error({ err: error, ...facts }, 'recovering slot failed, retrying');
    }
  }

  private async advance(current: number, slots: readonly SlotSummary[]): Promise<void> {
    const nowMs = this.dependencies.nowMs();
    if (this.seen.current !== current) this.seen = { current, sinceMs: nowMs };
    const isInUse = slots.some(({ dead, epoch }) => !dead && epoch !== null);
    if (!isInUse || nowMs - this.seen.sinceMs < epochMsMin) return;
    await this.dependencies.storage.advanceCurrent(current);
    this.seen = { current: current + 1, sinceMs: nowMs };
  }

  private async endSilent(slots: readonly SlotSummary[]): Promise<void> {
    const { storage, ownWriter, nowMs, logger } = this.dependencies;
    const { writers, released } = this.watch.findSilent(slots, nowMs());
    for (const id of released) await storage.removeSlot(id);
    for (const writer of writers) {
      if (writer === ownWriter()) continue;
      logger.warn({ writer }, 'fencing silent writer');
      await storage.fence(writer);
    }
  }
}

const states = ['IDLE', 'FLUSHING', 'PARKED', 'DEAD'] as const;

/** Reports the lag of epochs and the states of slots, if this process has just read them. */
export function observeEpochs(metrics: Pick<Metrics, 'observe'>, worker: EpochWorker): void {
  metrics.observe('usageEpochLag', () => {
    const { recentReading } = worker;
    if (recentReading === undefined) return Promise.resolve([]);
    const { current, until } = recentReading;
    return Promise.resolve([{ value: current - until, attributes: {} }]);
  });
  metrics.observe('usageSlots', () => {
    const slots = worker.recentReading?.slots.filter((slot) => !isReleased(slot)).map(stateOf);
    if (slots === undefined) return Promise.resolve([]);
    return Promise.resolve(
      states.map((state): Observation => ({
        value: slots.filter((one) => one === state).length,
        attributes: { 'billing.usage.slot.state': state },
      })),
    );
  });
}

function stateOf({ dead, epoch, flush }: SlotSummary): (typeof states)[number] {
  if (dead) return 'DEAD';
  if (epoch === null) return 'PARKED';
  // Until the slot is moved, the last flush counts as in progress.
  return flush === '' ? 'IDLE' : 'FLUSHING';
}
