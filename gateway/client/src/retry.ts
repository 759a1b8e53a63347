import type { BillingError } from './errors';

const waitSecondsMax = 8;
const waitSecondsFirst = 0.5;
const retryAfterSecondsMax = 60;
const retriedStatuses = new Set([408, 429, 500, 502, 503, 504]);

/** True if the same request may succeed later. */
export function isRetried({ status, code }: BillingError): boolean {
  return retriedStatuses.has(status) || (status === 409 && code === 'idempotency_key_in_use');
}

/**
 * Milliseconds to wait before the next attempt: as long as the API asks for, at most a minute; else
 * 0.5, 1, 2 … 8 s, shortened by up to a half by `chance`, which is from 0 to 1.
 */
export function waitMs(
  { failures, retryAfterSeconds }: { failures: number; retryAfterSeconds?: number | undefined },
  chance: number,
): number {
  if (retryAfterSeconds !== undefined) {
    return Math.min(Math.max(retryAfterSeconds, 0), retryAfterSecondsMax) * 1_000;
  }
  const seconds = Math.min(waitSecondsMax, waitSecondsFirst * 2 ** (failures - 1));
  return seconds * (1 - chance / 2) * 1_000;
}

/** Waits; rejects with the reason of `signal` as soon as it is aborted. */
export async function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, ms);
    signal?.addEventListener('abort', abort, { once: true });
  });
}
