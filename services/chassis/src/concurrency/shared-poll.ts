import { sleep } from '../clock';

/** One poll that several callers wait for. It is aborted when the last of them leaves. */
export class SharedPoll<T> {
  private readonly abandoned = new AbortController();
  private readonly result: Promise<T | undefined>;
  private waiters = 0;

  constructor(
    poll: (abandoned: AbortSignal) => Promise<T | undefined>,
    private readonly onEnd: () => void,
  ) {
    this.result = poll(this.abandoned.signal).finally(onEnd);
    // There may be no caller left to handle a rejection.
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

  /** Result of the poll; undefined if the time is over or the signal aborts first. */
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
