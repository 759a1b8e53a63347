import fc from 'fast-check';
import { openActivity } from './activity';
import type { AggregateDefinition } from './aggregate';
import { AggregateCollection } from './aggregate-collection';
import type { Clock } from './clock';
import { newId } from './ids';
import { connectMongo } from './mongo';
import { RunningTotals, type TotalsDefinition } from './running-totals';
import { testTenant } from './testing';
import { type Counts, TotalsSum } from './totals';

// A parcel is sent and may arrive; how many did both is added up by the place that they were sent from.

interface Parcel {
  readonly id: string;
  readonly from: string;
  readonly weight: bigint;
  readonly hasArrived: boolean;
}

const minuteMs = 60_000;
const places = ['a', 'b'];

const parcelDefinition: AggregateDefinition<Parcel> = {
  collection: 'parcels',
  aggregate: 'parcel',
  resource: 'Parcel',
  toDocument: ({ id: _id, ...rest }) => rest,
  fromDocument: (document) => ({
    id: document._id,
    from: document.from as string,
    weight: document.weight as bigint,
    hasArrived: document.hasArrived as boolean,
  }),
  milestones: ({ hasArrived }) => (hasArrived ? ['SENT', 'ARRIVED'] : ['SENT']),
};

// The driver gives a small number as it finds it.
const sent = (weight: unknown): Counts => ({ sent: 1n, weight: BigInt(weight as bigint | number) });

const totalsDefinition: TotalsDefinition = {
  collection: 'parcelTotals',
  revision: 1,
  fields: ['from', 'weight'],
  addendsOf: ({ from, weight }, milestone) => [
    { row: from as string, counts: milestone === 'SENT' ? sent(weight) : { arrived: 1n } },
  ],
};

/** Real time as the test has it. */
class TestClock implements Clock {
  constructor(public at = new Date('2026-01-31T00:00:00Z')) {}

  now(): Date {
    return this.at;
  }

  wait(minutes: number): void {
    this.at = new Date(this.at.getTime() + minutes * minuteMs);
  }
}

let mongo: Awaited<ReturnType<typeof connectMongo>>;

beforeAll(async () => {
  const database = `t_${newId().replaceAll('-', '').slice(-12)}_totals`;
  mongo = await connectMongo({ uri: process.env.MONGODB_URI ?? '', database, service: 'test' });
  await collectionOf(new TestClock()).ensureIndexes();
});

afterAll(async () => {
  await mongo.db.dropDatabase();
  await mongo.close();
});

function collectionOf(clock: Clock): AggregateCollection<Parcel> {
  return new AggregateCollection(mongo.db, parcelDefinition, {
    clock,
    activity: openActivity(mongo.db),
  });
}

/** A replica of a service in an environment, with its own clock where it is given one. */
function replica(tenant: ReturnType<typeof testTenant>, clock: TestClock, changes = {}) {
  const parcels = collectionOf(clock);
  const totals = new RunningTotals(mongo.db, parcels, { ...totalsDefinition, ...changes }, clock);
  const store = () => parcels.within({ tenant, now: clock.now() });
  const { reachMilestone } = parcels;
  return {
    totals,
    read: async () => Object.fromEntries(await totals.read(tenant)),
    /** As it does every minute, whatever there is to do. */
    lookAtClock: () => totals.keepUp(AbortSignal.abort()),
    keep: () => totals.keep(tenant.environmentId, clock.now()),
    /** What its next write does around itself. */
    around: (writer: <T>(write: () => Promise<T>) => Promise<T>) => {
      parcels.reachMilestone = (milestone, write) => {
        parcels.reachMilestone = reachMilestone;
        return reachMilestone(milestone, () => writer(write));
      };
    },
    send: async (from: string, weight = 1n) => {
      const state = { id: newId(), from, weight, hasArrived: false };
      await store().insert({ state, events: [], commands: [] });
      return state.id;
    },
    arrive: (id: string) =>
      store().mutate(id, (state) => ({
        state: { ...state, hasArrived: true },
        events: [],
        commands: [],
      })),
  };
}

const documents = () => mongo.db.collection('parcels');

async function recount(environmentId: string) {
  const sum = new TotalsSum();
  for (const { from, weight, hasArrived } of await documents().find({ environmentId }).toArray()) {
    sum.add({ row: from as string, counts: sent(weight) });
    if (hasArrived === true) sum.add({ row: from as string, counts: { arrived: 1n } });
  }
  return Object.fromEntries(sum.totals());
}

type Step =
  | { readonly kind: 'send'; readonly from: string; readonly weight: bigint }
  | { readonly kind: 'arrive'; readonly which: number }
  | { readonly kind: 'wait'; readonly minutes: number }
  | { readonly kind: 'stall'; readonly minutes: number }
  | { readonly kind: 'keep'; readonly by: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    kind: fc.constant('send' as const),
    from: fc.constantFrom(...places),
    weight: fc.bigInt(-(2n ** 60n), 2n ** 60n),
  }),
  fc.record({ kind: fc.constant('arrive' as const), which: fc.nat(20) }),
  fc.record({
    kind: fc.constant('wait' as const),
    minutes: fc.constantFrom(-20, -5, 1, 3, 5, 10, 60),
  }),
  fc.record({ kind: fc.constant('stall' as const), minutes: fc.constantFrom(3, 5, 30) }),
  fc.record({ kind: fc.constant('keep' as const), by: fc.nat(1) }),
);

describe('running totals', () => {
  test('are those of a recount at every moment, whatever the clock does and whoever stalls', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 15, maxLength: 30 }), async (steps) => {
        const tenant = testTenant();
        const clock = new TestClock();
        const replicas = [replica(tenant, clock), replica(tenant, clock)] as const;
        const sent: string[] = [];
        for (const one of steps) {
          for (const { lookAtClock } of replicas) await lookAtClock();
          const here = replicas[one.kind === 'keep' && one.by === 1 ? 1 : 0];
          if (one.kind === 'wait') clock.wait(one.minutes);
          if (one.kind === 'keep') await here.keep();
          if (one.kind === 'stall') {
            here.around(async (write) => {
              clock.wait(one.minutes);
              await replicas[1].keep();
              return write();
            });
          }
          if (one.kind === 'send') sent.push(await here.send(one.from, one.weight));
          if (one.kind === 'arrive' && sent.length > 0) {
            await here.arrive(sent[one.which % sent.length] ?? '');
          }
          expect(await replicas[1].read()).toEqual(await recount(tenant.environmentId));
        }
      }),
      { numRuns: 8 },
    );
  });

  test('need nothing any more of what is kept', async () => {
    const tenant = testTenant();
    const clock = new TestClock();
    const { send, arrive, read, totals } = replica(tenant, clock);
    const id = await send('a', 5n);
    clock.wait(20);
    await totals.keepUp();
    await arrive(id);
    clock.wait(20);
    await totals.keepUp();
    const { environmentId } = tenant;
    await documents().deleteMany({ environmentId });
    expect(await read()).toEqual({ a: { sent: 1n, weight: 5n, arrived: 1n } });
  });

  test('count what lands minutes after its decision, when later ones are kept already', async () => {
    const tenant = testTenant();
    const clock = new TestClock();
    const { send, keep, read } = replica(tenant, clock);
    await send('a');
    const { environmentId } = tenant;
    const [late] = await documents().find({ environmentId }).toArray();
    await documents().deleteMany({ environmentId });
    clock.wait(3);
    await send('b');
    await keep();
    clock.wait(0.5);
    await keep();
    await documents().insertOne({ ...late });
    expect(await read()).toEqual(await recount(environmentId));
    clock.wait(10);
    await keep();
    expect(await read()).toEqual(await recount(environmentId));
  });

  test('count what a process writes that stood still for long after its decision', async () => {
    const tenant = testTenant();
    const clock = new TestClock();
    const before = new TestClock();
    const { send, keep, read } = replica(tenant, clock);
    await send('a');
    clock.wait(20);
    await keep();
    // Its decisions bear the time of twenty minutes ago; what it writes stands there only now.
    const stood = collectionOf(before);
    const totals = new RunningTotals(mongo.db, stood, totalsDefinition, clock);
    const state = { id: newId(), from: 'b', weight: 1n, hasArrived: false };
    await stood.within({ tenant, now: clock.now() }).insert({ state, events: [], commands: [] });
    expect(await read()).toEqual(await recount(tenant.environmentId));
    await totals.keep(tenant.environmentId, clock.now());
    expect(await read()).toEqual(await recount(tenant.environmentId));
  });

  test('count what is reached after the clock went back, and after it is right again', async () => {
    const tenant = testTenant();
    const clock = new TestClock();
    const { send, keep, read } = replica(tenant, clock);
    for (const _ of places) await send('a');
    const first = await send('a');
    clock.wait(20);
    await keep();
    clock.wait(-15);
    await send('a');
    const { arrive } = replica(tenant, clock);
    await arrive(first);
    const all = { a: { sent: 4n, weight: 4n, arrived: 1n } };
    expect(await read()).toEqual(all);
    clock.wait(60);
    expect(await read()).toEqual(all);
    await keep();
    expect(await replica(tenant, clock).read()).toEqual(all);
  });

  test('count what one reaches after the clock went back and another had kept them', async () => {
    const tenant = testTenant();
    const clock = new TestClock();
    const [writer, keeper] = [replica(tenant, clock), replica(tenant, clock)];
    await writer.send('a');
    clock.wait(20);
    await writer.lookAtClock();
    await keeper.keep();
    clock.wait(-5);
    await writer.send('a');
    clock.wait(60);
    expect(await keeper.read()).toEqual({ a: { sent: 2n, weight: 2n } });
  });

  test('trust no sums of a clock that is ahead', async () => {
    const tenant = testTenant();
    const [clock, ahead] = [new TestClock(), new TestClock()];
    ahead.wait(24 * 60);
    const { send, read, totals } = replica(tenant, clock);
    await send('a');
    clock.wait(20);
    await replica(tenant, ahead).keep();
    await send('a');
    expect(await read()).toEqual({ a: { sent: 2n, weight: 2n } });
    clock.wait(20);
    await totals.keepUp();
    clock.wait(48 * 60);
    expect(await read()).toEqual({ a: { sent: 2n, weight: 2n } });
  });

  // A process stands still and is killed before what it would do next; others keep up all the time.
  test.each(['before its write', 'after its write'])(
    'are right again after a stall and a kill %s',
    async (point) => {
      const tenant = testTenant();
      const clock = new TestClock();
      const [killed, other] = [replica(tenant, clock), replica(tenant, clock)];
      await other.send('a');
      clock.wait(20);
      await other.totals.keepUp();
      const stalled = new Promise<void>((resolve) => {
        killed.around(async <T>(write: () => Promise<T>) => {
          await other.send('a');
          clock.wait(20);
          await other.totals.keepUp();
          if (point === 'after its write') await write();
          resolve();
          return new Promise<T>(() => undefined);
        });
      });
      void killed.send('b');
      await stalled;
      const all = await recount(tenant.environmentId);
      expect(Object.keys(all)).toEqual(point === 'after its write' ? ['a', 'b'] : ['a']);

      // Started again, it is asked once.
      const started = replica(tenant, clock);
      await started.read();
      await started.totals.keepUp();
      expect(await other.read()).toEqual(all);
    },
  );

  test('are right again within a day, though the process that was killed never comes back', async () => {
    const tenant = testTenant();
    const clock = new TestClock();
    const { send, keep, read, totals } = replica(tenant, clock);
    await send('a');
    const [late] = await documents().find({ environmentId: tenant.environmentId }).toArray();
    clock.wait(20);
    await keep();
    await documents().insertOne({ ...late, _id: newId() as never, from: 'b' });
    clock.wait(24 * 60);
    await read();
    await totals.keepUp();
    expect(await read()).toEqual(await recount(tenant.environmentId));
  });

  test('leave out what follows nothing that was noted', async () => {
    const tenant = testTenant();
    const clock = new TestClock();
    const { send, arrive, read } = replica(tenant, clock, { follows: { ARRIVED: 'SENT' } });
    await arrive(await send('a'));
    await arrive(await send('b'));
    const { environmentId } = tenant;
    await documents().updateOne(
      { environmentId, from: 'b' },
      { $unset: { 'milestones.SENT': '' } },
    );
    expect(await read()).toEqual({ a: { sent: 1n, weight: 1n, arrived: 1n } });
  });

  test('stay right where several keep them at once', async () => {
    const tenant = testTenant();
    const clock = new TestClock();
    const replicas = Array.from({ length: 4 }, () => replica(tenant, clock));
    for (let round = 0; round < 5; round += 1) {
      const sending = replicas.map(({ send }) => send('a', 3n));
      await Promise.all([...sending, ...replicas.map(({ keep }) => keep())]);
      clock.wait(7);
    }
    await Promise.all(replicas.map(({ keep }) => keep()));
    for (const { read } of replicas)
      expect(await read()).toEqual({ a: { sent: 20n, weight: 60n } });
  });

  test('of another environment are others', async () => {
    const clock = new TestClock();
    const [one, other] = [replica(testTenant(), clock), replica(testTenant(), clock)];
    await one.send('a');
    expect(await other.read()).toEqual({});
  });

  test('forget the rows that nobody asks for any more', async () => {
    const tenant = testTenant();
    const clock = new TestClock();
    const changes = { oldestRow: (newest: string) => (newest === 'c' ? 'b' : '') };
    const { send, keep, read } = replica(tenant, clock, changes);
    for (const place of ['a', 'b', 'c']) await send(place);
    expect(Object.keys(await read())).toEqual(['a', 'b', 'c']);
    clock.wait(20);
    await keep();
    expect(Object.keys(await read())).toEqual(['b', 'c']);
  });

  test('are counted anew when what is added up has changed', async () => {
    const tenant = testTenant();
    const clock = new TestClock();
    const { send, keep } = replica(tenant, clock);
    await send('a', 5n);
    clock.wait(20);
    await keep();
    const changed = replica(tenant, clock, {
      revision: 2,
      addendsOf: () => [{ row: 'all', counts: { parcels: 1n } }],
    });
    expect(await changed.read()).toEqual({ all: { parcels: 1n } });
    await changed.keep();
    expect(await changed.read()).toEqual({ all: { parcels: 1n } });
  });
});
