import type { Tenant } from '@billing/chassis/call-context';
import { newId } from '@billing/chassis/ids';
import { eventually, testTenant } from '@billing/chassis/testing';
import { type RunningNotifier, startSystem, type TestSystem } from '../testing/system';

describe('events of checkout sessions', () => {
  let system: TestSystem;
  let notifier: RunningNotifier;
  let tenant: Tenant;

  beforeAll(async () => {
    system = await startSystem('checkout');
    notifier = await system.startNotifier({ reconcileEveryMs: 500 });
  });

  beforeEach(() => {
    tenant = testTenant();
  });

  afterAll(() => system.close());

  /** Returns the sessions about which a path was notified, with the kind of event. */
  const toldAt = (path: string) =>
    system.receiver
      .receivedAt(path)
      .map(({ body }) => [body.type, body.sequence, body.data.checkoutSessionId]);

  test('are sent to the endpoints that name them, also by a wildcard, and to no others', async () => {
    const { checkout, owner, receiver } = system;
    await notifier.register(tenant, '/usual');
    await notifier.register(tenant, '/completed', ['checkout.completed']);
    await notifier.register(tenant, '/both', ['checkout.completed', 'checkout.expired']);
    await notifier.register(tenant, '/resource', ['checkout.*']);
    await notifier.register(tenant, '/every', ['*']);
    const [bought, left, subscriptionId] = [newId(), newId(), newId()];
    await checkout.announce(tenant, bought, 'checkout.completed');
    await checkout.announce(tenant, left, 'checkout.expired');
    await owner.announce(tenant, subscriptionId);

    await eventually(() => {
      const ends = [
        ['checkout.completed', 1, bought],
        ['checkout.expired', 1, left],
      ];
      expect(new Set(toldAt('/both'))).toEqual(new Set(ends));
      expect(new Set(toldAt('/resource'))).toEqual(new Set(ends));
      const renewal = ['subscription.renewed', 1, undefined];
      expect(new Set(toldAt('/every'))).toEqual(new Set([...ends, renewal]));
      expect(toldAt('/completed')).toEqual([['checkout.completed', 1, bought]]);
      expect(receiver.receivedAt('/usual')).toHaveLength(1);
    });
    const [{ body } = { body: undefined }] = receiver.receivedAt('/usual');
    expect(body).toMatchObject({ type: 'subscription.renewed', data: { subscriptionId } });
  });

  test('are found in the event log of checkout after the stream lost them', async () => {
    await notifier.register(tenant, '/lost', ['checkout.completed']);
    const id = newId();
    await system.checkout.logOnly(tenant, id, 1);

    await eventually(() => {
      expect(toldAt('/lost')).toEqual([['checkout.completed', 1, id]]);
    });
  });
});
