import { addressOf } from './client';
import { noAnswer, problemOf } from './problem';

/**
 * Downloads a file of the API: a plain link could not send the `Environment-Id` header. Throws
 * ApiProblem unless the response is a success.
 */
export async function readFile(path: string, environmentId: string): Promise<Blob> {
  const headers = { 'Environment-Id': environmentId };
  const request = fetch(addressOf(path), { headers, credentials: 'same-origin' });
  const response = await request.catch(() => {
    throw noAnswer();
  });
  if (response.ok) {
    return response.blob().catch(() => {
      throw noAnswer();
    });
  }
  throw problemOf(response, await response.json().catch(() => undefined));
}
