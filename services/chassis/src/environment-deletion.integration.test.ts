import { EnvironmentDeletion } from './environment-deletion';
import { newId } from './ids';
import { createLogger } from './logging';
import { connectMongo } from './mongo';

interface Note {
  readonly _id: string;
  readonly environmentId: string;
}

const minuteMs = 60_000;
const endOfTime = new Date(8.64e15);
const start = new Date('2026-01-01T00:00:00.000Z');

let mongo: Awaited<ReturnType<typeof connectMongo>>;
let now = start;
/** Counts down with each question for the time, and lets the deletion's time run out at 0. */
let looksLeft = Infinity;
const clock = {
  now: () => {
    looksLeft -= 1;
    return looksLeft < 0 ? endOfTime : now;
  },
};
const logger = createLogger({ service: 'test', level: 'silent', file: undefined });

/** A process of a service. */
async function aProcess(): Promise<EnvironmentDeletion> {
  const deletion = new EnvironmentDeletion(mongo.db, {
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
  looksLeft = Infinity;
});

const nothing = { anchors: 0, kept: 1, notes: 0, remarks: 0 };

describe('the deletion of an environment', () => {
  test('takes all its documents in any number of batches, and nothing of another environment', async () => {
    const [deleted, other] = [newId(), newId()];
    await write(deleted, 501);
    await write(other);
    const deletion = await aProcess();
    expect(await deletion.delete(deleted, endOfTime)).toBe(true);
    expect(await countsOf(deleted)).toEqual({ ...nothing, kept: 501 });
    expect(await countsOf(other)).toEqual({ anchors: 1, kept: 1, notes: 1, remarks: 1 });
    expect([deletion.isDeleted(deleted), deletion.isDeleted(other)]).toEqual([true, false]);
  });

  test('that runs out of time says so, and is resumed by the next call', async () => {
    const id = newId();
    await write(id);
    const deletion = await aProcess();
    // One look at the clock for the tombstone, one for the first collection.
    looksLeft = 2;
    expect(await deletion.delete(id, new Date(start.getTime() + minuteMs))).toBe(false);
    looksLeft = Infinity;
    expect((await countsOf(id)).anchors).toBe(1);
    expect(await deletion.delete(id, new Date(start.getTime() + minuteMs))).toBe(true);
    expect(await countsOf(id)).toEqual(nothing);
  });

  test('whose process died in the middle is completed by the sweep of another process', async () => {
    const id = newId();
    await write(id);
    const dying = await aProcess();
    looksLeft = 2;
    await dying.delete(id, new Date(start.getTime() + minuteMs));
    looksLeft = Infinity;
    const heir = await aProcess();
    expect(heir.isDeleted(id)).toBe(true);
    await heir.sweep(new AbortController().signal);
    expect((await countsOf(id)).anchors).toBe(1);
    now = new Date(start.getTime() + minuteMs);
    await heir.sweep(new AbortController().signal);
    expect(await countsOf(id)).toEqual(nothing);
  });

  test('takes what a call in flight wrote late, until the tombstone goes after a week', async () => {
    const id = newId();
    await write(id);
    const deletion = await aProcess();
    await deletion.delete(id, endOfTime);
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

  test('is learned of by a replica that reads the tombstones', async () => {
    const id = newId();
    const [one, replica] = [await aProcess(), await aProcess()];
    await one.delete(id, endOfTime);
    expect(replica.isDeleted(id)).toBe(false);
    await replica.refresh();
    expect(replica.isDeleted(id)).toBe(true);
  });
});
