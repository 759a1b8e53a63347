import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@billing/chassis/listen-address';
import { eventually } from '@billing/chassis/testing';
import { serviceNames } from '@billing/local/services';
import { Webhook } from 'standardwebhooks';
import { ApiClient } from '../support/api-client';
import { dailySandbox } from '../support/daily-sandbox';
import { OperatorClient } from '../support/operator-client';
import { startWebhookReceiver, type WebhookReceiver } from '../support/webhook-receiver';
import { buildImages, ComposeSystem } from './compose-system';
import { type Engine, startEngine } from './engine';
import { describeWithEngine } from './engine-tests';

// Looks public to the notifier, and belongs to the network of the engine here.
const receiverAddress = '45.0.0.1';
const stores = ['caddy', 'mongodb', 'nats'];

// For what hangs. All images are built from nothing.
jest.setTimeout(60 * 60_000);

describeWithEngine('compose.yaml with the images of the recipe', () => {
  let folder: string;
  let engine: Engine;
  let system: ComposeSystem;
  let receiver: WebhookReceiver;
  let sandbox: ApiClient;
  let secret: string;
  let subscriptionId: string;
  let url: string;

  /** What leads from this machine to the engine and back ends with the engine. */
  async function joinNetworks(): Promise<void> {
    url = await system.publish(Number(new URL(url).port));
    const { port } = new URL(receiver.url);
    engine.network.run('ip', ['address', 'add', `${receiverAddress}/32`, 'dev', 'lo']);
    await engine.network.lead(receiverAddress, Number(port), Number(port));
  }

  const read = (path: string) => sandbox.expect(200, sandbox.get(path));
  const invoices = async () => (await read('/invoices')).data as any[];

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'billing-e-'));
    engine = await startEngine(folder);
    await buildImages(engine, folder);
    receiver = await startWebhookReceiver();
    url = `https://localhost:${String(await freePort())}`;
    system = await ComposeSystem.setUp(engine, folder);
  });

  afterAll(async () => {
    await engine.stop();
    await receiver.close();
    rmSync(folder, { recursive: true });
  });

  test('every container starts and is healthy, and the gateway is ready behind Caddy', async () => {
    await system.up();
    const services = (await system.containers()).map(({ service }) => service);
    expect(services.sort()).toEqual([...serviceNames, ...stores].sort());
    await joinNetworks();
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
  });

  test('a subscription renews, and its signed webhook arrives', async () => {
    const owner = new OperatorClient(url);
    await owner.accept(await system.firstOwnerLink(), 'owner@example.com');
    const { body } = await owner.api('GET', '/environments');
    const { id: live } = body.data.find(({ kind }: { kind: string }) => kind === 'LIVE');
    const { body: made } = await owner.in(live).v1('POST', '/api-keys', { name: 'test' });
    const api = new ApiClient(url, made.key);
    // On a busy machine a creation may be answered too late; another sandbox is no matter.
    const scene = { startsAt: '2026-01-31T00:00:00Z', subscriptionCount: 1 };
    sandbox = await eventually(() => dailySandbox(api, scene));
    const { pathname, port } = new URL(receiver.url);
    const endpoint = { url: `http://${receiverAddress}:${port}${pathname}`, events: ['*'] };
    ({ secret } = await sandbox.expect(201, sandbox.post('/webhook-endpoints', endpoint)));
    await sandbox.advanceTo('2026-02-01T12:00:00Z');
    [{ id: subscriptionId }] = (await read('/subscriptions')).data;
    expect((await invoices()).map(({ status }) => status)).toEqual(['PAID', 'PAID']);
    const renewed = await eventually(() => {
      const found = receiver.received.find(({ body: { type } }) => type === 'subscription.renewed');
      if (found === undefined) throw new Error('Not arrived');
      return found;
    });
    const headers = renewed.headers as Record<string, string>;
    expect(new Webhook(secret).verify(renewed.text, headers)).toEqual(renewed.body);
  });

  test('each container that is killed comes back, without a further one', async () => {
    for (const { service, pid, id, restarts } of await system.untilHealthy()) {
      engine.kill(pid);
      await eventually(async () => {
        const now = (await system.containers()).find((one) => one.service === service);
        expect(now).toMatchObject({ id, restarts: restarts + 1, isHealthy: true });
      });
    }
    await system.untilHealthy();
    await eventually(async () => {
      expect((await fetch(`${url}/readyz`)).status).toBe(200);
    });
    await sandbox.advanceTo('2026-02-02T12:00:00Z');
    expect(await invoices()).toHaveLength(3);
  });

  test('after a restart of the engine all is there, and the next renewal is billed', async () => {
    const before = await invoices();
    await engine.stop();
    engine = await startEngine(folder);
    system = system.on(engine);
    await system.untilHealthy();
    await joinNetworks();
    expect(await invoices()).toEqual(before);
    expect(await read(`/subscriptions/${subscriptionId}`)).toMatchObject({ id: subscriptionId });
    await sandbox.advanceTo('2026-02-03T12:00:00Z');
    expect(await invoices()).toHaveLength(4);
    await eventually(() => {
      const renewals = receiver.received.filter(({ body }) => body.type === 'subscription.renewed');
      expect(new Set(renewals.map(({ headers }) => headers['webhook-id'])).size).toBe(3);
    });
  });
});
