import fc from 'fast-check';
import { testTenant } from '../testing/testing';
import { Parcels, places } from '../testing/parcels';
import { TestClock } from '../testing/test-clock';

let parcels: Parcels;

beforeAll(async () => {
  parcels = await Parcels.open(process.env.MONGODB_URI);
});

afterAll(() => parcels.close());

type Step =
  | { readonly kind: 'send'; readonly from: string; readonly weight: bigint }
  | { readonly kind: 'arrive'; readonly which: number }
  | { readonly kind: 'wait'; readonly minutes: number }
  | { readonly kind: 'stall'; readonly minutes: number }
  | { readonly kind: 'update'; readonly by: number };

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
  fc.record({ kind: fc.constant('update' as const), by: fc.nat(1) }),
);

describe('running totals', () => {
  test('equal a full recount at every moment, however clocks move and processes stall', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 15, maxLength: 30 }), async (steps) => {
        const tenant = testTenant();
        const clock = new TestClock();
        const replicas = [parcels.replica(tenant, clock), parcels.replica(tenant, clock)] as const;
        const sent: string[] = [];
        for (const one of steps) {
          for (const { observeClock } of replicas) await observeClock();
          const here = replicas[one.kind === 'update' && one.by === 1 ? 1 : 0];
          if (one.kind === 'wait') clock.wait(one.minutes);
          if (one.kind === 'update') await here.updateSnapshot();
          if (one.kind === 'stall') {
            here.around(async (write) => {
              clock.wait(one.minutes);
              await replicas[1].updateSnapshot();
              return write();
            });
          }
          if (one.kind === 'send') sent.push(await here.send(one.from, one.weight));
          if (one.kind === 'arrive' && sent.length > 0) {
            await here.arrive(sent[one.which % sent.length] ?? '');
          }
          expect(await replicas[1].read()).toEqual(await parcels.recount(tenant.environmentId));
        }
      }),
      { numRuns: 8 },
    );
  });

  test('no longer read documents that the snapshot includes', async () => {
    const tenant = testTenant();
    const clock = new TestClock();
    const { send, arrive, read, totals } = parcels.replica(tenant, clock);
    const id = await send('a', 5n);
    clock.wait(20);
    await totals.updateSnapshots();
    await arrive(id);
    clock.wait(20);
    await totals.updateSnapshots();
    const { environmentId } = tenant;
    await parcels.documents.deleteMany({ environmentId });
    expect(await read()).toEqual({ a: { sent: 1n, weight: 5n, arrived: 1n } });
  });

  test('exclude a step if the earlier step that it follows has no timestamp', async () => {
    const tenant = testTenant();
    const clock = new TestClock();
    const { send, arrive, read } = parcels.replica(tenant, clock, { follows: { ARRIVED: 'SENT' } });
    await arrive(await send('a'));
    await arrive(await send('b'));
    const { environmentId } = tenant;
    await parcels.documents.updateOne(
      { environmentId, from: 'b' },
      { $unset: { 'milestones.SENT': '' } },
    );
    expect(await read()).toEqual({ a: { sent: 1n, weight: 1n, arrived: 1n } });
  });

  test('stay right when several replicas update the snapshot concurrently', async () => {
    const tenant = testTenant();
    const clock = new TestClock();
    const replicas = Array.from({ length: 4 }, () => parcels.replica(tenant, clock));
    for (let round = 0; round < 5; round += 1) {
      const sending = replicas.map(({ send }) => send('a', 3n));
      await Promise.all([...sending, ...replicas.map(({ updateSnapshot }) => updateSnapshot())]);
      clock.wait(7);
    }
    await Promise.all(replicas.map(({ updateSnapshot }) => updateSnapshot()));
    for (const { read } of replicas)
      expect(await read()).toEqual({ a: { sent: 20n, weight: 60n } });
  });

  test('are separate for each environment', async () => {
    const clock = new TestClock();
    const [one, other] = [
      parcels.replica(testTenant(), clock),
      parcels.replica(testTenant(), clock),
    ];
    await one.send('a');
    expect(await other.read()).toEqual({});
  });

  test('drop rows that are no longer read', async () => {
    const tenant = testTenant();
    const clock = new TestClock();
    const changes = { oldestRow: (newest: string) => (newest === 'c' ? 'b' : '') };
    const { send, updateSnapshot, read } = parcels.replica(tenant, clock, changes);
    for (const place of ['a', 'b', 'c']) await send(place);
    expect(Object.keys(await read()).sort()).toEqual(['a', 'b', 'c']);
    clock.wait(20);
    await updateSnapshot();
    expect(Object.keys(await read()).sort()).toEqual(['b', 'c']);
  });

  test('are recounted when the definition has changed', async () => {
    const tenant = testTenant();
    const clock = new TestClock();
    const { send, updateSnapshot } = parcels.replica(tenant, clock);
    await send('a', 5n);
    clock.wait(20);
    await updateSnapshot();
    const changed = parcels.replica(tenant, clock, {
      revision: 2,
      addendsOf: () => [{ row: 'all', counts: { parcels: 1n } }],
    });
    expect(await changed.read()).toEqual({ all: { parcels: 1n } });
    await changed.updateSnapshot();
    expect(await changed.read()).toEqual({ all: { parcels: 1n } });
  });
});
