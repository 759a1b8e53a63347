import type { Request } from 'express';
import { networkOf } from './client-address';
import { RequestError } from './error';

// Requests in flight soon complete or time out, so a retry after a second is reasonable.
const retryAfter = { 'Retry-After': '1' };

/** Runs a request within a concurrency limit or refuses it. */
export type TakePlace = <T>(work: () => Promise<T>, request: Request) => Promise<T>;

/**
 * Concurrency limit of one kind of requests without a key. `perAddress` limits each client address
 * over all kinds that share it.
 */
export function keylessPlaces(max: number, perAddress: InFlightLimit): TakePlace {
  const pool = InFlightLimit.ofProcess(max);
  return (work, request) => perAddress.run(() => pool.run(work), networkOf(request.ip));
}

/**
 * Limits concurrent requests. Refuses requests beyond the limit immediately instead of queueing
 * them.
 */
export class InFlightLimit {
  private readonly running = new Map<string, number>();

  private constructor(
    private readonly max: number,
    private readonly refusal: () => RequestError,
  ) {}

  /** Limit of a whole process. */
  static ofProcess(max: number): InFlightLimit {
    return new InFlightLimit(
      max,
      () => new RequestError(503, 'unavailable', 'Service unavailable', retryAfter),
    );
  }

  /** Limit of one caller, which leaves capacity for others. */
  static perCaller(max: number): InFlightLimit {
    return new InFlightLimit(
      max,
      () => new RequestError(429, 'too_many_requests', 'Too many requests', retryAfter),
    );
  }

  /** Limit of calls that wait for minutes. Callers beyond it retry later. */
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
