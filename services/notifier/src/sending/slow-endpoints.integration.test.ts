import { newId } from '@billing/chassis/ids';
import { eventually, testTenant } from '@billing/chassis/testing';
import { startSystem, type TestSystem } from '../testing/system';

const minuteMs = 60_000;

describe('a notifier with many receivers that hang', () => {
  let system: TestSystem;

  beforeAll(async () => {
    system = await startSystem('slow');
  });

  // A replica that is left with hanging requests would own half of the next test's endpoints.
  afterEach(() => system.stopNotifiers());

  afterAll(() => system.close());

  test('delays no endpoint that answers quickly', async () => {
    const { owner, receiver } = system;
    const notifier = await system.startNotifier({ timeoutMs: 10 * minuteMs });
    receiver.answer = ({ path }) => (path === '/hangs' ? 'NEVER' : { status: 204 });
    const healthy = testTenant();
    await notifier.register(healthy, '/answers');
    await owner.announce(healthy, newId());
    await eventually(() => {
      expect(receiver.receivedAt('/answers')).toHaveLength(1);
    });

    // More than there are slots, at endpoints without a known result.
    const hanging = Array.from({ length: 13 }, testTenant);
    for (const tenant of hanging) {
      const places = Array.from({ length: 10 }, () => notifier.register(tenant, '/hangs'));
      await Promise.all(places);
      await Promise.all(Array.from({ length: 5 }, () => owner.announce(tenant, newId())));
    }
    await eventually(() => {
      expect(receiver.receivedAt('/hangs').length).toBeGreaterThanOrEqual(256);
    });

    await Promise.all(Array.from({ length: 100 }, () => owner.announce(healthy, newId())));
    await eventually(() => {
      expect(receiver.receivedAt('/answers')).toHaveLength(101);
    });
    expect(receiver.receivedAt('/hangs')).toHaveLength(256);
  });

  test('takes the status for the answer, and does not wait for the end of the body', async () => {
    const { owner, receiver, mongo } = system;
    const tenant = testTenant();
    receiver.answer = () => 'DRIPS';
    const notifier = await system.startNotifier({ timeoutMs: 10 * minuteMs });
    await notifier.register(tenant, '/drips');
    await owner.announce(tenant, newId());
    await eventually(async () => {
      const { environmentId } = tenant;
      const [delivery] = await mongo.db.collection('deliveries').find({ environmentId }).toArray();
      expect(delivery).toMatchObject({ status: 'DELIVERED' });
    });
  });

  test('delays no endpoint that accepted its last webhook before a restart', async () => {
    const { owner, receiver } = system;
    const answering = testTenant();
    receiver.answer = ({ path }) => (path === '/new-hangs' ? 'NEVER' : { status: 204 });
    const first = await system.startNotifier({ timeoutMs: 10 * minuteMs });
    await first.register(answering, '/took');
    await owner.announce(answering, newId());
    await eventually(() => {
      expect(receiver.receivedAt('/took')).toHaveLength(1);
    });
    await system.stopNotifiers();

    const second = await system.startNotifier({ timeoutMs: 10 * minuteMs });
    for (const tenant of Array.from({ length: 13 }, testTenant)) {
      const places = Array.from({ length: 10 }, () => second.register(tenant, '/new-hangs'));
      await Promise.all(places);
      await Promise.all(Array.from({ length: 2 }, () => owner.announce(tenant, newId())));
    }
    await eventually(() => {
      expect(receiver.receivedAt('/new-hangs').length).toBeGreaterThanOrEqual(256);
    });
    await Promise.all(Array.from({ length: 10 }, () => owner.announce(answering, newId())));
    await eventually(() => {
      expect(receiver.receivedAt('/took')).toHaveLength(11);
    });
  });
});
