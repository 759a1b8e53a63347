import { webhookEventTypes } from '@billing/kernel/input/webhook-endpoint';
import type { CallContext } from '@billing/chassis/call-context';
import { DataKeys } from '@billing/chassis/data-keys';
import { newId } from '@billing/chassis/ids';
import { testContext, testTenant } from '@billing/chassis/testing';
import type { CreateWebhookEndpointRequest } from '@billing/proto/billing/notifier/v1/notifier';
import { SlotStore } from './slot-store';
import {
  type RunningNotifier,
  startSystem,
  testDataKeys,
  type TestSystem,
} from '../testing/system';

const page = { page: 1, perPage: 20 };

function request(
  changes: Partial<CreateWebhookEndpointRequest> = {},
): CreateWebhookEndpointRequest {
  const url = 'https://example.com/hooks';
  return { url, events: [], description: undefined, active: undefined, ...changes };
}

interface StoredEndpoint {
  readonly _id: string;
  readonly secret: string;
  readonly retiredSecrets: readonly { readonly secret: string }[];
}

describe('webhook endpoints', () => {
  let system: TestSystem;
  let notifier: RunningNotifier;

  beforeAll(async () => {
    system = await startSystem('endpoints');
    notifier = await system.startNotifier();
  });

  afterAll(() => system.close());

  async function create(context: CallContext, changes: Partial<CreateWebhookEndpointRequest> = {}) {
    const { webhookEndpoint, secret } = await notifier.calls.createWebhookEndpoint(
      request(changes),
      context,
    );
    if (webhookEndpoint === undefined) throw new Error('No endpoint in the answer');
    return { ...webhookEndpoint, secret };
  }

  const endpoints = () => system.mongo.db.collection<StoredEndpoint>('webhookEndpoints');

  async function storedEndpoint(id: string): Promise<StoredEndpoint> {
    const stored = await endpoints().findOne({ _id: id });
    if (stored === null) throw new Error('The endpoint is not stored');
    return stored;
  }

  test('are returned as they were registered, the secret only this once', async () => {
    const context = testContext();
    const { secret, ...created } = await create(context, { description: 'billing' });

    expect(created).toMatchObject({
      organizationId: context.tenant.organizationId,
      url: 'https://example.com/hooks',
      events: webhookEventTypes,
      description: 'billing',
      active: true,
      version: 1n,
    });
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    const { webhookEndpoint } = await notifier.calls.getWebhookEndpoint(
      { id: created.id },
      testContext(context),
    );
    expect(webhookEndpoint).toEqual(created);
    expect(webhookEndpoint).not.toHaveProperty('secret');
  });

  test('keep their secrets encrypted in the database, including rotated ones', async () => {
    const context = testContext();
    const { id, secret } = await create(context);
    const { secret: second } = await notifier.calls.rotateWebhookSecret(
      { id },
      testContext(context),
    );
    expect(second).toMatch(/^whsec_/);
    const stored = await storedEndpoint(id);
    expect(JSON.stringify(stored)).not.toContain('whsec_');
    expect([stored.secret, stored.retiredSecrets[0]?.secret]).toEqual([
      expect.stringMatching(/^sealed:test:/),
      expect.stringMatching(/^sealed:test:/),
    ]);
    const keys = new DataKeys(testDataKeys);
    expect(keys.open(stored.retiredSecrets[0]?.secret ?? '')).toBe(secret);
    for (const { name } of await system.mongo.db.listCollections().toArray()) {
      const all = await system.mongo.db.collection(name).find().toArray();
      expect([name, JSON.stringify(all).includes('whsec_')]).toEqual([name, false]);
    }
  });

  test('of an earlier release have their plain secret encrypted with their next write', async () => {
    const context = testContext();
    const { id, secret } = await create(context);
    await endpoints().updateOne({ _id: id }, { $set: { secret } });
    const change = { url: undefined, events: [], description: 'changed', active: undefined };
    await notifier.calls.updateWebhookEndpoint(
      { id, ...change, updateMask: ['description'] },
      testContext(context),
    );
    const stored = await storedEndpoint(id);
    expect(new DataKeys(testDataKeys).open(stored.secret)).toBe(secret);
    expect(stored.secret).not.toBe(secret);
  });

  test('have real timestamps even where the clock is manual', async () => {
    const before = new Date();
    const { createdAt, updatedAt } = await create(
      testContext({ now: new Date('2020-01-01T00:00:00.000Z') }),
    );
    expect(createdAt!.getTime()).toBeGreaterThanOrEqual(before.getTime());
    expect(updatedAt).toEqual(createdAt);
  });

  test('are listed newest first with their exact number', async () => {
    const context = testContext();
    const first = await create(context);
    const second = await create(context);
    const third = await create(context);
    const listed = await notifier.calls.listWebhookEndpoints({ page: 1, perPage: 2 }, context);
    const rest = await notifier.calls.listWebhookEndpoints({ page: 2, perPage: 2 }, context);

    expect(listed.total).toBe(3);
    expect([...listed.webhookEndpoints, ...rest.webhookEndpoints].map(({ id }) => id)).toEqual([
      third.id,
      second.id,
      first.id,
    ]);
  });

  test('are unknown to every other environment', async () => {
    const { id } = await create(testContext());
    const other = testContext();
    const unknown = { kind: 'not_found', reason: 'WEBHOOK_ENDPOINT_NOT_FOUND' };

    await expect(notifier.calls.getWebhookEndpoint({ id }, other)).rejects.toMatchObject(unknown);
    await expect(notifier.calls.deleteWebhookEndpoint({ id }, other)).rejects.toMatchObject(
      unknown,
    );
    expect(await notifier.calls.listWebhookEndpoints(page, other)).toMatchObject({ total: 0 });
  });

  test('are gone once deleted, and a second deletion finds nothing', async () => {
    const context = testContext();
    const { id } = await create(context);
    await notifier.calls.deleteWebhookEndpoint({ id }, context);

    const unknown = { kind: 'not_found' };
    await expect(notifier.calls.getWebhookEndpoint({ id }, context)).rejects.toMatchObject(unknown);
    await expect(notifier.calls.deleteWebhookEndpoint({ id }, context)).rejects.toMatchObject(
      unknown,
    );
    expect(await notifier.calls.listWebhookEndpoints(page, context)).toEqual({
      webhookEndpoints: [],
      total: 0,
    });
  });

  test('with a malformed id are unknown', async () => {
    await expect(
      notifier.calls.getWebhookEndpoint({ id: '../x' }, testContext()),
    ).rejects.toMatchObject({ kind: 'not_found' });
  });

  test('are refused with the name of each invalid field', async () => {
    const changes = { url: 'http://10.0.0.1', events: ['subscription.paused'] };
    await expect(create(testContext(), changes)).rejects.toMatchObject({
      kind: 'invalid_input',
      fields: { url: ['Must be a public address'], events: ['0: Unknown event'] },
    });
  });

  test('may be on this machine in a sandbox that allows it, never in a live environment', async () => {
    const url = 'http://127.0.0.1:9/hooks';
    await expect(create(testContext(), { url })).resolves.toMatchObject({ url });
    await expect(create(testContext({ tenant: { live: true } }), { url })).rejects.toMatchObject({
      fields: { url: ['Must be a public address'] },
    });
  });

  test('are limited to ten per environment, however many callers race', async () => {
    const tenant = testTenant();
    const attempts = await Promise.allSettled(
      Array.from({ length: 20 }, () => create(testContext({ tenant }))),
    );
    const refused = attempts.filter(({ status }) => status === 'rejected');

    expect(attempts.length - refused.length).toBe(10);
    for (const { reason } of refused as PromiseRejectedResult[]) {
      expect(reason).toMatchObject({
        kind: 'failed_precondition',
        reason: 'TOO_MANY_WEBHOOK_ENDPOINTS',
      });
    }
    const { total } = await notifier.calls.listWebhookEndpoints(page, testContext({ tenant }));
    expect(total).toBe(10);
  });

  test('free their place when they are deleted', async () => {
    const tenant = testTenant();
    const created = [];
    for (let number = 1; number <= 10; number += 1) {
      created.push(await create(testContext({ tenant })));
    }
    await expect(create(testContext({ tenant }))).rejects.toMatchObject({
      kind: 'failed_precondition',
    });
    await notifier.calls.deleteWebhookEndpoint({ id: created[3]!.id }, testContext({ tenant }));
    await expect(create(testContext({ tenant }))).resolves.toBeDefined();
    await expect(create(testContext({ tenant }))).rejects.toMatchObject({
      kind: 'failed_precondition',
    });
  });

  test('reclaim the places that dead processes have left taken', async () => {
    const tenant = testTenant();
    const { environmentId } = tenant;
    const slots = new SlotStore(system.mongo.db);
    const longAgo = new Date(Date.now() - 3_600_000);
    const abandoned = newId();
    const beingMade = newId();
    await slots.take({ environmentId, endpointId: abandoned, slotsMax: 10, takenAt: longAgo });
    const soon = new Date(Date.now() + 3_600_000);
    await slots.take({ environmentId, endpointId: beingMade, slotsMax: 10, takenAt: soon });
    for (let number = 1; number <= 8; number += 1) await create(testContext({ tenant }));

    await expect(create(testContext({ tenant }))).resolves.toBeDefined();
    await expect(create(testContext({ tenant }))).rejects.toMatchObject({
      kind: 'failed_precondition',
    });
    const holders = (await slots.list(environmentId)).map(({ endpointId }) => endpointId);
    expect(holders).toHaveLength(10);
    expect(holders).toContain(beingMade);
    expect(holders).not.toContain(abandoned);
    await expect(
      notifier.calls.getWebhookEndpoint({ id: abandoned }, testContext({ tenant })),
    ).rejects.toMatchObject({ kind: 'not_found' });
  });
});
