import type { Collection } from 'mongodb';
import type { AggregateDefinition } from '../aggregates/aggregate';
import { type AggregateCollection } from '../aggregates/aggregate-collection';
import { type Clock, systemClock } from '../clock';
import { newId } from '../ids';
import { connectMongo, duplicateKeyIndex, type MongoConnection } from '../mongo/mongo';
import { sliceCount, sliceOf } from '../replicas/slices';
import { startTracing } from '../telemetry/tracing';
import {
  dropTestDatabase,
  dropTestStream,
  emptyTestDatabase,
  eventually,
  testContext,
  testServiceConfiguration,
} from '../testing/testing';
import { type RunningService, Service } from './service';

interface Plan {
  readonly id: string;
  readonly dueAt: Date | undefined;
  readonly period: number;
  readonly periods: number;
  readonly periodMs: number;
}

const definition: AggregateDefinition<Plan> = {
  collection: 'plans',
  aggregate: 'plan',
  resource: 'Plan',
  toDocument: ({ dueAt, period, periods, periodMs }) => ({
    nextAt: dueAt ?? null,
    period,
    periods,
    periodMs,
  }),
  fromDocument: ({ _id, nextAt, period, periods, periodMs }) => ({
    id: _id,
    dueAt: (nextAt as Date | null) ?? undefined,
    period: Number(period),
    periods: Number(periods),
    periodMs: Number(periodMs),
  }),
  dueAt: ({ dueAt }) => (dueAt === undefined ? undefined : { at: dueAt, workClass: 'RENEWAL' }),
  encodeEvent: (event) => event.data,
};

/** Bill of one period of one plan; its natural key is its id, as with every peer. */
interface Bill {
  readonly _id: string;
}

interface Replica {
  readonly service: Service;
  readonly running: RunningService;
  readonly plans: AggregateCollection<Plan>;
  /** Ids of plans by kind of work, in the order of the work. */
  readonly done: Record<'wake' | 'bill', string[]>;
}

const count = 120;
const configuration = testServiceConfiguration('shared-work');
const { tenant } = testContext();
let mongo: MongoConnection;
let bills: Collection<Bill>;
let spans: string[];
let tracing: ReturnType<typeof startTracing>;
const replicas: Replica[] = [];

beforeAll(async () => {
  const onEnd = ({ name }: { name: string }) => spans.push(name);
  const none = { onStart: () => undefined, forceFlush: async () => {}, shutdown: async () => {} };
  tracing = startTracing({ spanProcessors: [{ ...none, onEnd }] });
  const { MONGODB_URI: uri, MONGODB_DATABASE: database } = configuration;
  mongo = await connectMongo({ uri, database, service: 'test' });
  // Created first: concurrent first inserts would each create it.
  bills = await mongo.db.createCollection<Bill>('bills');
});

beforeEach(() => {
  spans = [];
});

afterEach(async () => {
  for (const { running } of replicas.splice(0)) await running.stop();
  await emptyTestDatabase(mongo);
});

afterAll(async () => {
  await mongo.close();
  await dropTestDatabase(configuration);
  await tracing.shutdown();
  await dropTestStream(configuration);
});

async function startReplica(clock: Clock = systemClock): Promise<Replica> {
  const service = await Service.open('shared-work', configuration, { clock });
  const plans = service.aggregates(definition);
  const done: Replica['done'] = { wake: [], bill: [] };
  plans.handle({
    wake: async (id, context) => {
      done.wake.push(id);
      await plans.within(context).mutate(id, (plan, now) => {
        if (plan.dueAt === undefined || plan.dueAt > now) {
          return { state: plan, events: [], commands: [] };
        }
        const period = plan.period + 1;
        const dueAt =
          period < plan.periods ? new Date(plan.dueAt.getTime() + plan.periodMs) : undefined;
        return {
          state: { ...plan, period, dueAt },
          events: [{ type: 'plan.renewed', data: { period } }],
          commands: [{ type: 'bill', payload: { period } }],
        };
      });
    },
    commands: {
      bill: async ({ period }: { period: number }, { aggregateId }) => {
        done.bill.push(aggregateId);
        try {
          await bills.insertOne({ _id: `${aggregateId}/${String(period)}` });
        } catch (error) {
          if (duplicateKeyIndex(error) === undefined) throw error;
        }
      },
    },
  });
  const running = await service.serve([]);
  return { service, running, plans, done };
}

async function startReplicas(number: number, clocks: readonly Clock[] = []): Promise<void> {
  for (let index = 0; index < number; index += 1) replicas.push(await startReplica(clocks[index]));
}

async function untilShared(): Promise<void> {
  await eventually(() => {
    const sizes = replicas.map(({ service }) => slicesOf(service).length);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(sliceCount);
    expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1);
  });
}

function slicesOf({ slices }: Service): number[] {
  const filter = slices.filter();
  if (filter === undefined) return [];
  const every = Array.from({ length: sliceCount }, (_, slice) => slice);
  return every.filter((slice) => filter.slice?.$in.includes(slice) ?? true);
}

/** Stores plans that are due at one instant, by the first replica. */
async function storePlans({
  inMs,
  periods = 1,
  periodMs = 1_000,
}: {
  inMs: number;
  periods?: number;
  periodMs?: number;
}): Promise<string[]> {
  const now = systemClock.now();
  const ids = Array.from({ length: count }, () => newId());
  const dueAt = new Date(now.getTime() + inMs);
  const store = first().plans.within({ tenant, now });
  await Promise.all(
    ids.map((id) =>
      store.insert({
        state: { id, dueAt, period: 0, periods, periodMs },
        events: [],
        commands: [],
      }),
    ),
  );
  return ids;
}

async function untilQuiet(periods: number): Promise<void> {
  await eventually(
    async () => {
      expect(await bills.countDocuments()).toBe(count * periods);
      const { documents } = first().plans;
      const busy = { $or: [{ dueAt: { $ne: null } }, { pendingSince: { $ne: null } }] };
      expect(await documents.countDocuments(busy)).toBe(0);
    },
    { everyMs: 200 },
  );
}

function first(): Replica {
  const [one] = replicas;
  if (one === undefined) throw new Error('No replica');
  return one;
}

function spansNamed(name: string): number {
  return spans.filter((one) => one === name).length;
}

async function expectBilledOnce(ids: readonly string[], periods: number): Promise<void> {
  const expected = ids.flatMap((id) =>
    Array.from({ length: periods }, (_, index) => `${id}/${String(index + 1)}`),
  );
  const stored = await bills.find().toArray();
  expect(stored.map(({ _id }) => _id).toSorted()).toEqual(expected.toSorted());
  const { documents } = first().plans;
  expect(await documents.countDocuments({ period: periods })).toBe(ids.length);
}

describe.each([1, 2, 4])('%i replicas', (number) => {
  test('do the work of 120 documents due at one instant once, each that of its slices', async () => {
    await startReplicas(number);
    await untilShared();
    const ids = await storePlans({ inMs: 3_000 });
    await untilQuiet(1);
    // A retry may do one again; a replica that did the work of others would double all.
    for (const name of ['wake plan', 'command bill', 'publish shared-work.plan.renewed']) {
      expect(spansNamed(name)).toBeGreaterThanOrEqual(count);
      expect(spansNamed(name)).toBeLessThan(1.5 * count);
    }
    await expectBilledOnce(ids, 1);
    for (const { service, done } of replicas) {
      const own = ids.filter((id) => slicesOf(service).includes(sliceOf(id)));
      expect([...new Set(done.wake)].toSorted()).toEqual(own.toSorted());
      expect([...new Set(done.bill)].toSorted()).toEqual(own.toSorted());
    }
  });
});

test('a replica joins the others only once it can work, after all indexes are built', async () => {
  const service = await Service.open('shared-work', configuration);
  const indexed = jest.spyOn(service.deletion, 'refresh');
  const joined = jest.spyOn(service.slices, 'start');
  const running = await service.serve([]);
  await running.stop();
  const [indexedAt = Infinity] = indexed.mock.invocationCallOrder;
  const [joinedAt = 0] = joined.mock.invocationCallOrder;
  expect(indexedAt).toBeLessThan(joinedAt);
});

describe('two replicas', () => {
  test('take over from a third that is gone without a goodbye', async () => {
    const gone = { run: 'x', beat: 5, at: systemClock.now(), release: 'development' };
    await mongo.db.collection<{ _id: string }>('replicas').insertOne({ _id: 'gone', ...gone });
    await startReplicas(2);
    const ids = await storePlans({ inMs: 0 });
    await untilQuiet(1);
    await expectBilledOnce(ids, 1);
  });

  test('bill every period once if slices are wrong or missing, clocks differ and heartbeats are lost', async () => {
    const ahead: Clock = { now: () => new Date(systemClock.now().getTime() + 60_000) };
    await startReplicas(2, [systemClock, ahead]);
    await untilShared();
    const periods = 4;
    const ids = await storePlans({ inMs: 1_000, periods });
    const { documents } = first().plans;
    const heartbeats = mongo.db.collection<{ _id: string }>('replicas');
    // A slice may be wrong in any way; only that some replica reads it matters.
    for (const [index, id] of ids.entries()) {
      if (index % 3 === 0) await documents.updateOne({ _id: id }, { $unset: { slice: true } });
      if (index % 3 === 1) {
        await documents.updateOne({ _id: id }, { $set: { slice: index % sliceCount } });
      }
      if (index % 40 === 20) await heartbeats.deleteMany({});
      if (index % 40 === 30) await heartbeats.updateMany({}, { $set: { run: 'another' } });
    }
    await untilQuiet(periods);
    await expectBilledOnce(ids, periods);
  });
});
