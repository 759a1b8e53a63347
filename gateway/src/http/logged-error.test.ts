import { DomainError } from '@billing/kernel/domain-error';
import { loggedError } from './logged-error';

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
