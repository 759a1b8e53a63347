import type { CallContext } from '@billing/chassis/call-context';
import { newId } from '@billing/chassis/ids';
import { connectPeer, type Peer } from '@billing/chassis/peer';
import { eventually, testContext } from '@billing/chassis/testing';
import {
  Aggregation,
  type CreditGrant,
  CreditGrantStatus,
  CreditSource,
} from '@billing/proto/billing/metering/v1/metering';
import {
  type UsageReportServiceServer,
  UsageReportServiceService,
} from '@billing/proto/billing/metering/v1/report';
import { aUsagePeriod, present, startMetering, startFolding } from '../testing/fixtures';

let service: Awaited<ReturnType<typeof startMetering>>;
let folding: Awaited<ReturnType<typeof startFolding>>;
let reports: Peer<UsageReportServiceServer>;

beforeAll(async () => {
  service = await startMetering();
  folding = await startFolding(service.configuration);
  reports = connectPeer<UsageReportServiceServer>(UsageReportServiceService, {
    address: service.address,
    service: 'test',
  });
});

afterAll(async () => {
  reports.close();
  await folding.stop();
  await service.stop();
});

const dayMs = 86_400_000;
const january = new Date('2026-01-01T00:00:00Z');
const dayAt = (day: number) => new Date(january.getTime() + day * dayMs);
// The subscription's period is February; no event of it arrives from 5 April on.
const period = { periodIndex: 0, start: dayAt(31), end: dayAt(59) };
const lastOpen = new Date(period.end.getTime() + 36 * dayMs - 1);
const closable = new Date(period.end.getTime() + 36 * dayMs + 1);

type Document = { _id: string } & Record<string, any>;
const stored = (collection: string) => folding.db.collection<Document>(collection);

/** A customer and a meter; each call takes its time. */
async function aCustomer() {
  const { metering, customers, lived } = service;
  const { tenant } = testContext({ now: january });
  const at = (now: Date): CallContext => testContext({ tenant, now, deadlineMs: 100_000 });
  const { meter } = await metering.createMeter(
    { name: 'Calls', aggregation: Aggregation.AGGREGATION_SUM, metadata: undefined },
    at(january),
  );
  const [meterId, customerId] = [present(meter).id, present(customers.pop())];
  const subscriptionId = newId();
  const includedUnits = '0';
  return {
    meterId,
    at,
    grant: async (now: Date, amount: string, more: Partial<CreditGrant> = {}) => {
      const request = { customerId, meterId, amount, metadata: undefined, ...more };
      const times = { effectiveAt: more.effectiveAt, expiresAt: more.expiresAt };
      const source = CreditSource.CREDIT_SOURCE_PAID;
      const { creditGrant } = await metering.createCreditGrant(
        { ...request, ...times, source },
        at(now),
      );
      return present(creditGrant);
    },
    use: async (now: Date, quantity: number) => {
      const event = { customerId, meterId, timestamp: now, quantity };
      const body = Buffer.from(JSON.stringify([event]));
      const answer = await metering.ingestEvents({ body }, at(now));
      expect(answer).toMatchObject({ accepted: 1, rejected: [] });
    },
    subscribe: () => {
      lived.set(customerId, [aUsagePeriod({ subscriptionId, meterId, includedUnits, ...period })]);
    },
    settle: (now: Date, key: string, unbilledKeys: string[] = []) => {
      const windows = [
        { ...period, meters: [{ meterId, includedUnits, taken: [], stretches: [] }] },
      ];
      const request = { subscriptionId, customerId, key, windows, unbilledKeys };
      return metering.settleUsage(request, at(now));
    },
    list: async (now: Date, perPage = 10, oldestFirst = false) => {
      const pages: CreditGrant[] = [];
      for (let page = 1; ; page += 1) {
        const request = { customerId, page, perPage, oldestFirst };
        const { creditGrants, total } = await metering.listCreditGrants(request, at(now));
        pages.push(...creditGrants);
        if (creditGrants.length < perPage) {
          expect(pages).toHaveLength(total);
          return pages;
        }
      }
    },
    state: async (now: Date) => {
      const { states } = await metering.getUsageState({ customerId }, at(now));
      return present(states[0]);
    },
    account: async () =>
      present((await stored('creditAccounts').findOne({ customerId })) ?? undefined),
    closed: () => stored('creditGrantsClosed').find({ customerId }).sort({ _id: 1 }).toArray(),
  };
}

/** Grants without the fields that only the environment decides. */
function shown(grants: readonly CreditGrant[]) {
  return grants.map(({ id, amount, consumed, remaining, status, name, metadata }) => ({
    ...{ id, amount, consumed, remaining, status, name, metadata },
  }));
}

function totals(grants: readonly CreditGrant[]) {
  const sum = (field: 'amount' | 'consumed' | 'remaining') =>
    grants.reduce((total, one) => total + Number(one[field]), 0);
  return { granted: sum('amount'), consumed: sum('consumed'), remaining: sum('remaining') };
}

async function multiply(accountId: string, count: number, change: object = {}): Promise<void> {
  const accounts = stored('creditAccounts');
  const { grants } = present((await accounts.findOne({ _id: accountId })) ?? undefined);
  const all = Array.from({ length: count }, () => ({ ...grants[0], id: newId() }));
  await accounts.updateOne(
    { _id: accountId },
    { $set: { grants: all, ...change }, $inc: { version: 1 } },
  );
}

test('A10: a customer who has used up 1,000 grants can be granted more', async () => {
  const { grant, use, account, state } = await aCustomer();
  await grant(dayAt(0), '1');
  await multiply((await account())._id, 1_000);
  await expect(grant(dayAt(1), '1')).rejects.toMatchObject({
    kind: 'failed_precondition',
    message: 'A customer has at most 1000 grants of a meter that have units left',
  });

  await use(dayAt(1), 1_000);
  expect(await grant(dayAt(2), '1')).toMatchObject({ remaining: '1' });
  expect(await state(dayAt(2))).toMatchObject({ creditsGranted: '1001', creditsRemaining: '1' });
});

test('an account refuses more than 20,000 grants that are not closed, and stores no details of a refused one', async () => {
  const { grant, account } = await aCustomer();
  await grant(dayAt(0), '1');
  const { _id: accountId } = await account();
  await multiply(accountId, 20_000);
  const { grants } = await account();
  const uses = grants.map(({ id }: { id: string }) => ({ grantId: id, quantity: '1' }));
  const consumptions = [
    { period: `${newId()}:0`, settlement: 'period:0', quantity: '20000', uses },
  ];
  await stored('creditAccounts').updateOne({ _id: accountId }, { $set: { consumptions } });
  await expect(grant(dayAt(1), '1', { name: 'Refused' })).rejects.toMatchObject({
    kind: 'failed_precondition',
    message: 'A customer has at most 20000 grants of a meter that are not closed',
  });
  expect(await stored('creditGrants').countDocuments({ accountId })).toBe(0);
});

test('A11: used-up grants of a calendar month are closed after it, and lists and sums stay', async () => {
  const { grant, use, list, state, account, closed } = await aCustomer();
  const names = ['first', 'second', 'third', 'fourth', 'fifth'];
  for (const [index, name] of names.entries()) {
    await grant(dayAt(35 + index), '10', { name, metadata: { number: index } });
  }
  await use(dayAt(45), 35);
  const before = await list(lastOpen, 2);
  const stateBefore = await state(lastOpen);
  expect(await closed()).toEqual([]);

  const after = await list(closable, 2);
  expect(shown(after)).toEqual(shown(before));
  expect(shown(await list(closable, 2))).toEqual(shown(before));
  expect(shown(await list(closable, 2, true))).toEqual(shown(before).toReversed());
  expect(after.map(({ name }) => name)).toEqual(names.toReversed());
  expect(await state(closable)).toEqual({ ...stateBefore, asOf: closable });

  expect(await closed()).toMatchObject(
    Array.from({ length: 3 }, () => ({ amount: '10', consumed: '10' })),
  );
  const { grants, consumptions, closed: sums } = await account();
  expect(grants).toHaveLength(2);
  expect(consumptions).toMatchObject([{ quantity: '35', uses: [{ quantity: '5' }] }]);
  expect({ ...sums, count: Number(sums.count) }).toEqual({
    count: 3,
    granted: '30',
    consumed: '30',
    expired: '0',
    grantedForever: '30',
    expiring: [],
  });
});

test('a final settlement closes the grants of its period, and its result stays the same under every key', async () => {
  const { grant, use, subscribe, settle, list, state, closed } = await aCustomer();
  for (let index = 0; index < 3; index += 1) await grant(dayAt(30), '10');
  await grant(dayAt(30), '4', { expiresAt: dayAt(40) });
  subscribe();
  await use(dayAt(45), 25);
  const first = await settle(period.end, 'period:0');
  const before = await list(lastOpen);
  const stateBefore = await state(lastOpen);
  expect(await closed()).toEqual([]);

  const last = await settle(closable, 'late');
  // Nothing changed since the bill.
  expect(last.usages).toEqual([]);
  expect(await closed()).toHaveLength(3);
  expect(shown(await list(closable))).toEqual(shown(before));
  const { creditsGranted, creditsRemaining } = await state(closable);
  expect([creditsGranted, creditsRemaining]).toEqual(['30', stateBefore.creditsRemaining]);

  // The bill of the first settlement was never issued: all of it is billed.
  const again = await settle(new Date(closable.getTime() + dayMs), 'again', ['period:0', 'late']);
  expect(again.usages.map(({ current }) => current)).toEqual(
    first.usages.map(({ current }) => current),
  );
  expect(shown(await list(closable))).toEqual(shown(before));
});

test('a closing that failed after its settlement was stored is repeated by the retry', async () => {
  const { grant, use, subscribe, settle, account } = await aCustomer();
  for (let index = 0; index < 3; index += 1) await grant(dayAt(30), '10');
  subscribe();
  await use(dayAt(45), 25);
  await settle(period.end, 'period:0');
  const open = await account();
  const { usages } = await settle(closable, 'late');
  const closed = await account();
  expect(closed.grants).toHaveLength(1);

  // As if the call had failed after the settlement was stored.
  const decided = open.consumptions.map((one: object) => ({
    ...one,
    settlement: 'late',
    isFinal: true,
  }));
  const unclosed = { ...closed, grants: open.grants, consumptions: decided, closed: null };
  await stored('creditAccounts').replaceOne({ _id: open._id }, unclosed);
  expect((await settle(closable, 'late')).usages).toEqual(usages);
  const { grants, closed: sums } = await account();
  expect({ grants, sums }).toEqual({ grants: closed.grants, sums: closed.closed });
});

test('a retry of a settlement that was decided but not stored gets the uses of grants that were closed since', async () => {
  const { grant, use, subscribe, settle, list, closed } = await aCustomer();
  await grant(dayAt(30), '10');
  await grant(dayAt(30), '10');
  subscribe();
  await use(dayAt(45), 20);
  const decided = await settle(closable, 'period:0');
  expect(await closed()).toHaveLength(2);
  await stored('usageSettlements').deleteMany({ key: 'period:0' });
  expect(await settle(closable, 'period:0')).toEqual(decided);
  expect(totals(await list(closable))).toEqual({ granted: 20, consumed: 20, remaining: 0 });
});

test('an expired grant stays open while a period of a subscription may still burn it', async () => {
  const { grant, use, subscribe, settle, list, closed } = await aCustomer();
  await grant(dayAt(30), '10', { expiresAt: dayAt(59) });
  // Keeps a month to be stored as final.
  await grant(dayAt(30), '10');
  subscribe();
  const late = dayAt(140);
  await list(late);
  expect(await closed()).toEqual([]);
  await use(dayAt(45), 3);

  const { usages } = await settle(late, 'period:0');
  expect(usages[0]?.current?.creditsUsed).toMatchObject([{ quantity: '3' }]);
  expect(await closed()).toMatchObject([{ amount: '10', consumed: '3' }]);
  const statuses = (await list(late)).map(({ remaining, status }) => [remaining, status]);
  expect(statuses.toSorted()).toEqual([
    ['10', CreditGrantStatus.CREDIT_GRANT_STATUS_ACTIVE],
    ['7', CreditGrantStatus.CREDIT_GRANT_STATUS_EXPIRED],
  ]);
});

test('a state counts closed grants until they expire', async () => {
  const { grant, use, list, state, closed, account } = await aCustomer();
  // April begins with day 90.
  for (const expiry of [85, 90, 92, 150]) {
    await grant(dayAt(35), '10', { expiresAt: dayAt(expiry) });
  }
  await use(dayAt(45), 40);
  const before = await state(lastOpen);
  await list(closable);
  expect(await closed()).toHaveLength(4);
  expect((await account()).closed.expiring).toHaveLength(3);
  expect((await state(closable)).creditsGranted).toBe('20');
  expect(before.creditsGranted).toBe('20');
});

test('a crash after the closed grants are stored and before the account leaves lists and sums exact, and the next call repeats the closing', async () => {
  const { grant, use, list, state, account, closed } = await aCustomer();
  for (let index = 0; index < 4; index += 1) await grant(dayAt(35), '10', { name: 'Pack' });
  await use(dayAt(45), 30);
  const before = await list(lastOpen, 3);
  const stateBefore = await state(lastOpen);
  const open = await account();
  await list(closable);
  const [closedOnce, documents] = [await account(), await closed()];
  expect(closedOnce.grants).toHaveLength(1);

  // As if only the steps before the account had been taken.
  await stored('creditAccounts').replaceOne({ _id: open._id }, open);
  const page = (now: Date) => list(now, 3);
  expect(shown(await page(lastOpen))).toEqual(shown(before));
  expect(await state(lastOpen)).toEqual(stateBefore);
  expect(shown(await page(closable))).toEqual(shown(before));
  expect(await closed()).toEqual(documents);
  const { grants, consumptions, closed: sums } = await account();
  expect({ grants, consumptions, sums }).toEqual({
    grants: closedOnce.grants,
    consumptions: closedOnce.consumptions,
    sums: closedOnce.closed,
  });
});

test('details that were stored before a crash are in no list', async () => {
  const { grant, list, account } = await aCustomer();
  await grant(dayAt(0), '1', { name: 'Kept', metadata: { 'a.b': 1 } });
  const { _id: accountId, environmentId } = await account();
  const orphan = { _id: newId(), environmentId, accountId, name: 'Lost', metadata: '{}' };
  await stored('creditGrants').insertOne(orphan);
  expect(shown(await list(dayAt(1)))).toMatchObject([{ name: 'Kept', metadata: { 'a.b': 1 } }]);
});

test('an account of an earlier version keeps its names and metadata, before and after it is changed and closed', async () => {
  const { grant, use, list, account } = await aCustomer();
  await grant(dayAt(35), '10');
  await grant(dayAt(36), '10');
  const { _id: accountId, openGrants: _count, closed: _closed, ...rest } = await account();
  const grants = rest.grants.map((one: object, index: number) => ({
    ...one,
    name: index === 0 ? 'Old pack' : null,
    metadata: JSON.stringify({ 'order.id': index }),
  }));
  await stored('creditAccounts').replaceOne({ _id: accountId }, { ...rest, grants });
  const named = [
    { metadata: { 'order.id': 1 } },
    { name: 'Old pack', metadata: { 'order.id': 0 } },
  ];
  expect(shown(await list(dayAt(37)))).toMatchObject(named);

  await grant(dayAt(38), '10', { name: 'New pack' });
  expect(Object.keys((await account()).grants[0]).toSorted()).toEqual(
    ['id', 'amount', 'priority', 'source', 'effectiveAt', 'expiresAt', 'createdAt'].toSorted(),
  );
  expect(await stored('creditGrants').countDocuments({ accountId })).toBe(3);
  const all = [{ name: 'New pack' }, ...named];
  expect(shown(await list(dayAt(38)))).toMatchObject(all);
  await use(dayAt(45), 25);
  expect(shown(await list(closable))).toMatchObject(all);
  expect((await account()).grants).toHaveLength(1);
  expect(shown(await list(closable))).toMatchObject(all);
});

test('a granted unit is consumed once when 20 grants, settlements, closings and reads are concurrent', async () => {
  const { grant, use, subscribe, settle, list, state, account } = await aCustomer();
  for (let index = 0; index < 5; index += 1) await grant(dayAt(30), '10');
  subscribe();
  await use(dayAt(45), 50);
  const rounds = Array.from({ length: 20 }, (_one, index) => index);
  await Promise.all(
    rounds.flatMap((index) => [
      // One that was refused, as under contention on a slow machine, has granted nothing.
      eventually(() => grant(closable, '1')),
      settle(closable, `key:${String(index % 4)}`),
      index % 5 === 0 ? list(closable, 50) : state(closable),
    ]),
  );
  expect(totals(await list(closable, 50))).toEqual({ granted: 70, consumed: 50, remaining: 20 });
  const { grants, closed } = await account();
  expect([grants.length, Number(closed.count), closed.consumed]).toEqual([20, 5, '50']);
});

test('the credit report counts closed grants on their days, and burns after their day is closed', async () => {
  const { meterId, at, grant, use, list, account } = await aCustomer();
  for (let index = 0; index < 3; index += 1) await grant(dayAt(35), '10');
  await grant(dayAt(35), '7', { expiresAt: dayAt(50), priority: 200 });
  await use(dayAt(45), 25);
  await list(closable);
  const report = async (now: Date, days: number) => {
    const { meters } = await reports.getCreditReport({ days }, at(now));
    expect(meters.map((meter) => meter.meterId)).toEqual([meterId]);
    const found = present(meters[0]).days;
    const changes = found.filter((one) =>
      [one.granted, one.used, one.expired].some((n) => n !== '0'),
    );
    return [...changes.map(({ day, ...one }) => [day, one]), found.at(-1)?.balance];
  };
  const expired = { granted: '0', used: '0', expired: '7', balance: '30' };
  const used = { granted: '0', used: '25', expired: '0', balance: '5' };
  expect(await report(closable, 90)).toEqual([
    ['2026-02-05', { granted: '37', used: '0', expired: '0', balance: '37' }],
    ['2026-02-20', expired],
    ['2026-04-06', used],
    '5',
  ]);
  expect(await account()).toMatchObject({
    grants: [{ amount: '10' }],
    burns: [{ quantity: '25' }],
  });

  // The usage of March becomes final, and the burn of 6 April is older than 40 days.
  const may = new Date('2026-05-20T00:00:00Z');
  await list(may);
  expect((await account()).burns).toEqual([]);
  const afterwards = [['2026-02-20', expired], ['2026-04-06', used], '5'];
  expect(await report(may, 90)).toEqual(afterwards);
  expect(await report(may, 1)).toEqual(['5']);

  // As if the burn had not been removed yet.
  const burns = [{ day: '2026-04-06', quantity: '25' }];
  await stored('creditAccounts').updateOne({ meterId }, { $set: { burns } });
  expect(await report(may, 90)).toEqual(afterwards);
});
