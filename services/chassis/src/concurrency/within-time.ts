import { DomainError } from '@billing/kernel/domain-error';

/**
 * Returns the outcome of the work, or throws unavailable after `timeMs`. The work is not canceled:
 * it continues in the background. If it fails there, its steps are resumed as after a crash.
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
    // A failure after the timeout must not be an unhandled rejection.
    work.catch(() => undefined);
  }
}
