import { newId } from '@billing/chassis/ids';
import { connectMongo, type MongoConnection } from '@billing/chassis/mongo';
import { eventually, testContext, testTenant } from '@billing/chassis/testing';
import { Aggregation as ProtoAggregation } from '@billing/proto/billing/metering/v1/metering';
import { EpochStore } from '../epoch/epoch-store';
import { auditHour } from '../audit/audit-hour';
import type { Aggregation } from '../meter/aggregation';
import { present, startMetering } from '../testing/fixtures';
import { TestedSeries } from '../testing/flushes';
import { hourMs } from '../usage/hour';

const rounds = 12;
const hour = new Date('2026-03-10T12:00:00Z');
const tenant = testTenant({ manualClock: true });
/** Context of one call: each has its own deadline. */
const called = () => testContext({ tenant, now: new Date('2026-03-10T13:00:00Z') });
const settleTimeoutMs = 60_000;
const aggregations = {
  SUM: ProtoAggregation.AGGREGATION_SUM,
  COUNT: ProtoAggregation.AGGREGATION_COUNT,
  MAX: ProtoAggregation.AGGREGATION_MAX,
  LATEST: ProtoAggregation.AGGREGATION_LATEST,
  UNIQUE_COUNT: ProtoAggregation.AGGREGATION_UNIQUE_COUNT,
} satisfies Record<Aggregation, ProtoAggregation>;

let service: Awaited<ReturnType<typeof startMetering>>;
let replica: Awaited<ReturnType<typeof service.startReplica>>;
let mongo: MongoConnection;

beforeAll(async () => {
  service = await startMetering();
  replica = await service.startReplica();
  const { MONGODB_URI: uri, MONGODB_DATABASE: database } = service.configuration;
  mongo = await connectMongo({ uri, database, service: 'test' });
});

afterAll(async () => {
  await mongo.close();
  await replica.stop();
  await service.stop();
});

test('two processes that get the same events at once accept each once, and count it in one part', async () => {
  const customerId = present(service.customers.pop());
  const meters = new Map<Aggregation, string>();
  for (const [name, aggregation] of Object.entries(aggregations)) {
    const uniqueProperty = name === 'UNIQUE_COUNT' ? 'user' : undefined;
    const meter = { name, aggregation, uniqueProperty, metadata: undefined };
    const created = await service.metering.createMeter(meter, called());
    meters.set(name as Aggregation, present(created.meter).id);
  }
  let accepted = 0;
  let known = 0;
  for (let round = 0; round < rounds; round += 1) {
    const events = [...meters.values()].flatMap((meterId, index) =>
      Array.from({ length: 4 }, (_, number) => ({
        eventId: newId(),
        customerId,
        meterId,
        quantity: String(number + round),
        timestamp: new Date(hour.getTime() + (round * 4 + number) * 61_000 + index),
        properties: { user: `u${String((round + number) % 7)}` },
      })),
    );
    const body = Buffer.from(JSON.stringify(events));
    const answers = await Promise.all(
      [service.metering, replica.metering, service.metering].map((metering) =>
        metering.ingestEvents({ body }, called()),
      ),
    );
    for (const answer of answers) {
      expect(answer.rejected).toEqual([]);
      accepted += answer.accepted;
      known += answer.duplicates;
    }
  }
  expect([accepted, known]).toEqual([rounds * 20, rounds * 40]);
  const { current } = await new EpochStore(mongo.db).readEpoch();
  await eventually(
    async () => {
      const { until } = await new EpochStore(mongo.db).readEpoch();
      expect(until).toBeGreaterThanOrEqual(current);
    },
    { timeoutMs: settleTimeoutMs },
  );
  for (const [aggregation, meterId] of meters) {
    const uniqueProperty = aggregation === 'UNIQUE_COUNT' ? 'user' : null;
    const series = { customerId, meterId, aggregation, uniqueProperty };
    const tested = new TestedSeries(mongo.db, tenant, series);
    await tested.fold(current);
    const audit = await auditHour(tested.store, series, hour.getTime() / hourMs);
    expect([aggregation, audit?.stored]).toEqual([aggregation, audit?.counted]);
    expect(audit?.counted.events).toBe(rounds * 4);
  }
});
