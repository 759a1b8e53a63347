import type { Tenant } from '@billing/chassis/call-context';
import { newId } from '@billing/chassis/ids';
import { eventually, testTenant } from '@billing/chassis/testing';
import { startSystem, type TestSystem } from '../testing/system';

function sequencesAt(system: TestSystem, path: string): number[] {
  return system.receiver.receivedAt(path).map(({ body }) => body.sequence as number);
}

describe('events that the stream has lost', () => {
  let system: TestSystem;
  let tenant: Tenant;

  beforeEach(() => {
    tenant = testTenant();
  });

  afterEach(() => system.close());

  test('while no notifier was running still arrive, in order', async () => {
    system = await startSystem('away');
    const { owner } = system;
    const before = await system.startNotifier();
    await before.register(tenant, '/away');
    const id = newId();
    await owner.announce(tenant, id);
    await eventually(() => {
      expect(sequencesAt(system, '/away')).toEqual([1]);
    });
    await before.stop();

    for (let number = 2; number <= 130; number += 1) await owner.announce(tenant, id);
    await eventually(async () => {
      expect(await owner.countPending()).toBe(0);
    });
    await system.wipeStream();
    await system.startNotifier();

    // One at a time, each after its predecessor is delivered.
    await eventually(
      () => {
        expect(sequencesAt(system, '/away')).toHaveLength(130);
      },
      { timeoutMs: 240_000 },
    );
    expect(sequencesAt(system, '/away')).toEqual(Array.from({ length: 130 }, (_, n) => n + 1));
  }, 600_000);

  test('in the middle are fetched immediately when a later one reveals the hole', async () => {
    system = await startSystem('gap');
    const { owner } = system;
    // The notifier's own rounds are too rare to matter here.
    const notifier = await system.startNotifier({ reconcileEveryMs: 600_000 });
    await notifier.register(tenant, '/gap');
    const id = newId();
    await owner.announce(tenant, id);
    await eventually(() => {
      expect(sequencesAt(system, '/gap')).toEqual([1]);
    });
    await owner.logOnly(tenant, id, 2);
    await owner.logOnly(tenant, id, 3);
    await owner.publish(id, 3);

    await eventually(() => {
      expect(sequencesAt(system, '/gap')).toEqual([1, 2, 3]);
    });
  });

  test('are found by the log alone when no event follows them', async () => {
    system = await startSystem('silence');
    const { owner } = system;
    const notifier = await system.startNotifier({ reconcileEveryMs: 200 });
    await notifier.register(tenant, '/silence');
    const id = newId();
    for (let sequence = 1; sequence <= 3; sequence += 1) {
      await owner.logOnly(tenant, id, sequence);
    }

    await eventually(() => {
      expect(sequencesAt(system, '/silence')).toEqual([1, 2, 3]);
    });
  });
});
