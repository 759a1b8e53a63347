import { newId } from '../ids';
import { testTenant } from '../testing/testing';
import { Parcels, places } from '../testing/parcels';
import { TestClock } from '../testing/test-clock';

let parcels: Parcels;

beforeAll(async () => {
  parcels = await Parcels.open(process.env.MONGODB_URI);
});

afterAll(() => parcels.close());

describe('running totals, with wrong clocks and stalled processes,', () => {
  test('count a document stored minutes after its decision, when a snapshot already includes later ones', async () => {
    const tenant = testTenant();
    const clock = new TestClock();
    const { send, updateSnapshot, read } = parcels.replica(tenant, clock);
    await send('a');
    const { environmentId } = tenant;
    const late = await parcels.one(environmentId);
    await parcels.documents.deleteMany({ environmentId });
    clock.wait(3);
    await send('b');
    await updateSnapshot();
    clock.wait(0.5);
    await updateSnapshot();
    await parcels.documents.insertOne(late);
    expect(await read()).toEqual(await parcels.recount(environmentId));
    clock.wait(10);
    await updateSnapshot();
    expect(await read()).toEqual(await parcels.recount(environmentId));
  });

  test('count a document of a process that stalled for long after its decision', async () => {
    const tenant = testTenant();
    const clock = new TestClock();
    const [stood, other] = [parcels.replica(tenant, clock), parcels.replica(tenant, clock)];
    await other.send('a');
    stood.around(async (write) => {
      clock.wait(20);
      await other.updateSnapshot();
      return write();
    });
    await stood.send('b');
    expect(await other.read()).toEqual(await parcels.recount(tenant.environmentId));
    await other.updateSnapshot();
    expect(await other.read()).toEqual(await parcels.recount(tenant.environmentId));
  });

  test('count steps reached after the clock went back, and after it is right again', async () => {
    const tenant = testTenant();
    const clock = new TestClock();
    const { send, updateSnapshot, read } = parcels.replica(tenant, clock);
    for (const _ of places) await send('a');
    const first = await send('a');
    clock.wait(20);
    await updateSnapshot();
    clock.wait(-15);
    await send('a');
    const { arrive } = parcels.replica(tenant, clock);
    await arrive(first);
    const all = { a: { sent: 4n, weight: 4n, arrived: 1n } };
    expect(await read()).toEqual(all);
    clock.wait(60);
    expect(await read()).toEqual(all);
    await updateSnapshot();
    expect(await parcels.replica(tenant, clock).read()).toEqual(all);
  });

  test('count a step reached after the clock went back and another replica had taken a snapshot', async () => {
    const tenant = testTenant();
    const clock = new TestClock();
    const [writer, updater] = [parcels.replica(tenant, clock), parcels.replica(tenant, clock)];
    await writer.send('a');
    clock.wait(20);
    await writer.observeClock();
    await updater.updateSnapshot();
    clock.wait(-5);
    await writer.send('a');
    clock.wait(60);
    expect(await updater.read()).toEqual({ a: { sent: 2n, weight: 2n } });
  });

  test('count a write by a clock that went back, even if the process is killed right after it', async () => {
    const tenant = testTenant();
    const clock = new TestClock();
    const [killed, other] = [parcels.replica(tenant, clock), parcels.replica(tenant, clock)];
    await killed.send('a');
    clock.wait(20);
    await killed.updateSnapshot();
    clock.wait(-15);
    await new Promise<void>((resolve) => {
      killed.around(async <T>(write: () => Promise<T>) => {
        await write();
        resolve();
        return new Promise<T>(() => undefined);
      });
      void killed.send('a');
    });
    clock.wait(60);
    expect(await other.read()).toEqual({ a: { sent: 2n, weight: 2n } });
  });

  test('ignore a snapshot by a clock that is ahead', async () => {
    const tenant = testTenant();
    const [clock, ahead] = [new TestClock(), new TestClock()];
    ahead.wait(24 * 60);
    const { send, read, totals } = parcels.replica(tenant, clock);
    await send('a');
    clock.wait(20);
    await parcels.replica(tenant, ahead).updateSnapshot();
    await send('a');
    expect(await read()).toEqual({ a: { sent: 2n, weight: 2n } });
    clock.wait(20);
    await totals.updateSnapshots();
    clock.wait(48 * 60);
    expect(await read()).toEqual({ a: { sent: 2n, weight: 2n } });
  });

  // A process stalls and is killed before its next step, while others keep updating snapshots.
  test.each(['before its write', 'after its write'])(
    'are right again after a stall and a kill %s',
    async (point) => {
      const tenant = testTenant();
      const clock = new TestClock();
      const [killed, other] = [parcels.replica(tenant, clock), parcels.replica(tenant, clock)];
      await other.send('a');
      clock.wait(20);
      await other.totals.updateSnapshots();
      const stalled = new Promise<void>((resolve) => {
        killed.around(async <T>(write: () => Promise<T>) => {
          await other.send('a');
          clock.wait(20);
          await other.totals.updateSnapshots();
          if (point === 'after its write') await write();
          resolve();
          return new Promise<T>(() => undefined);
        });
      });
      void killed.send('b');
      await stalled;
      const all = await parcels.recount(tenant.environmentId);
      expect(Object.keys(all)).toEqual(point === 'after its write' ? ['a', 'b'] : ['a']);

      // Restarted, with one read.
      const started = parcels.replica(tenant, clock);
      await started.read();
      await started.totals.updateSnapshots();
      expect(await other.read()).toEqual(all);
    },
  );

  test('are right again within a day, even if the killed process never restarts', async () => {
    const tenant = testTenant();
    const clock = new TestClock();
    const { send, updateSnapshot, read, totals } = parcels.replica(tenant, clock);
    await send('a');
    const late = await parcels.one(tenant.environmentId);
    clock.wait(20);
    await updateSnapshot();
    await parcels.documents.insertOne({ ...late, _id: newId(), from: 'b' });
    clock.wait(24 * 60);
    await read();
    await totals.updateSnapshots();
    expect(await read()).toEqual(await parcels.recount(tenant.environmentId));
  });
});
