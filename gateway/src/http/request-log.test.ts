import { AsyncLocalStorage } from 'node:async_hooks';
import { createLogger } from '@billing/chassis/logging';
import { eventually } from '@billing/chassis/testing';
import { DomainError } from '@billing/kernel/domain-error';
import type { LoggedRequest } from '@billing/proto/billing/identity/v1/request_log';
import { type AnsweredRequest, RequestLog, type RequestAuthor } from './request-log';

const author: RequestAuthor = {
  environmentId: 'e',
  caller: { $case: 'key', value: { prefix: 'billing_test_', last4: 'abcd' } },
};
const logger = createLogger({ service: 'gateway', level: 'silent' });

function aRequest(request: Partial<AnsweredRequest> = {}): AnsweredRequest {
  return {
    requestId: 'r',
    at: new Date(0),
    method: 'POST',
    path: '/v1/customers',
    status: 201,
    errorCode: undefined,
    durationMs: 3,
    traceId: undefined,
    isIngest: false,
    audit: undefined,
    ...request,
  };
}

/** Creates a log with a record of its calls. `answer` is called for each batch. */
function aLog(answer: () => Promise<unknown> = () => Promise.resolve(), gatherMs = 5) {
  const batches: LoggedRequest[][] = [];
  const metrics = { dropped: 0 };
  let now = new Date('2026-11-21T12:00:00Z');
  const log = new RequestLog({
    record: async ({ requests }) => {
      await answer();
      batches.push(requests);
      return {};
    },
    clock: { now: () => now },
    logger,
    metrics: {
      recordDroppedRequests: (count) => {
        metrics.dropped += count;
      },
    },
    gatherMs,
  });
  const pass = (ms: number) => {
    now = new Date(now.getTime() + ms);
  };
  return { log, batches, metrics, pass };
}

test.each([
  ['a write', { method: 'POST' }, true],
  ['a write that fails', { method: 'DELETE', status: 404 }, true],
  ['a read that fails', { method: 'GET', status: 404 }, true],
  ['a read', { method: 'GET', status: 200 }, false],
  ['a look at headers', { method: 'HEAD', status: 200 }, false],
  ['a batch of usage events', { isIngest: true }, false],
  ['a batch of usage events that fails', { isIngest: true, status: 429 }, true],
])('a request of %s is recorded: %j, %p', async (_name, request, isKept) => {
  const { log, batches } = aLog();
  log.record(aRequest(request), author);
  await log.close();
  expect(batches.flat()).toHaveLength(isKept ? 1 : 0);
});

test('a full batch is sent immediately, complete and in order, each entry with a unique id', async () => {
  const { log, batches } = aLog(undefined, 60_000);
  for (let index = 0; index < 250; index += 1) {
    log.record(aRequest({ requestId: String(index) }), author);
  }
  await eventually(() => {
    expect(batches.length).toBeGreaterThanOrEqual(2);
  });
  await log.close();
  const kept = batches.flat();
  expect(batches.map(({ length }) => length)).toEqual([100, 100, 50]);
  expect(kept.map(({ requestId }) => requestId)).toEqual(
    Array.from({ length: 250 }, (_, n) => String(n)),
  );
  expect(new Set(kept.map(({ id }) => id)).size).toBe(250);
  expect(kept[0]).toEqual({
    id: expect.any(String),
    environmentId: 'e',
    requestId: '0',
    at: new Date(0),
    method: 'POST',
    path: '/v1/customers',
    status: 201,
    errorCode: undefined,
    durationMs: 3,
    traceId: undefined,
    query: undefined,
    caller: author.caller,
  });
});

test('a small batch waits for further entries, and an empty log sends nothing', async () => {
  const { log, batches } = aLog();
  log.record(aRequest(), author);
  log.record(aRequest(), author);
  expect(batches).toEqual([]);
  await eventually(() => {
    expect(batches.map(({ length }) => length)).toEqual([2]);
  });
  log.record(aRequest(), author);
  await eventually(() => {
    expect(batches.map(({ length }) => length)).toEqual([2, 1]);
  });
});

test('entries beyond the buffer are dropped and counted for some minutes, without delaying requests', async () => {
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const { log, batches, metrics, pass } = aLog(() => held);
  for (let index = 0; index < 2_500; index += 1) log.record(aRequest(), author);
  expect([log.droppedRecently, metrics.dropped]).toEqual([500, 500]);
  pass(12 * 60_000);
  expect(log.droppedRecently).toBe(0);
  release();
  await eventually(() => {
    expect(batches.flat()).toHaveLength(2_000);
  });
});

test('entries are kept after a transient failure and dropped after a permanent one', async () => {
  const failures = [
    new DomainError('unavailable', 'UNAVAILABLE', 'Away'),
    new DomainError('invalid_input', 'INVALID_REQUEST', 'Bad'),
  ];
  const { log, batches, metrics } = aLog(async () => {
    const failure = failures.shift();
    if (failure !== undefined) throw failure;
  });
  log.record(aRequest(), author);
  await eventually(() => {
    expect(metrics.dropped).toBe(1);
  });
  log.record(aRequest(), author);
  await eventually(() => {
    expect(batches.flat()).toHaveLength(1);
  });
});

describe('while the service is unavailable', () => {
  let calls = 0;
  let isAway = true;
  const begin = () => {
    const one = aLog(() => {
      calls += 1;
      if (isAway) throw new DomainError('unavailable', 'UNAVAILABLE', 'Away');
      return Promise.resolve();
    });
    // More than a batch: nothing of it waits for company.
    for (let index = 0; index < 250; index += 1) one.log.record(aRequest(), author);
    return one;
  };

  beforeEach(() => {
    jest.useFakeTimers();
    [calls, isAway] = [0, true];
  });

  afterEach(() => {
    jest.restoreAllMocks();
    jest.useRealTimers();
  });

  test('the log retries with a growing pause, warns once per outage and keeps its entries', async () => {
    const warn = jest.spyOn(logger, 'warn');
    const { log, batches, metrics } = begin();
    // After 1, 3, 7, 15, 31, 61 and 91 s, each pause a fifth more or less.
    await jest.advanceTimersByTimeAsync(70_000);
    expect(calls).toBeGreaterThanOrEqual(6);
    expect(calls).toBeLessThanOrEqual(8);
    expect(warn).toHaveBeenCalledTimes(1);
    const before = calls;
    await jest.advanceTimersByTimeAsync(600_000);
    expect(calls - before).toBeGreaterThanOrEqual(600 / 36 - 1);
    expect(calls - before).toBeLessThanOrEqual(600 / 24 + 1);
    isAway = false;
    await jest.advanceTimersByTimeAsync(40_000);
    expect(batches.map(({ length }) => length)).toEqual([100, 100, 50]);
    isAway = true;
    log.record(aRequest(), author);
    await jest.advanceTimersByTimeAsync(2_000);
    expect([warn.mock.calls.length, metrics.dropped]).toEqual([2, 0]);
  });

  test('a closing log retries each batch once without a pause', async () => {
    const { log, metrics } = begin();
    await jest.advanceTimersByTimeAsync(100);
    expect(calls).toBe(1);
    await log.close();
    expect([calls, metrics.dropped]).toEqual([4, 250]);
  });
});

test('paths are recorded without secrets and with limited length', async () => {
  const { log, batches } = aLog();
  const key = `billing_live_${'A'.repeat(49)}`;
  log.record(aRequest({ path: `/v1/customers/${key}` }), author);
  log.record(aRequest({ path: `/v1/${'a'.repeat(9_000)}` }), author);
  await log.close();
  const [first, second] = batches.flat();
  expect(first?.path).toBe('/v1/customers/[redacted]');
  expect(second?.path).toHaveLength(500);
});

test.each([
  ['/v1/customers?perPage=0', 'perPage=0'],
  ['/v1/customers?name=Ada%20L%C3%B8ve&name=B', 'name=Ada+L%C3%B8ve&name=B'],
  ['/v1/customers?email=ada@example.com', 'email=ada%40example.com'],
  [`/v1/x?a=billing_live_${'A'.repeat(49)}&b=1`, 'a=[redacted]&b=1'],
  [
    '/v1/x?apiKey=abc&token=def&key=g&lookupKey=pro',
    'apiKey=[redacted]&token=[redacted]&key=[redacted]&lookupKey=pro',
  ],
  [`/v1/x?a=1&b=${'b'.repeat(5_000)}&c=2`, 'a=1&…'],
  ['/v1/x?', undefined],
  ['/v1/x', undefined],
])('the query of %s is recorded as %s', async (url, query) => {
  const { log, batches } = aLog();
  log.record(aRequest({ url, status: 400 }), author);
  log.record(aRequest({ url, status: 400, isIngest: true }), author);
  await log.close();
  expect(batches.flat().map((entry) => entry.query)).toEqual([query, undefined]);
});

const bodies = { request: { email: 'ada@example.com', password: 'x' }, response: { id: '1' } };

test('writes and failures are recorded with their bodies, without secrets', async () => {
  const { log, batches } = aLog();
  log.record(aRequest({ bodies }), author);
  log.record(aRequest({ method: 'GET', status: 404, bodies }), author);
  await log.close();
  const requestBody = {
    json: '{"email":"ada@example.com","password":"[redacted]"}',
    isShortened: false,
  };
  const responseBody = { json: '{"id":"1"}', isShortened: false };
  expect(batches.flat()).toMatchObject([
    { requestBody, responseBody },
    { requestBody, responseBody },
  ]);
});

test('a failed batch of usage events is recorded without bodies', async () => {
  const { log, batches } = aLog();
  log.record(aRequest({ isIngest: true, status: 400, bodies }), author);
  await log.close();
  expect(batches.flat()).toMatchObject([{ requestBody: undefined, responseBody: undefined }]);
});

test('large bodies are sent in smaller batches, and beyond a limit entries have no bodies', async () => {
  const { log, batches } = aLog(undefined, 60_000);
  const large = { request: { text: 'x'.repeat(50_000) }, response: { text: 'x'.repeat(50_000) } };
  const total = 600;
  for (let index = 0; index < total; index += 1) log.record(aRequest({ bodies: large }), author);
  await log.close();
  const lengthOf = ({ requestBody, responseBody }: LoggedRequest) =>
    (requestBody?.json.length ?? 0) + (responseBody?.json.length ?? 0);
  const lengths = batches.map((batch) => batch.reduce((sum, entry) => sum + lengthOf(entry), 0));
  expect(batches.flat()).toHaveLength(total);
  expect(Math.max(...lengths)).toBeLessThanOrEqual(1024 * 1024);
  const sum = lengths.reduce((one, other) => one + other, 0);
  expect(sum).toBeGreaterThan(1024 * 1024);
  expect(sum).toBeLessThanOrEqual(8 * 1024 * 1024 + 32 * 1024);
});

test('entries are sent outside of the trace of a request', async () => {
  const request = new AsyncLocalStorage<string>();
  const seen: unknown[] = [];
  const { log } = aLog(async () => {
    seen.push(request.getStore());
  });
  request.run('a request', () => {
    log.record(aRequest(), author);
  });
  await log.close();
  expect(seen).toEqual([undefined]);
});
