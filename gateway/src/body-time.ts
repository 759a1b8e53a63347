import { RequestError } from './http-error';

/**
 * Reads a body that comes without a key; a sender that takes longer gets 408 and its connection is
 * closed.
 */
export async function readWithin<T>(ms: number, read: () => Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    late.reject(new RequestError(408, 'timed_out', 'Timed out', { Connection: 'close' }));
  }, ms);
  const reading = read();
  // What is still read once the time is over fails with the connection.
  reading.catch(() => undefined);
  try {
    return await Promise.race([reading, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
