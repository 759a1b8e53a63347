import type { CallContext } from '@billing/chassis/call-context';
import { systemClock } from '@billing/chassis/clock';
import { newId } from '@billing/chassis/ids';
import { connectMongo, type MongoConnection } from '@billing/chassis/mongo';
import { testContext } from '@billing/chassis/testing';
import { recoverInTest } from '@billing/chassis/testing/recover';
import { Aggregation, CreditSource } from '@billing/proto/billing/metering/v1/metering';
import { EpochStore } from '../epoch/epoch-store';
import { present, startMetering } from '../testing/fixtures';
import { TestedSeries } from '../testing/flushes';
import { hourMs } from '../usage/hour';

let service: Awaited<ReturnType<typeof startMetering>>;
let mongo: MongoConnection;

beforeAll(async () => {
  service = await startMetering();
  const { MONGODB_URI: uri, MONGODB_DATABASE: database } = service.configuration;
  mongo = await connectMongo({ uri, database, service: 'test' });
});

afterAll(async () => {
  await mongo.close();
  await service.stop();
});

const recover = async () =>
  (await recoverInTest(service.configuration, ['reassert']))['reassert'] ?? {};

type Uses = readonly { readonly grantId: string; readonly quantity: string }[];
type Billed = readonly (readonly [periodIndex: number, quantity: string, creditsUsed?: Uses])[];

const { AGGREGATION_SUM: sum, AGGREGATION_COUNT: count } = Aggregation;

/** Three events of 2 units in an hour, the second period of a subscription whose first is empty. */
async function aSeries(aggregation: typeof sum | typeof count = sum) {
  const now = systemClock.now();
  const { tenant } = testContext({ now });
  // Recoveries take longer than the deadline of one call.
  const call = (): CallContext => ({ ...testContext({ now }), tenant });
  const { metering, customers } = service;
  const meter = { name: 'Calls', aggregation, metadata: undefined };
  const meterId = present((await metering.createMeter(meter, call())).meter).id;
  const customerId = present(customers.pop());
  const start = new Date((Math.floor(now.getTime() / hourMs) - 1) * hourMs);
  const ingest = async (...quantities: readonly string[]) => {
    const events = quantities.map((quantity) => {
      return { eventId: newId(), customerId, meterId, timestamp: start, quantity };
    });
    const body = Buffer.from(JSON.stringify(events));
    const accepted = quantities.length;
    expect(await metering.ingestEvents({ body }, call())).toMatchObject({ accepted });
  };
  await ingest('2', '2', '2');
  const name = aggregation === sum ? 'SUM' : 'COUNT';
  const series = { customerId, meterId, aggregation: name, uniqueProperty: null } as const;
  const tested = new TestedSeries(mongo.db, tenant, series);
  const subscriptionId = newId();
  /** Differences of a settlement: the period, and its quantity before and now. */
  const settle = async (key: string, billed?: Billed) => {
    const meters = [{ meterId, includedUnits: '0', taken: [], stretches: [] }];
    const windows = [start.getTime() - hourMs, start.getTime()].map((from, periodIndex) => {
      return { periodIndex, start: new Date(from), end: new Date(from + hourMs), meters };
    });
    const usages = billed?.map(([periodIndex, quantity, creditsUsed = []]) => {
      const difference = { quantity, creditsUsed: [...creditsUsed], marks: [] };
      return { periodIndex, meterId, difference };
    });
    const request = { subscriptionId, customerId, key, windows, unbilledKeys: [] };
    const answer = await metering.settleUsage(
      { ...request, ...(usages && { billed: { usages } }) },
      call(),
    );
    return answer.usages.map(({ periodIndex, previous, current }) => [
      periodIndex,
      previous?.quantity,
      current?.quantity,
    ]);
  };
  const grant = async () => {
    const terms = { amount: '10', effectiveAt: start, expiresAt: undefined };
    const source = CreditSource.CREDIT_SOURCE_PAID;
    const input = { customerId, meterId, ...terms, source, metadata: undefined };
    return present((await metering.createCreditGrant(input, call())).creditGrant).id;
  };
  return { tested, settle, ingest, grant };
}

const first = [
  [0, undefined, '0'],
  [1, undefined, '6'],
];

test('usage that a restore left wrong is counted again from its events', async () => {
  const { tested, settle } = await aSeries();
  // The first recovery ends the epoch of the events, so that they can be folded.
  await recover();
  const { until } = await new EpochStore(mongo.db).readEpoch();
  await tested.fold(until);
  const { hours } = tested.collections;
  const { k } = tested;
  await hours.updateOne({ k }, { $set: { 'total.quantity': '5' } });
  expect(await recover()).toMatchObject({ hours: expect.any(Number), repaired: 1 });
  expect(await settle('period:1')).toEqual(first);
  expect(await recover()).not.toHaveProperty('repaired');
});

test('a flush that the restore has cut is counted, and its slot holds nothing back', async () => {
  const { tested, settle } = await aSeries();
  const { k, collections } = tested;
  const events = mongo.db.collection('usageEvents');
  const stored = await events.find({ k }).toArray();
  const { epoch, flush } = present(stored[0]);
  const ids = stored.map(({ _id }) => String(_id));
  const slot = { writer: 900, dead: false, n: 1, epoch, flush, ids };
  await mongo.db.collection('usageSlots').insertOne({ _id: '900.0' as never, ...slot });
  await collections.parts.deleteMany({ k });
  expect((await recover())['slots']).toBeGreaterThanOrEqual(1);
  const slots = mongo.db.collection('usageSlots').find({ writer: 900 });
  expect(await slots.toArray()).toMatchObject([{ dead: true, epoch: null, ids: [] }]);
  expect(await settle('period:1')).toEqual(first);
});

test('what is right stays as it is', async () => {
  const { tested, settle } = await aSeries();
  const counts = await recover();
  expect(counts).toMatchObject({ series: expect.any(Number) });
  expect(counts).not.toHaveProperty('repaired');
  expect(counts).not.toHaveProperty('failed');
  expect(await tested.collections.parts.countDocuments({ k: tested.k })).toBeGreaterThan(0);
  expect(await settle('period:1')).toEqual(first);
});

describe('a settlement that was lost', () => {
  test('is taken from its invoice, and less usage is no difference to it', async () => {
    const { settle, ingest } = await aSeries();
    const adopted = [
      [0, undefined, '0'],
      [1, undefined, '10'],
    ];
    expect(await settle('period:1', [[1, '10']])).toEqual(adopted);
    expect(await settle('period:1', [[1, '10']])).toEqual(adopted);
    // 4 units are lost, not withdrawn.
    expect(await settle('period:2')).toEqual([]);
    // They are sent again, and more with them.
    await ingest('4', '3');
    expect(await settle('period:3')).toEqual([[1, '10', '13']]);
    expect(await settle('period:4')).toEqual([]);
  });

  test('has no credits of a lost grant, and no later settlement charges them', async () => {
    const { settle } = await aSeries();
    const billed: Billed = [[1, '6', [{ grantId: newId(), quantity: '4' }]]];
    expect(await settle('period:1', billed)).toEqual(first);
    expect(await settle('period:2')).toEqual([]);
  });

  test.each<[string, readonly [string, Uses]]>([
    ['of less than nothing', ['-1', []]],
    ['without a quantity', ['many', []]],
    ['that returns credits of nothing', ['3', [{ grantId: 'granted', quantity: '-1' }]]],
  ])('%s is refused, and changes nothing', async (_name, [quantity, uses]) => {
    const { settle, grant } = await aSeries(count);
    const grantId = await grant();
    const used = uses.map((use) => ({ ...use, grantId }));
    const refused = settle('period:1', [[1, quantity, used]]);
    await expect(refused).rejects.toMatchObject({ kind: 'invalid_input' });
    expect(await settle('period:1')).toEqual([
      [0, undefined, '0'],
      [1, undefined, '3'],
    ]);
  });

  test('stays as it is where it was not lost', async () => {
    const { settle } = await aSeries();
    expect(await settle('period:1')).toEqual(first);
    expect(await settle('period:1', [[1, '10']])).toEqual(first);
    expect(await settle('period:1/2', [[1, '10']])).toEqual([]);
    expect(await settle('period:2')).toEqual([]);
  });
});
