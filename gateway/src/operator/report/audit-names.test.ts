import { createLogger } from '@billing/chassis/logging';
import type { AuditEntry } from '@billing/proto/billing/identity/v1/operator';
import type { OperatorDependencies, OperatorRequest } from '../route/route';
import { auditNamesOf } from './audit-names';

const customerId = '01900000-0000-7000-8000-000000000001';
const discountId = '01900000-0000-7000-8000-000000000002';
const entryOf = (type: string, id: string) =>
  ({ environmentId: 'live', target: { type, id }, changes: [] }) as unknown as AuditEntry;

test('names of other services stay when one service fails', async () => {
  const peers = {
    customer: {
      getCustomers: () =>
        Promise.resolve({ customers: [{ id: customerId, name: 'Ada Lovelace', email: '' }] }),
    },
    discount: { listDiscounts: () => Promise.reject(new Error('unavailable')) },
  };
  const logger = createLogger({ service: 'test', level: 'silent' });
  const warn = jest.spyOn(logger, 'warn');
  const request = {
    signedIn: { liveEnvironmentId: 'live' },
    call: { deadline: new Date(Date.now() + 10_000) },
  } as unknown as OperatorRequest;
  const entries = [entryOf('discount', discountId), entryOf('customer', customerId)];
  const names = await auditNamesOf(entries, request, {
    peers,
    logger,
  } as unknown as OperatorDependencies);
  expect([...names]).toEqual([[customerId, 'Ada Lovelace']]);
  expect(warn).toHaveBeenCalledTimes(1);
});
