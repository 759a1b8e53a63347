import type { AggregateDefinition } from '../aggregates/aggregate';
import { AggregateCollection } from '../aggregates/aggregate-collection';
import type { Tenant } from '../grpc/call-context';
import { newId } from '../ids';
import { connectMongo, type MongoConnection } from '../mongo/mongo';
import { createLogger } from '../telemetry/logging';
import { TestClock } from '../testing/test-clock';
import { testTenant } from '../testing/testing';
import { scheduleRevision } from './schedule-revision';

interface Alarm {
  readonly id: string;
  readonly at: Date;
}

const hourMs = 3_600_000;
const base: AggregateDefinition<Alarm> = {
  collection: 'alarms',
  aggregate: 'alarm',
  resource: 'Alarm',
  toDocument: ({ at }) => ({ at }),
  fromDocument: ({ _id, at }) => {
    if (!(at instanceof Date)) throw new Error('An alarm without a time');
    return { id: _id, at };
  },
};
const earlier: AggregateDefinition<Alarm> = {
  ...base,
  dueAt: ({ at }) => ({ at, workClass: 'RENEWAL' }),
};
const warnedAt = (at: Date) => new Date(at.getTime() - hourMs);
const later: AggregateDefinition<Alarm> = {
  ...base,
  scheduleRevision: 1,
  dueAt: ({ at }) => ({ at: warnedAt(at), workClass: 'COLLECTION' }),
};
const at = new Date('2026-05-01T00:00:00.000Z');
const clock = new TestClock();
const logger = createLogger({ service: 'test', level: 'silent', file: undefined });
const unaborted = new AbortController().signal;

let mongo: MongoConnection;
let alarms: AggregateCollection<Alarm>;

beforeAll(async () => {
  mongo = await connectMongo({
    uri: process.env.MONGODB_URI ?? '',
    database: `t_${newId().replaceAll('-', '').slice(-12)}_schedule`,
    service: 'test',
  });
  alarms = new AggregateCollection(mongo.db, earlier, { clock });
  await alarms.ensureIndexes();
});

beforeEach(async () => {
  await mongo.db.collection('scheduleProgress').deleteMany({});
});

afterAll(async () => {
  await mongo.db.dropDatabase();
  await mongo.close();
});

async function stored(tenant: Partial<Tenant> = {}): Promise<string> {
  const id = newId();
  const place = { tenant: testTenant({ manualClock: false, ...tenant }), now: clock.now() };
  await alarms.within(place).insert({ state: { id, at }, events: [], commands: [] });
  return id;
}

async function scheduleOf(id: string) {
  const document = await alarms.documents.findOne({ _id: id });
  return [document?.dueAt, document?.dueClass, Number(document?.version)];
}

const run = (definition: AggregateDefinition<Alarm>, hasOlder = false) =>
  scheduleRevision(mongo.db, alarms.documents, definition, {
    logger,
    hasOlderReplica: () => Promise.resolve(hasOlder),
  }).run(unaborted);

describe('documents of an earlier release', () => {
  test('are due by the present rule, without a new version', async () => {
    const id = await stored();
    expect(await scheduleOf(id)).toEqual([at, 'RENEWAL', 1]);
    await run(later);
    expect(await scheduleOf(id)).toEqual([warnedAt(at), 'COLLECTION', 1]);
  });

  test('are visited once a revision', async () => {
    await run(later);
    const id = await stored();
    await run(later);
    expect(await scheduleOf(id)).toEqual([at, 'RENEWAL', 1]);
    await run({ ...later, scheduleRevision: 2 });
    expect(await scheduleOf(id)).toEqual([warnedAt(at), 'COLLECTION', 1]);
  });

  test('with a manual clock keep their times', async () => {
    const id = await stored({ manualClock: true });
    await run(later);
    expect(await scheduleOf(id)).toEqual([at, 'RENEWAL', 1]);
  });

  test('wait while a replica of the earlier release runs', async () => {
    const id = await stored();
    await run(later, true);
    expect(await scheduleOf(id)).toEqual([at, 'RENEWAL', 1]);
  });

  test('that cannot be read are skipped', async () => {
    const [broken, whole] = [await stored(), await stored()];
    await alarms.documents.updateOne({ _id: broken }, { $unset: { at: true } });
    await run(later);
    expect(await scheduleOf(broken)).toEqual([at, 'RENEWAL', 1]);
    expect(await scheduleOf(whole)).toEqual([warnedAt(at), 'COLLECTION', 1]);
  });

  test('of a collection without a revised rule stay as they are', async () => {
    const id = await stored();
    await run({ ...earlier, dueAt: () => undefined });
    expect(await scheduleOf(id)).toEqual([at, 'RENEWAL', 1]);
  });
});
