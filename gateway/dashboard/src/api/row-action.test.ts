import type { ApiRequest } from './client';
import { ApiProblem } from './problem';
import { type RowOutcome, runRows, sendRow } from './row-action';
import { FormKey } from './safe-retry';

const request: ApiRequest = { method: 'POST', path: '/v1/invoices/a/void', body: {} };

function problem(status: number, retryAfterMs?: number): ApiProblem {
  const details = { status, code: 'x', fields: {}, requestId: undefined, retryAfterMs };
  return new ApiProblem('No', details);
}

/** Answers with each of the results in turn. */
function answering(...results: readonly unknown[]) {
  return answeringWith(new FormKey(), ...results);
}

/** As `answering`, with the key of a row. */
function answeringWith(key: FormKey, ...results: readonly unknown[]) {
  const sent: ApiRequest[] = [];
  const waits: number[] = [];
  const answer = sendRow(request, {
    key,
    isStopped: () => false,
    sendOnce: async (one) => {
      const result = results[sent.push(one) - 1];
      if (result instanceof Error) throw result;
      return result;
    },
    wait: async (ms) => {
      waits.push(ms);
    },
  });
  return { answer, sent, waits };
}

test('a row of unknown outcome is sent again with the same idempotency key', async () => {
  const { answer, sent, waits } = answering(problem(503), problem(0), { id: 'a' });
  expect(await answer).toEqual({ id: 'a' });
  expect(waits).toEqual([1_000, 3_000]);
  const keys = sent.map(({ idempotencyKey }) => idempotencyKey);
  expect(keys[0]).toMatch(/^[0-9a-f]{32}$/);
  expect(new Set(keys).size).toBe(1);
});

const times = (count: number, status: number) =>
  Array.from({ length: count }, () => problem(status));

test.each([
  ['keeps its key while the outcome is unknown', times(50, 503), true],
  ['keeps it if the rate limit follows', [problem(503), ...times(50, 429)], true],
  ['gets a new key after a refusal', times(1, 409), false],
])('a row that is started again %s', async (_name, results, isSame) => {
  const key = new FormKey();
  const earlier = answeringWith(key, ...results);
  await expect(earlier.answer).rejects.toBeInstanceOf(Error);
  const later = answeringWith(key, { id: 'a' });
  await later.answer;
  const [before, after] = [earlier, later].map(({ sent }) => sent.at(-1)?.idempotencyKey);
  expect(after === before).toBe(isSame);
  const another = answeringWith(key, { id: 'a' });
  await another.answer;
  expect(another.sent[0]?.idempotencyKey).not.toBe(after);
});

test.each([503, 429])('a row is not sent again after a stop: %d', async (status) => {
  const sent: ApiRequest[] = [];
  const answer = sendRow(request, {
    key: new FormKey(),
    isStopped: () => true,
    sendOnce: (one) => {
      sent.push(one);
      return Promise.reject(problem(status, 60_000));
    },
  });
  await expect(answer).rejects.toBeInstanceOf(ApiProblem);
  expect(sent).toHaveLength(1);
});

test('a row beyond the rate limit waits for it', async () => {
  const { answer, waits } = answering(problem(429, 2_000), problem(429), { id: 'a' });
  expect(await answer).toEqual({ id: 'a' });
  expect(waits).toEqual([2_000, 1_000]);
});

test('a refused row is not sent again', async () => {
  const { answer, sent } = answering(problem(409));
  await expect(answer).rejects.toThrow('No');
  expect(sent.length).toBe(1);
});

test.each([
  ['an unknown outcome', 503],
  ['the rate limit', 429],
])('retries after %s end', async (_name, status) => {
  const { answer, sent } = answering(...Array.from({ length: 50 }, () => problem(status)));
  await expect(answer).rejects.toBeInstanceOf(ApiProblem);
  expect(sent.length).toBeLessThan(10);
});

test('every row has an outcome, and at most some run at a time', async () => {
  const outcomes = new Map<number, RowOutcome>();
  let running = 0;
  let most = 0;
  await runRows([1, 2, 3, 4, 5, 6, 7], {
    act: async (row) => {
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setTimeout(resolve, 1));
      running -= 1;
      if (row === 3) throw new Error('Declined');
      return { isDone: true, text: 'Paid' };
    },
    report: (row, outcome) => outcomes.set(row, outcome),
    isStopped: () => false,
  });
  expect(outcomes.size).toBe(7);
  expect(outcomes.get(3)).toEqual({ isDone: false, text: 'Declined' });
  expect(most).toBe(3);
});

test('after a stop no further row begins', async () => {
  const done: number[] = [];
  await runRows([1, 2, 3, 4], {
    act: async () => ({ isDone: true, text: '' }),
    report: (row) => done.push(row),
    isStopped: () => done.length >= 2,
    concurrent: 1,
  });
  expect(done).toEqual([1, 2]);
});
