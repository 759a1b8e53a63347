import { systemClock } from '@billing/chassis/clock';
import { DomainError } from '@billing/kernel/domain-error';
import { networkOf } from '../http/client-address';
import { Admission } from './admission';
import { Authentication } from './authentication';
import type { OperatorAccess, SignedIn } from './operator-access';

test.each([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['2001:db8:1:2:3:4:5:6', '20010db800010002'],
  ['2001:db8:1:2::1', '20010db800010002'],
  ['2001:db8:1:3::1', '20010db800010003'],
  ['::1', '0000000000000000'],
  ['unknown', ''],
  [undefined, ''],
])('the address %s counts as %s', (address, network) => {
  expect(networkOf(address)).toBe(network);
});

describe('a request that a service refuses because its environment is deleted', () => {
  const tenant = { organizationId: 'o', environmentId: 'e', live: false, manualClock: false };
  const deleted = new DomainError('not_found', 'ENVIRONMENT_NOT_FOUND', 'Environment not found');
  const admission = new Admission({
    authentication: new Authentication(
      { authenticate: () => Promise.reject(deleted) },
      systemClock,
    ),
    operatorAccess: {} as OperatorAccess,
    clock: systemClock,
  });

  test('a request with a key gets the error of an invalid key', () => {
    expect(admission.refusalOf(deleted, { tenant })).toMatchObject({
      kind: 'unauthenticated',
      message: 'Invalid or expired API key',
    });
  });

  test('the error of an operator and other errors are unchanged', () => {
    const signedIn = {} as SignedIn;
    expect(admission.refusalOf(deleted, { tenant, signedIn })).toBe(deleted);
    const other = new DomainError('not_found', 'CUSTOMER_NOT_FOUND', 'Customer not found');
    expect(admission.refusalOf(other, { tenant })).toBe(other);
  });
});
