import { ServiceDatabases } from '../testing/service-databases';
import { moveClocks } from './move-clocks';
import { readSums } from './read-sums';

const databases = new ServiceDatabases('sums', [
  'checkout',
  'discount',
  'identity',
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
    { _id: 'real', clock: { kind: 'REAL' }, version: 1 },
  ]);
  const written = (environmentId: string, day: number) => ({ environmentId, updatedAt: at(day) });
  await collectionOf('subscription', 'subscriptions').insertMany([
    { _id: 's1', ...written('behind', 5) },
    { _id: 's2', ...written('behind', 7) },
    { _id: 's3', ...written('ahead', 5) },
    { _id: 's4', ...written('real', 8) },
  ]);
  await collectionOf('checkout', 'invoices').insertOne({ _id: 'i9', ...written('behind', 6) });

  expect(await moveClocks(databases.all, realNow)).toBe(1);
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
  ]);
  expect(await moveClocks(databases.all, realNow)).toBe(0);
});
