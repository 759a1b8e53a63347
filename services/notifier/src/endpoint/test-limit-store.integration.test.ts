import { newId } from '@billing/chassis/ids';
import { connectMongo, type MongoConnection } from '@billing/chassis/mongo';
import { dropTestDatabase, testServiceConfiguration } from '@billing/chassis/testing';
import { environmentTestsMax, TestLimitStore, testsMax } from './test-limit-store';

const configuration = testServiceConfiguration('test_limit');
const start = new Date('2026-01-05T12:00:00.000Z');

let mongo: MongoConnection;
let replicas: readonly TestLimitStore[];

beforeAll(async () => {
  const { MONGODB_URI: uri, MONGODB_DATABASE: database } = configuration;
  mongo = await connectMongo({ uri, database, service: 'test' });
  replicas = Array.from({ length: 3 }, () => new TestLimitStore(mongo.db));
});

afterAll(async () => {
  await mongo.close();
  await dropTestDatabase(configuration);
});

const anEndpoint = () => ({ environmentId: newId(), endpointId: newId() });
const afterMs = (ms: number) => ({ now: new Date(start.getTime() + ms) });

/** Counts tests concurrently, at each replica in turn; returns the outcome of each. */
async function race(
  endpoint: ReturnType<typeof anEndpoint>,
  { count, ms, ids }: { count: number; ms: number; ids?: readonly string[] },
): Promise<{ counted: number; waits: unknown[] }> {
  const outcomes = await Promise.allSettled(
    Array.from({ length: count }, (_, number) =>
      replicas[number % replicas.length]!.count(endpoint, ids?.[number] ?? newId(), afterMs(ms)),
    ),
  );
  const refused = outcomes.filter((one) => one.status === 'rejected');
  const reasons = refused.map(({ reason }) => reason as Record<string, unknown>);
  expect(reasons.every(({ kind }) => kind === 'resource_exhausted')).toBe(true);
  return {
    counted: count - refused.length,
    waits: reasons.map(({ retryAfterSeconds }) => retryAfterSeconds),
  };
}

test('of twenty concurrent tests at three replicas, ten are counted', async () => {
  const { counted, waits } = await race(anEndpoint(), { count: 20, ms: 0 });
  expect({ counted, waits }).toEqual({ counted: testsMax, waits: Array(10).fill(60) });
});

test('a test is refused until the tenth test before it is a minute old', async () => {
  const endpoint = anEndpoint();
  await race(endpoint, { count: 1, ms: 0 });
  await race(endpoint, { count: testsMax - 1, ms: 20_000 });
  expect(await race(endpoint, { count: 1, ms: 20_500 })).toEqual({ counted: 0, waits: [40] });
  expect(await race(endpoint, { count: 1, ms: 59_999 })).toEqual({ counted: 0, waits: [1] });
  expect(await race(endpoint, { count: 2, ms: 60_000 })).toEqual({ counted: 1, waits: [20] });
  expect(await race(endpoint, { count: 20, ms: 80_000 })).toMatchObject({ counted: 9 });
});

test('endpoints are limited independently', async () => {
  await race(anEndpoint(), { count: testsMax, ms: 0 });
  expect(await race(anEndpoint(), { count: 1, ms: 0 })).toMatchObject({ counted: 1 });
});

test('an environment whose endpoints are replaced is limited to the tests of ten endpoints', async () => {
  const { environmentId } = anEndpoint();
  const another = () => ({ environmentId, endpointId: newId() });
  for (let number = 0; number < environmentTestsMax / testsMax; number += 1) {
    expect(await race(another(), { count: testsMax, ms: 0 })).toMatchObject({ counted: testsMax });
  }
  expect(await race(another(), { count: 2, ms: 20_000 })).toEqual({ counted: 0, waits: [40, 40] });
  expect(await race(anEndpoint(), { count: 1, ms: 20_000 })).toMatchObject({ counted: 1 });
  expect(await race(another(), { count: 1, ms: 60_000 })).toMatchObject({ counted: 1 });
});

test('a retried call counts once, also when the limit is reached', async () => {
  const endpoint = anEndpoint();
  const ids = Array.from({ length: testsMax }, () => newId());
  await race(endpoint, { count: testsMax, ms: 0, ids });
  expect(await race(endpoint, { count: testsMax, ms: 1, ids })).toMatchObject({
    counted: testsMax,
  });
  expect(await race(endpoint, { count: 1, ms: 1 })).toMatchObject({ counted: 0 });
});
