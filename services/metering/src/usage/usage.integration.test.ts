import type { CallContext } from '@billing/chassis/call-context';
import { newId } from '@billing/chassis/ids';
import type { Peer } from '@billing/chassis/peer';
import { roundsOf, testContext } from '@billing/chassis/testing';
import {
  Aggregation as ProtoAggregation,
  CreditSource,
  type MeteringServiceServer,
  type SettleUsageRequest,
} from '@billing/proto/billing/metering/v1/metering';
import fc from 'fast-check';
import { type Aggregation, quantityOf, totalOf } from '../meter/aggregation';
import { aUsagePeriod, present, startMetering, startFolding } from '../testing/fixtures';
import { hourMs } from './hour';

let service: Awaited<ReturnType<typeof startMetering>>;
let customers: string[];
let metering: Peer<MeteringServiceServer>;
let folding: Awaited<ReturnType<typeof startFolding>>;

beforeAll(async () => {
  service = await startMetering();
  ({ customers, metering } = service);
  folding = await startFolding(service.configuration);
});

afterAll(async () => {
  await folding.stop();
  await service.stop();
});

const noon = new Date('2026-03-10T12:00:00Z');
const aggregations = {
  SUM: ProtoAggregation.AGGREGATION_SUM,
  COUNT: ProtoAggregation.AGGREGATION_COUNT,
  MAX: ProtoAggregation.AGGREGATION_MAX,
  LATEST: ProtoAggregation.AGGREGATION_LATEST,
  UNIQUE_COUNT: ProtoAggregation.AGGREGATION_UNIQUE_COUNT,
} satisfies Record<Aggregation, ProtoAggregation>;

async function aMeter(context: CallContext, aggregation: Aggregation = 'SUM'): Promise<string> {
  const { meter } = await metering.createMeter(
    {
      name: 'Calls',
      aggregation: aggregations[aggregation],
      uniqueProperty: aggregation === 'UNIQUE_COUNT' ? 'user' : undefined,
      metadata: undefined,
    },
    context,
  );
  return present(meter).id;
}

function aCustomer(): string {
  return present(customers.pop());
}

async function ingest(context: CallContext, events: readonly object[]) {
  return metering.ingestEvents({ body: Buffer.from(JSON.stringify(events)) }, context);
}

async function usageOf(
  context: CallContext,
  { customerId, meterId }: { readonly customerId: string; readonly meterId: string },
) {
  const { states } = await metering.getUsageState({ customerId }, context);
  return states.find((state) => state.meterId === meterId)?.usage;
}

const minutes = 60_000;

test('a usage state equals a recount, with duplicates, late events and folds in between', async () => {
  const sent = fc.record({
    eventId: fc.nat({ max: 9 }).map(String),
    minute: fc.nat({ max: 5 * 60 }),
    quantity: fc.integer({ min: 0, max: 20 }),
    user: fc.constantFrom('a', 'b', 'c'),
  });
  const batches = fc.array(
    fc.record({ events: fc.array(sent, { minLength: 1, maxLength: 4 }), isFolded: fc.boolean() }),
    { minLength: 1, maxLength: 5 },
  );
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...(Object.keys(aggregations) as Aggregation[])),
      batches,
      async (aggregation, all) => {
        const context = testContext({ now: noon });
        const [meterId, customerId] = [await aMeter(context, aggregation), aCustomer()];
        customers.unshift(customerId);
        const first = new Map<
          string,
          { at: Date; quantity: string; user: string; arrival: number }
        >();
        let arrival = 0;
        for (const { events, isFolded } of all) {
          const body = events.map(({ eventId, minute, quantity, user }) => {
            const at = new Date(noon.getTime() - 6 * hourMs + minute * minutes);
            arrival += 1;
            if (!first.has(eventId)) {
              first.set(eventId, { at, quantity: String(quantity), user, arrival });
            }
            const properties = { user };
            return { customerId, meterId, eventId, timestamp: at, quantity, properties };
          });
          await ingest(context, body);
          if (isFolded) await folding.fold();
          const recount = totalOf(
            aggregation,
            [...first].map(([id, { user, ...event }]) => ({ id, ...event, uniqueValue: user })),
          );
          expect(await usageOf(context, { customerId, meterId })).toBe(
            quantityOf(aggregation, recount).toString(),
          );
        }
      },
    ),
    { numRuns: roundsOf(30) },
  );
});

test('distinct values of many batches are counted once, before and after folding', async () => {
  const context = testContext({ now: noon });
  const [meterId, customerId] = [await aMeter(context, 'UNIQUE_COUNT'), aCustomer()];
  const timestamp = '2026-03-10T08:15:00Z';
  for (let batch = 0; batch < 5; batch += 1) {
    const events = Array.from({ length: 900 }, (_one, index) => ({
      customerId,
      meterId,
      timestamp,
      properties: { user: `user-${String(batch * 450 + index)}` },
    }));
    expect((await ingest(context, events)).accepted).toBe(900);
  }
  expect(await usageOf(context, { customerId, meterId })).toBe('2700');
  await folding.fold();
  expect(await usageOf(context, { customerId, meterId })).toBe('2700');
});

test('a batch sent twenty times in parallel is stored once', async () => {
  const context = testContext();
  const [meterId, customerId] = [await aMeter(context), aCustomer()];
  const events = Array.from({ length: 50 }, (_one, index) => ({
    customerId,
    meterId,
    eventId: `event-${String(index)}`,
  }));
  const answers = await Promise.all(Array.from({ length: 20 }, () => ingest(context, events)));
  expect(answers.reduce((sum, { accepted }) => sum + accepted, 0)).toBe(50);
  expect(answers.reduce((sum, { duplicates }) => sum + duplicates, 0)).toBe(950);
  expect(answers.flatMap(({ rejected }) => rejected)).toEqual([]);
});

describe('a settlement', () => {
  const period = (index: number, start: string, end: string, meterId: string) => ({
    periodIndex: index,
    start: new Date(start),
    end: new Date(end),
    meters: [{ meterId, includedUnits: '5', taken: [], stretches: [] }],
  });

  /** Registers the settled periods with the subscription stand-in. */
  function registerPeriods({
    subscriptionId,
    customerId,
    windows,
  }: Pick<SettleUsageRequest, 'subscriptionId' | 'customerId' | 'windows'>) {
    const periods = windows.flatMap(({ meters, ...window }) =>
      meters.map((meter) => aUsagePeriod({ subscriptionId, ...window, ...meter })),
    );
    service.lived.set(customerId, periods);
  }

  async function settle(
    context: CallContext,
    request: Omit<SettleUsageRequest, 'unbilledKeys'> & { readonly unbilledKeys?: string[] },
  ) {
    const { usages } = await metering.settleUsage({ unbilledKeys: [], ...request }, context);
    return usages.map(({ periodIndex, current, previous }) => ({
      periodIndex,
      current: current && [current.quantity, current.creditsUsed.map(({ quantity }) => quantity)],
      previous: previous?.quantity,
    }));
  }

  test('decides once, burns credits, and leaves later usage as a difference', async () => {
    const context = testContext({ now: noon });
    const [meterId, customerId, subscriptionId] = [await aMeter(context), aCustomer(), newId()];
    await metering.createCreditGrant(
      {
        customerId,
        meterId,
        amount: '10',
        effectiveAt: new Date('2026-02-01T00:00:00Z'),
        expiresAt: undefined,
        source: CreditSource.CREDIT_SOURCE_UNSPECIFIED,
        metadata: undefined,
      },
      testContext({ tenant: context.tenant, now: new Date('2026-02-15T00:00:00Z') }),
    );
    const use = (timestamp: string, quantity: number) =>
      ingest(context, [{ customerId, meterId, timestamp, quantity }]);
    await use('2026-02-20T00:00:00Z', 12);
    const february = period(0, '2026-02-08T00:00:00Z', '2026-03-08T00:00:00Z', meterId);
    const request = { subscriptionId, customerId, key: 'period:0', windows: [february] };
    const first = await settle(context, request);
    expect(first).toEqual([{ periodIndex: 0, current: ['12', ['7']], previous: undefined }]);

    await use('2026-02-21T00:00:00Z', 8);
    expect(await settle(context, request)).toEqual(first);

    await use('2026-03-09T00:00:00Z', 4);
    const march = period(1, '2026-03-08T00:00:00Z', '2026-04-08T00:00:00Z', meterId);
    const next = { subscriptionId, customerId, key: 'period:1', windows: [february, march] };
    expect(await settle(context, next)).toEqual([
      { periodIndex: 0, current: ['20', ['10']], previous: '12' },
      { periodIndex: 1, current: ['4', []], previous: undefined },
    ]);
    const last = { subscriptionId, customerId, key: 'period:2', windows: [february, march] };
    expect(await settle(context, last)).toEqual([]);
  });

  test('settles usage again that was settled but never billed, without burning its credits twice', async () => {
    const context = testContext({ now: noon });
    const [meterId, customerId, subscriptionId] = [await aMeter(context), aCustomer(), newId()];
    await metering.createCreditGrant(
      {
        customerId,
        meterId,
        amount: '10',
        effectiveAt: new Date('2026-02-01T00:00:00Z'),
        expiresAt: undefined,
        source: CreditSource.CREDIT_SOURCE_UNSPECIFIED,
        metadata: undefined,
      },
      testContext({ tenant: context.tenant, now: new Date('2026-02-05T00:00:00Z') }),
    );
    const use = (timestamp: string, quantity: number) =>
      ingest(context, [{ customerId, meterId, timestamp, quantity }]);
    const consumed = async () => {
      const page = { customerId, page: 1, perPage: 10 };
      const { creditGrants } = await metering.listCreditGrants(page, context);
      return creditGrants[0]?.consumed;
    };
    const windows = [
      period(0, '2026-02-08T00:00:00Z', '2026-02-18T00:00:00Z', meterId),
      period(1, '2026-02-18T00:00:00Z', '2026-02-28T00:00:00Z', meterId),
    ];
    const request = { subscriptionId, customerId, windows };
    registerPeriods(request);
    await use('2026-02-10T00:00:00Z', 7);
    await settle(context, { ...request, key: 'period:0', windows: windows.slice(0, 1) });
    await use('2026-02-11T00:00:00Z', 1);
    await use('2026-02-20T00:00:00Z', 8);
    const unbilled = { ...request, key: 'period:1' };
    const found = [
      { periodIndex: 0, current: ['8', ['3']], previous: '7' },
      { periodIndex: 1, current: ['8', ['3']], previous: undefined },
    ];
    expect(await settle(context, unbilled)).toEqual(found);
    expect(await consumed()).toBe('6');

    const again = { ...request, key: 'again', unbilledKeys: ['period:1', 'unknown'] };
    expect(await settle(context, again)).toEqual(found);
    expect(await settle(context, unbilled)).toEqual(found);
    expect(await consumed()).toBe('6');

    await use('2026-02-21T00:00:00Z', 1);
    const last = { ...request, key: 'last', unbilledKeys: ['period:1', 'again'] };
    expect(await settle(context, last)).toEqual([
      found[0],
      { periodIndex: 1, current: ['9', ['4']], previous: undefined },
    ]);
    expect(await consumed()).toBe('7');
    const after = { ...request, key: 'after', unbilledKeys: ['period:1', 'again'] };
    expect(await settle(context, after)).toEqual([]);
  });

  test('leaves out the usage that an earlier subscription claims', async () => {
    const context = testContext({ now: noon });
    const [meterId, customerId] = [await aMeter(context), aCustomer()];
    const at = (day: string) => `2026-03-0${day}T00:00:00Z`;
    await ingest(
      context,
      ['1', '3', '5'].map((day) => ({ customerId, meterId, timestamp: at(day), quantity: day })),
    );
    const window = {
      ...period(0, at('1'), at('9'), meterId),
      meters: [
        {
          meterId,
          includedUnits: '0',
          taken: [{ start: new Date(at('3')), end: new Date(at('5')) }],
          stretches: [],
        },
      ],
    };
    const request = { subscriptionId: newId(), customerId, key: 'period:0', windows: [window] };
    expect(await settle(context, request)).toMatchObject([{ current: ['6', []] }]);
  });
});
