import { DomainError } from '@billing/kernel/domain-error';

const delaysMs = [1_000, 5_000, 30_000];

/** Longest delay of retries. */
export const messageRetryMsMax = 60_000;

// Work must resume within 30 s of the space coming back (`watch-storage.test.ts`).
const storageFullMsMax = 10_000;

/**
 * Delay before a message is handled again, by the number of failures before this one. A message
 * that found a full disk does not wait long: its failures say nothing about the message.
 */
export function messageRetryMs(earlierFailures: number, error: unknown): number {
  const delayMs = delaysMs[earlierFailures] ?? messageRetryMsMax;
  return isStorageFull(error) ? Math.min(delayMs, storageFullMsMax) : delayMs;
}

function isStorageFull(error: unknown): boolean {
  return error instanceof DomainError && error.reason === 'STORAGE_FULL';
}
