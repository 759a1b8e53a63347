import { findAggregates } from '../database/aggregates';
import { ServiceDatabases } from '../testing/service-databases';
import { moveClocks } from './move-clocks';
import { findingsOf, readUnmatchedCharges } from './read-checked-facts';
import { readSums } from './read-sums';

const databases = new ServiceDatabases('sums', [
  'checkout',
  'customer',
  'discount',
  'identity',
  'notifier',
  'subscription',
]);

beforeAll(() => databases.connect());
afterAll(() => databases.drop());

const collectionOf = (service: string, name: string) => databases.of(service).collection<any>(name);

test('sums are read from the documents that they are of', async () => {
  const payment = {
    id: 'p1',
    provider: 'stripe',
    providerPaymentId: 'pi_1',
    status: 'SUCCEEDED',
    amount: 2900n,
  };
  const made = { paymentId: 'p1', providerRefundId: 're_1' };
  const ownedBy = (environmentId: string) => ({ environmentId, payments: [payment], refunds: [] });
  await collectionOf('checkout', 'invoices').insertMany([
    {
      _id: 'i1',
      ...ownedBy('e1'),
      refunds: [
        { ...made, status: 'SUCCEEDED', amount: 400n },
        { ...made, status: 'PENDING', amount: 500 },
        { ...made, status: 'FAILED', amount: 600n },
        // The provider may refuse it.
        { paymentId: 'p1', providerRefundId: null, status: 'PENDING', amount: 700n },
      ],
    },
    {
      _id: 'i2',
      ...ownedBy('e1'),
      payments: [
        { ...payment, id: 'p2', providerPaymentId: 'pi_2' },
        { ...payment, id: 'p3', provider: 'external', providerPaymentId: null },
        { ...payment, id: 'p4', status: 'FAILED' },
      ],
    },
    { _id: 'i3', ...ownedBy('e1') },
    { _id: 'i4', ...ownedBy('e2') },
    { _id: 'i5', environmentId: 'e1', isTombstone: true },
    { _id: 'i6', ...ownedBy('deleted') },
    { _id: 'i7', ...ownedBy('deleted') },
  ]);
  await collectionOf('checkout', 'deletedEnvironments').insertOne({ _id: 'deleted' });
  const owner = { environmentId: 'e1', customerId: 'c1', currency: 'USD' };
  const entry = { ...owner, amount: 300n, sequence: 1n };
  await collectionOf('checkout', 'balances').insertOne({
    _id: 'b1',
    ...owner,
    balance: 500n,
    sequence: 2n,
    pendingEntries: [
      { ...entry, id: 'n1' },
      { ...entry, id: 'n2', amount: 200n, sequence: 2n },
    ],
  });
  await collectionOf('checkout', 'balanceEntries').insertMany([
    { _id: 'n1', ...entry },
    { _id: 'n0', ...entry, amount: 0n, sequence: 0n },
    { _id: 'n3', ...entry, customerId: 'c2' },
    { _id: 'n4', ...entry, environmentId: 'e2' },
  ]);
  const numbered = { environmentId: 'e1', number: 1n };
  await collectionOf('checkout', 'invoiceNumbers').insertMany([
    { _id: 'e1:1', ...numbered },
    { _id: 'e1:2', ...numbered, number: 2 },
    { _id: 'e1:WH5C2:1', ...numbered, series: 'WH5C2' },
  ]);
  await collectionOf('checkout', 'creditNoteNumbers').insertOne({
    _id: 'e1:3',
    ...numbered,
    number: 3n,
  });
  await collectionOf('discount', 'discounts').insertMany([
    { _id: 'd1', environmentId: 'e1', maxRedemptions: 2n },
    { _id: 'd2', environmentId: 'e1', maxRedemptions: null },
    { _id: 'd3', environmentId: 'deleted', maxRedemptions: 2n },
  ]);
  await collectionOf('discount', 'redemptionSlots').insertMany(
    ['HELD', 'FREE', 'CONFIRMED', 'CONFIRMED'].map((state, number) => {
      return { _id: `d1:${String(number)}`, discountId: 'd1', state };
    }),
  );

  const series = { noun: 'invoice', environmentId: 'e1', code: null, count: 2, highest: 2 };
  expect(await readSums(databases.all)).toEqual({
    repeatedCharges: [{ providerPaymentId: 'pi_1', invoiceIds: ['i1', 'i3'] }],
    refundedPayments: [{ invoiceId: 'i1', paymentId: 'p1', refunded: 900n, paid: 2900n }],
    balances: [{ id: 'b1', balance: 500n, entries: 500n, sequence: 2, count: 2 }],
    series: expect.arrayContaining([
      series,
      { ...series, code: 'WH5C2', count: 1, highest: 1 },
      { ...series, noun: 'credit note', count: 1, highest: 3 },
    ]),
    redemptions: [{ discountId: 'd1', taken: 3, max: 2 }],
  });
});

test('a manual clock that is earlier than its documents is moved to the latest of them', async () => {
  const at = (day: number) => new Date(Date.UTC(2026, 0, day));
  const realNow = new Date('2026-11-29T12:00:00Z');
  const clock = (_id: string, day: number) => ({
    _id,
    clock: { kind: 'MANUAL', now: at(day) },
    version: 1,
  });
  const environments = collectionOf('identity', 'environments');
  await environments.insertMany([
    clock('behind', 3),
    clock('ahead', 9),
    clock('unused', 1),
    clock('with a customer', 1),
    clock('with a session', 1),
    { _id: 'real', clock: { kind: 'REAL' }, version: 1 },
  ]);
  const written = (_id: string, timeline: string, day: number) => {
    return { _id, timeline, environmentId: 'behind', updatedAt: at(day) };
  };
  const aggregates = [
    ['subscription', 'subscriptions'],
    ['checkout', 'invoices'],
    ['checkout', 'checkoutSessions'],
    ['customer', 'customers'],
    ['notifier', 'emails'],
    ['identity', 'apiKeys'],
  ] as const;
  for (const [service, name] of aggregates) {
    await collectionOf(service, name).createIndex({ pendingSince: 1 });
  }
  await collectionOf('subscription', 'subscriptions').insertMany([
    written('s1', 'behind', 5),
    written('s2', 'behind', 7),
    written('s3', 'ahead', 5),
    written('s4', 'real', 9),
  ]);
  await collectionOf('checkout', 'invoices').insertOne(written('i9', 'behind', 6));
  // Sandboxes that have neither subscriptions nor invoices.
  await collectionOf('customer', 'customers').insertOne(written('c9', 'with a customer', 4));
  await collectionOf('checkout', 'checkoutSessions').insertOne(written('k9', 'with a session', 5));
  // Written at real times.
  await collectionOf('notifier', 'emails').insertOne(written('m9', 'unused', 8));
  await collectionOf('identity', 'apiKeys').insertOne(written('a9', 'unused', 8));

  const move = async () => moveClocks(databases.all, await findAggregates(databases.all), realNow);
  expect(await move()).toBe(3);
  const found = await environments.find().sort({ _id: 1 }).toArray();
  expect(
    found.map(({ _id, clock: { now }, version, changedAt }) => {
      return [_id, now, Number(version), changedAt];
    }),
  ).toEqual([
    ['ahead', at(9), 1, undefined],
    ['behind', at(7), 2, realNow],
    ['real', undefined, 1, undefined],
    ['unused', at(1), 1, undefined],
    ['with a customer', at(4), 2, realNow],
    ['with a session', at(5), 2, realNow],
  ]);
  expect(await move()).toBe(0);
});

test('an unmatched charge is a finding unless its invoice alone is lost', async () => {
  await collectionOf('identity', 'organizations').insertOne({ _id: 'o1' });
  const charge = (_id: string, organization: string, finding?: string) => ({
    ...{ _id, restoreId: 'r1', provider: 'stripe', providerPaymentId: _id, amount: 2900n },
    ...{ currency: 'USD', createdAt: new Date(0), ...(finding !== undefined && { finding }) },
    metadata: { billing_organization_id: organization },
  });
  await collectionOf('checkout', 'unmatchedCharges').insertMany([
    charge('pi_lost', 'o1'),
    charge('pi_other', 'o1', 'The invoice owes another amount'),
    charge('pi_unknown', 'o2'),
    { ...charge('pi_earlier', 'o1'), restoreId: 'r0' },
  ]);
  const unmatched = await readUnmatchedCharges(databases.all, 'r1');
  expect(unmatched.map(({ providerPaymentId }) => providerPaymentId)).toEqual([
    'pi_lost',
    'pi_other',
    'pi_unknown',
  ]);
  expect(findingsOf(unmatched)).toEqual([
    { invariant: 'I63', text: 'charge pi_other of stripe: The invoice owes another amount' },
    { invariant: 'I63', text: expect.stringContaining('Its organization is not known') },
  ]);
});
