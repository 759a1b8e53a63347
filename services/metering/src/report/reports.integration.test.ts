import fc from 'fast-check';
import type { CallContext } from '@billing/chassis/call-context';
import { connectPeer, type Peer } from '@billing/chassis/peer';
import { roundsOf, testContext } from '@billing/chassis/testing';
import { lastDays } from '@billing/kernel/calendar-day';
import { Decimal } from '@billing/kernel/decimal';
import { CreditSource } from '@billing/proto/billing/metering/v1/metering';
import {
  type UsageReportServiceServer,
  UsageReportServiceService,
} from '@billing/proto/billing/metering/v1/report';
import { aggregations } from '@billing/proto/values/metering';
import { type Aggregation, quantityOf, totalOf } from '../meter/aggregation';
import { present, startMetering, startFolding } from '../testing/fixtures';

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

const noon = new Date('2026-03-10T12:00:00Z');
const hourMs = 3_600_000;
const days = 3;

async function aMeter(context: CallContext, aggregation: Aggregation = 'SUM'): Promise<string> {
  const { meter } = await service.metering.createMeter(
    {
      name: 'Calls',
      aggregation: aggregations.valueOf(aggregation),
      uniqueProperty: aggregation === 'UNIQUE_COUNT' ? 'user' : undefined,
      metadata: undefined,
    },
    context,
  );
  return present(meter).id;
}

interface SentEvent {
  readonly eventId: string;
  readonly customerId: string;
  readonly timestamp: Date;
  readonly quantity: string;
  readonly user: string;
}

/** Reference implementation of the report: counts all events. */
function recount(aggregation: Aggregation, events: readonly (SentEvent & { arrival: number })[]) {
  const total = (some: typeof events) => {
    const measured = some.map(({ eventId: id, timestamp: at, user: uniqueValue, ...event }) => ({
      ...event,
      id,
      at,
      uniqueValue,
    }));
    return quantityOf(aggregation, totalOf(aggregation, measured));
  };
  const byCustomer = Map.groupBy(events, ({ customerId }) => customerId);
  return {
    days: lastDays(noon, { days, max: days }).map(({ day, start, end }) => {
      const ofDay = events.filter(({ timestamp }) => start <= timestamp && timestamp < end);
      const values = [...Map.groupBy(ofDay, ({ customerId }) => customerId).values()].map(total);
      const value = values.reduce((sum, one) => sum.add(one), Decimal.of(0n));
      return { day, value: value.toString(), events: BigInt(ofDay.length) };
    }),
    customers: [...byCustomer]
      .map(([customerId, some]) => ({ customerId, value: total(some), events: some.length }))
      .toSorted((a, b) => b.value.compare(a.value) || (a.customerId < b.customerId ? -1 : 1))
      .map((one) => ({ ...one, value: one.value.toString(), events: BigInt(one.events) })),
  };
}

test('a report equals a recount of all events, with folds, duplicates and late events', async () => {
  const sent = fc.record({
    eventId: fc.nat({ max: 15 }).map(String),
    customer: fc.nat({ max: 2 }),
    minutesAgo: fc.nat({ max: 60 * 24 * 2 + 60 * 11 }),
    quantity: fc.integer({ min: 0, max: 2_000 }).map((cents) => (cents / 100).toFixed(2)),
    user: fc.constantFrom('a', 'b', 'c'),
  });
  const batches = fc.array(
    fc.record({ events: fc.array(sent, { minLength: 1, maxLength: 8 }), isFolded: fc.boolean() }),
    { minLength: 1, maxLength: 4 },
  );
  const all: Aggregation[] = ['SUM', 'COUNT', 'MAX', 'LATEST', 'UNIQUE_COUNT'];
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...all), batches, async (aggregation, sentBatches) => {
      const context = testContext({ now: noon });
      const meterId = await aMeter(context, aggregation);
      const stored = new Map<string, SentEvent & { arrival: number }>();
      for (const { events, isFolded } of sentBatches) {
        const body = events.map(({ eventId, customer, minutesAgo, quantity, user }) => {
          const timestamp = new Date(noon.getTime() - minutesAgo * 60_000);
          const customerId = present(service.customers[customer]);
          const event = { eventId, customerId, timestamp, quantity, user };
          if (!stored.has(eventId)) stored.set(eventId, { ...event, arrival: stored.size });
          return { ...event, meterId, quantity: Number(quantity), properties: { user } };
        });
        await service.metering.ingestEvents(
          { body: Buffer.from(JSON.stringify(body.map(({ user: _user, ...event }) => event))) },
          context,
        );
        if (isFolded) await folding.fold();
        expect(await reports.getUsageReport({ meterId, days }, context)).toEqual(
          recount(aggregation, [...stored.values()]),
        );
      }
    }),
    { numRuns: roundsOf(40) },
  );
});

test('a day that was reported is not counted again, and contains later events', async () => {
  const context = testContext({ now: noon });
  const meterId = await aMeter(context);
  const [customerId] = service.customers;
  const ingest = (...hoursAgo: number[]) => {
    const events = hoursAgo.map((hours) => ({
      customerId,
      meterId,
      quantity: 1,
      timestamp: new Date(noon.getTime() - hours * hourMs),
    }));
    return service.metering.ingestEvents({ body: Buffer.from(JSON.stringify(events)) }, context);
  };
  const valueOf = async () =>
    (await reports.getUsageReport({ meterId, days }, context)).days.map(({ value }) => value);
  await ingest(1, 20, 21, 40);
  expect(await valueOf()).toEqual(['1', '2', '1']);
  const { environmentId } = context.tenant;
  await folding.db
    .collection('usageHours')
    .updateMany({ environmentId }, { $set: { 'total.quantity': '1000' } });
  await ingest(22);
  expect(await valueOf()).toEqual(['1', '3', '1']);
});

test('events that arrive during folding and reporting are in the next report', async () => {
  const context = testContext({ now: noon });
  const meterId = await aMeter(context);
  const [customerId] = service.customers;
  const ingest = (hoursAgo: number) => {
    const timestamp = new Date(noon.getTime() - hoursAgo * hourMs);
    const events = [{ customerId, meterId, quantity: 1, timestamp }];
    return service.metering.ingestEvents({ body: Buffer.from(JSON.stringify(events)) }, context);
  };
  const read = async () => {
    const { days: found } = await reports.getUsageReport({ meterId, days }, context);
    return found.map(({ value }) => Number(value));
  };
  // By day, earliest first.
  const stored = [0, 0, 0];
  for (let round = 0; round < 12; round += 1) {
    const before = [...stored];
    const hoursAgo = [1, 14 + (round % 20), 38 + (round % 20)];
    const sent = Promise.all(hoursAgo.map((hours) => ingest(hours)));
    const [, ...seen] = await Promise.all([folding.fold(), read(), read(), sent.then(read)]);
    stored.forEach((_count, index) => (stored[index] = (stored[index] ?? 0) + 1));
    for (const counts of seen) {
      counts.forEach((count, index) => {
        expect(count).toBeGreaterThanOrEqual(before[index] ?? 0);
        expect(count).toBeLessThanOrEqual(stored[index] ?? 0);
      });
    }
    expect(seen.at(-1)).toEqual(stored);
    expect(await read()).toEqual(stored);
  }
});

test('usage of other environments, other meters and earlier days is in no report', async () => {
  const context = testContext({ now: noon });
  const [meterId, other] = [await aMeter(context), await aMeter(context)];
  const [customerId] = service.customers;
  const event = { customerId, meterId, quantity: 1 };
  const ingest = (events: object[], where = context) =>
    service.metering.ingestEvents({ body: Buffer.from(JSON.stringify(events)) }, where);
  await ingest([
    { ...event, timestamp: noon },
    { ...event, meterId: other, timestamp: noon },
    { ...event, timestamp: new Date(noon.getTime() - 13 * hourMs) },
  ]);
  const elsewhere = testContext({ now: noon });
  const { days: found, customers } = await reports.getUsageReport({ meterId, days: 1 }, context);
  expect(found).toEqual([{ day: '2026-03-10', value: '1', events: 1n }]);
  expect(customers).toEqual([{ customerId, value: '1', events: 1n }]);
  await expect(reports.getUsageReport({ meterId, days: 1 }, elsewhere)).rejects.toMatchObject({
    reason: 'METER_NOT_FOUND',
  });
  await expect(reports.getUsageReport({ meterId, days: 91 }, context)).rejects.toMatchObject({
    fields: { days: ['Must be a whole number from 1 to 90'] },
  });
});

test('credits are reported as granted, settled and expired', async () => {
  const context = testContext({ now: noon });
  const meterId = await aMeter(context);
  const [customerId = ''] = service.customers;
  const grant = (amount: string, times: { effectiveAt?: Date; expiresAt?: Date }) =>
    service.metering.createCreditGrant(
      {
        customerId,
        meterId,
        amount,
        effectiveAt: undefined,
        expiresAt: undefined,
        priority: undefined,
        source: CreditSource.CREDIT_SOURCE_PAID,
        name: undefined,
        metadata: undefined,
        ...times,
      },
      context,
    );
  const daysAgo = (count: number) => new Date(noon.getTime() - count * 24 * hourMs);
  await grant('100.5', { effectiveAt: daysAgo(40) });
  await grant('10', { effectiveAt: daysAgo(2), expiresAt: daysAgo(1) });
  await grant('7', { effectiveAt: new Date(noon.getTime() + hourMs) });
  const timestamp = new Date(noon.getTime() - hourMs);
  const event = { customerId, meterId, quantity: 30.25, timestamp };
  await service.metering.ingestEvents({ body: Buffer.from(JSON.stringify([event])) }, context);
  const settled = testContext({
    tenant: context.tenant,
    now: new Date(noon.getTime() + 2 * hourMs),
  });
  const meters = [{ meterId, includedUnits: '0', taken: [], stretches: [] }];
  await service.metering.settleUsage(
    {
      subscriptionId: '01890a5d-ac96-774b-bcce-b302099a8057',
      customerId,
      key: 'period:0',
      windows: [{ periodIndex: 0, start: daysAgo(20), end: settled.now, meters }],
      unbilledKeys: [],
    },
    settled,
  );
  const { meters: found } = await reports.getCreditReport({ days: 3 }, settled);
  expect(found).toEqual([
    {
      meterId,
      meterName: 'Calls',
      unit: undefined,
      days: [
        { day: '2026-03-08', granted: '10', used: '0', expired: '0', balance: '110.5' },
        { day: '2026-03-09', granted: '0', used: '0', expired: '10', balance: '100.5' },
        { day: '2026-03-10', granted: '7', used: '30.25', expired: '0', balance: '77.25' },
      ],
    },
  ]);
  expect(await reports.getCreditReport({ days: 1 }, testContext({ now: noon }))).toEqual({
    meters: [],
  });
});
