import { ServiceDatabases } from '../testing/service-databases';
import { findWrongAmounts } from './read-amounts';

const databases = new ServiceDatabases('amounts', ['checkout', 'identity', 'metering']);

beforeAll(() => databases.connect());
afterAll(() => databases.drop());

const collectionOf = (service: string, name: string) => databases.of(service).collection<any>(name);

test('amounts and usage are compared as the documents have them', async () => {
  const line = {
    ...{ amount: 3000n, discountAmount: 300n, quantity: '1', meterId: null, itemId: 'a' },
    tax: { amount: 513n },
  };
  const invoice = {
    ...{ environmentId: 'e1', status: 'PAID', billingReason: 'SUBSCRIPTION_CYCLE' },
    ...{ subscriptionId: 's1', lineItems: [line], discounts: [{ amount: 100 }, { amount: 200n }] },
    finalization: { parties: {}, taxes: { rows: [{ base: 2700n, amount: 513n }] } },
    payments: [
      { status: 'SUCCEEDED', amount: 3000n, overpayment: 87n },
      { status: 'FAILED', amount: 3000n, overpayment: 0n },
    ],
    ...{ balanceApplied: 200n, creditNotes: [{ reduced: 100n }] },
  };
  const usage = (quantity: string, { meterId = 'm1', itemId = 'a' } = {}) => {
    return { ...line, amount: 0n, discountAmount: 0n, tax: null, quantity, meterId, itemId };
  };
  const billing = (...lineItems: object[]) => ({ ...invoice, lineItems: [line, ...lineItems] });
  await collectionOf('checkout', 'invoices').insertMany([
    { _id: 'whole', ...invoice },
    { _id: 'wrong', ...invoice, discounts: [{ amount: 301n }] },
    { _id: 'of a deleted environment', ...invoice, environmentId: 'deleted', payments: [] },
    { _id: 'tombstone', environmentId: 'e1', isTombstone: true },
    // 480 of the period, and 20 of late usage; a second item bills the same meter.
    { _id: 'i1', ...billing(usage('480'), usage('480', { itemId: 'b' })) },
    { _id: 'i2', ...billing(usage('20')) },
    { _id: 'void', ...billing(usage('900')), status: 'VOID', payments: [] },
    { _id: 'i3', ...billing(usage('5')), subscriptionId: 'without settlements' },
  ]);
  await collectionOf('checkout', 'deletedEnvironments').insertOne({ _id: 'deleted' });
  const settled = (quantity: string) => ({ meterId: 'm1', current: { quantity } });
  await collectionOf('metering', 'usageSettlements').insertMany([
    { _id: '1', subscriptionId: 's1', number: 1, usages: [{ periodIndex: 0, ...settled('480') }] },
    {
      _id: '2',
      subscriptionId: 's1',
      number: 2n,
      usages: [{ periodIndex: 0n, ...settled('500') }],
    },
    // Events of the period are lost.
    { _id: '3', subscriptionId: 's1', number: 3, usages: [{ periodIndex: 0, ...settled('90') }] },
  ]);
  const found = await findWrongAmounts(databases.all);
  expect(found.map(({ invariant, text }) => `${invariant} ${text}`)).toEqual([
    'I1 the discounts of invoice wrong are 301, and its lines have 300',
    'I1 the bases of taxes of invoice wrong are 2700, and its lines have 2699',
    'I19 invoice wrong is PAID, and -1 of it is outstanding',
    'I4 subscription without settlements is billed 5 of meter m1, and metering has settled 0',
  ]);
});
