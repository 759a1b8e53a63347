import { newId } from '@billing/chassis/ids';
import { createLogger } from '@billing/chassis/logging';
import { connectMongo, type MongoConnection } from '@billing/chassis/mongo';
import {
  dropTestDatabase,
  emptyTestDatabase,
  testServiceConfiguration,
} from '@billing/chassis/testing';
import { AttemptStore } from './attempt-store';
import type { Delivery } from './delivery';
import { DeliveryStore } from './delivery-store';
import { EndpointHealthStore } from '../endpoint/health-store';
import { OutcomeStore } from '../sending/outcome-store';
import { ReplayStore } from '../history/replay-store';

describe('stored deliveries', () => {
  const configuration = testServiceConfiguration('delivery_store');
  const environmentId = newId();
  const start = new Date('2026-06-01T00:00:00.000Z');
  const at = (seconds: number) => new Date(start.getTime() + seconds * 1_000);
  const day = 24 * 3_600;
  let mongo: MongoConnection;
  let store: DeliveryStore;

  beforeAll(async () => {
    const { MONGODB_URI: uri, MONGODB_DATABASE: database } = configuration;
    mongo = await connectMongo({ uri, database, service: 'test' });
  });

  beforeEach(async () => {
    await emptyTestDatabase(mongo);
    store = new DeliveryStore(mongo.db);
    await store.ensureIndexes();
  });

  afterAll(async () => {
    await mongo.close();
    await dropTestDatabase(configuration);
  });

  function delivery(fields: Partial<Delivery>): Delivery {
    return {
      _id: newId(),
      environmentId,
      endpointId: 'endpoint',
      messageId: newId(),
      subscriptionId: 'subscription',
      sequence: 1,
      previousId: null,
      status: 'PENDING',
      dueAt: start,
      claim: null,
      failures: 0,
      createdAt: start,
      ...fields,
    };
  }

  async function dueAtOf({ _id }: Delivery): Promise<Date | null | undefined> {
    return (await mongo.db.collection<Delivery>('deliveries').findOne({ _id }))?.dueAt;
  }

  async function claim(claimed: Delivery, name: string, seconds: number): Promise<Delivery> {
    const lease = { claim: name, now: at(seconds), until: at(seconds + 30) };
    const [won] = await store.claim(environmentId, [claimed], lease);
    if (won === undefined) throw new Error('Nothing was claimed');
    return won;
  }

  const again = { status: 'PENDING', failures: 1 } as const;

  test('postpone their successors when they are to be retried', async () => {
    const head = delivery({});
    const follower = delivery({ sequence: 2, previousId: head._id });
    await store.insert([head, follower]);
    const claimed = await claim(head, 'first', 0);
    await store.settle([{ delivery: claimed, claim: 'first', dueAt: at(5), ...again }]);

    expect(await dueAtOf(head)).toEqual(at(5));
    expect(await dueAtOf(follower)).toEqual(at(5));
  });

  test('postpone no successors for a claim that was lost in between', async () => {
    const head = delivery({});
    const follower = delivery({ sequence: 2, previousId: head._id });
    await store.insert([head, follower]);
    const slow = await claim(head, 'slow', 0);
    const quick = await claim(head, 'quick', 31);
    const delivered = { status: 'DELIVERED', dueAt: undefined, failures: 0 } as const;
    await store.settle([{ delivery: quick, claim: 'quick', ...delivered }]);
    await store.settle([{ delivery: slow, claim: 'slow', dueAt: at(day), ...again }]);

    expect(await dueAtOf(head)).toBeNull();
    expect(await dueAtOf(follower)).toEqual(start);
  });

  test('are recorded as arrived although they were paused while in flight', async () => {
    const [arrived, refused] = [delivery({}), delivery({ subscriptionId: newId() })];
    await store.insert([arrived, refused]);
    const claimed = await Promise.all([arrived, refused].map((one) => claim(one, 'sender', 0)));
    await store.pause({ environmentId, endpointId: 'endpoint' }, { createdUntil: at(1) });
    const delivered = { status: 'DELIVERED', dueAt: undefined, failures: 0 } as const;
    await store.settle([
      { delivery: claimed[0]!, claim: 'sender', ...delivered },
      { delivery: claimed[1]!, claim: 'sender', dueAt: at(5), ...again },
    ]);

    const replays = new ReplayStore(mongo.db);
    const lacking = await replays.findUndelivered(
      { environmentId, endpointId: 'endpoint' },
      start,
      10,
    );
    expect(lacking.map(({ _id }) => _id)).toEqual([refused._id]);
    const stored = mongo.db.collection<Delivery>('deliveries');
    expect(await stored.findOne({ _id: arrived._id })).toMatchObject({ status: 'DELIVERED' });
  });

  test('are not paused while in flight', async () => {
    const head = delivery({});
    const follower = delivery({ sequence: 2, previousId: head._id });
    await store.insert([head, follower]);
    await claim(follower, 'sender', 0);
    await store.postpone([{ ...head, dueAt: at(day) }]);

    expect(await dueAtOf(follower)).toEqual(at(30));
  });

  test('show every endpoint with due work, past the backlog of one that hangs', async () => {
    const hanging = Array.from({ length: 1_000 }, () => delivery({ endpointId: 'hanging' }));
    const others = ['a', 'b', 'x', 'y'].map((endpointId) =>
      delivery({ endpointId, dueAt: at(10) }),
    );
    const later = delivery({ endpointId: 'later', dueAt: at(day) });
    await store.insert([...hanging, ...others, later]);

    const { endpoints, next } = await store.findDueEndpoints({ now: at(20) });
    expect(endpoints.map(({ endpointId }) => endpointId).sort()).toEqual([
      ...['a', 'b', 'hanging', 'x', 'y'],
    ]);
    expect(next).toBeUndefined();
  });

  test('show as many endpoints as the caller has time for, and the others next', async () => {
    const hanging = Array.from({ length: 200 }, () => delivery({ endpointId: 'hanging' }));
    const names = Array.from({ length: 150 }, (_, index) => `other-${String(index)}`);
    const others = names.map((endpointId) => delivery({ endpointId, dueAt: at(10) }));
    await store.insert([...hanging, ...others]);

    const first = await store.findDueEndpoints({ now: at(20) });
    const second = await store.findDueEndpoints({ now: at(20), after: first.next });
    const found = [...first.endpoints, ...second.endpoints].map(({ endpointId }) => endpointId);
    expect(first.endpoints.length).toBeLessThan(150);
    expect(second.next).toBeUndefined();
    expect(new Set(found)).toEqual(new Set(['hanging', ...names]));
  });

  test('are paused except for those accepted after their endpoint was seen to be disabled', async () => {
    const earlier = delivery({});
    const later = delivery({ sequence: 2, createdAt: at(2), dueAt: at(2) });
    const elsewhere = delivery({ endpointId: 'other' });
    await store.insert([earlier, later, elsewhere]);
    await store.pause({ environmentId, endpointId: 'endpoint' }, { createdUntil: at(1) });

    const dueAts = await Promise.all([earlier, later, elsewhere].map(dueAtOf));
    expect(dueAts).toEqual([null, at(2), start]);
  });

  test('that were delivered end the failures of their endpoint, whichever process recorded those', async () => {
    const health = new EndpointHealthStore(mongo.db);
    const attempts = new AttemptStore(mongo.db);
    const logger = createLogger({ service: 'test', level: 'silent' });
    const outcomes = new OutcomeStore({
      attempts,
      deliveries: store,
      health,
      logger,
      batchDelayMs: 1,
    });
    const key = { environmentId, endpointId: 'endpoint' };
    const takenAt = async (seconds: number) => {
      const taken = delivery({ subscriptionId: newId() });
      await store.insert([taken]);
      const claimed = await claim(taken, newId(), seconds);
      const settlement = { delivery: claimed, claim: 'any', failures: 0 } as const;
      await outcomes.write({
        attempt: undefined,
        settlement: { ...settlement, status: 'DELIVERED', dueAt: undefined },
      });
    };
    await takenAt(0);
    expect(await health.recordFailure(key, at(600))).toEqual(at(600));
    await takenAt(605);

    expect(await health.recordFailure(key, at(6 * day))).toEqual(at(6 * day));
    expect(await health.recordFailure(key, at(7 * day))).toEqual(at(6 * day));
  });
});
