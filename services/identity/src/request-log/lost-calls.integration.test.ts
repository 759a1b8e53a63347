import { systemClock } from '@billing/chassis/clock';
import { newId } from '@billing/chassis/ids';
import { connectMongo } from '@billing/chassis/mongo';
import { dropTestDatabase, testServiceConfiguration } from '@billing/chassis/testing';
import { LostCallStore } from './lost-call-store';

const configuration = testServiceConfiguration('lost-calls');
let mongo: Awaited<ReturnType<typeof connectMongo>>;
let calls: LostCallStore;
let nowMs = systemClock.now().getTime();

beforeAll(async () => {
  const { MONGODB_URI: uri, MONGODB_DATABASE: database } = configuration;
  mongo = await connectMongo({ uri, database, service: 'test' });
  calls = new LostCallStore(mongo.db, { now: () => new Date(nowMs) });
  await calls.ensureIndexes();
});

afterAll(async () => {
  await mongo.close();
  await dropTestDatabase(configuration);
});

const later = (ms: number) => new Date(nowMs + ms);
const answer = { status: 201, headers: { Location: '/v1/x' }, body: Buffer.from('{}') };

function aCall(fingerprint: string) {
  const running = { claimId: null, runningUntil: null, answer: null };
  return { id: newId(), callerId: 'caller', fingerprint, ...running };
}

const claim = (fingerprint: string, claimId: string = newId()) =>
  calls.claim({ fingerprint, claimId, claimedUntil: later(10_000) });

test('a running call is waited for, and its answer goes to one of twenty retries', async () => {
  const call = aCall('waited');
  await calls.record({ ...call, runningUntil: later(5_000) });
  expect(await claim('waited')).toEqual({ isRunning: true });
  await calls.record({ ...call, answer });
  const claims = await Promise.all(Array.from({ length: 20 }, () => claim('waited')));
  const won = claims.filter((one) => 'id' in one);
  expect(won).toMatchObject([{ id: call.id, answer: { status: 201, headers: answer.headers } }]);
  expect(claims.filter((one) => 'isRunning' in one && !one.isRunning)).toHaveLength(19);
});

test('equal lost calls go to as many retries, and a retried claim gets the same call', async () => {
  const lost = [aCall('equal'), aCall('equal')];
  for (const call of lost) await calls.record(call);
  const claimId = newId();
  const first = await claim('equal', claimId);
  expect(await claim('equal', claimId)).toEqual(first);
  const second = await claim('equal');
  const ids = [first, second].map((one) => ('id' in one ? one.id : undefined));
  expect(ids.sort()).toEqual(lost.map(({ id }) => id).sort());
});

test('a retry that is lost, too, is claimed by the next one, and a stale record changes nothing', async () => {
  const call = aCall('again');
  await calls.record(call);
  const claimId = newId();
  await claim('again', claimId);
  await calls.record({ ...call, answer });
  expect(await claim('again')).toEqual({ isRunning: false });
  await calls.record({ ...call, claimId });
  expect(await claim('again')).toEqual({ id: call.id, answer: null });
});

test('a call whose gateway died is claimed once it can no longer be running', async () => {
  const call = aCall('died');
  await calls.record({ ...call, runningUntil: later(5_000) });
  nowMs += 5_000;
  expect(await claim('died')).toEqual({ id: call.id, answer: null });
});

test('a lost call is listed and kept for ten minutes', async () => {
  const call = aCall('old');
  await calls.record(call);
  const listed = await calls.list(new Date(nowMs));
  expect(listed.map(({ id }) => id)).toContain(call.id);
  nowMs += 10 * 60_000 + 1;
  expect(await calls.list(new Date(0))).toEqual([]);
  expect(await claim('old')).toEqual({ isRunning: false });
  await calls.deleteOld();
  nowMs -= 10 * 60_000;
  expect(await claim('old')).toEqual({ isRunning: false });
});
