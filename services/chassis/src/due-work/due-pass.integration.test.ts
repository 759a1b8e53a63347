import type { AggregateDefinition } from '../aggregates/aggregate';
import { AggregateCollection } from '../aggregates/aggregate-collection';
import { systemClock } from '../clock';
import { DueDocuments } from './due-documents';
import { DuePasses, type PassOutcome } from './due-pass';
import { newId } from '../ids';
import { connectMongo } from '../mongo/mongo';
import { dropTestDatabase, testServiceConfiguration, testTenant } from '../testing/testing';

interface Alarm {
  readonly id: string;
  readonly at: Date | null;
}

const definition: AggregateDefinition<Alarm> = {
  collection: 'alarms',
  aggregate: 'alarm',
  resource: 'Alarm',
  toDocument: ({ at }) => ({ at }),
  fromDocument: ({ _id, at }) => ({ id: _id, at: at as Date | null }),
  dueAt: ({ at }) => (at === null ? undefined : { at, workClass: 'RENEWAL' }),
};

const configuration = testServiceConfiguration('due-pass');
const first = new Date('2026-01-01T00:00:00Z');
const until = new Date('2026-12-31T00:00:00Z');

describe('a pass over due documents', () => {
  let mongo: Awaited<ReturnType<typeof connectMongo>>;
  let alarms: AggregateCollection<Alarm>;
  const visits = new Map<string, number>();

  beforeAll(async () => {
    const { MONGODB_URI: uri, MONGODB_DATABASE: database } = configuration;
    mongo = await connectMongo({ uri, database, service: 'test' });
    const dependencies = { clock: systemClock };
    alarms = new AggregateCollection(mongo.db, definition, dependencies);
    await alarms.ensureIndexes();
  });

  beforeEach(async () => {
    visits.clear();
    await alarms.documents.deleteMany({});
  });

  afterAll(async () => {
    await mongo.close();
    await dropTestDatabase(configuration);
  });

  async function setAlarms(count: number, at: (index: number) => Date): Promise<string[]> {
    const store = alarms.within({ tenant: testTenant(), now: first });
    const ids = Array.from({ length: count }, newId);
    await Promise.all(
      ids.map((id, index) =>
        store.insert({ state: { id, at: at(index) }, events: [], commands: [] }),
      ),
    );
    return ids;
  }

  function pass(handle: (id: string) => Promise<void>): Promise<PassOutcome> {
    return passesWith(handle).run(allDue());
  }

  function passesWith(handle: (id: string) => Promise<void>): DuePasses {
    return new DuePasses({
      handle: ({ _id }) => {
        visits.set(_id, (visits.get(_id) ?? 0) + 1);
        return handle(_id);
      },
      onFailure: () => undefined,
      signal: new AbortController().signal,
    });
  }

  function allDue(): DueDocuments {
    return new DueDocuments({
      collection: alarms as unknown as AggregateCollection<never>,
      field: 'dueAt',
      until,
      filter: { timeline: 'real' },
    });
  }

  const switchOff = async (id: string): Promise<void> => {
    await alarms.documents.updateOne({ _id: id }, { $set: { dueAt: null } });
  };
  const minutesAfterFirst = (minutes: number) => new Date(first.getTime() + minutes * 60_000);

  test('reaches every document, even if many fail before it', async () => {
    const ids = await setAlarms(450, minutesAfterFirst);
    const good = new Set(ids.slice(-20));
    const outcome = await pass((id) =>
      good.has(id) ? switchOff(id) : Promise.reject(new Error('Broken')),
    );
    expect([outcome.handled, outcome.failures.length]).toEqual([20, 430]);
    expect([...visits.values()].every((count) => count === 1)).toBe(true);
  });

  test('visits a document that stays due once, and continues', async () => {
    await setAlarms(450, minutesAfterFirst);
    const outcome = await pass(() => Promise.resolve());
    expect(outcome.handled).toBe(450);
    expect([...visits.values()].every((count) => count === 1)).toBe(true);
  });

  test('reaches all of more than one batch of documents that are due at the same instant', async () => {
    const ids = await setAlarms(450, () => first);
    const stubborn = new Set(ids.slice(0, 230));
    const outcome = await pass((id) => (stubborn.has(id) ? Promise.resolve() : switchOff(id)));
    expect(outcome.handled).toBe(450);
    expect(visits.size).toBe(450);
  });

  test('ends before a handler that hangs, and the next one skips only its document', async () => {
    const [slow = ''] = await setAlarms(1, minutesAfterFirst);
    let finish = (): void => undefined;
    const hanging = new Promise<void>((resolve) => (finish = resolve));
    const passes = passesWith((id) => (id === slow ? hanging : switchOff(id)));
    expect(await passes.run(allDue(), 0)).toEqual({ handled: 0, failures: [] });
    const later = await setAlarms(3, minutesAfterFirst);
    expect(await passes.run(allDue(), 0)).toMatchObject({ failures: [] });
    expect(visits).toEqual(new Map([slow, ...later].map((id) => [id, 1])));
    finish();
    await passes.ended();
  });

  test('handles only due documents', async () => {
    await setAlarms(3, (index) => (index === 0 ? until : new Date(until.getTime() + index)));
    expect(await pass(switchOff)).toEqual({ handled: 1, failures: [] });
  });
});
