import { newId } from '@billing/chassis/ids';
import { testContext } from '@billing/chassis/testing';
import {
  Aggregation,
  CreditSource,
  type SettleUsageResponse,
} from '@billing/proto/billing/metering/v1/metering';
import { aUsagePeriod, present, startMetering } from '../testing/fixtures';

let service: Awaited<ReturnType<typeof startMetering>>;

beforeAll(async () => {
  service = await startMetering();
});

afterAll(async () => {
  await service.stop();
});

const start = new Date('2026-02-08T00:00:00Z');
const end = new Date('2026-03-08T00:00:00Z');
const rounds = 20;

/**
 * A customer with 12 units of usage in a period, and a grant of 10; the test decides when each is
 * applied.
 */
async function usedPeriod() {
  const { metering, customers } = service;
  const context = testContext({ now: new Date('2026-03-10T12:00:00Z') });
  const created = await metering.createMeter(
    { name: 'Calls', aggregation: Aggregation.AGGREGATION_SUM, metadata: undefined },
    context,
  );
  const [meterId, customerId] = [present(created.meter).id, present(customers.pop())];
  const event = { customerId, meterId, timestamp: '2026-02-20T00:00:00Z', quantity: 12 };
  await metering.ingestEvents({ body: Buffer.from(JSON.stringify([event])) }, context);
  const window = {
    periodIndex: 0,
    start,
    end,
    meters: [{ meterId, includedUnits: '0', taken: [], stretches: [] }],
  };
  const subscriptionId = newId();
  const lived = { subscriptionId, meterId, periodIndex: 0, start, end, includedUnits: '0' };
  service.lived.set(customerId, [aUsagePeriod(lived)]);
  const request = {
    subscriptionId,
    customerId,
    key: 'period:0',
    windows: [window],
    unbilledKeys: [],
  };
  return {
    settle: () => metering.settleUsage(request, context),
    grant: () =>
      metering.createCreditGrant(
        {
          customerId,
          meterId,
          amount: '10',
          effectiveAt: start,
          expiresAt: undefined,
          source: CreditSource.CREDIT_SOURCE_UNSPECIFIED,
          metadata: undefined,
        },
        // Created inside the period, by a caller whose clock still stands there.
        testContext({ tenant: context.tenant, now: new Date('2026-02-15T00:00:00Z') }),
      ),
    consumed: async () => {
      const { creditGrants } = await metering.listCreditGrants(
        { customerId, page: 1, perPage: 10 },
        context,
      );
      return present(creditGrants[0]).consumed;
    },
  };
}

function billed({ usages }: SettleUsageResponse): string {
  const [use] = present(usages[0]?.current).creditsUsed;
  return use?.quantity ?? '0';
}

test('two settlements of a period, concurrent with its first grant, bill what the grant has lost', async () => {
  for (let round = 0; round < rounds; round += 1) {
    const { settle, grant, consumed } = await usedPeriod();
    const [first, second] = await Promise.all([settle(), settle(), grant()]);
    expect(billed(second)).toBe(billed(first));
    expect(await consumed()).toBe(billed(first));
  }
});

test('a period settled before its first grant burns no credits, however often it is settled again', async () => {
  const { settle, grant, consumed } = await usedPeriod();
  const first = await settle();
  await grant();
  expect(billed(first)).toBe('0');
  expect(billed(await settle())).toBe('0');
  expect(await consumed()).toBe('0');
});
