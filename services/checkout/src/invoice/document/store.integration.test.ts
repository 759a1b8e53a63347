import { AggregateCollection } from '@billing/chassis/aggregate-collection';
import { systemClock } from '@billing/chassis/clock';
import { newId } from '@billing/chassis/ids';
import { connectMongo, type MongoConnection } from '@billing/chassis/mongo';
import { dropTestDatabase, testContext, testServiceConfiguration } from '@billing/chassis/testing';
import { recordResult } from '../collection';
import { announcedInvoices } from '../../announcement/invoice-event-message';
import { declined } from '../../provider/port/decline';
import { aDraft, aLineItem, anOpened, savedMethod, asInvoice } from '../../testing/invoice';
import { type InvoiceRecord, tombstone } from '../invoice';
import { type CollectionResultPayload, readCollectionResult } from './store';
import { shownInvoices } from '../shown-invoices';

const configuration = testServiceConfiguration('checkout');
let mongo: MongoConnection;
let invoices: AggregateCollection<InvoiceRecord>;

beforeAll(async () => {
  const { MONGODB_URI: uri, MONGODB_DATABASE: database } = configuration;
  mongo = await connectMongo({ uri, database, service: 'checkout' });
  const dependencies = { clock: systemClock };
  const definition = announcedInvoices({ urlOf: () => '' });
  invoices = new AggregateCollection<InvoiceRecord>(mongo.db, definition, dependencies);
  await invoices.ensureIndexes();
});

afterAll(async () => {
  await mongo.close();
  await dropTestDatabase(configuration);
});

function only(state: InvoiceRecord) {
  return { state, events: [], commands: [] };
}

const finished = {
  attemptNumber: 1,
  paymentId: newId(),
  claimedAt: new Date('2026-01-01T00:00:01.000Z'),
  methods: { methodId: undefined },
  provider: 'sandbox',
  retryDays: [3, 7, 14],
  outcome: declined('card_declined', 'pi_1'),
  now: new Date('2026-01-01T00:00:01.000Z'),
};

describe('a stored invoice is read back unchanged', () => {
  const odd = aLineItem({
    amount: -1n,
    unitAmount: undefined,
    priceId: undefined,
    details: undefined,
    metadata: { 'a.b': 'dotted', n: 1.5, none: null },
  });

  test.each([
    ['a draft', aDraft({ authorizedTransactionId: 'txn_1' })],
    ['with an attempt in its slot', anOpened({}, savedMethod)],
    ['with a payment', recordResult(anOpened({}, savedMethod), finished).state],
    ['sent', anOpened({ collectionMethod: 'SEND_INVOICE' })],
    [
      'with amounts of all signs and sizes',
      { ...aDraft(), lineItems: [odd, aLineItem({ amount: 99_999_999_999n })] },
    ],
    ['far below zero', { ...aDraft(), lineItems: [aLineItem({ amount: -99_999_999_999n })] }],
  ] as const)('as %s', async (_case, record) => {
    const context = testContext();
    const state = { ...record, id: newId() };
    const store = invoices.within(context);
    await store.insert(only(state));

    expect((await store.get(state.id)).state).toEqual(state);
  });

  test('as a tombstone', async () => {
    const context = testContext();
    const { subscriptionId, customerId, currency } = aDraft();
    const { state } = tombstone({ id: newId(), subscriptionId, customerId, currency });
    await invoices.within(context).insert(only(state));

    expect((await invoices.within(context).get(state.id)).state).toEqual(state);
  });
});

test('an invoice stored before discounts, challenges and usage is readable', async () => {
  const context = testContext();
  const state = { ...anOpened({}, savedMethod), id: newId() };
  const store = invoices.within(context);
  await store.insert(only(state));
  const since = ['discounts', 'session', 'retriesLeft', 'firstFailedAt', 'ended'];
  const ofAttempt = ['origin', 'status', 'answers', 'startedAt', 'returnUrl'];
  const fields = [
    ...since,
    ...ofAttempt.map((name) => `attempt.${name}`),
    'lineItems.0.discountAmount',
    'lineItems.0.meterId',
    'lineItems.0.details.creditsUsed',
  ];
  const lacking = Object.fromEntries(fields.map((name) => [name, '' as const]));
  await invoices.documents.updateOne({ _id: state.id }, { $unset: lacking });

  expect((await store.get(state.id)).state).toEqual(state);
});

test('a usage line is read back with its meter, its credits and a negative amount', async () => {
  const context = testContext();
  const credit = { grantId: newId(), quantity: '12.5' };
  const { details } = aLineItem();
  if (details === undefined) throw new Error('A line has details');
  const usage = { meterId: newId(), amount: -100n, details: { ...details, creditsUsed: [credit] } };
  const lineItems = [aLineItem(), aLineItem({ id: newId(), ...usage })];
  const state = { ...anOpened({}, savedMethod), id: newId(), lineItems };
  const store = invoices.within(context);
  await store.insert(only(state));

  expect((await store.get(state.id)).state).toEqual(state);
});

test('the decline kind of a stored failure follows the current kind of its code', async () => {
  const context = testContext();
  const { state: failed } = recordResult(anOpened({}, savedMethod), {
    ...finished,
    outcome: declined('amount_not_supported', 'pi_1'),
  });
  const id = newId();
  const store = invoices.within(context);
  await store.insert(only({ ...failed, id }));
  const stored = { 'payments.0.decline': 'HARD' };
  await invoices.documents.updateOne({ _id: id }, { $set: stored });

  expect(asInvoice((await store.get(id)).state).payments).toMatchObject([{ decline: 'PROVIDER' }]);
});

test('a field that a decision clears is removed', async () => {
  const context = testContext();
  const state = { ...anOpened({}, savedMethod), id: newId() };
  const store = invoices.within(context);
  await store.insert(only(state));
  const { state: after } = await store.mutate(state.id, (record) => recordResult(record, finished));

  expect((await store.get(state.id)).state).toEqual(after);
  expect(after).toMatchObject({ attempt: undefined });
});

test('a result carries the invoice as the attempt left it, unaffected by later changes', async () => {
  const context = testContext({ now: new Date('2026-01-01T00:00:02.000Z') });
  const state = { ...anOpened({}, savedMethod), id: newId() };
  const store = invoices.within(context);
  await store.insert(only(state));
  const left = await store.mutate(state.id, (record) => recordResult(record, finished));
  await store.mutate(state.id, (record) => only({ ...record, status: 'VOID' }));

  const document = await invoices.documents.findOne({ _id: state.id });
  const entry = document!.outbox.find(({ kind }) => kind === 'command');
  expect(readCollectionResult(entry!.payload as CollectionResultPayload, context)).toEqual({
    resultNumber: 1,
    outcome: 'FAILED',
    attempt: 1,
    nextAttemptAt: new Date('2026-01-04T00:00:01.000Z'),
    invoice: left,
  });
});

describe('a list', () => {
  test('returns the newest invoice first, filtered, counted and without tombstones', async () => {
    const context = testContext();
    const customerId = newId();
    const [first, second, other] = [newId(), newId(), newId()];
    const insert = (id: string, owner: string, at: string) =>
      invoices
        .within({ ...context, now: new Date(at) })
        .insert(only({ ...aDraft({ customerId: owner }), id }));
    await insert(first, customerId, '2026-01-01T00:00:00.000Z');
    await insert(second, customerId, '2026-02-01T00:00:00.000Z');
    await insert(other, newId(), '2026-03-01T00:00:00.000Z');
    const { subscriptionId, currency } = aDraft();
    const gone = tombstone({ id: newId(), subscriptionId, customerId, currency });
    await invoices.within(context).insert(gone);

    const list = async (filter: Parameters<typeof shownInvoices>[0]) => {
      const page = { filter: shownInvoices(filter), page: 1, perPage: 2 };
      const { data, total } = await invoices.within(context).list(page);
      return { ids: data.map(({ state }) => state.id), total };
    };
    expect(await list({})).toEqual({ ids: [other, second], total: 3 });
    expect(await list({ customerId })).toEqual({ ids: [second, first], total: 2 });
    expect(await list({ customerId, subscriptionId })).toEqual({ ids: [second, first], total: 2 });
    expect(await list({ subscriptionId: newId() })).toEqual({ ids: [], total: 0 });
  });
});
