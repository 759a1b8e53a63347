import { auditDetail } from './audit-detail';

const id = '0190f3c4-0000-7000-8000-000000000000';

test('a write that creates a resource names it and its input', () => {
  const body = { name: 'Basic', amount: 2900, unknown: 1 };
  const answer = { id, name: 'Basic', amount: 2900, currency: 'USD' };
  expect(
    auditDetail({ segment: 'products', id: undefined, body, before: undefined, answer }),
  ).toEqual({
    target: { type: 'product', id, name: 'Basic', currency: 'USD' },
    changes: [
      { field: 'name', fromJson: undefined, toJson: '"Basic"' },
      { field: 'amount', fromJson: undefined, toJson: '2900' },
      { field: 'unknown', fromJson: undefined, toJson: '1' },
    ],
  });
});

test('a session belongs to its customer', () => {
  const customerId = '0190f3c4-0000-7000-8000-000000000001';
  const answer = { sessionId: id, url: 'https://example.com/portal/s', expiresAt: null };
  const written = { segment: 'portal', id: undefined, body: { customerId }, before: undefined };
  expect(auditDetail({ ...written, answer }).target).toMatchObject({ id, customerId });
  expect(auditDetail({ ...written, body: { customerId: 'Ada' }, answer }).target).toMatchObject({
    id,
    customerId: undefined,
  });
});

test('a resource belongs to the customer that the answer names', () => {
  const customerId = '0190f3c4-0000-7000-8000-000000000001';
  const written = { segment: 'credit-notes', id: undefined, body: {}, before: undefined };
  expect(auditDetail({ ...written, answer: { id, customerId } }).target).toMatchObject({
    id,
    customerId,
  });
});

test('a change names only the changed fields, with the values before and after', () => {
  const before = { id, name: 'Basic', active: true };
  const answer = { id, name: 'Basic', active: false };
  const body = { name: 'Basic', active: false };
  expect(auditDetail({ segment: 'products', id, body, before, answer }).changes).toEqual([
    { field: 'active', fromJson: 'true', toJson: 'false' },
  ]);
});

test('a change names no field that the request does not have', () => {
  const before = { id, name: 'Basic', lastUsedAt: null };
  const answer = { ...before, name: 'Two years', lastUsedAt: '2026-01-01T00:00:00.000Z' };
  const body = { name: 'Two years' };
  expect(auditDetail({ segment: 'sandboxes', id, body, before, answer }).changes).toEqual([
    { field: 'name', fromJson: '"Basic"', toJson: '"Two years"' },
  ]);
});

test('a change of a customer names personal fields without their values', () => {
  const before = { id, email: 'a@b.co', name: 'Ada', phone: '0151', currency: 'USD', metadata: {} };
  const answer = { ...before, email: 'b@b.co', name: 'ADA', phone: '7', currency: 'EUR' };
  const body = { email: 'b@b.co', name: 'ADA', phone: '7', currency: 'EUR' };
  expect(auditDetail({ segment: 'customers', id, body, before, answer }).changes).toEqual([
    { field: 'email', fromJson: undefined, toJson: undefined },
    { field: 'name', fromJson: undefined, toJson: undefined },
    { field: 'phone', fromJson: undefined, toJson: undefined },
    { field: 'currency', fromJson: '"USD"', toJson: '"EUR"' },
  ]);
});

test('a new name of the organization is shown', () => {
  const before = { name: 'Local', requireSecondFactor: false };
  const answer = { ...before, name: 'Ada Analytics' };
  const written = { segment: 'organization', id: undefined, body: { name: 'Ada Analytics' } };
  expect(auditDetail({ ...written, before, answer }).changes).toEqual([
    { field: 'name', fromJson: '"Local"', toJson: '"Ada Analytics"' },
  ]);
});

test('a change of the tax ids and the buyer reference of a customer shows no values', () => {
  const taxIds = [{ type: 'EU_VAT', value: 'DE136695976' }];
  const answer = { id, taxIds, buyerReference: 'ACME_EAST', netDays: 14 };
  const body = { taxIds, buyerReference: 'ACME_EAST', netDays: 14 };
  const before = { id, taxIds: [], buyerReference: null, netDays: null };
  expect(auditDetail({ segment: 'customers', id, body, before, answer }).changes).toEqual([
    { field: 'taxIds', fromJson: undefined, toJson: undefined },
    { field: 'buyerReference', fromJson: undefined, toJson: undefined },
    { field: 'netDays', fromJson: 'null', toJson: '14' },
  ]);
});

test('a code of a second factor is secret, a code of a discount is not', () => {
  const body = { email: 'b@b.co', code: '123456', emailCode: 'ABCDEFGH' };
  const written = { id: undefined, body, before: undefined, answer: undefined };
  const changesOf = (segment: string) => auditDetail({ ...written, segment }).changes;
  expect(changesOf('operators')).toEqual([
    { field: 'email', fromJson: undefined, toJson: '"b@b.co"' },
    { field: 'code', fromJson: undefined, toJson: undefined },
    { field: 'emailCode', fromJson: undefined, toJson: undefined },
  ]);
  expect(changesOf('discounts')[1]?.toJson).toBe('"123456"');
});

test.each([
  ['sessionToken', 's'],
  ['newPassword', 'p'],
  ['key', 'billing_live_x'],
  ['secret', 'whsec_x'],
  ['cardNumber', '4242424242424242'],
  ['metadata', { any: 'thing' }],
  ['authorizedTransactionId', 'txn_1'],
])('the value of %s is not recorded', (field, value) => {
  const body = { [field]: value };
  const written = { segment: 'webhook-endpoints', id, body, before: undefined, answer: undefined };
  expect(auditDetail(written).changes).toEqual([{ field, fromJson: undefined, toJson: undefined }]);
});

test.each<[string, object, string | undefined]>([
  ['products', { name: 'Pro' }, 'Pro'],
  ['checkout-links', { label: 'Plans' }, 'Plans'],
  ['webhook-endpoints', { url: 'https://example.com/hook' }, 'https://example.com/hook'],
  ['invoices', { number: 'INV-000001' }, 'INV-000001'],
  ['customers', { name: 'Ada' }, undefined],
  ['operators', { name: 'Olivia' }, undefined],
  ['subscriptions', { name: 'Ada' }, undefined],
])('the target of a write to %s is named only without personal data', (segment, before, name) => {
  const written = { segment, id, body: {}, before, answer: undefined };
  expect(auditDetail(written).target?.name).toBe(name);
});

test.each([
  ['sandboxes', 'sandbox'],
  ['webhook-endpoints', 'webhook_endpoint'],
  ['invoices', 'invoice'],
  ['checkout', 'checkout_session'],
])('%s are about a %s', (segment, type) => {
  const written = { segment, id, body: {}, before: undefined, answer: undefined };
  expect(auditDetail(written).target).toEqual({
    type,
    id,
    name: undefined,
    currency: undefined,
    customerId: undefined,
  });
});

describe('a removal', () => {
  const removed = (segment: string, before: unknown) =>
    auditDetail({ segment, id, body: {}, before, isRemoval: true, answer: undefined });

  test('shows what was removed', () => {
    const before = {
      ...{ id, name: 'Calls', unit: null, active: true, createdAt: '2026-01-01T00:00:00.000Z' },
      metadata: { team: 'x' },
    };
    expect(removed('meters', before)).toEqual({
      target: { type: 'meter', id, name: 'Calls', currency: undefined },
      changes: [
        { field: 'name', fromJson: '"Calls"', toJson: undefined },
        { field: 'active', fromJson: 'true', toJson: undefined },
        { field: 'metadata', fromJson: undefined, toJson: undefined },
      ],
    });
  });

  test('names personal fields without their values', () => {
    const before = { id, email: 'a@b.co', name: 'Ada', phone: null, currency: 'USD' };
    expect(removed('customers', before).changes).toEqual([
      { field: 'email', fromJson: undefined, toJson: undefined },
      { field: 'name', fromJson: undefined, toJson: undefined },
      { field: 'currency', fromJson: '"USD"', toJson: undefined },
    ]);
  });

  test('of a resource that could not be read shows no fields', () => {
    expect(removed('meters', undefined).changes).toEqual([]);
  });
});
