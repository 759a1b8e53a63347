import { RequestError } from './http-error';

// What runs is answered, or its time is up, soon enough for a caller who asks again.
const retryAfter = { 'Retry-After': '1' };

/** Refuses requests beyond a number at a time, before any work is done for them: no queue outgrows its callers' patience. */
export class InFlightLimit {
  private readonly running = new Map<string, number>();

  private constructor(
    private readonly max: number,
    private readonly refusal: () => RequestError,
  ) {}

  /** Of a whole process. */
  static ofProcess(max: number): InFlightLimit {
    return new InFlightLimit(
      max,
      () => new RequestError(503, 'unavailable', 'Service unavailable', retryAfter),
    );
  }

  /** Of one caller among others: whoever waits in great numbers leaves room for them. */
  static perCaller(max: number): InFlightLimit {
    return new InFlightLimit(
      max,
      () => new RequestError(429, 'too_many_requests', 'Too many requests', retryAfter),
    );
  }

  async run<T>(work: () => Promise<T>, caller = ''): Promise<T> {
    const count = this.running.get(caller) ?? 0;
    if (count >= this.max) throw this.refusal();
    this.running.set(caller, count + 1);
    try {
      return await work();
    } finally {
      const left = (this.running.get(caller) ?? 1) - 1;
      if (left > 0) this.running.set(caller, left);
      else this.running.delete(caller);
    }
  }
}
