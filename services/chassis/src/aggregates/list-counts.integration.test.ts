import fc from 'fast-check';
import { Collection } from 'mongodb';
import type { AggregateDefinition, AggregateDocument } from './aggregate';
import { AggregateCollection } from './aggregate-collection';
import type { Tenant } from '../grpc/call-context';
import { newId } from '../ids';
import { connectMongo, type MongoConnection } from '../mongo/mongo';
import { testTenant } from '../testing/testing';
import { TestClock } from '../testing/test-clock';

type Documents = Collection<AggregateDocument>;

interface Note {
  readonly id: string;
  readonly isHidden: boolean;
  readonly color: string;
}

const definition: AggregateDefinition<Note> = {
  collection: 'notes',
  aggregate: 'note',
  resource: 'Note',
  fixedFields: ['isHidden'],
  toDocument: ({ isHidden, color }) => ({ isHidden, color }),
  fromDocument: ({ _id, isHidden, color }) => ({
    id: _id,
    isHidden: isHidden as boolean,
    color: color as string,
  }),
};

const minuteMs = 60_000;
// More than the maximum that is counted for every list.
const many = 1_100;

let mongo: MongoConnection;

beforeAll(async () => {
  mongo = await connectMongo({
    uri: process.env.MONGODB_URI ?? '',
    database: `t_${newId().replaceAll('-', '').slice(-12)}_counts`,
    service: 'test',
  });
  await new Replica(testTenant(), new TestClock()).notes.ensureIndexes();
});

afterAll(async () => {
  await mongo.db.dropDatabase();
  await mongo.close();
});

/** A replica of the service that works in one environment. */
class Replica {
  readonly notes: AggregateCollection<Note>;
  private readonly counts: jest.Mock<
    Promise<number>,
    Parameters<Documents['countDocuments']>,
    Documents
  >;

  constructor(
    private readonly tenant: Tenant,
    private readonly clock: TestClock,
  ) {
    const dependencies = { clock };
    this.notes = new AggregateCollection(mongo.db, definition, dependencies);
    const count: Documents['countDocuments'] = Reflect.get(Collection.prototype, 'countDocuments');
    this.counts = jest.fn(function (this: Documents, ...args) {
      return count.apply(this, args);
    });
    this.notes.documents.countDocuments = this.counts;
  }

  async write(fields: Partial<Note> = {}): Promise<string> {
    const state = { id: newId(), isHidden: false, color: 'red', ...fields };
    await this.store().insert({ state, events: [], commands: [] });
    return state.id;
  }

  async change(id: string, fields: Partial<Note>): Promise<void> {
    const decide = (note: Note) => ({ state: { ...note, ...fields }, events: [], commands: [] });
    await this.store().mutate(id, decide);
  }

  /** Copies the newest document, with a creation time this many minutes ago. */
  async copy(count: number, minutesAgo = 0): Promise<void> {
    const { environmentId } = this.tenant;
    const found = await this.notes.documents.findOne({ environmentId });
    const createdAt = new Date(this.clock.now().getTime() - minutesAgo * minuteMs);
    const document = { ...found, createdAt } as AggregateDocument;
    const copies = Array.from({ length: count }, () => ({ ...document, _id: newId() }));
    await this.notes.documents.insertMany(copies);
  }

  /** Returns the total of a list and the numbers of documents counted for it and after it. */
  async list(filter = {}): Promise<{ total: number; counted: number }> {
    this.counts.mockClear();
    const { total } = await this.store().list({ filter, page: 1, perPage: 1 });
    await this.notes.listCounts.idle();
    const outcomes = await Promise.allSettled(
      this.counts.mock.results.map(({ value }) => value as Promise<number>),
    );
    const counted = outcomes.map((one) => (one.status === 'fulfilled' ? one.value : 0));
    return { total, counted: counted.reduce((sum, count) => sum + count, 0) };
  }

  async total(filter = {}): Promise<number> {
    return (await this.list(filter)).total;
  }

  /** Makes the count after the next one fail. */
  failSecondCount(): void {
    const count = this.counts.getMockImplementation();
    if (count === undefined) throw new Error('Nothing counts');
    this.counts.mockImplementationOnce(count);
    this.counts.mockImplementationOnce(() => Promise.reject(new Error('Lost')));
  }

  recount(filter = {}): Promise<number> {
    const { environmentId } = this.tenant;
    return mongo.db.collection('notes').countDocuments({ ...filter, environmentId });
  }

  private store() {
    return this.notes.within({ tenant: this.tenant, now: this.clock.now() });
  }
}

/** Opens two replicas with many notes that are an hour old. */
async function open(tenantFields: Partial<Tenant> = {}, { copies = many - 1 } = {}) {
  const tenant = testTenant(tenantFields);
  const clock = new TestClock();
  const replicas = [new Replica(tenant, clock), new Replica(tenant, clock)] as const;
  await replicas[0].write();
  await replicas[0].copy(copies);
  clock.wait(60);
  return { clock, tenant, one: replicas[0], other: replicas[1], replicas };
}

type Step =
  | { readonly kind: 'write' | 'list' | 'copy'; readonly by: number }
  | { readonly kind: 'wait'; readonly minutes: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('write' as const), by: fc.nat(1) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('list' as const), by: fc.nat(1) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('copy' as const), by: fc.nat(1) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('wait' as const),
      minutes: fc.constantFrom(-20, -3, 0.5, 2, 4, 6, 11, 60),
    }),
  },
);

describe('the total of a list', () => {
  test('equals a full count, whichever replica writes and lists, and however the clock moves', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 15, maxLength: 30 }), async (steps) => {
        const { clock, replicas } = await open();
        for (const one of steps) {
          if (one.kind === 'wait') {
            clock.wait(one.minutes);
            // A clock that goes back is detected by replicas that list before it is right again.
            if (one.minutes < 0) for (const replica of replicas) await replica.list();
            continue;
          }
          const replica = replicas[one.by === 0 ? 0 : 1];
          if (one.kind === 'write') await replica.write();
          if (one.kind === 'copy') await replica.copy(many);
          if (one.kind === 'list') expect(await replica.total()).toBe(await replica.recount());
        }
        for (const replica of replicas) expect(await replica.total()).toBe(await replica.recount());
      }),
      { numRuns: 6 },
    );
  });

  test('costs as much as was written in the last minutes, however long the list is', async () => {
    const { clock, one, other } = await open();
    await one.list();
    expect(await one.list()).toEqual({ total: many, counted: 0 });
    clock.wait(1);
    for (const writer of [one, other, other]) await writer.write();
    expect(await one.list()).toEqual({ total: many + 3, counted: 3 });

    // Another replica knows only what it has counted itself.
    expect(await other.total()).toBe(many + 3);
    expect(await other.list()).toEqual({ total: many + 3, counted: 3 });
  });

  test('costs little again once a burst of new documents is some minutes old', async () => {
    const { clock, one } = await open();
    await one.copy(many, 2);
    await one.list();
    expect(await one.list()).toEqual({ total: 2 * many, counted: many });
    clock.wait(4);
    // Counted for the list, and once more for the cache; older documents are not counted again.
    expect(await one.list()).toEqual({ total: 2 * many, counted: 2 * many });
    expect(await one.list()).toEqual({ total: 2 * many, counted: 0 });
  });

  test('is right again within ten minutes of a write that landed long after its decision', async () => {
    const { clock, one, other } = await open();
    for (const replica of [one, other]) await replica.list();
    await one.copy(1, 30);
    clock.wait(6);
    // The count is refreshed during the first list, for the next one.
    await one.list();
    expect(await one.total()).toBe(many + 1);
    clock.wait(4);
    // No list was requested since: counted again immediately.
    expect(await other.total()).toBe(many + 1);
  });

  test('is right again within ten minutes of a step of the clock that no replica detected', async () => {
    const { clock, one } = await open();
    await one.list();
    clock.wait(-30);
    await one.write();
    clock.wait(30);
    expect(await one.total()).toBe(many);
    clock.wait(10);
    expect(await one.total()).toBe(many + 1);
  });

  test('is exact even if refreshing the cache fails', async () => {
    const { one } = await open();
    one.failSecondCount();
    const [first, second] = [await one.list(), await one.list()];
    expect([first, second]).toEqual([
      { total: many, counted: many },
      { total: many, counted: 2 * many },
    ]);
    expect(await one.list()).toEqual({ total: many, counted: 0 });
  });

  test('of a short list is counted each time, and nothing else is', async () => {
    const { clock, one } = await open({}, { copies: 99 });
    for (const minutes of [1, 3, 7, 20]) {
      expect(await one.list()).toEqual({ total: 100, counted: 100 });
      clock.wait(minutes);
    }
  });

  test('is counted in full under a manual clock', async () => {
    const { clock, one } = await open({ manualClock: true });
    for (const minutes of [1, 20]) {
      expect(await one.list()).toEqual({ total: many, counted: many });
      clock.wait(minutes);
    }
    clock.wait(-120);
    await one.write();
    clock.wait(240);
    expect(await one.total()).toBe(many + 1);
  });

  test('is cached for filters on fixed fields, separately for each filter and environment', async () => {
    const { clock, one } = await open();
    const { one: elsewhere } = await open();
    await one.write({ isHidden: true });
    clock.wait(30);
    for (const filter of [{}, { isHidden: false }]) await one.list(filter);
    await elsewhere.list();
    expect(await one.list()).toEqual({ total: many + 1, counted: 0 });
    expect(await one.list({ isHidden: false })).toEqual({ total: many, counted: 0 });
    expect(await one.list({ isHidden: true })).toEqual({ total: 1, counted: 1 });
    expect(await elsewhere.list()).toEqual({ total: many, counted: 0 });
  });

  test('is counted in full for a filter on fields that change', async () => {
    const { clock, one } = await open();
    const id = await one.write();
    clock.wait(30);
    for (const color of ['red', 'blue', 'red']) {
      await one.change(id, { color });
      const total = color === 'red' ? many + 1 : many;
      expect(await one.list({ color: 'red' })).toEqual({ total, counted: total });
    }
    const bothOf = { isHidden: false, color: { $in: ['red'] } };
    expect(await one.list(bothOf)).toMatchObject({ counted: many + 1 });
  });

  test('relies on fixed fields: no decision can change them', async () => {
    const { one } = await open({}, { copies: 1 });
    const id = await one.write();
    await expect(one.change(id, { isHidden: true })).rejects.toThrow('isHidden of note');
    expect(await one.total({ isHidden: false })).toBe(3);
  });
});
