import { monotonicMs, sleep } from '@billing/chassis/clock';
import { Semaphore } from '@billing/chassis/semaphore';
import type { EpochStorage, UsageEpoch } from '../epoch/epoch';
import { FencedError, type RetryUntilFenced, Slot } from './slot';

// More concurrent flushes would only queue up in the database.
const slotCount = 4;
const parkAfterMs = 10_000;
// A flush that takes longer holds back everything that waits for its epoch.
const flushMsMax = 60_000;
const retryAfterMs = 500;
const readAgainAfterMs = 100;

interface SlotUse {
  readonly slot: Slot;
  /** Start of the command or flush in progress. */
  startedAtMs: number | undefined;
  usedAtMs: number;
}

/**
 * One run of a process as a writer of flushes, under a number that is never used again. A writer
 * ends when it is fenced or a flush takes too long. Then a new writer takes its place.
 */
export class Writer {
  private readonly uses: readonly SlotUse[];
  private readonly places = new Semaphore(slotCount);
  private reading: UsageEpoch = { current: 0, until: 0, generations: [] };
  private hasEnded = false;

  constructor(
    readonly number: number,
    private readonly epochs: EpochStorage,
  ) {
    this.uses = Array.from({ length: slotCount }, (_, slot) => ({
      slot: new Slot({ writer: number, slot }, epochs),
      startedAtMs: undefined,
      usedAtMs: 0,
    }));
  }

  get isEnded(): boolean {
    return this.hasEnded;
  }

  /**
   * Runs a flush in a free slot, which is taken into use first. Rejects if none becomes free until
   * the signal aborts.
   */
  async run<T>(
    flush: (slot: Slot, reading: UsageEpoch) => Promise<T>,
    { retry, signal }: { readonly retry: RetryUntilFenced; readonly signal: AbortSignal },
  ): Promise<T> {
    return this.places.run(async () => {
      // The one used last, so that the others can be parked.
      const free = this.uses.filter(({ startedAtMs }) => startedAtMs === undefined);
      const [use] = free.toSorted((a, b) => b.usedAtMs - a.usedAtMs);
      if (use === undefined || this.hasEnded) throw this.ended();
      return this.occupy(use, async (slot) => {
        if (!slot.isInUse) {
          await slot.acquire(retry);
          this.note(await retry(() => this.epochs.readEpoch()));
        }
        const result = await flush(slot, this.reading);
        use.usedAtMs = monotonicMs();
        return result;
      });
    }, signal);
  }

  /**
   * Moves slots between flushes to the current epoch and parks those that are not used. Ends the
   * writer if a flush takes too long, and fences a writer that has ended.
   */
  async beat(reading: UsageEpoch): Promise<void> {
    this.note(reading);
    const nowMs = monotonicMs();
    if (this.isTooSlow(nowMs)) this.hasEnded = true;
    if (this.hasEnded) {
      await this.epochs.fence(this.number);
      return;
    }
    const idle = this.uses.filter(({ startedAtMs }) => startedAtMs === undefined);
    await Promise.all(idle.map((use) => this.beatSlot(use, nowMs)));
  }

  /** Resolves when nothing can be added up to an epoch any more. */
  async awaitOver(epoch: number, retry: RetryUntilFenced): Promise<void> {
    for (;;) {
      const reading = await retry(() => this.epochs.readEpoch());
      this.note(reading);
      if (reading.until >= epoch) return;
      if (this.hasEnded) throw this.ended();
      await sleep(readAgainAfterMs);
    }
  }

  /** Retries a step until it succeeds or the writer has ended. */
  readonly retry: RetryUntilFenced = (step) => this.retryReporting(step, () => undefined);

  /** As `retry`; reports the first failure, which the callers of a flush need not wait out. */
  async retryReporting<T>(step: () => Promise<T>, onFailure: (error: unknown) => void): Promise<T> {
    for (;;) {
      try {
        return await step();
      } catch (error) {
        onFailure(error);
      }
      await sleep(retryAfterMs);
      if (this.isTooSlow(monotonicMs())) this.hasEnded = true;
      if (this.hasEnded) throw this.ended();
    }
  }

  /** Ends the writer and removes its slots. A flush in progress is recovered like a dead one's. */
  async leave(): Promise<void> {
    // A flush that failed: its slot is recovered.
    if (this.hasEnded) return;
    this.hasEnded = true;
    const idle = this.uses.filter(
      ({ slot, startedAtMs }) => slot.isStored && startedAtMs === undefined,
    );
    await Promise.all(idle.map(({ slot }) => this.epochs.removeSlot(slot.id)));
    // Without traffic no other process would end the epoch of the last flush.
    if (idle.length > 0) await this.epochs.advanceCurrent(this.reading.current);
  }

  private isTooSlow(nowMs: number): boolean {
    return this.uses.some(
      ({ startedAtMs }) => startedAtMs !== undefined && nowMs - startedAtMs > flushMsMax,
    );
  }

  private async beatSlot(use: SlotUse, nowMs: number): Promise<void> {
    const { slot, usedAtMs } = use;
    const isUnused = slot.isInUse && nowMs - usedAtMs > parkAfterMs;
    if (!isUnused && !slot.isBehind(this.reading.current)) return;
    await this.places.run(async () => {
      // A flush may have taken the slot first: a move would replace its ids.
      if (use.startedAtMs !== undefined || this.hasEnded) return;
      await this.occupy(use, () =>
        isUnused ? slot.park(this.retry) : slot.move(this.reading.current, this.retry),
      );
    });
  }

  private async occupy<T>(use: SlotUse, run: (slot: Slot) => Promise<T>): Promise<T> {
    use.startedAtMs = monotonicMs();
    try {
      return await run(use.slot);
    } catch (error) {
      // The ids stay in the slot: its recovery counts what a failed flush has stored.
      this.hasEnded = true;
      throw error;
    } finally {
      use.startedAtMs = undefined;
    }
  }

  private ended(): FencedError {
    return new FencedError(`Writer ${String(this.number)} has ended`);
  }

  private note(reading: UsageEpoch): void {
    if (reading.current >= this.reading.current) this.reading = reading;
  }
}
