import type { Semaphore } from '@billing/chassis/semaphore';

/** Time after which an advance gives its place to one that waits. */
export const turnMs = 1_000;

/** Place of a clock advance among those that a replica runs concurrently, held in turns. */
export class AdvancePlace {
  private leave: (() => void) | undefined;
  private takenAtMs = 0;

  constructor(
    private readonly running: Semaphore,
    private readonly nowMs: () => number,
  ) {}

  /** True when another advance waits and this one has had its place for a whole turn. */
  get isTurnOver(): boolean {
    return this.running.queued > 0 && this.nowMs() - this.takenAtMs >= turnMs;
  }

  /** Waits in order for a place. Rejects with the signal's reason, without a place. */
  async take(signal: AbortSignal): Promise<void> {
    const taken = Promise.withResolvers<undefined>();
    const left = Promise.withResolvers<undefined>();
    const hold = () => {
      taken.resolve(undefined);
      return left.promise;
    };
    this.running.run(hold, signal).catch(taken.reject);
    await taken.promise;
    this.leave = () => {
      left.resolve(undefined);
    };
    this.takenAtMs = this.nowMs();
  }

  /** Gives the place to the first advance that waits, and waits behind the last one. */
  async giveWay(signal: AbortSignal): Promise<void> {
    this.end();
    await this.take(signal);
  }

  /** Leaves the place, if it is held. */
  end(): void {
    this.leave?.();
    this.leave = undefined;
  }
}
