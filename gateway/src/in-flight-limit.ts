import type { Request } from 'express';
import { networkOf } from './admission';
import { RequestError } from './http-error';

// What runs is answered, or its time is up, soon enough for a caller who asks again.
const retryAfter = { 'Retry-After': '1' };

/** Serves a request in a place of its own, or refuses it. */
export type TakePlace = <T>(work: () => Promise<T>, request: Request) => Promise<T>;

/**
 * Places of one kind of requests without a key: `max` of them, so that no kind takes those of
 * another. One client address takes at most those of `perAddress`, over all kinds that share it.
 */
export function keylessPlaces(max: number, perAddress: InFlightLimit): TakePlace {
  const pool = InFlightLimit.ofProcess(max);
  return (work, request) => perAddress.run(() => pool.run(work), networkOf(request.ip));
}

/**
 * Refuses requests beyond a number at a time, before any work is done for them: no queue outgrows
 * its callers' patience.
 */
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

  /**
   * Of calls that wait for minutes: a caller beyond them comes back once some of them have been
   * answered.
   */
  static ofWaiting(max: number): InFlightLimit {
    return new InFlightLimit(
      max,
      () => new RequestError(429, 'too_many_requests', 'Too many requests', { 'Retry-After': '5' }),
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
