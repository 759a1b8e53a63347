import { sleep } from './clock';

/** One look at something that several callers wait for. It is abandoned once the last of them has left. */
export class SharedPoll<T> {
  private readonly abandoned = new AbortController();
  private readonly result: Promise<T | undefined>;
  private waiters = 0;

  constructor(
    poll: (abandoned: AbortSignal) => Promise<T | undefined>,
    private readonly onEnd: () => void,
  ) {
    this.result = poll(this.abandoned.signal).finally(onEnd);
    // The callers may all have left.
    this.result.catch(() => undefined);
  }

  join(): this {
    this.waiters += 1;
    return this;
  }

  leave(): void {
    this.waiters -= 1;
    if (this.waiters > 0) return;
    this.onEnd();
    this.abandoned.abort();
  }

  /** What is seen; undefined where the time is over or the signal aborts before. */
  async within(ms: number, signal: AbortSignal): Promise<T | undefined> {
    const answered = new AbortController();
    const pause = sleep(ms, AbortSignal.any([signal, answered.signal])).then(() => undefined);
    try {
      return await Promise.race([this.result, pause]);
    } finally {
      answered.abort();
    }
  }
}
