import { systemClock } from '@billing/chassis/clock';
import { connectPeer, type Peer } from '@billing/chassis/peer';
import { newId } from '@billing/chassis/ids';
import { connectMongo, type MongoConnection } from '@billing/chassis/mongo';
import { ownCall } from '@billing/chassis/call-context';
import { eventually, testContext } from '@billing/chassis/testing';
import {
  type UsageAuditServiceServer,
  UsageAuditServiceService,
} from '@billing/proto/billing/metering/v1/audit';
import { Aggregation } from '@billing/proto/billing/metering/v1/metering';
import { hourMs } from '../usage/hour';
import { EpochStore } from '../epoch/epoch-store';
import { firstGeneration } from '../testing/events';
import { TestedSeries } from '../testing/flushes';
import { present, startMetering } from '../testing/fixtures';

let service: Awaited<ReturnType<typeof startMetering>>;
let database: MongoConnection;
let audits: Peer<UsageAuditServiceServer>;

beforeAll(async () => {
  service = await startMetering();
  const { MONGODB_URI: uri, MONGODB_DATABASE: name } = service.configuration;
  database = await connectMongo({ uri, database: name, service: 'test' });
  audits = connectPeer<UsageAuditServiceServer>(UsageAuditServiceService, {
    address: service.address,
    service: 'test',
    withoutTenant: ['checkUsage'],
  });
});

afterAll(async () => {
  audits.close();
  await database.close();
  await service.stop();
});

const nothing = { mismatches: [], next: '', spanMismatches: [], uncounted: [] };

/** A folded hour with three events of 2 units, and the hour before with one. */
async function aSeries() {
  const now = systemClock.now();
  const context = testContext({ now });
  const { environmentId } = context.tenant;
  const { metering, customers } = service;
  const meter = { name: 'Calls', aggregation: Aggregation.AGGREGATION_SUM, metadata: undefined };
  const meterId = present((await metering.createMeter(meter, context)).meter).id;
  const customerId = present(customers.pop());
  const events = [1, 1, 1, 2].map((hours) => {
    const timestamp = new Date((Math.floor(now.getTime() / hourMs) - hours) * hourMs);
    return { eventId: newId(), customerId, meterId, timestamp, quantity: '2' };
  });
  const body = Buffer.from(JSON.stringify(events));
  expect(await metering.ingestEvents({ body }, context)).toMatchObject({ accepted: 4 });
  const { current } = await new EpochStore(database.db).readEpoch();
  await eventually(async () => {
    const { until } = await new EpochStore(database.db).readEpoch();
    expect(until).toBeGreaterThanOrEqual(current);
  });
  const series = { customerId, meterId, aggregation: 'SUM', uniqueProperty: null } as const;
  const tested = new TestedSeries(database.db, context.tenant, series);
  await tested.fold(current);
  const start = events[3]?.timestamp ?? now;
  const check = (repair: boolean) =>
    audits.checkUsage({ environmentId, customerId, repair, after: '' }, ownCall());
  const end = new Date(start.getTime() + 2 * hourMs);
  const subscriptionId = newId();
  /** Differences to the settlement before, as the first one and each later one bills them. */
  const settle = async (key: string) => {
    const meters = [{ meterId, includedUnits: '0', taken: [], stretches: [] }];
    const windows = [{ periodIndex: 0, start, end, meters }];
    const request = { subscriptionId, customerId, key, windows, unbilledKeys: [] };
    const { usages } = await metering.settleUsage(request, context);
    return usages.map(({ previous, current }) => [previous?.quantity, current?.quantity]);
  };
  const read = () => tested.readQuantities([{ start, end }]);
  return { tested, check, read, settle, hour: events[0]?.timestamp };
}

test('a total that was changed in the database is found, repaired on request, and billed as a difference once', async () => {
  const { tested, check, read, settle, hour } = await aSeries();
  expect(await read()).toEqual(['8']);
  const healthy = { compared: 2, comparedSpans: 1, searchedEvents: 4n, ...nothing };
  expect(await check(false)).toEqual(healthy);

  const { hours, spans } = tested.collections;
  const change = { $set: { 'total.quantity': '5' } };
  const { k } = tested;
  const _id = present((await hours.find({ k }).sort({ _id: -1 }).toArray())[0])._id;
  await hours.updateOne({ _id }, change);
  await spans.updateMany({ k }, { $set: { 'total.quantity': '7' } });
  expect(await read()).toEqual(['7']);
  const expected = {
    hour,
    storedEvents: 3n,
    storedQuantity: '5',
    countedEvents: 3n,
    countedQuantity: '6',
  };
  expect(await check(false)).toMatchObject({ compared: 2, mismatches: [expected] });
  expect(await settle('first')).toEqual([[undefined, '7']]);

  expect(await check(true)).toMatchObject({ compared: 2, mismatches: [expected] });
  expect(await read()).toEqual(['8']);
  expect(await check(true)).toEqual(healthy);
  expect(await settle('second')).toEqual([['7', '8']]);
  expect(await settle('third')).toEqual([]);
});

test('an hour that is gone is found by its events and by its span, and counted again on request', async () => {
  const { tested, check, read, hour } = await aSeries();
  expect(await read()).toEqual(['8']);
  const { hours } = tested.collections;
  const { k } = tested;
  const { _id } = present((await hours.find({ k }).sort({ _id: -1 }).toArray())[0]);
  await hours.deleteOne({ _id });
  expect(await check(false)).toMatchObject({
    compared: 1,
    mismatches: [],
    comparedSpans: 1,
    spanMismatches: [{ storedQuantity: '8', summedQuantity: '2' }],
    uncounted: [{ hour, countedEvents: 0n, storedEvents: 3n }],
  });
  expect(await check(true)).toMatchObject({ uncounted: [{}] });
  expect(await check(false)).toMatchObject({ compared: 2, ...nothing });
  expect(await read()).toEqual(['8']);
});

test('a check of everything covers all series, and hours with events of earlier versions are left out', async () => {
  const { tested, check } = await aSeries();
  await aSeries();
  const request = { environmentId: '', customerId: '', repair: false, after: '' };
  const { compared, mismatches, next } = await audits.checkUsage(request, ownCall());
  expect([mismatches, next]).toEqual([[], '']);
  expect(compared).toBeGreaterThanOrEqual(4);
  const events = tested.collections.events.of(firstGeneration);
  const { customerId, meterId } = tested.series;
  const { _id } = present((await events.find({ customerId, meterId }).toArray())[0]);
  await events.updateOne({ _id }, { $unset: { flush: '', epoch: '', k: '' } });
  expect(await check(false)).toMatchObject({ compared: 1, mismatches: [] });
});

test('an hour whose events were dropped is neither alarmed nor repaired', async () => {
  const { tested, check, read } = await aSeries();
  const { k, collections } = tested;
  const { customerId } = tested.series;
  await collections.events.of(firstGeneration).deleteMany({ customerId });
  const epochs = database.db.collection('usageEpoch');
  const { generations } = await new EpochStore(database.db).readEpoch();
  const since = new Date(systemClock.now().getTime() + hourMs);
  await epochs.updateOne({}, { $set: { generations: [{ ...firstGeneration, from: 1, since }] } });
  try {
    const none = { compared: 0, comparedSpans: 0, searchedEvents: 0n, ...nothing };
    expect(await check(true)).toEqual(none);
  } finally {
    await epochs.updateOne({}, { $set: { generations } });
  }
  expect(await collections.hours.countDocuments({ k, 'total.events': 0 })).toBe(0);
  expect(await read()).toEqual(['8']);
  expect(await check(false)).toMatchObject({ compared: 2, mismatches: [{}, {}] });
});
