import { newId } from '@billing/chassis/ids';
import { eventually, testContext, testTenant } from '@billing/chassis/testing';
import { startTracing, type TracingOptions } from '@billing/chassis/tracing';
import { Aggregation, CreditSource } from '@billing/proto/billing/metering/v1/metering';
import { present, startMetering, startFolding } from '../testing/fixtures';
import { openSettlements } from './store';

// Measures settlements by their number of queries, which is the same on every machine.

type SpanProcessor = NonNullable<TracingOptions['spanProcessors']>[number];
type EndedSpan = Parameters<SpanProcessor['onEnd']>[0];

const spans: EndedSpan[] = [];
let tracing: ReturnType<typeof startTracing>;
let service: Awaited<ReturnType<typeof startMetering>>;
let folding: Awaited<ReturnType<typeof startFolding>>;

beforeAll(async () => {
  tracing = startTracing({
    spanProcessors: [
      {
        onStart: () => undefined,
        onEnd: (span) => {
          spans.push(span);
        },
        forceFlush: () => Promise.resolve(),
        shutdown: () => Promise.resolve(),
      },
    ],
  });
  service = await startMetering();
  folding = await startFolding(service.configuration);
});

afterAll(async () => {
  await folding.stop();
  await service.stop();
  await tracing.shutdown();
});

const now = new Date('2026-03-10T12:00:00Z');
const tenant = testTenant({ manualClock: true });
/** Context of one call: each has its own deadline. */
const called = () => testContext({ tenant, now });
const dayMs = 86_400_000;
// Not on the hour: hours cut by a boundary belong to two windows.
const firstDay = new Date('2026-02-04T09:37:00Z');
const dayAt = (index: number) => new Date(firstDay.getTime() + index * dayMs);

async function someMeters(count: number): Promise<string[]> {
  const created = await Promise.all(
    Array.from({ length: count }, () =>
      service.metering.createMeter(
        { name: 'Calls', aggregation: Aggregation.AGGREGATION_SUM, metadata: undefined },
        called(),
      ),
    ),
  );
  return created.map(({ meter }) => present(meter).id);
}

function windowsOf(
  meterIds: readonly string[],
  { from, through }: { from: number; through: number },
) {
  return Array.from({ length: through - from + 1 }, (_one, index) => ({
    periodIndex: from + index,
    start: dayAt(from + index),
    end: dayAt(from + index + 1),
    meters: meterIds.map((meterId) => ({ meterId, includedUnits: '0', taken: [], stretches: [] })),
  }));
}

async function use(used: { customerId: string; meterId: string; day: number; quantity?: number }) {
  const { day, ...event } = used;
  const timestamp = new Date(dayAt(day).getTime() + 3_600_000);
  const body = JSON.stringify([{ quantity: 1, ...event, timestamp }]);
  const { accepted } = await service.metering.ingestEvents({ body: Buffer.from(body) }, called());
  expect(accepted).toBe(1);
}

/** Settles and counts the queries per collection. */
async function settle(request: {
  subscriptionId: string;
  customerId: string;
  key: string;
  windows: ReturnType<typeof windowsOf>;
}) {
  spans.length = 0;
  const { usages } = await service.metering.settleUsage({ ...request, unbilledKeys: [] }, called());
  const calls = await eventually(() => {
    const found = spans.filter(({ name }) => name.endsWith('/SettleUsage'));
    expect(found).toHaveLength(2);
    return found;
  });
  const traceId = calls[0]?.spanContext().traceId;
  const own = spans.filter((span) => span.spanContext().traceId === traceId);
  const searches = (collection: string) =>
    own.filter(({ name }) => name === `mongodb find ${collection}`).length;
  return {
    usages: usages.map(({ periodIndex, meterId, current, previous }) => ({
      periodIndex,
      meterId,
      current: current?.quantity,
      credits: current?.creditsUsed.map(({ quantity }) => quantity),
      previous: previous?.quantity,
    })),
    events: searches('usageEvents'),
    parts: searches('usageParts'),
    hours: searches('usageHours'),
    settlements: searches('usageSettlements'),
    others: searches('meters') + searches('creditAccounts'),
  };
}

const meterCount = 20;
const daysBack = 36;

test('a settlement of 36 windows of 20 meters reads hours once per meter, and a retry none', async () => {
  const meterIds = await someMeters(meterCount);
  const [customerId, subscriptionId] = [present(service.customers.pop()), newId()];
  const request = {
    subscriptionId,
    customerId,
    key: 'period:35',
    windows: windowsOf(meterIds, { from: 0, through: daysBack - 1 }),
  };
  const first = await settle(request);
  expect(first.usages).toHaveLength(meterCount * daysBack);
  expect(first).toMatchObject({ events: 0, hours: meterCount, settlements: 3 });
  // Each account is read once more when it is written; meters and accounts requested in parallel
  // share a query.
  expect(first.others).toBeLessThanOrEqual(2 * meterCount);

  const repeated = await settle(request);
  expect(repeated.usages).toEqual(first.usages);
  expect(repeated).toMatchObject({ parts: 0, hours: 0, settlements: 1 });

  // Simulates a crash before the settlement was stored.
  await openSettlements(folding.db).deleteMany({ subscriptionId });
  const resumed = await settle(request);
  expect(resumed.usages).toEqual(first.usages);
  expect(resumed).toMatchObject({ parts: 0, hours: 0, settlements: 3 });
  expect(resumed.others).toBeLessThanOrEqual(10);
});

test('a settlement reads hours only of new windows, and includes late events of earlier ones', async () => {
  const [meterId = '', other = ''] = await someMeters(2);
  const [customerId, subscriptionId] = [present(service.customers.pop()), newId()];
  for (const day of [0, 1, 2, 3, 4, 5]) await use({ customerId, meterId, day });
  const settlement = (through: number) => ({
    subscriptionId,
    customerId,
    key: `period:${String(through)}`,
    windows: windowsOf([meterId, other], { from: 0, through }),
  });
  await settle(settlement(2));
  const next = await settle(settlement(3));
  expect(next).toMatchObject({ events: 0, hours: 2 });
  expect(next.usages).toMatchObject([
    { periodIndex: 3, meterId, current: '1', previous: undefined },
    { periodIndex: 3, meterId: other, current: '0', previous: undefined },
  ]);

  await use({ customerId, meterId, day: 1, quantity: 5 });
  const late = await settle(settlement(4));
  expect(late).toMatchObject({ events: 0, hours: 2 });
  expect(late.usages).toMatchObject([
    { periodIndex: 1, meterId, current: '6', previous: '1' },
    { periodIndex: 4, meterId, current: '1', previous: undefined },
    { periodIndex: 4, meterId: other, current: '0', previous: undefined },
  ]);

  await folding.fold();
  expect(await settle(settlement(5))).toMatchObject({ usages: [{ current: '1' }, {}] });
  expect(await settle({ ...settlement(5), key: 'again' })).toMatchObject({
    events: 0,
    hours: 0,
    usages: [],
  });
});

test('a window is decided again when its available credits have changed', async () => {
  const [meterId = ''] = await someMeters(1);
  const [customerId, subscriptionId] = [present(service.customers.pop()), newId()];
  for (const day of [0, 1]) await use({ customerId, meterId, day, quantity: 4 });
  const settlement = (key: string) => ({
    subscriptionId,
    customerId,
    key,
    windows: windowsOf([meterId], { from: 0, through: 1 }),
  });
  expect((await settle(settlement('first'))).usages).toMatchObject([
    { current: '4', credits: [] },
    { current: '4', credits: [] },
  ]);
  await service.metering.createCreditGrant(
    {
      customerId,
      meterId,
      amount: '6',
      effectiveAt: firstDay,
      expiresAt: undefined,
      source: CreditSource.CREDIT_SOURCE_UNSPECIFIED,
      metadata: undefined,
    },
    // Created by a caller whose clock still stands in the first window.
    testContext({ tenant, now: dayAt(0) }),
  );
  expect((await settle(settlement('second'))).usages).toMatchObject([
    { current: '4', credits: ['4'] },
    { current: '4', credits: ['2'] },
  ]);
  // The first window has fewer credits available now, but still as many as it has burnt.
  expect(await settle(settlement('third'))).toMatchObject({ usages: [] });
});

test('a quote stores nothing, and returns what the settlement after it returns', async () => {
  const aggregations = [
    Aggregation.AGGREGATION_SUM,
    Aggregation.AGGREGATION_MAX,
    Aggregation.AGGREGATION_UNIQUE_COUNT,
  ];
  const created = await Promise.all(
    aggregations.map((aggregation) => {
      const isUnique = aggregation === Aggregation.AGGREGATION_UNIQUE_COUNT;
      const named = { name: 'Calls', aggregation, metadata: undefined };
      const meter = isUnique ? { ...named, uniqueProperty: 'user' } : named;
      return service.metering.createMeter(meter, called());
    }),
  );
  const meterIds = created.map(({ meter }) => present(meter).id);
  const [meterId = ''] = meterIds;
  const [customerId, subscriptionId] = [present(service.customers.pop()), newId()];
  const windows = windowsOf(meterIds, { from: 0, through: 2 });
  const request = { subscriptionId, customerId, windows, unbilledKeys: [] };
  const quote = () => service.metering.quoteUsage(request, called());
  const snapshot = async () => {
    const collections = await folding.db.listCollections().toArray();
    const names = collections.map(({ name }) => name).sort();
    return Promise.all(
      names
        .filter((name) => /^(usage|credit)/.test(name) && !/^usage(Epoch|Slots)$/.test(name))
        .map(async (name) => {
          const found = folding.db.collection(name).find().sort({ _id: 1 });
          return [name, await found.toArray()];
        }),
    );
  };
  const quotedAndSettled = async (key: string) => {
    const before = await snapshot();
    const quoted = await quote();
    expect(await quote()).toEqual(quoted);
    expect(await snapshot()).toEqual(before);
    const settled = await service.metering.settleUsage({ ...request, key }, called());
    expect(settled).toEqual(quoted);
    return settled.usages.map(({ current }) => current?.quantity);
  };
  const used = (quantity: number) =>
    Promise.all(meterIds.map((one) => use({ customerId, meterId: one, day: 1, quantity })));

  await used(4);
  await service.metering.createCreditGrant(
    {
      ...{ customerId, meterId, amount: '5', effectiveAt: firstDay, expiresAt: dayAt(2) },
      source: CreditSource.CREDIT_SOURCE_UNSPECIFIED,
      metadata: undefined,
    },
    testContext({ tenant, now: dayAt(0) }),
  );
  expect(await quotedAndSettled('first')).toEqual(['0', '0', '0', '4', '4', '0', '0', '0', '0']);
  await used(3);
  expect(await quotedAndSettled('second')).toEqual(['7']);
});
