import type { Request } from 'express';
import { InFlightLimit } from '@billing/chassis/semaphore';
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
  const pool = limitOfProcess(max);
  return (work, request) => perAddress.run(() => pool.run(work), networkOf(request.ip));
}

/** Limit of a whole process. */
export function limitOfProcess(max: number): InFlightLimit {
  return new InFlightLimit(
    max,
    () => new RequestError(503, 'unavailable', 'Service unavailable', retryAfter),
  );
}

/** Limit of each caller, which leaves capacity for others. */
export function limitPerCaller(max: number): InFlightLimit {
  return new InFlightLimit(
    max,
    () => new RequestError(429, 'too_many_requests', 'Too many requests', retryAfter),
  );
}

/** Limit of exports, which last for up to an hour. */
export function limitOfExports(max: number): InFlightLimit {
  return new InFlightLimit(
    max,
    () => new RequestError(429, 'too_many_requests', 'Too many requests', { 'Retry-After': '30' }),
  );
}

/** Limit of calls that wait for minutes. Callers beyond it retry later. */
export function limitOfWaiting(max: number): InFlightLimit {
  return new InFlightLimit(
    max,
    () => new RequestError(429, 'too_many_requests', 'Too many requests', { 'Retry-After': '5' }),
  );
}
