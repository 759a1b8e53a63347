import { StoringGate } from '@billing/chassis/call-context';
import { systemClock } from '@billing/chassis/clock';
import { newId } from '@billing/chassis/ids';
import { createLogger } from '@billing/chassis/logging';
import { connectMongo, type MongoConnection } from '@billing/chassis/mongo';
import {
  dropTestDatabase,
  eventually,
  testContext,
  testServiceConfiguration,
} from '@billing/chassis/testing';
import { adjustmentOf, post } from './balance';
import { BalanceStore } from './balance-store';
import type { BalanceEntryStore } from './entry-store';
import { balancesOn } from '../testing/balance';

const configuration = testServiceConfiguration('checkout');
let mongo: MongoConnection;
let replica: ReturnType<typeof balancesOn>;

beforeAll(async () => {
  const { MONGODB_URI: uri, MONGODB_DATABASE: database } = configuration;
  mongo = await connectMongo({ uri, database, service: 'checkout', maxPoolSize: 32 });
  replica = balancesOn(mongo.db);
  await replica.documents.ensureIndexes();
  await replica.entries.ensureIndexes();
});

afterAll(async () => {
  await mongo.close();
  await dropTestDatabase(configuration);
});

const first = { page: 1, perPage: 100 };

function aScene() {
  const context = testContext();
  const owner = { customerId: newId(), currency: 'EUR' as const };
  const adjust = (amount: bigint, id = newId(), { balances } = replica) =>
    balances.post(owner, { id, kind: 'ADJUSTMENT' }, { amountOf: adjustmentOf(amount), context });
  const ledger = async () => {
    const { customerId } = owner;
    const { data } = await replica.entries.list({ ...first, customerId }, context);
    return data.toReversed();
  };
  const stored = async () => {
    const { documents } = replica;
    const id = `${context.tenant.environmentId}:${owner.customerId}:EUR`;
    return { id, ...(await documents.within(context).get(id)) };
  };
  return { context, owner, adjust, ledger, stored };
}

test('an entry is read back unchanged', async () => {
  const { context, owner, ledger } = aScene();
  const posting = {
    id: newId(),
    kind: 'ADJUSTMENT',
    description: 'Goodwill',
    metadata: { 'a.b': 'dotted', n: 1.5 },
  } as const;
  const posted = await replica.balances.post(owner, posting, {
    amountOf: adjustmentOf(5n),
    context,
  });
  expect(posted).toEqual({
    ...posting,
    ...owner,
    ...{ amount: 5n, balanceAfter: 5n, sequence: 1, invoiceId: undefined },
    createdAt: context.now,
  });
  expect(await ledger()).toEqual([posted]);
  expect(await replica.entries.find(posting.id, context)).toEqual(posted);
});

test('a repeat of a posting returns the first entry after the balance has changed', async () => {
  const { adjust, ledger } = aScene();
  const id = newId();
  await adjust(549n, id);
  await adjust(-549n);
  expect(await adjust(-9_999n, id)).toMatchObject({ amount: 549n, sequence: 1 });
  expect(await ledger()).toHaveLength(2);
});

test('a refused posting leaves no balance behind', async () => {
  const { context, owner, adjust } = aScene();
  await expect(adjust(-1n)).rejects.toMatchObject({ reason: 'BALANCE_TOO_LOW' });
  const { customerId } = owner;
  expect(await replica.balances.list({ ...first, customerId }, context)).toEqual({
    data: [],
    total: 0,
  });
});

test('20 openings of 4 replicas share a balance, and repeats take nothing more', async () => {
  const { context, owner, adjust, ledger, stored } = aScene();
  await adjust(10_500n);
  const invoices = Array.from({ length: 20 }, () => ({ ...owner, id: newId() }));
  const replicas = Array.from({ length: 4 }, () => balancesOn(mongo.db));
  // Each invoice is opened by two replicas at once.
  const openings = [...invoices.entries(), ...invoices.entries()];
  // An opening that has lost every attempt against the others is refused, and is repeated.
  const taken = await Promise.all(
    openings.map(([index, invoice], position) => {
      const { balances } = replicas[(index + Math.floor(position / 20)) % 4] ?? replica;
      return eventually(() => balances.apply(invoice, { round: 1, total: 1_000n }, context));
    }),
  );
  expect(taken.slice(20)).toEqual(taken.slice(0, 20));
  expect(taken.slice(0, 20).toSorted()).toEqual(
    [...Array<bigint>(10).fill(1_000n), 500n, ...Array<bigint>(9).fill(0n)].toSorted(),
  );
  const { state } = await stored();
  expect(state).toMatchObject({ balance: 0n, sequence: 12, pendingEntries: [] });
  const entries = await ledger();
  expect(entries.map(({ sequence }) => sequence)).toEqual(entries.map((_, index) => index + 1));
  expect(entries.at(-1)).toMatchObject({ balanceAfter: 0n, kind: 'APPLIED' });
});

test('what an invoice has taken is returned once, and is not taken again', async () => {
  const { context, owner, adjust, ledger } = aScene();
  await adjust(549n);
  const invoice = { ...owner, id: newId() };
  const opening = { round: 1, total: 3_451n };
  expect(await replica.balances.apply(invoice, opening, context)).toBe(549n);
  await Promise.all(
    [1, 2, 3].map(() => balancesOn(mongo.db).balances.giveBack(invoice, { round: 1 }, context)),
  );
  expect(await replica.balances.apply(invoice, opening, context)).toBe(549n);
  expect(await ledger()).toMatchObject([
    { amount: 549n, kind: 'ADJUSTMENT' },
    { amount: -549n, kind: 'APPLIED', invoiceId: invoice.id },
    { amount: 549n, kind: 'RETURNED', invoiceId: invoice.id, balanceAfter: 549n },
  ]);
});

test('an opening after the tombstone of its invoice takes nothing', async () => {
  const { context, owner, adjust, ledger } = aScene();
  const invoice = { ...owner, id: newId() };
  await replica.balances.giveBack(invoice, { round: 1 }, context);
  expect(await replica.balances.list({ ...first, ...owner }, context)).toMatchObject({ total: 0 });
  await adjust(549n);
  expect(await replica.balances.apply(invoice, { round: 1, total: 9n }, context)).toBe(0n);
  expect(await replica.balances.apply(invoice, { round: 2, total: 9n }, context)).toBe(9n);
  expect(await ledger()).toMatchObject([{ sequence: 1 }, { sequence: 2, amount: -9n }]);
});

describe('a posting is the answer once it is stored', () => {
  const logger = createLogger({ service: 'test', level: 'silent' });

  /** The balances of a replica whose copies of entries run as given. */
  function balancesWith(insert: () => Promise<void>) {
    const { documents, entries } = replica;
    const slow = Object.assign(Object.create(entries) as BalanceEntryStore, { insert });
    return new BalanceStore(documents, slow, systemClock, logger);
  }

  test('although its entry cannot be copied, which is done later', async () => {
    const { context, owner, adjust, ledger, stored } = aScene();
    const balances = balancesWith(() => Promise.reject(new Error('The database has failed')));
    const posting = { id: newId(), kind: 'ADJUSTMENT' } as const;
    const amount = { amountOf: adjustmentOf(549n), context };
    expect(await balances.post(owner, posting, amount)).toMatchObject({ amount: 549n });
    expect(await ledger()).toEqual([]);
    await replica.balances.copyPending((await stored()).id, context);
    expect(await ledger()).toMatchObject([{ id: posting.id, amount: 549n }]);
    expect(await adjust(1n, posting.id)).toMatchObject({ amount: 549n, sequence: 1 });
  });

  test('and too little time is left for the copy of its entry', async () => {
    const { context, owner } = aScene();
    const at = new Date();
    // Just enough for the write.
    const storing = new StoringGate(new Date(at.getTime() + 2_000), { now: () => at });
    const copied = Promise.withResolvers<undefined>();
    const balances = balancesWith(() => copied.promise);
    const posting = { id: newId(), kind: 'ADJUSTMENT' } as const;
    const amount = { amountOf: adjustmentOf(549n), context: { ...context, storing } };
    expect(await balances.post(owner, posting, amount)).toMatchObject({ amount: 549n });
    copied.resolve(undefined);
  });
});

test('entries that a stopped process left in the balance are copied', async () => {
  const { context, adjust, ledger, stored } = aScene();
  await adjust(549n);
  const { id, state } = await stored();
  const left = { id: newId(), kind: 'ADJUSTMENT' } as const;
  const realNow = systemClock.now();
  await replica.documents
    .within(context)
    .mutate(id, (balance, now) => post(balance, left, { amountOf: () => 1n, now, realNow }));
  expect(state.pendingEntries).toEqual([]);
  const document = await replica.documents.documents.findOne({ _id: id });
  expect(document?.recoverAt).toEqual(new Date(realNow.getTime() + 30_000));
  expect(await ledger()).toHaveLength(1);
  await replica.balances.copyPending(id, context);
  expect(await ledger()).toMatchObject([{ sequence: 1 }, { id: left.id, sequence: 2 }]);
  expect(await stored()).toMatchObject({ state: { pendingEntries: [] } });
  expect(await adjust(5n, left.id)).toMatchObject({ amount: 1n });
});

test('lists are of one environment, in the order of time and sequence', async () => {
  const { context, owner, adjust } = aScene();
  await adjust(1n);
  await adjust(2n);
  const dollars = { ...owner, currency: 'USD' as const };
  const posting = { id: newId(), kind: 'ADJUSTMENT' } as const;
  const later = { ...context, now: new Date(context.now.getTime() + 1) };
  await replica.balances.post(dollars, posting, { amountOf: adjustmentOf(3n), context: later });
  const { customerId } = owner;
  const balances = await replica.balances.list({ ...first, customerId }, context);
  expect(balances).toMatchObject({
    data: [
      { currency: 'USD', balance: 3n, movedAt: later.now },
      { currency: 'EUR', balance: 3n, movedAt: context.now },
    ],
    total: 2,
  });
  const entries = await replica.entries.list({ ...first, customerId }, context);
  expect(entries.data.map(({ amount }) => amount)).toEqual([3n, 2n, 1n]);
  expect(
    await replica.entries.list({ ...first, customerId, currency: 'EUR' }, context),
  ).toMatchObject({ data: [{ amount: 2n }, { amount: 1n }], total: 2 });
  const stranger = testContext();
  expect(await replica.entries.list(first, stranger)).toEqual({ data: [], total: 0 });
  expect(await replica.balances.list(first, stranger)).toEqual({ data: [], total: 0 });
  expect(await replica.entries.find(posting.id, stranger)).toBeUndefined();
});
