import { DeadlineExceededError } from '@billing/chassis/grpc-status';
import { DomainError, invalidInput, notFound } from '@billing/kernel/domain-error';
import { loggedError, RequestError, toHttpError, withoutUnavailability } from './error';

describe('an error is converted to the response of its row', () => {
  test.each([
    [
      new DomainError('unauthenticated', 'X', 'y'),
      401,
      'invalid_api_key',
      'Invalid or expired API key',
    ],
    [
      new DomainError('permission', 'X', 'y'),
      403,
      'insufficient_permissions',
      'Insufficient permissions',
    ],
    [notFound('Customer'), 404, 'customer_not_found', 'Customer not found'],
    [notFound('Webhook endpoint'), 404, 'webhook_endpoint_not_found', 'Webhook endpoint not found'],
    [
      new DomainError('already_exists', 'EXTERNAL_ID_TAKEN', 'taken'),
      409,
      'external_id_taken',
      'taken',
    ],
    [new DomainError('failed_precondition', 'X', 'Why not'), 409, 'conflict', 'Why not'],
    [
      new DomainError('failed_precondition', 'PREVIEW_STALE', 'Preview is stale: tax'),
      409,
      'preview_stale',
      'Preview is stale: tax',
    ],
    [
      new DomainError('gone', 'CURSOR_EXPIRED', 'No longer kept'),
      410,
      'cursor_expired',
      'No longer kept',
    ],
    [new DomainError('stale', 'X', 'y'), 412, 'stale_version', 'Stale version'],
    [
      new DomainError('idempotency_mismatch', 'X', 'Reused'),
      422,
      'idempotency_key_reused',
      'Reused',
    ],
    [
      new DomainError('resource_exhausted', 'X', 'y'),
      429,
      'too_many_requests',
      'Too many requests',
    ],
    [new DomainError('unavailable', 'X', 'y'), 503, 'unavailable', 'Service unavailable'],
    [new DeadlineExceededError(), 504, 'timed_out', 'Timed out'],
    [
      new RequestError(413, 'request_too_large', 'Request body too large'),
      413,
      'request_too_large',
      'Request body too large',
    ],
    [new Error('a secret detail'), 500, 'internal', 'Internal server error'],
    ['thrown text', 500, 'internal', 'Internal server error'],
  ])('%s', (error, status, code, message) => {
    expect(toHttpError(error)).toMatchObject({ status, code, body: { error: message } });
  });

  test('a validation error shows its fields', () => {
    const answer = toHttpError(invalidInput({ email: ['Invalid email'] }));
    expect(answer).toMatchObject({
      status: 400,
      code: 'invalid_request',
      body: { error: { email: ['Invalid email'] } },
    });
  });

  test.each([
    new DomainError('unavailable', 'X', 'y'),
    new DomainError('failed_precondition', 'IDEMPOTENCY_KEY_IN_USE', 'y'),
  ])('a retryable error says when to retry: %s', (error) => {
    expect(toHttpError(error).headers).toEqual({ 'Retry-After': '1' });
  });

  test.each([
    ['STORAGE_FULL', 'storage_full', '10'],
    ['WRITES_PAUSED', 'writes_paused', '5'],
    ['RECOVERING', 'recovering', '30'],
  ])('%s has a code and a Retry-After of its own', (reason, code, retryAfter) => {
    expect(toHttpError(new DomainError('unavailable', reason, 'y'))).toMatchObject({
      status: 503,
      code,
      body: { error: 'Service unavailable' },
      headers: { 'Retry-After': retryAfter },
    });
  });

  test('an internal error reveals no details', () => {
    expect(toHttpError(new DomainError('failed_precondition', 'X', 'y')).headers).toEqual({});
  });
});

describe('a route that hides unavailability', () => {
  const shown = (error: unknown) => withoutUnavailability(toHttpError(error));

  test.each([
    new DomainError('unavailable', 'X', 'y'),
    new DeadlineExceededError(),
    new Error('x'),
  ])('reports %s as a fault', (error) => {
    expect(shown(error)).toMatchObject({
      status: 500,
      code: 'internal',
      body: { error: 'Internal server error' },
    });
  });

  test('still returns Retry-After', () => {
    const error = new DomainError('unavailable', 'X', 'y');
    expect(shown(error).headers).toEqual({ 'Retry-After': '1' });
  });

  test('does not change a refusal', () => {
    expect(shown(notFound('Customer'))).toMatchObject({ status: 404, code: 'customer_not_found' });
  });
});

test('an unavailable service is logged with its reason and cause, without a stack', () => {
  const cause = new Error('14 UNAVAILABLE: No connection established');
  const error = new DomainError('unavailable', 'STORAGE_FULL', 'Service unavailable', { cause });
  expect(loggedError(error)).toEqual({ reason: 'STORAGE_FULL', cause: cause.message });
});

test.each([new Error('a bug'), new DomainError('stale', 'STALE', 'Stale version'), 'a text'])(
  'any other error is logged whole: %s',
  (error) => {
    expect(loggedError(error)).toEqual({ err: error });
  },
);
