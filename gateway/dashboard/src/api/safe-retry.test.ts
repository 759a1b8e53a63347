import { noAnswer, problemOf, UnknownOutcome } from './problem';
import { FormKey, retryDelayMs } from './safe-retry';

const problem = (status: number, headers: Record<string, string> = {}) =>
  problemOf({ status, headers: new Headers(headers) }, {});
const create = { method: 'POST', path: '/v1/subscriptions', body: { customerId: 'c' } } as const;

const failureOf = (...sent: Parameters<FormKey['failureOf']>) => new FormKey().failureOf(...sent);
const failed = (...answer: Parameters<typeof problem>) => failureOf(create, problem(...answer));

describe('the idempotency key of a form', () => {
  test('stays the same while the unchanged form is submitted again', () => {
    const form = new FormKey();
    const { idempotencyKey } = form.keyed(create);
    expect(idempotencyKey).toMatch(/^[0-9a-f]{32}$/);
    expect(form.keyed({ ...create, body: { customerId: 'c' } })).toEqual({
      ...create,
      idempotencyKey,
    });
  });

  test('changes after an edit', () => {
    const form = new FormKey();
    const first = form.keyed(create).idempotencyKey;
    const edited = { ...create, body: { customerId: 'd' } };
    expect(form.keyed(edited).idempotencyKey).not.toBe(first);
  });

  test('changes once the outcome is known, and differs between forms', () => {
    const form = new FormKey();
    const first = form.keyed(create).idempotencyKey;
    form.settle();
    const keys = [
      first,
      form.keyed(create).idempotencyKey,
      new FormKey().keyed(create).idempotencyKey,
    ];
    expect(new Set(keys).size).toBe(3);
  });

  test.each([
    ['a refusal for load', [503, 429], true],
    ['a refused role', [504, 403], true],
    ['a refusal of its content', [503, 409], false],
    ['a refusal for load alone', [429], false],
  ])('is kept after an unknown outcome and %s', (_case, statuses, isKept) => {
    const form = new FormKey();
    const first = form.keyed(create).idempotencyKey;
    for (const status of statuses) form.failureOf(form.keyed(create), problem(status));
    expect(form.keyed(create).idempotencyKey === first).toBe(isKept);
  });

  test.each([
    ['a deletion', 'DELETE', [503], 404, true],
    ['a deletion that was not sent before', 'DELETE', [], 404, false],
    ['a deletion that is refused', 'DELETE', [503], 409, false],
    ['a change', 'PATCH', [503], 404, false],
    ['a creation', 'POST', [503], 404, false],
  ] as const)(
    'knows whether an earlier attempt has succeeded: %s',
    (_case, method, earlier, status, hasSucceeded) => {
      const form = new FormKey();
      const request = { method, path: '/v1/sandboxes/1' };
      for (const one of earlier) form.failureOf(form.keyed(request), problem(one));
      expect(form.hasSucceeded(form.keyed(request), problem(status))).toBe(hasSucceeded);
    },
  );

  test('knows that a second factor was turned off by an earlier attempt', () => {
    const form = new FormKey();
    const request = { method: 'POST', path: '/dashboard/api/second-factor/remove' } as const;
    expect(form.hasSucceeded(form.keyed(request), problem(404))).toBe(false);
    form.failureOf(form.keyed(request), problem(503));
    expect(form.hasSucceeded(form.keyed(request), problem(404))).toBe(true);
  });

  test('makes a retry of an unknown outcome that is refused for load unknown, too', () => {
    const form = new FormKey();
    const failure = (status: number) => form.failureOf(form.keyed(create), problem(status));
    expect(failure(429)).not.toBeInstanceOf(UnknownOutcome);
    expect(failure(503)).toBeInstanceOf(UnknownOutcome);
    expect(failure(429)).toBeInstanceOf(UnknownOutcome);
  });

  test.each([
    ['POST', '/operators'],
    ['POST', '/operators/1/reset-link'],
    ['POST', '/email-test'],
    ['POST', '/system/commands/checkout/1/retry'],
    ['POST', '/system/commands/checkout/1/skip'],
    ['POST', '/invitations/accept'],
    ['POST', '/reset-links/use'],
    ['POST', '/second-factor'],
    ['POST', '/second-factor/confirm'],
    ['POST', '/second-factor/remove'],
    ['PUT', '/password'],
    ['PUT', '/operators/me/email'],
    ['PATCH', '/operators/1'],
    ['DELETE', '/sessions/1'],
  ] as const)('is sent with %s %s of the dashboard', (method, path) => {
    const request = { method, path: `/dashboard/api${path}`, body: {} };
    expect(new FormKey().keyed(request).idempotencyKey).toMatch(/^[0-9a-f]{32}$/);
  });

  test.each([
    ['POST', '/session'],
    ['POST', '/password-resets'],
  ] as const)('is not sent with %s %s, which takes effect once', (method, path) => {
    const request = { method, path: `/dashboard/api${path}`, body: {} };
    expect(new FormKey().keyed(request)).toEqual(request);
  });
});

test.each([
  ['no answer', noAnswer(), true],
  ['500', problem(500), true],
  ['502', problem(502), true],
  ['503', problem(503), true],
  ['504', problem(504), true],
  [
    'a first request that is still in progress',
    problem(409, { 'Error-Code': 'idempotency_key_in_use' }),
    true,
  ],
  ['400', problem(400), false],
  ['a conflict', problem(409, { 'Error-Code': 'conflict' }), false],
  ['429', problem(429), false],
  ['a bug of the page', new TypeError('lost'), false],
])('after %s the outcome is unknown: %s', (_case, error, expected) => {
  expect(failureOf(create, error) instanceof UnknownOutcome).toBe(expected);
});

test.each([
  [create, 'Trying again is safe.'],
  [{ ...create, path: '/dashboard/api/operators' }, 'Trying again is safe.'],
  [{ ...create, path: '/dashboard/api/reset-links/use' }, 'Trying again is safe.'],
  [{ ...create, path: '/dashboard/api/password-resets' }, 'Check before you try again.'],
])('a request of unknown outcome says so and gives advice', (request, advice) => {
  const failure = failureOf(request, problem(503, { 'X-Request-Id': 'r-1' })) as UnknownOutcome;
  expect(failure.message).toBe("We don't know yet whether this worked");
  expect([failure.advice, failure.details.requestId]).toEqual([advice, 'r-1']);
});

test('a request of unknown outcome is retried three times with growing delays', () => {
  expect([1, 2, 3, 4].map((failures) => retryDelayMs(failures, failed(503)))).toEqual([
    1_000,
    3_000,
    8_000,
    undefined,
  ]);
  expect(retryDelayMs(1, failed(400))).toBeUndefined();
  const ask = { ...create, path: '/dashboard/api/password-resets' };
  expect(retryDelayMs(1, failureOf(ask, problem(503)))).toBeUndefined();
});

test.each([
  ['5', 5_000],
  ['0', 1_000],
  ['3600', 30_000],
  ['Wed, 21 Oct 2026 07:28:00 GMT', 1_000],
])('a request with Retry-After %s is retried after %d ms', (value, expected) => {
  expect(retryDelayMs(1, failed(503, { 'Retry-After': value }))).toBe(expected);
});
