import type { Collection, Db } from 'mongodb';
import { sleep } from '../clock';
import { EnvironmentDeletion } from './environment-deletion';
import { newId } from '../ids';
import { createLogger } from '../telemetry/logging';
import { connectMongo } from '../mongo/mongo';
import { SimulatedCrash } from '../testing/crash';

interface Note {
  readonly _id: string;
  readonly environmentId: string;
  readonly live?: boolean;
}

const minuteMs = 60_000;
const endOfTime = new Date(8.64e15);
const start = new Date('2026-01-01T00:00:00.000Z');
const inAMinute = new Date(start.getTime() + minuteMs);

let mongo: Awaited<ReturnType<typeof connectMongo>>;
let now = start;
/** Counts down on each read of the clock; at 0 the deletion's time runs out. */
let clockReadsLeft = Infinity;
const clock = {
  now: () => {
    clockReadsLeft -= 1;
    return clockReadsLeft < 0 ? endOfTime : now;
  },
};
const logger = createLogger({ service: 'test', level: 'silent', file: undefined });

/** A process of a service. */
async function aProcess(db = mongo.db): Promise<EnvironmentDeletion> {
  const deletion = new EnvironmentDeletion(db, {
    clock,
    logger,
    keeps: ['kept'],
    last: 'anchors',
  });
  await deletion.ensureIndexes();
  await deletion.refresh();
  return deletion;
}

const collections = ['anchors', 'kept', 'notes', 'remarks'] as const;
const collectionOf = (name: string) => mongo.db.collection<Note>(name);

async function write(environmentId: string, count = 1): Promise<void> {
  for (const name of collections) {
    const made = Array.from({ length: count }, () => ({ _id: newId(), environmentId }));
    await collectionOf(name).insertMany(made);
  }
}

async function countsOf(environmentId: string): Promise<Record<string, number>> {
  const counted = collections.map(async (name) => [
    name,
    (await collectionOf(name).find({ environmentId }).toArray()).length,
  ]);
  return Object.fromEntries(await Promise.all(counted)) as Record<string, number>;
}

beforeAll(async () => {
  mongo = await connectMongo({
    uri: process.env.MONGODB_URI ?? '',
    database: `t_${newId().replaceAll('-', '').slice(-12)}_deletion`,
    service: 'test',
  });
});

afterAll(async () => {
  await mongo.db.dropDatabase();
  await mongo.close();
});

beforeEach(() => {
  now = start;
  clockReadsLeft = Infinity;
});

/** The database with its collections wrapped. */
function withCollections(wrap: (collection: Collection) => Collection): Db {
  return new Proxy(mongo.db, {
    get: (db, name) => {
      const value: unknown = Reflect.get(db, name, db);
      if (name === 'collection') return (one: string) => wrap(db.collection(one));
      return typeof value === 'function' ? (value.bind(db) as unknown) : value;
    },
  });
}

/** The database with deletions of documents passed through `act`. */
function deletingBy(act: (run: () => Promise<unknown>, filter: object) => Promise<unknown>): Db {
  return withCollections(
    (collection) =>
      new Proxy(collection, {
        get: (one, name) => {
          const value: unknown = Reflect.get(one, name, one);
          if (typeof value !== 'function') return value;
          if (name !== 'deleteMany') return value.bind(one) as unknown;
          return (filter: object) => act(() => one.deleteMany(filter), filter);
        },
      }),
  );
}

const nothing = { anchors: 0, kept: 1, notes: 0, remarks: 0 };

describe('the deletion of an environment', () => {
  test('removes all its documents in any number of batches, and nothing of another environment', async () => {
    const [deleted, other] = [newId(), newId()];
    await write(deleted, 501);
    await write(other);
    const deletion = await aProcess();
    expect(await deletion.delete(deleted, { until: endOfTime })).toBe(true);
    expect(await countsOf(deleted)).toEqual({ ...nothing, kept: 501 });
    expect(await countsOf(other)).toEqual({ anchors: 1, kept: 1, notes: 1, remarks: 1 });
    expect([deletion.isDeleted(deleted), deletion.isDeleted(other)]).toEqual([true, false]);
  });

  test('removes documents that name it only in their key', async () => {
    const [deleted, other] = [newId(), newId()];
    const keys = mongo.db.collection<{ readonly _id: string }>('keys');
    const endings = ['', ':customer', '!1:event', '~1:event', '#meter:event'];
    await keys.insertMany(
      [deleted, other].flatMap((id) => endings.map((end) => ({ _id: id + end }))),
    );
    const deletion = await aProcess();
    expect(await deletion.delete(deleted, { until: endOfTime })).toBe(true);
    const left = await keys.find({}).toArray();
    expect(new Set(left.map(({ _id }) => _id))).toEqual(new Set(endings.map((end) => other + end)));
    await keys.drop();
  });

  test('that runs out of time reports it, and the next call resumes it', async () => {
    const id = newId();
    await write(id);
    const deletion = await aProcess();
    // One read of the clock for the tombstone, one for the first collection.
    clockReadsLeft = 2;
    expect(await deletion.delete(id, { until: inAMinute })).toBe(false);
    clockReadsLeft = Infinity;
    expect((await countsOf(id)).anchors).toBe(1);
    expect(await deletion.delete(id, { until: inAMinute })).toBe(true);
    expect(await countsOf(id)).toEqual(nothing);
  });

  test('whose process died in the middle is completed by the sweep of another process', async () => {
    const id = newId();
    await write(id);
    const dying = await aProcess();
    clockReadsLeft = 2;
    await dying.delete(id, { until: inAMinute });
    clockReadsLeft = Infinity;
    const heir = await aProcess();
    expect(heir.isDeleted(id)).toBe(true);
    await heir.sweep(new AbortController().signal);
    expect((await countsOf(id)).anchors).toBe(1);
    now = new Date(start.getTime() + minuteMs);
    await heir.sweep(new AbortController().signal);
    expect(await countsOf(id)).toEqual(nothing);
  });

  test('removes late writes of calls in flight, until the tombstone is removed after a week', async () => {
    const id = newId();
    await write(id);
    const deletion = await aProcess();
    await deletion.delete(id, { until: endOfTime });
    for (const minutes of [1, 3, 13, 31]) {
      await collectionOf('notes').insertOne({ _id: newId(), environmentId: id });
      now = new Date(start.getTime() + minutes * minuteMs);
      await deletion.sweep(new AbortController().signal);
      expect([minutes, await countsOf(id), deletion.isDeleted(id)]).toEqual([
        minutes,
        nothing,
        true,
      ]);
    }
    now = new Date(start.getTime() + 8 * 24 * 60 * minuteMs);
    await deletion.sweep(new AbortController().signal);
    expect(deletion.isDeleted(id)).toBe(false);
  });

  test('is detected by a replica that reads the tombstones', async () => {
    const id = newId();
    const [one, replica] = [await aProcess(), await aProcess()];
    await one.delete(id, { until: endOfTime });
    expect(replica.isDeleted(id)).toBe(false);
    await replica.refresh();
    expect(replica.isDeleted(id)).toBe(true);
  });

  test('of a live environment is refused before anything is written', async () => {
    const id = newId();
    await write(id);
    await collectionOf('anchors').insertOne({ _id: id, environmentId: id, live: true });
    const deletion = await aProcess();
    await expect(deletion.delete(id, { until: endOfTime })).rejects.toMatchObject({
      kind: 'failed_precondition',
      reason: 'ENVIRONMENT_IS_LIVE',
    });
    expect(await countsOf(id)).toEqual({ anchors: 2, kept: 1, notes: 1, remarks: 1 });
    expect(deletion.isDeleted(id)).toBe(false);
    expect(await mongo.db.collection<Note>('deletedEnvironments').findOne({ _id: id })).toBeNull();
  });

  test('never removes a live document from any collection', async () => {
    const id = newId();
    await write(id, 3);
    const live = { _id: newId(), environmentId: id, live: true };
    await collectionOf('notes').insertOne(live);
    const deletion = await aProcess();
    await expect(deletion.delete(id, { until: endOfTime })).rejects.toMatchObject({
      reason: 'ENVIRONMENT_IS_LIVE',
    });
    expect(await collectionOf('notes').findOne({ _id: live._id })).toEqual(live);
  });

  test('runs for at most two environments concurrently', async () => {
    const ids = Array.from({ length: 5 }, () => newId());
    for (const id of ids) await write(id);
    let [running, mostRunning] = [0, 0];
    const two = Promise.withResolvers<undefined>();
    const db = deletingBy(async (run) => {
      running += 1;
      mostRunning = Math.max(mostRunning, running);
      if (running === 2) two.resolve(undefined);
      await two.promise;
      await sleep(20);
      const answer = await run();
      running -= 1;
      return answer;
    });
    const deletion = await aProcess(db);
    const deletions = ids.map((id) => deletion.delete(id, { until: endOfTime }));
    expect(await Promise.all(deletions)).toEqual(ids.map(() => true));
    expect(mostRunning).toBe(2);
    for (const id of ids) expect(await countsOf(id)).toEqual(nothing);
  });

  test('ends after the current batch when the process stops, and so do waiting deletions', async () => {
    const ids = Array.from({ length: 3 }, () => newId());
    for (const id of ids) await write(id, 501);
    const reached = Promise.withResolvers<undefined>();
    const stopped = Promise.withResolvers<undefined>();
    const db = deletingBy(async (run) => {
      reached.resolve(undefined);
      await stopped.promise;
      return run();
    });
    const deletion = await aProcess(db);
    const deletions = ids.map((id) => deletion.delete(id, { until: endOfTime }));
    await reached.promise;
    deletion.stop();
    stopped.resolve(undefined);
    expect(await Promise.all(deletions)).toEqual([false, false, false]);
    const left = await Promise.all(ids.map(async (id) => (await countsOf(id)).anchors));
    expect(left).toEqual([501, 501, 501]);
    const heir = await aProcess();
    for (const id of ids) expect(await heir.delete(id, { until: endOfTime })).toBe(true);
    for (const id of ids) expect(await countsOf(id)).toEqual({ ...nothing, kept: 501 });
  });

  test('that fails for one environment does not block the sweep of others', async () => {
    const ids = Array.from({ length: 4 }, () => newId());
    const [broken = ''] = ids;
    const db = deletingBy((run, filter) =>
      JSON.stringify(filter).includes(broken) ? Promise.reject(new Error('Broken')) : run(),
    );
    const deletion = await aProcess(db);
    for (const id of ids.slice(1)) await deletion.delete(id, { until: endOfTime });
    await deletion.delete(broken, { until: endOfTime }).catch(() => undefined);
    for (const id of ids) await write(id);
    now = new Date(start.getTime() + minuteMs);
    await deletion.sweep(new AbortController().signal);
    for (const id of ids.slice(1)) expect(await countsOf(id)).toEqual(nothing);
    expect((await countsOf(broken)).anchors).toBe(1);
    const heir = await aProcess();
    now = new Date(start.getTime() + 2 * minuteMs);
    await heir.sweep(new AbortController().signal);
    expect(await countsOf(broken)).toEqual(nothing);
  });

  // The step never returns, before or after it was executed: the state that a killed process
  // leaves.
  test('killed before or after each of its steps is completed by another process', async () => {
    // The tombstone, and two batches of three collections.
    const stepsMax = 7;
    let reached = 0;
    for (let step = 0; step < stepsMax; step += 1) {
      for (const side of ['before', 'after'] as const) {
        now = start;
        const id = newId();
        await write(id, 501);
        const killer = new SimulatedCrash(step, side);
        const db = withCollections((collection) =>
          killer.wrap(collection, ['updateOne', 'deleteMany', 'deleteOne']),
        );
        const dying = await aProcess(db);
        const ended = dying.delete(id, { until: endOfTime });
        await Promise.race([killer.killed, ended]);
        if (killer.isDead) reached += 1;
        const heir = await aProcess();
        // Without a tombstone identity retries its command; with one the sweep is enough.
        if (!heir.isDeleted(id)) await heir.delete(id, { until: endOfTime });
        now = new Date(start.getTime() + minuteMs);
        await heir.sweep(new AbortController().signal);
        expect([step, side, await countsOf(id)]).toEqual([step, side, { ...nothing, kept: 501 }]);
      }
    }
    expect(reached).toBe(2 * stepsMax);
  });
});
