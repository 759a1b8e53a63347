import type { CallContext, Tenant } from '@billing/chassis/call-context';
import { newId } from '@billing/chassis/ids';
import { eventually, testContext, testTenant } from '@billing/chassis/testing';
import {
  type WebhookDelivery,
  WebhookDeliveryStatus,
} from '@billing/proto/billing/notifier/v1/webhook_delivery';
import { Webhook } from 'standardwebhooks';
import type { Attempt } from '../delivery/attempt-store';
import { billingSignature } from '../endpoint/signature';
import {
  type ReceivedWebhook,
  type RunningNotifier,
  startSystem,
  type TestSystem,
} from '../testing/system';

const { WEBHOOK_DELIVERY_STATUS_DELIVERED: DELIVERED, WEBHOOK_DELIVERY_STATUS_FAILED: FAILED } =
  WebhookDeliveryStatus;

describe('requests about deliveries', () => {
  let system: TestSystem;
  let notifier: RunningNotifier;
  let tenant: Tenant;
  let context: CallContext;

  beforeAll(async () => {
    system = await startSystem('requests');
    notifier = await system.startNotifier({ retryScheduleMs: [200], timeoutMs: 60_000 });
  });

  beforeEach(() => {
    tenant = testTenant();
    context = testContext({ tenant });
    system.receiver.answer = () => ({ status: 204 });
  });

  afterAll(() => system.close());

  async function list(endpointId: string, page = 1, perPage = 20) {
    const fresh = testContext({ tenant });
    return notifier.deliveryCalls.listWebhookDeliveries({ endpointId, page, perPage }, fresh);
  }

  function eventuallyListed(endpointId: string, statuses: WebhookDeliveryStatus[]) {
    return eventually(async () => {
      const { deliveries } = await list(endpointId);
      expect(deliveries.map(({ status }) => status)).toEqual(statuses);
      return deliveries;
    });
  }

  async function retry(endpointId: string, id: string): Promise<WebhookDelivery> {
    const fresh = testContext({ tenant });
    const answer = await notifier.deliveryCalls.retryWebhookDelivery({ endpointId, id }, fresh);
    return answer.delivery!;
  }

  async function deactivate(id: string): Promise<void> {
    const change = { id, events: [], updateMask: ['active'], active: false };
    await notifier.calls.updateWebhookEndpoint(change, context);
  }

  test('the webhooks of a subscription are listed with their outcome at each endpoint', async () => {
    const { receiver, owner } = system;
    receiver.answer = ({ path }) => ({ status: path === '/refused' ? 500 : 204 });
    const taken = await notifier.register(tenant, '/taken');
    const [subscriptionId, other] = [newId(), newId()];
    await owner.announce(tenant, other);
    await owner.announce(tenant, subscriptionId);
    await eventuallyListed(taken.id, [DELIVERED, DELIVERED]);
    const refused = await notifier.register(tenant, '/refused');
    await owner.announce(tenant, subscriptionId, 'subscription.canceled');
    await eventuallyListed(refused.id, [FAILED]);
    await eventuallyListed(taken.id, [DELIVERED, DELIVERED, DELIVERED]);
    const listOf = (subscriptionIds: string[], whose = tenant) =>
      notifier.deliveryCalls.listSubscriptionWebhooks(
        { subscriptionIds, messageIds: [] },
        testContext({ tenant: whose }),
      );
    const { webhooks } = await listOf([subscriptionId]);
    const shown = webhooks.map(({ type, deliveries }) => ({
      type,
      statuses: new Map(deliveries.map(({ endpointId, status }) => [endpointId, status])),
    }));
    expect(shown).toEqual([
      {
        type: 'subscription.canceled',
        statuses: new Map([
          [taken.id, DELIVERED],
          [refused.id, FAILED],
        ]),
      },
      { type: 'subscription.renewed', statuses: new Map([[taken.id, DELIVERED]]) },
    ]);
    expect(webhooks.every((one) => one.subscriptionId === subscriptionId)).toBe(true);
    expect((await listOf([subscriptionId, other])).webhooks).toHaveLength(3);
    expect((await listOf([subscriptionId], testTenant())).webhooks).toEqual([]);
    const [newest] = webhooks;
    const byId = (whose: Tenant) =>
      notifier.deliveryCalls.listSubscriptionWebhooks(
        { subscriptionIds: [other], messageIds: [newest?.messageId ?? '', newId()] },
        testContext({ tenant: whose }),
      );
    expect((await byId(tenant)).webhooks).toEqual([newest]);
    expect((await byId(testTenant())).webhooks).toEqual([]);
    const tooMany = Array.from({ length: 21 }, () => newId());
    await expect(listOf(tooMany)).rejects.toMatchObject({
      fields: { subscriptionIds: ['Must have at most 20 entries'] },
    });
  });

  describe('a test webhook', () => {
    test('goes to its endpoint alone, signed and listed as all webhooks are', async () => {
      const { receiver } = system;
      const { id, secret } = await notifier.register(tenant, '/tested');
      await notifier.register(tenant, '/untested');
      const at = new Date('2031-05-06T07:08:09.000Z');
      const { deliveryId } = await notifier.deliveryCalls.sendTestWebhook(
        { id },
        testContext({ tenant: { ...tenant, manualClock: true }, now: at }),
      );
      const [listed] = await eventuallyListed(id, [DELIVERED]);
      const [webhook] = receiver.receivedAt('/tested');
      expect(webhook!.body).toEqual({
        id: listed!.messageId,
        type: 'webhook_endpoint.test',
        timestamp: at.toISOString(),
        webhookEndpointId: id,
        data: { webhookEndpointId: id },
      });
      expect(webhook!.headers).toMatchObject({
        'billing-event': 'webhook_endpoint.test',
        'webhook-id': listed!.messageId,
      });
      expect(() => verify(webhook!, secret)).not.toThrow();
      expect(listed).toMatchObject({
        id: deliveryId,
        type: 'webhook_endpoint.test',
        subscriptionId: undefined,
        sequence: undefined,
        attempts: [{ responseStatus: 204, responseBody: '', error: undefined }],
        nextAttemptAt: undefined,
      });
      expect(receiver.receivedAt('/untested')).toHaveLength(0);
    });

    test('shows the exact bytes sent, and only to its own environment', async () => {
      const { id } = await notifier.register(tenant, '/shown');
      const { deliveryId } = await notifier.deliveryCalls.sendTestWebhook({ id }, context);
      await eventuallyListed(id, [DELIVERED]);
      const ask = (endpointId: string, whose: Tenant) =>
        notifier.deliveryCalls.getWebhookBody(
          { endpointId, id: deliveryId },
          testContext({ tenant: whose }),
        );
      const [webhook] = system.receiver.receivedAt('/shown');
      expect(await ask(id, tenant)).toEqual({ body: webhook!.text });
      await expect(ask(id, testTenant())).rejects.toMatchObject({ kind: 'not_found' });
      const other = await notifier.register(tenant, '/not-shown');
      await expect(ask(other.id, tenant)).rejects.toMatchObject({
        reason: 'WEBHOOK_DELIVERY_NOT_FOUND',
      });
    });

    test('is created once for an idempotency key, however many requests carry it', async () => {
      const { id } = await notifier.register(tenant, '/keyed');
      const idempotency = { key: newId(), requestHash: 'same' };
      const ask = () =>
        notifier.deliveryCalls.sendTestWebhook({ id }, { ...testContext({ tenant }), idempotency });
      expect(await ask()).toEqual(await ask());
      await eventuallyListed(id, [DELIVERED]);
    });

    test('to an endpoint that is not active or does not exist is refused', async () => {
      const { id } = await notifier.register(tenant, '/inactive');
      await deactivate(id);
      await expect(notifier.deliveryCalls.sendTestWebhook({ id }, context)).rejects.toMatchObject({
        kind: 'failed_precondition',
        reason: 'WEBHOOK_ENDPOINT_NOT_ACTIVE',
      });
      for (const lost of [newId(), 'x', '']) {
        await expect(
          notifier.deliveryCalls.sendTestWebhook({ id: lost }, context),
        ).rejects.toMatchObject({ kind: 'not_found', reason: 'WEBHOOK_ENDPOINT_NOT_FOUND' });
      }
    });
  });

  describe('a rotated secret', () => {
    test('signs together with the previous one, in both headers', async () => {
      const { receiver } = system;
      const { id, secret: first } = await notifier.register(tenant, '/rotated');
      const { webhookEndpoint, secret } = await notifier.calls.rotateWebhookSecret({ id }, context);
      expect(webhookEndpoint).toMatchObject({ id, version: 2n });
      expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
      expect(secret).not.toBe(first);
      await notifier.deliveryCalls.sendTestWebhook({ id }, context);
      const [webhook] = await eventually(() => {
        expect(receiver.receivedAt('/rotated')).toHaveLength(1);
        return receiver.receivedAt('/rotated');
      });
      for (const known of [first, secret]) expect(() => verify(webhook!, known)).not.toThrow();
      const timestamp = Number(webhook!.headers['webhook-timestamp']);
      expect(webhook!.headers['billing-signature']).toBe(
        billingSignature({ secrets: [secret, first], timestamp, body: webhook!.text }),
      );
    });

    test('is created once for a key and shown once; a stale version is refused', async () => {
      const { id } = await notifier.register(tenant, '/rotated-once');
      const idempotency = { key: newId(), requestHash: 'same' };
      const ask = () =>
        notifier.calls.rotateWebhookSecret(
          { id, expectedVersion: 1n },
          { ...testContext({ tenant }), idempotency },
        );
      const { secret, webhookEndpoint } = await ask();
      expect(secret).not.toBe('');
      expect(await ask()).toEqual({ secret: '', webhookEndpoint });
      await expect(
        notifier.calls.rotateWebhookSecret({ id, expectedVersion: 1n }, context),
      ).rejects.toMatchObject({ kind: 'stale' });
      const records = await system.mongo.db.collection('idempotencyRecords').find().toArray();
      expect(JSON.stringify(records)).not.toContain('whsec_');
    });
  });

  describe('the list of deliveries', () => {
    test('shows the newest first, page by page, with the result of each attempt', async () => {
      const { owner, receiver } = system;
      const { id } = await notifier.register(tenant, '/listed');
      receiver.answer = () => ({ status: 500, text: 'x'.repeat(5_000) });
      const subscriptionId = newId();
      await owner.announce(tenant, subscriptionId);
      const [failed] = await eventuallyListed(id, [FAILED]);
      receiver.answer = () => ({ status: 200, text: 'thanks' });
      await owner.announce(tenant, subscriptionId);
      const [second, first] = await eventuallyListed(id, [DELIVERED, FAILED]);
      expect(first).toEqual(failed);
      expect(first).toMatchObject({
        type: 'subscription.renewed',
        subscriptionId,
        sequence: 1,
        nextAttemptAt: undefined,
      });
      expect(first!.attempts).toHaveLength(2);
      for (const attempt of first!.attempts) {
        expect(attempt).toMatchObject({ responseStatus: 500, responseBody: 'x'.repeat(1_024) });
        expect(attempt.durationMs).toBeGreaterThanOrEqual(0);
      }
      const [early, late] = first!.attempts;
      expect(late!.at!.getTime()).toBeGreaterThan(early!.at!.getTime());
      expect(second!.attempts).toMatchObject([{ responseStatus: 200, responseBody: 'thanks' }]);
      expect(await list(id, 2, 1)).toEqual({ deliveries: [first], total: 2 });
      expect(await list(id, 3, 1)).toEqual({ deliveries: [], total: 2 });
    });

    test('shows the last ten attempts of each, even where other deliveries have very many', async () => {
      const { owner, mongo } = system;
      const { id } = await notifier.register(tenant, '/often');
      await owner.announce(tenant, newId());
      await owner.announce(tenant, newId());
      const deliveries = await eventuallyListed(id, [DELIVERED, DELIVERED]);
      const before = new Date(Date.now() - 1_000);
      const attempt = { durationMs: 1, responseStatus: 500, responseBody: '', error: null };
      const { environmentId } = tenant;
      await mongo.db.collection<Attempt>('attempts').insertMany(
        Array.from({ length: 1_001 }, () => ({
          _id: newId(),
          environmentId,
          deliveryId: deliveries[0]!.id,
          at: before,
          ...attempt,
        })),
      );
      const listed = (await list(id)).deliveries;
      expect(listed.map(({ attempts }) => attempts.length)).toEqual([10, 1]);
    });
  });

  describe('a retry', () => {
    test('of a delivered webhook sends the same id and bytes once more', async () => {
      const { owner, receiver } = system;
      const { id } = await notifier.register(tenant, '/again');
      await owner.announce(tenant, newId());
      const [delivery] = await eventuallyListed(id, [DELIVERED]);
      expect(await retry(id, delivery!.id)).toMatchObject({ id: delivery!.id });
      const [first, second] = await eventually(() => {
        expect(receiver.receivedAt('/again')).toHaveLength(2);
        return receiver.receivedAt('/again');
      });
      expect(second!.text).toBe(first!.text);
      expect(second!.headers['webhook-id']).toBe(first!.headers['webhook-id']);
      const [listed] = await eventuallyListed(id, [DELIVERED]);
      await eventually(async () => {
        expect((await list(id)).deliveries[0]!.attempts).toHaveLength(2);
      });
      expect(listed!.createdAt).toEqual(delivery!.createdAt);
    });

    test('of an abandoned webhook restarts its schedule', async () => {
      const { owner, receiver } = system;
      const { id } = await notifier.register(tenant, '/given-up');
      receiver.answer = () => ({ status: 500 });
      await owner.announce(tenant, newId());
      const [delivery] = await eventuallyListed(id, [FAILED]);
      await retry(id, delivery!.id);
      await eventually(async () => {
        const { deliveries } = await list(id);
        expect(deliveries).toMatchObject([{ status: FAILED }]);
        expect(deliveries[0]!.attempts).toHaveLength(4);
      });
      receiver.answer = () => ({ status: 204 });
      await retry(id, delivery!.id);
      await eventuallyListed(id, [DELIVERED]);
    });

    test('of a test counts as a test, and more than ten a minute are refused', async () => {
      const { id } = await notifier.register(tenant, '/limited');
      const { deliveryId } = await notifier.deliveryCalls.sendTestWebhook({ id }, context);
      await eventuallyListed(id, [DELIVERED]);
      for (let count = 2; count <= 10; count += 1) await retry(id, deliveryId);
      const refusal = {
        ...{ kind: 'resource_exhausted', reason: 'TOO_MANY_TESTS' },
        retryAfterSeconds: expect.any(Number) as number,
      };
      await expect(retry(id, deliveryId)).rejects.toMatchObject(refusal);
      const another = testContext({ tenant });
      await expect(notifier.deliveryCalls.sendTestWebhook({ id }, another)).rejects.toMatchObject(
        refusal,
      );
    });

    test('of an id that is unknown, malformed, or of another endpoint or environment is not found', async () => {
      const { owner } = system;
      const mine = await notifier.register(tenant, '/mine');
      const other = await notifier.register(tenant, '/other');
      const stranger = testContext();
      const theirs = await notifier.register(stranger.tenant, '/theirs');
      await owner.announce(tenant, newId());
      const [delivery] = await eventuallyListed(mine.id, [DELIVERED]);
      for (const lost of [newId(), 'x', '', '\0']) {
        await expect(retry(mine.id, lost)).rejects.toMatchObject({
          kind: 'not_found',
          reason: 'WEBHOOK_DELIVERY_NOT_FOUND',
        });
      }
      await expect(retry(other.id, delivery!.id)).rejects.toMatchObject({ kind: 'not_found' });
      for (const endpointId of [mine.id, theirs.id]) {
        await expect(
          notifier.deliveryCalls.retryWebhookDelivery(
            { endpointId, id: delivery!.id },
            testContext({ tenant: stranger.tenant }),
          ),
        ).rejects.toMatchObject({ kind: 'not_found' });
      }
      await deactivate(mine.id);
      await expect(retry(mine.id, delivery!.id)).rejects.toMatchObject({
        reason: 'WEBHOOK_ENDPOINT_NOT_ACTIVE',
      });
    });
  });
});

function verify({ text, headers }: ReceivedWebhook, secret: string): unknown {
  return new Webhook(secret).verify(text, headers as Record<string, string>);
}
