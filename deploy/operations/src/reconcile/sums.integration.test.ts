import { connectMongo, type MongoConnection } from '@billing/chassis/mongo';
import { SystemStore } from '@billing/chassis/system-store';
import { dropTestDatabase, testServiceConfiguration } from '@billing/chassis/testing';
import type { ServiceDatabase } from '../database/databases';
import { moveClocks } from './move-clocks';
import { readSums } from './read-sums';

const services = ['checkout', 'discount', 'identity', 'subscription'];
const configurations = services.map((service) => testServiceConfiguration(`sums_${service}`));
let connections: readonly MongoConnection[];
let databases: readonly ServiceDatabase[];

beforeAll(async () => {
  connections = await Promise.all(
    configurations.map(({ MONGODB_URI: uri, MONGODB_DATABASE: database }) =>
      connectMongo({ uri, database, service: 'test' }),
    ),
  );
  databases = connections.map(({ db }, index) => {
    return { service: services[index] ?? '', db, system: new SystemStore(db) };
  });
});

afterAll(async () => {
  await Promise.all(connections.map((mongo) => mongo.close()));
  await dropTestDatabase(...configurations);
});

const collectionOf = (service: string, name: string) =>
  databases.find((one) => one.service === service)!.db.collection<any>(name);

test('sums are read from the documents that they are of', async () => {
  const payment = { id: 'p1', provider: 'stripe', status: 'SUCCEEDED', amount: 2900n };
  await collectionOf('checkout', 'invoices').insertMany([
    {
      _id: 'i1',
      payments: [
        { ...payment, overpayment: 0n },
        { ...payment, id: 'p2', status: 'FAILED' },
        { ...payment, id: 'p3', provider: 'external' },
        // It came after the first one, and went to the balance as a whole.
        { ...payment, id: 'p4', overpayment: 2900n },
        { ...payment, id: 'p5', amount: 0n },
      ],
      refunds: [
        { paymentId: 'p1', status: 'SUCCEEDED', amount: 400n },
        { paymentId: 'p1', status: 'PENDING', amount: 500n },
        { paymentId: 'p1', status: 'FAILED', amount: 600n },
      ],
    },
    { _id: 'i2', payments: [] },
    { _id: 'i3', isTombstone: true },
  ]);
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
    { _id: 'd1', maxRedemptions: 2n },
    { _id: 'd2', maxRedemptions: null },
  ]);
  await collectionOf('discount', 'redemptionSlots').insertMany(
    ['HELD', 'FREE', 'CONFIRMED', 'CONFIRMED'].map((state, number) => {
      return { _id: `d1:${String(number)}`, discountId: 'd1', state };
    }),
  );

  const series = { noun: 'invoice', environmentId: 'e1', code: null, count: 2, highest: 2 };
  expect(await readSums(databases)).toEqual({
    chargedInvoices: [
      {
        id: 'i1',
        charges: 1,
        refunds: ['p1', 'p2', 'p3', 'p4', 'p5'].map((paymentId) => ({
          paymentId,
          refunded: paymentId === 'p1' ? 900n : 0n,
          paid: paymentId === 'p5' ? 0n : 2900n,
        })),
      },
    ],
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

  expect(await moveClocks(databases)).toBe(1);
  const found = await environments.find().sort({ _id: 1 }).toArray();
  expect(found.map(({ _id, ...one }) => [_id, one.clock.now, Number(one.version)])).toEqual([
    ['ahead', at(9), 1],
    ['behind', at(7), 2],
    ['real', undefined, 1],
    ['unused', at(1), 1],
  ]);
  expect(await moveClocks(databases)).toBe(0);
});
