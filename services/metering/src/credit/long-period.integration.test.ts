import { newId } from '@billing/chassis/ids';
import { testContext } from '@billing/chassis/testing';
import {
  Aggregation,
  type CreditGrant,
  CreditSource,
} from '@billing/proto/billing/metering/v1/metering';
import { aUsagePeriod, present, startFolding, startMetering } from '../testing/fixtures';

let service: Awaited<ReturnType<typeof startMetering>>;
let folding: Awaited<ReturnType<typeof startFolding>>;

beforeAll(async () => {
  service = await startMetering();
  folding = await startFolding(service.configuration);
});

afterAll(async () => {
  await folding.stop();
  await service.stop();
});

const dayMs = 86_400_000;
const begin = new Date('2026-01-01T00:00:00Z');
const dayAt = (day: number) => new Date(begin.getTime() + day * dayMs);
const includedUnits = '2';
const years = [0, 1].map((periodIndex) => ({
  periodIndex,
  start: dayAt(365 * periodIndex),
  end: dayAt(365 * (periodIndex + 1)),
}));
const [first, second] = [present(years[0]), present(years[1])];
const lastOpen = new Date(first.end.getTime() + 36 * dayMs - 1);
const closable = new Date(first.end.getTime() + 36 * dayMs + 1);

type Document = { _id: string } & Record<string, any>;

/** A customer with a yearly subscription, who has used 25 of 30 prepaid units by its first bill. */
async function aYearlyCustomer() {
  const { metering, customers, lived } = service;
  const { tenant } = testContext({ now: begin });
  const at = (now: Date) => testContext({ tenant, now });
  const { meter } = await metering.createMeter(
    { name: 'Calls', aggregation: Aggregation.AGGREGATION_SUM, metadata: undefined },
    at(begin),
  );
  const [meterId, customerId] = [present(meter).id, present(customers.pop())];
  const subscriptionId = newId();
  lived.set(
    customerId,
    years.map((year) => aUsagePeriod({ subscriptionId, meterId, includedUnits, ...year })),
  );
  const stored = (collection: string) => folding.db.collection<Document>(collection);
  const customer = {
    subscriptionId,
    grant: async (now: Date, amount: string) => {
      const { creditGrant } = await metering.createCreditGrant(
        {
          ...{ customerId, meterId, amount, metadata: undefined },
          ...{ effectiveAt: undefined, expiresAt: undefined },
          source: CreditSource.CREDIT_SOURCE_PAID,
        },
        at(now),
      );
      return present(creditGrant);
    },
    use: async (arrival: Date, quantity: number, timestamp = arrival) => {
      const body = Buffer.from(JSON.stringify([{ customerId, meterId, timestamp, quantity }]));
      const answer = await metering.ingestEvents({ body }, at(arrival));
      expect(answer).toMatchObject({ accepted: 1, rejected: [] });
    },
    settle: (now: Date, key: string, windows: readonly (typeof years)[number][] = years) => {
      const meters = [{ meterId, includedUnits, taken: [], stretches: [] }];
      const request = {
        ...{ subscriptionId, customerId, key, unbilledKeys: [] },
        windows: windows.map((window) => ({ ...window, meters })),
      };
      return metering.settleUsage(request, at(now));
    },
    list: async (now: Date) => {
      const { creditGrants, total } = await metering.listCreditGrants(
        { customerId, page: 1, perPage: 100 },
        at(now),
      );
      expect(creditGrants).toHaveLength(total);
      return creditGrants;
    },
    state: async (now: Date) => {
      const { states } = await metering.getUsageState({ customerId }, at(now));
      return present(states[0]);
    },
    account: async () =>
      present((await stored('creditAccounts').findOne({ customerId })) ?? undefined),
    closed: () => stored('creditGrantsClosed').find({ customerId }).sort({ _id: 1 }).toArray(),
  };
  for (const day of [10, 11, 12]) await customer.grant(dayAt(day), '10');
  await customer.use(dayAt(20), 27);
  await customer.settle(first.end, 'period:0', [first]);
  return customer;
}

function shown(grants: readonly CreditGrant[]) {
  return grants.map(({ id, amount, consumed, remaining, status }) => ({
    ...{ id, amount, consumed, remaining, status },
  }));
}

test('A11: used-up grants of a yearly period are closed 36 days after its end, a year before the next bill', async () => {
  const { grant, list, state, account, closed } = await aYearlyCustomer();
  const before = await list(lastOpen);
  const stateBefore = await state(lastOpen);
  expect(await closed()).toEqual([]);

  expect(shown(await list(closable))).toEqual(shown(before));
  expect(await state(closable)).toEqual({ ...stateBefore, asOf: closable });
  expect(await closed()).toMatchObject([
    { amount: '10', consumed: '10' },
    { amount: '10', consumed: '10' },
  ]);
  const { grants, closed: sums } = await account();
  expect(grants).toHaveLength(1);
  expect(sums).toMatchObject({ granted: '20', consumed: '20', expired: '0' });
  await grant(closable, '10');
  expect(await list(closable)).toHaveLength(4);
});

test('usage that arrived after the yearly bill burns credits before they are closed, and the next bill bills its difference once', async () => {
  const { subscriptionId, use, settle, list, closed, account } = await aYearlyCustomer();
  const billed = (await account()).consumptions.find((one: { period: string }) =>
    one.period.startsWith(subscriptionId),
  );
  expect(billed).toMatchObject({ quantity: '27' });
  await use(new Date(first.end.getTime() + 30 * dayMs), 8, new Date(first.end.getTime() - dayMs));
  const after = await list(closable);
  expect(after.map(({ remaining }) => remaining)).toEqual(['0', '0', '0']);
  expect(await closed()).toHaveLength(3);

  const { usages } = await settle(second.end, 'period:1');
  expect(usages).toMatchObject([
    { periodIndex: 0, current: { quantity: '35' }, previous: { quantity: '27' } },
    { periodIndex: 1, current: { quantity: '0' } },
  ]);
  const late = present(usages[0]);
  const burnt = (one: typeof late.current) =>
    present(one).creditsUsed.reduce((sum, { quantity }) => sum + Number(quantity), 0);
  expect([burnt(late.previous), burnt(late.current)]).toEqual([25, 30]);
  expect((await settle(second.end, 'period:1')).usages).toEqual(usages);
  const [again] = (await settle(second.end, 'again')).usages;
  expect(again).toBeUndefined();
});

test('a settlement that was decided but not stored before its grants were closed is repeated with their uses', async () => {
  const { subscriptionId, settle, list, closed } = await aYearlyCustomer();
  await list(closable);
  expect(await closed()).toHaveLength(2);
  const settlements = folding.db.collection('usageSettlements');
  const { deletedCount } = await settlements.deleteOne({ subscriptionId, key: 'period:0' });
  expect(deletedCount).toBe(1);
  const { usages } = await settle(closable, 'period:0', [first]);
  const uses = present(usages[0]?.current).creditsUsed;
  expect(uses.map(({ quantity }) => quantity)).toEqual(['10', '10', '5']);
});
