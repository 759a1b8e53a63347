import { Webhook } from 'standardwebhooks';
import type { Tenant } from '@billing/chassis/call-context';
import { newId } from '@billing/chassis/ids';
import { eventually, testContext, testTenant } from '@billing/chassis/testing';
import { currentTraceId, inSpan } from '@billing/chassis/tracing';
import type { Delivery } from '../delivery/delivery';
import { billingSignature } from '../endpoint/signature';
import {
  type Answer,
  type RunningNotifier,
  sequencesOf,
  startSystem,
  type TestSystem,
} from '../testing/system';

const retryScheduleMs = [300, 300, 300];

// Longer than any test: a request is sent once, however busy the machine is.
const longMs = 10 * 60_000;
const unhurried = { retryScheduleMs, timeoutMs: longMs };
const lease = { DELIVERY_LEASE_MS: longMs };

describe('a notifier with a receiver that answers', () => {
  let system: TestSystem;
  let notifier: RunningNotifier;
  let tenant: Tenant;

  beforeAll(async () => {
    system = await startSystem('answers');
    notifier = await system.startNotifier(unhurried, lease);
  });

  beforeEach(() => {
    tenant = testTenant();
    system.receiver.answer = () => ({ status: 204 });
  });

  afterAll(() => system.close());

  test('delivers each event once and in order', async () => {
    const { owner, receiver } = system;
    await notifier.register(tenant, '/in-order');
    const subscriptionIds = [newId(), newId(), newId()];
    for (let number = 1; number <= 10; number += 1) {
      await Promise.all(subscriptionIds.map((id) => owner.announce(tenant, id)));
    }

    await eventually(() => {
      expect(receiver.receivedAt('/in-order')).toHaveLength(30);
    });
    for (const id of subscriptionIds) {
      expect(sequencesOf(receiver.receivedAt('/in-order'), id)).toEqual([
        1, 2, 3, 4, 5, 6, 7, 8, 9, 10,
      ]);
    }
    const ids = new Set(receiver.receivedAt('/in-order').map(({ body }) => body.id));
    expect(ids.size).toBe(30);
  });

  test('signs its webhooks under both schemes and names their type in a header', async () => {
    const { owner, receiver } = system;
    const { secret } = await notifier.register(tenant, '/signed');
    const startedAt = Math.floor(Date.now() / 1_000);
    const subscriptionId = newId();
    await owner.announce(tenant, subscriptionId, 'subscription.created');

    const webhook = await eventually(() => {
      const [first] = receiver.receivedAt('/signed');
      expect(first).toBeDefined();
      return first!;
    });
    const { headers, text, body } = webhook;
    const signed = headers as Record<string, string>;
    expect(new Webhook(secret).verify(text, signed)).toEqual(body);
    const timestamp = Number(signed['webhook-timestamp']);
    expect(signed['billing-signature']).toBe(
      billingSignature({ secrets: [secret], timestamp, body: text }),
    );
    expect(timestamp).toBeGreaterThanOrEqual(startedAt);
    expect(timestamp).toBeLessThanOrEqual(Date.now() / 1_000);
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'billing-event': 'subscription.created',
      'webhook-id': body.id,
    });
    expect(body).toMatchObject({
      type: 'subscription.created',
      sequence: 1,
      data: { subscriptionId, status: 'ACTIVE' },
    });
  });

  test('continues the trace of the announced change', async () => {
    const { owner, receiver } = system;
    await notifier.register(tenant, '/traced');
    const traceId = await inSpan({ name: 'change', kind: 'internal' }, async () => {
      await owner.announce(tenant, newId());
      return currentTraceId();
    });

    const [webhook] = await eventually(() => {
      expect(receiver.receivedAt('/traced')).toHaveLength(1);
      return receiver.receivedAt('/traced');
    });
    expect(traceId).toMatch(/^[\da-f]{32}$/);
    expect(webhook!.headers.traceparent).toMatch(new RegExp(`^00-${traceId ?? ''}-`));
  });

  test('sends an endpoint only the kinds that it asked for, and the sequence shows the omitted ones', async () => {
    const { owner, receiver } = system;
    await notifier.register(tenant, '/created-only', ['subscription.created']);
    await notifier.register(tenant, '/canceled-only', ['subscription.canceled']);
    const id = newId();
    for (const type of ['created', 'renewed', 'canceled']) {
      await owner.announce(tenant, id, `subscription.${type}`);
    }

    await eventually(() => {
      expect(sequencesOf(receiver.receivedAt('/created-only'), id)).toEqual([1]);
      expect(sequencesOf(receiver.receivedAt('/canceled-only'), id)).toEqual([3]);
    });
  });

  test('sends no event of one environment to another', async () => {
    const { owner, receiver } = system;
    const other = testTenant();
    await notifier.register(tenant, '/mine');
    await notifier.register(other, '/theirs');
    await owner.announce(tenant, newId());

    await eventually(() => {
      expect(receiver.receivedAt('/mine')).toHaveLength(1);
    });
    expect(receiver.receivedAt('/theirs')).toHaveLength(0);
  });

  test('creates one message for an event that the stream delivers twice', async () => {
    const { owner, receiver, mongo } = system;
    await notifier.register(tenant, '/twice');
    const id = newId();
    await owner.announce(tenant, id);
    await eventually(() => {
      expect(receiver.receivedAt('/twice')).toHaveLength(1);
    });
    await owner.publish(id, 1);
    await owner.announce(tenant, id);

    await eventually(() => {
      expect(sequencesOf(receiver.receivedAt('/twice'), id)).toEqual([1, 2]);
    });
    const filter = { environmentId: tenant.environmentId };
    expect(await mongo.db.collection('messages').countDocuments(filter)).toBe(2);
    expect(await mongo.db.collection('deliveries').countDocuments(filter)).toBe(2);
  });

  test('delays no other endpoint while one hangs, even where both are on one host', async () => {
    const { owner, receiver } = system;
    await notifier.register(tenant, '/hangs');
    await notifier.register(tenant, '/prompt');
    // An endpoint without a successful delivery has fewer slots.
    await owner.announce(tenant, newId());
    await eventually(() => {
      expect(receiver.receivedAt('/hangs')).toHaveLength(1);
      expect(receiver.receivedAt('/prompt')).toHaveLength(1);
    });
    const { promise: answered, resolve: answer } = Promise.withResolvers<Answer>();
    receiver.answer = ({ path }) => (path === '/hangs' ? answered : { status: 204 });
    const subscriptionIds = Array.from({ length: 40 }, () => newId());
    await Promise.all(subscriptionIds.map((id) => owner.announce(tenant, id)));

    await eventually(() => {
      expect(receiver.receivedAt('/prompt')).toHaveLength(41);
    });
    await eventually(() => {
      expect(receiver.receivedAt('/hangs')).toHaveLength(1 + 16);
    });
    answer({ status: 204 });
    await eventually(() => {
      expect(receiver.receivedAt('/hangs')).toHaveLength(41);
    });
  });

  test('sends nothing more to a deleted endpoint', async () => {
    const { owner, receiver } = system;
    const { id } = await notifier.register(tenant, '/deleted');
    await notifier.register(tenant, '/kept');
    await notifier.calls.deleteWebhookEndpoint({ id }, testContext({ tenant }));
    await owner.announce(tenant, newId());

    await eventually(() => {
      expect(receiver.receivedAt('/kept')).toHaveLength(1);
    });
    expect(receiver.receivedAt('/deleted')).toHaveLength(0);
  });

  test('sends a deleted endpoint none of the deliveries claimed for it', async () => {
    const { owner, receiver, mongo } = system;
    const { id } = await notifier.register(tenant, '/leaves');
    await owner.announce(tenant, newId());
    await eventually(() => {
      expect(receiver.receivedAt('/leaves')).toHaveLength(1);
    });
    const { promise: answered, resolve: answer } = Promise.withResolvers<Answer>();
    receiver.answer = ({ path }) => (path === '/leaves' ? answered : { status: 204 });
    await Promise.all(Array.from({ length: 60 }, () => owner.announce(tenant, newId())));
    const claimed = { environmentId: tenant.environmentId, claim: { $ne: null } };
    await eventually(async () => {
      expect(receiver.receivedAt('/leaves')).toHaveLength(1 + 16);
      expect(await mongo.db.collection('deliveries').countDocuments(claimed)).toBeGreaterThan(16);
    });

    await notifier.calls.deleteWebhookEndpoint({ id }, testContext({ tenant }));
    answer({ status: 204 });
    await notifier.register(tenant, '/after');
    await owner.announce(tenant, newId());
    await eventually(() => {
      expect(receiver.receivedAt('/after')).toHaveLength(1);
    });
    expect(receiver.receivedAt('/leaves')).toHaveLength(1 + 16);
  });
});

describe('several notifiers on one database', () => {
  let system: TestSystem;
  let tenant: Tenant;

  beforeAll(async () => {
    system = await startSystem('replicas');
    tenant = testTenant();
  });

  afterAll(() => system.close());

  test('share the work without duplicates, even when one of them stops in the middle', async () => {
    const { owner, receiver } = system;
    const [first, second] = await Promise.all([
      system.startNotifier(unhurried, lease),
      system.startNotifier(unhurried, lease),
    ]);
    await first.register(tenant, '/shared');
    const subscriptionIds = Array.from({ length: 10 }, () => newId());
    const announceAll = () => Promise.all(subscriptionIds.map((id) => owner.announce(tenant, id)));
    for (let number = 1; number <= 5; number += 1) await announceAll();
    const stopping = second.stop();
    for (let number = 6; number <= 10; number += 1) await announceAll();
    await stopping;

    await eventually(() => {
      expect(receiver.receivedAt('/shared').length).toBeGreaterThanOrEqual(100);
    });
    for (const id of subscriptionIds) {
      expect(sequencesOf(receiver.receivedAt('/shared'), id)).toEqual([
        1, 2, 3, 4, 5, 6, 7, 8, 9, 10,
      ]);
    }
  });
});

describe('a notifier that stops', () => {
  test('finishes the deliveries in flight', async () => {
    const system = await startSystem('stops');
    const { owner, receiver, mongo } = system;
    const notifier = await system.startNotifier({ retryScheduleMs });
    const tenant = testTenant();
    await notifier.register(tenant, '/slow');
    const { promise: asked, resolve: ask } = Promise.withResolvers<undefined>();
    const { promise: answered, resolve: answer } = Promise.withResolvers<Answer>();
    receiver.answer = () => {
      ask(undefined);
      return answered;
    };
    await owner.announce(tenant, newId());
    await asked;
    const stopped = notifier.stop();
    answer({ status: 204 });
    await stopped;

    const deliveries = mongo.db.collection<Delivery>('deliveries');
    const delivery = await deliveries.findOne({ environmentId: tenant.environmentId });
    expect(delivery).toMatchObject({ status: 'DELIVERED', claim: null });
    expect(receiver.receivedAt('/slow')).toHaveLength(1);
    await system.close();
  });
});
