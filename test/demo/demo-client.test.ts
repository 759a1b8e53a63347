import type { Answer } from '../support/api-client';
import { withRetries } from './demo-client';

const answer = (status: number): Answer => ({ status, headers: new Headers(), body: {} });

test.each([500, 502, 503, 504])('a response of %i is retried', async (status) => {
  const answers = [answer(status), answer(200)];
  const final = await withRetries(() => Promise.resolve(answers.shift() ?? answer(404)));
  expect(final.status).toBe(200);
});

test('a refusal is final', async () => {
  const answers = [answer(409), answer(200)];
  const final = await withRetries(() => Promise.resolve(answers.shift() ?? answer(404)));
  expect(final.status).toBe(409);
});
