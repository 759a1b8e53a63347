import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually } from '@billing/chassis/testing';
import { ensureFirstKeys } from '@billing/local/first-keys';
import { backUp } from './backup/backup';
import { reconcile } from './reconcile/reconcile';
import { restore } from './restore/restore';
import {
  ask,
  call,
  makeServersFolder,
  startAll,
  type StartedSystem,
  stopAll,
} from './testing/started-system';
import { startReceiver, type WebhookReceiver } from './testing/webhook-receiver';

// Servers of their own on real disks: the launcher's PostgreSQL, which is copied while it runs.
jest.setTimeout(600_000);

let folder: string;
let receiver: WebhookReceiver;

beforeAll(async () => {
  folder = await makeServersFolder();
  receiver = await startReceiver();
});

afterAll(async () => {
  await receiver.close();
  await rm(folder, { recursive: true, force: true });
});

interface FeedPage {
  readonly data: readonly { readonly position: number; readonly event: { readonly id: string } }[];
  readonly newest: string;
}

const heads = () =>
  receiver.received.map(({ body: { type, sequence, restoreCode } }) => [
    type,
    sequence,
    restoreCode,
  ]);

async function rename(started: StartedSystem, key: string, id: string, name: string) {
  await call(started, { method: 'PATCH', path: `/customers/${id}`, key, body: { name } });
}

const feedOf = async (started: StartedSystem, key: string) =>
  (await call(started, { path: '/webhook-events', key })) as FeedPage;

test('after a restore, an endpoint hears of it once, and no id is sent with other content', async () => {
  const dataDir = join(folder, 'source');
  const source = await startAll(dataDir, folder);
  const { testKey: key = '' } = await ensureFirstKeys(source.system.addresses.identity, dataDir);
  const endpoint = { url: receiver.url, events: ['*'] };
  await call(source, { path: '/webhook-endpoints', key, body: endpoint });
  const customer = { email: 'a@b.co' };
  const { id } = (await call(source, { path: '/customers', key, body: customer })) as any;
  await eventually(async () => {
    expect((await feedOf(source, key)).newest).toBe('1');
  });
  const backup = await backUp({ to: join(folder, 'backups'), final: false, dataDir });
  await rename(source, key, id, 'Lost');
  await eventually(async () => {
    expect(heads()).toEqual([
      ['customer.created', 1, null],
      ['customer.updated', 2, null],
    ]);
    expect((await feedOf(source, key)).newest).toBe('2');
  });
  await stopAll(source);

  const target = join(folder, 'target');
  await restore({ from: backup.path, dataDir: target });
  const restored = await startAll(target, folder);
  try {
    const report = await reconcile({ dataDir: target, openReason: undefined });
    expect(report).toMatchObject({ findings: [], opened: true });
    const { code = '', restoreId = '', usageToResend } = report ?? {};
    // The outcome of a delivery may be lost: its webhook is then sent again as it was.
    const known = new Set(receiver.received.slice(0, 2).map((webhook) => webhook.id));
    await eventually(async () => {
      const [first] = receiver.received.filter((webhook) => !known.has(webhook.id));
      expect(first?.body.type).toBe('environment.restored');
      expect((await ask(restored, { path: '/webhook-events', key })).status).toBe(200);
    });
    // Each service reads within about a second that the system is open.
    await eventually(async () => {
      expect((await ask(restored, { path: `/customers/${id}`, key })).status).toBe(200);
    });
    await rename(restored, key, id, 'Found');
    await eventually(async () => {
      expect(heads()).toContainEqual(['customer.updated', 2, code]);
      expect((await feedOf(restored, key)).newest).toBe(`${code}.3`);
    });
    const told = receiver.received.filter(({ body }) => body.type === 'environment.restored');
    expect(told).toHaveLength(1);
    expect(told[0]?.body).toMatchObject({
      restoreCode: code,
      data: { restore: { id: restoreId, code, usageToResend } },
    });

    const texts = Map.groupBy(receiver.received, (webhook) => webhook.id);
    for (const same of texts.values()) {
      expect(new Set(same.map(({ text }) => text)).size).toBe(1);
    }
    const updated = receiver.received.filter(({ body }) => body.type === 'customer.updated');
    expect(updated.map(({ body }) => body.data.customer?.name)).toEqual(['Lost', 'Found']);
    expect(updated[0]?.id).not.toBe(updated[1]?.id);

    // The feed goes on under the code, with what the restored system holds.
    const { data } = await feedOf(restored, key);
    expect(data.map(({ position }) => position)).toEqual([1, 2, 3]);
    expect(data.map(({ event }) => event.id)).toEqual([
      receiver.received[0]?.id,
      told[0]?.id,
      updated[1]?.id,
    ]);
    const stale = await ask(restored, { path: '/webhook-events?after=2', key });
    expect(stale.status).toBe(410);
  } finally {
    await stopAll(restored);
  }
});
