import { createLogger } from '@billing/chassis/logging';
import { DomainError } from '@billing/kernel/domain-error';
import type { Call } from '../http/exchange';
import { OperatorAccess, type OperatorAccessDependencies, type SignedIn } from './operator-access';

const call = { requestId: 'r' } as Call;
const action = { action: 'POST /v1/customers', path: '/v1/customers', environmentId: 'e' };
const signedIn = { session: 's', organizationId: 'o', liveEnvironmentId: 'l' } as SignedIn;
const unavailable = new DomainError('unavailable', 'UNAVAILABLE', 'Away');

const origin = { network: 'n', address: '192.0.2.1', userAgent: 'Test' };

function anAccess(failing: { begin?: Error; end?: Error } = {}) {
  const log: unknown[] = [];
  const operators = {
    authenticateOperator: () => Promise.reject(unavailable),
    beginAuditEntry: (entry: unknown) => {
      if (failing.begin !== undefined) return Promise.reject(failing.begin);
      log.push(entry);
      return Promise.resolve({ id: 'a' });
    },
    endAuditEntry: (
      entry: unknown,
      { tenant, signal }: { tenant: unknown; signal: AbortSignal },
    ) => {
      if (failing.end !== undefined) return Promise.reject(failing.end);
      log.push([entry, tenant, signal.aborted]);
      return Promise.resolve({});
    },
  } as unknown as OperatorAccessDependencies['operators'];
  const dependencies = { operators, siteUrl: 'https://billing.example', segments: [] };
  const clock = { now: () => new Date('2026-01-01T00:00:00Z') };
  const access = new OperatorAccess({
    ...dependencies,
    clock,
    logger: createLogger({ service: 'gateway', level: 'silent' }),
  });
  const audited = (work: () => Promise<{ status: number }>) =>
    access.audited(signedIn, action, { call, origin, work });
  return { audited, log };
}

const begun = { sessionToken: 's', requestId: 'r', origin, ...action };
const live = { organizationId: 'o', environmentId: 'l', live: true, manualClock: false };

test('a change is recorded by two entries of the audit log, before and after', async () => {
  const { audited, log } = anAccess();
  const answer = await audited(() => {
    log.push('done');
    return Promise.resolve({ status: 201 });
  });
  expect(answer).toEqual({ status: 201 });
  expect(log).toEqual([begun, 'done', [{ id: 'a', status: 201, changes: [] }, live, false]]);
});

test('a failed change is recorded with its status, and the error is rethrown', async () => {
  const { audited, log } = anAccess();
  const failure = new DomainError('not_found', 'CUSTOMER_NOT_FOUND', 'Customer not found');
  await expect(audited(() => Promise.reject(failure))).rejects.toBe(failure);
  expect(log.at(-1)).toEqual([{ id: 'a', status: 404, changes: [] }, live, false]);
});

test('a change is not made if its first audit entry cannot be written', async () => {
  const { audited, log } = anAccess({ begin: unavailable });
  const work = jest.fn();
  await expect(audited(work)).rejects.toMatchObject({ status: 503, code: 'unavailable' });
  expect([work.mock.calls, log]).toEqual([[], []]);
});

test('a session that has just ended is reported as invalid', async () => {
  const over = new DomainError('unauthenticated', 'INVALID_SESSION', 'Over');
  await expect(anAccess({ begin: over }).audited(jest.fn())).rejects.toBe(over);
});

test('the response is returned even if the second audit entry cannot be written', async () => {
  const { audited } = anAccess({ end: unavailable });
  expect(await audited(() => Promise.resolve({ status: 200 }))).toEqual({ status: 200 });
});
