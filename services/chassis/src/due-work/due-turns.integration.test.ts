import type { AggregateDefinition } from '../aggregates/aggregate';
import { AggregateCollection } from '../aggregates/aggregate-collection';
import { systemClock } from '../clock';
import { newId } from '../ids';
import { connectMongo, type MongoConnection } from '../mongo/mongo';
import { dropTestDatabase, testServiceConfiguration, testTenant } from '../testing/testing';
import { turnMax } from './due-order';
import { DuePasses } from './due-pass';
import { dueInTurns } from './due-turns';

interface Alarm {
  readonly id: string;
  readonly at: Date;
}

const definition: AggregateDefinition<Alarm> = {
  collection: 'alarms',
  aggregate: 'alarm',
  resource: 'Alarm',
  toDocument: ({ at }) => ({ at }),
  fromDocument: ({ _id, at }) => ({ id: _id, at: at as Date }),
  dueAt: ({ at }) => ({ at, workClass: 'RENEWAL' }),
};

const configuration = testServiceConfiguration('due-turns');
const now = new Date('2026-12-31T00:00:00Z');
const minutesAgo = (minutes: number) => new Date(now.getTime() - minutes * 60_000);

describe('due documents of all environments', () => {
  let mongo: MongoConnection;
  let alarms: AggregateCollection<Alarm>;
  // Names of environments by their ids.
  let names: Map<string, string>;

  beforeAll(async () => {
    const { MONGODB_URI: uri, MONGODB_DATABASE: database } = configuration;
    mongo = await connectMongo({ uri, database, service: 'test' });
    alarms = new AggregateCollection(mongo.db, definition, { clock: systemClock });
    await alarms.ensureIndexes();
  });

  beforeEach(async () => {
    names = new Map();
    await alarms.documents.deleteMany({});
  });

  afterAll(async () => {
    await mongo.close();
    await dropTestDatabase(configuration);
  });

  async function setAlarms(name: string, count: number, at: Date, live = false): Promise<void> {
    const tenant = testTenant({ live });
    names.set(tenant.environmentId, name);
    const store = alarms.within({ tenant, now: minutesAgo(1_000) });
    const alarm = () => ({ state: { id: newId(), at }, events: [], commands: [] });
    await Promise.all(Array.from({ length: count }, () => store.insert(alarm())));
  }

  /** Returns the environments of the documents in the order of their visits. */
  async function visit({
    isOver = () => false,
    onVisit = async () => undefined,
  }: { isOver?: () => boolean; onVisit?: () => Promise<void> } = {}): Promise<string[]> {
    const documents = dueInTurns({
      collection: alarms as unknown as AggregateCollection<never>,
      field: 'dueAt',
      filter: { timeline: 'real' },
      now: () => now,
      isOver,
    });
    const ids = new Set<string>();
    const visited: string[] = [];
    for (;;) {
      const document = await documents.next();
      if (document === undefined) return visited;
      expect(ids).not.toContain(document._id);
      ids.add(document._id);
      visited.push(names.get(document.environmentId) ?? '');
      await onVisit();
    }
  }

  test('are visited live first, and a backlog of a sandbox leaves turns to the others', async () => {
    await setAlarms('large', 1_500, minutesAgo(100));
    await setAlarms('middle', 700, minutesAgo(90));
    await setAlarms('small', 7, minutesAgo(10));
    await setAlarms('live', 650, minutesAgo(5), true);
    const visited = await visit();
    expect(visited).toHaveLength(1_500 + 700 + 7 + 650);
    expect(visited.slice(0, 650).every((name) => name === 'live')).toBe(true);
    const sandboxes = visited.slice(650);
    expect(sandboxes.lastIndexOf('small')).toBeLessThan(2 * turnMax + 7);
    expect(sandboxes.lastIndexOf('middle')).toBeLessThan(3 * 700);
    sandboxes.slice(0, sandboxes.lastIndexOf('middle') - turnMax).forEach((_name, index) => {
      expect(new Set(sandboxes.slice(index, index + turnMax + 1)).size).toBeGreaterThan(1);
    });
  });

  test('that become due during a long pass are visited before its backlog', async () => {
    await setAlarms('large', 900, minutesAgo(100));
    let visits = 0;
    const visited = await visit({
      onVisit: async () => {
        visits += 1;
        // Longer in total than the interval at which the pass looks again.
        if (visits === 100) {
          await setAlarms('live', 3, minutesAgo(5), true);
          await setAlarms('small', 3, minutesAgo(5));
        }
        if (visits > 100 && visits <= 500) await new Promise((done) => setTimeout(done, 4));
      },
    });
    expect(visited).toHaveLength(906);
    expect(visited.lastIndexOf('live')).toBeLessThan(visited.lastIndexOf('large'));
    expect(visited.lastIndexOf('small')).toBeLessThan(visited.lastIndexOf('large'));
  });

  test.each([
    ['first', 100],
    ['later', 650],
  ])(
    'that are live do not wait until every sandbox has had its %s turn',
    async (_turns, dueAtVisit) => {
      for (let number = 1; number <= 12; number += 1) {
        await setAlarms(`sandbox ${String(number)}`, 110, minutesAgo(100));
      }
      let visits = 0;
      const visited = await visit({
        onVisit: async () => {
          visits += 1;
          if (visits === dueAtVisit) await setAlarms('live', 3, minutesAgo(5), true);
          // Longer in total than the interval at which the pass looks again.
          const isSlow = visits > dueAtVisit && visits <= dueAtVisit + 300;
          if (isSlow) await new Promise((done) => setTimeout(done, 5));
        },
      });
      expect(visited).toHaveLength(12 * 110 + 3);
      expect(visited.lastIndexOf('live')).toBeLessThan(dueAtVisit + 400);
    },
  );

  test('that are live are retried during the backlog of a sandbox, never while they are handled', async () => {
    await setAlarms('large', 1_200, minutesAgo(100));
    await setAlarms('live', 1, minutesAgo(5), true);
    let tries = 0;
    let isHandled = false;
    const documents = dueInTurns({
      collection: alarms as unknown as AggregateCollection<never>,
      field: 'dueAt',
      filter: { timeline: 'real' },
      now: () => now,
      isOver: () => false,
    });
    const passes = new DuePasses({
      handle: async ({ live }) => {
        if (!live) return new Promise((done) => setTimeout(done, 600));
        expect(isHandled).toBe(false);
        isHandled = true;
        tries += 1;
        await new Promise((done) => setTimeout(done, 10));
        isHandled = false;
        throw new Error('Fails, so the alarm stays due');
      },
      onFailure: (_document, error) => {
        expect(error).toMatchObject({ message: 'Fails, so the alarm stays due' });
      },
      signal: new AbortController().signal,
    });
    await passes.run(documents);
    expect(tries).toBeGreaterThan(1);
  });

  test('are visited no more once the pass is over', async () => {
    await setAlarms('one', 5, minutesAgo(5));
    let visits = 0;
    const onVisit = async () => {
      visits += 1;
    };
    expect(await visit({ onVisit, isOver: () => visits === 2 })).toHaveLength(2);
  });
});
