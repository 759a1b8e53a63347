import { addressOf } from './client';
import { noAnswer, problemOf } from './problem';

/** A file of the API, which a link alone cannot ask for: it could not say where one works. Throws ApiProblem for all but a success. */
export async function readFile(path: string, environmentId: string): Promise<Blob> {
  const headers = { 'Environment-Id': environmentId };
  const request = fetch(addressOf(path), { headers, credentials: 'same-origin' });
  const response = await request.catch(() => {
    throw noAnswer();
  });
  if (response.ok) return response.blob();
  throw problemOf(response, await response.json().catch(() => undefined));
}
