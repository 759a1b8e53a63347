import { RequestError } from './http-error';

/**
 * Reads the body of an unauthenticated request. A slow sender gets 408, and its connection is
 * closed.
 */
export async function readWithin<T>(ms: number, read: () => Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    late.reject(new RequestError(408, 'timed_out', 'Timed out', { Connection: 'close' }));
  }, ms);
  const reading = read();
  // Reads after the timeout fail with the connection.
  reading.catch(() => undefined);
  try {
    return await Promise.race([reading, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
