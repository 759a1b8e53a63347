import { DomainError } from '@billing/kernel/domain-error';

/**
 * A scanner or the relay waits this long for a provider that does not answer, then processes other
 * due work.
 */
export const providerWaitMs = 10_000;

/**
 * Outcome of the work, if it arrives in time. Slower work continues in the background, so that it
 * does not block the queue; what it leaves undone is resumed like the work of a process that
 * stopped.
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
    // The caller no longer reads its failure.
    work.catch(() => undefined);
  }
}
