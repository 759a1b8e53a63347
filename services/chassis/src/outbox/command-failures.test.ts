import { DomainError } from '@billing/kernel/domain-error';
import { addFailure, type CommandFailures, isStuck } from './command-failures';
import { DeadlineExceededError } from '../grpc/grpc-status';

const start = new Date('2026-01-01T00:00:00.000Z');
const after = (ms: number) => new Date(start.getTime() + ms);
const minutes = 60_000;

const bug = new Error('Peer failed: 13 INTERNAL');
const refused = new DomainError('failed_precondition', 'INVOICE_NOT_OPEN', 'Invoice is not open');
const busy = new DomainError('failed_precondition', 'PAYMENT_IN_PROGRESS', 'In progress');
const slow = new DomainError('unavailable', 'STILL_UNDER_WAY', 'Service unavailable');
const early = new DomainError('unavailable', 'RESULT_TOO_EARLY', 'Service unavailable');
const away = new DomainError('unavailable', 'PEER_UNAVAILABLE', 'Service unavailable');
const limited = new DomainError('resource_exhausted', 'TOO_MANY_CALLS', 'Too many requests');

function failed(errors: readonly Error[]): CommandFailures {
  let failures: CommandFailures | undefined;
  for (const error of errors) failures = addFailure(failures, { error, now: start });
  if (failures === undefined) throw new Error('No failure');
  return failures;
}

describe('a command that keeps failing', () => {
  test.each([
    ['a bug, 7 times', failed(Array<Error>(7).fill(bug)), false],
    ['a bug, 8 times', failed(Array<Error>(8).fill(bug)), true],
    ['a refusal, 8 times', failed(Array<Error>(8).fill(refused)), true],
    ['a bug 7 times among others', failed([...Array<Error>(7).fill(bug), away, busy]), false],
    ['a running payment', failed(Array<Error>(50).fill(busy)), false],
    ['a slow provider', failed(Array<Error>(50).fill(slow)), false],
    ['an early result', failed(Array<Error>(50).fill(early)), false],
    ['an unavailable peer', failed(Array<Error>(50).fill(away)), false],
    ['a busy peer', failed(Array<Error>(50).fill(limited)), false],
    ['a timeout', failed(Array<Error>(50).fill(new DeadlineExceededError())), false],
  ])(
    'is stuck within the first 5 minutes only because of lasting failures: %s',
    (_name, failures, stuck) => {
      expect(isStuck(failures, after(5 * minutes - 1))).toBe(stuck);
      expect(isStuck(failures, after(5 * minutes))).toBe(true);
    },
  );
});
