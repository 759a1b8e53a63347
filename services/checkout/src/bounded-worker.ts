import { DomainError } from '@billing/kernel/domain-error';

/** A scanner or the relay waits this long for a provider that does not answer: others are due beside it. */
export const providerWaitMs = 10_000;

/**
 * The outcome of work, if it comes in time. Work that takes longer goes on alone, so that it keeps nobody from their turn; what it leaves
 * undone is taken up again like the work of a process that stopped.
 */
export async function withinTime<T>(timeMs: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      reject(new DomainError('unavailable', 'STILL_UNDER_WAY', 'Service unavailable'));
    }, timeMs);
  });
  try {
    return await Promise.race([work, tooLate]);
  } finally {
    clearTimeout(timer);
    // Its failure has no reader any more.
    work.catch(() => undefined);
  }
}
