import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually } from '@billing/chassis/testing';
import { ensureFirstKeys } from '@billing/local/first-keys';
import { MongoClient } from 'mongodb';
import { backUp, type BackupResult } from './backup/backup';
import { reconcile } from './reconcile/reconcile';
import { restore } from './restore/restore';
import {
  ask,
  call,
  createInvoice,
  listInvoices,
  makeServersFolder,
  startAll,
  type StartedSystem,
  stopAll,
} from './testing/started-system';
import { startReceiver, type WebhookReceiver } from './testing/webhook-receiver';

// Servers of their own on real disks: the launcher's PostgreSQL, which is copied while it runs.
jest.setTimeout(600_000);

type Report = NonNullable<Awaited<ReturnType<typeof reconcile>>>;

let folder: string;
let receiver: WebhookReceiver;
let target: string;
let restored: StartedSystem;
let backup: BackupResult;
let liveKey: string;
let testKey: string;
let kept: { id: string };
let customerId: string;
let report: Report;

/** A backup, acts that it does not have, and a start of what is restored from it. */
beforeAll(async () => {
  folder = await makeServersFolder();
  receiver = await startReceiver();
  const dataDir = join(folder, 'source');
  const source = await startAll(dataDir, folder);
  const keys = await ensureFirstKeys(source.system.addresses.identity, dataDir);
  ({ liveKey } = keys);
  testKey = keys.testKey ?? '';
  kept = await createInvoice(source, liveKey);
  const endpoint = { url: receiver.url, events: ['*'] };
  await call(source, { path: '/webhook-endpoints', key: testKey, body: endpoint });
  const customer = { email: 'a@b.co' };
  customerId = (
    (await call(source, { path: '/customers', key: testKey, body: customer })) as { id: string }
  ).id;
  await eventually(async () => {
    expect((await feedOf(source)).newest).toBe('1');
  });

  backup = await backUp({ to: join(folder, 'backups'), final: false, dataDir });

  await createInvoice(source, liveKey);
  await rename(source, 'Lost');
  await eventually(async () => {
    expect(heads()).toEqual([
      ['customer.created', 1, null],
      ['customer.updated', 2, null],
    ]);
    expect((await feedOf(source)).newest).toBe('2');
  });
  await stopAll(source);

  target = join(folder, 'target');
  await restore({ from: backup.path, dataDir: target });
  restored = await startAll(target, folder);
});

afterAll(async () => {
  await stopAll(restored);
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

async function rename(started: StartedSystem, name: string): Promise<void> {
  const path = `/customers/${customerId}`;
  await call(started, { method: 'PATCH', path, key: testKey, body: { name } });
}

const feedOf = async (started: StartedSystem) =>
  (await call(started, { path: '/webhook-events', key: testKey })) as FeedPage;

async function readSystems({ infrastructure }: StartedSystem): Promise<any[]> {
  const client = await MongoClient.connect(infrastructure.mongodbUri);
  const { databases } = await client.db().admin().listDatabases();
  const names = databases.map(({ name }) => name).filter((name) => name.startsWith('billing_'));
  const systems = names.map((name) =>
    client.db(name).collection<any>('system').findOne({ _id: 'system' }),
  );
  const found = await Promise.all(systems);
  await client.close();
  return found;
}

async function expectClosed(): Promise<void> {
  const answers = await Promise.all([
    ask(restored, { path: '/invoices', key: liveKey }),
    ask(restored, { path: '/customers', key: liveKey, body: { email: 'b@b.co' } }),
    fetch(`${restored.system.gatewayUrl}/readyz`),
  ]);
  for (const answer of answers) {
    expect(answer.status).toBe(503);
    expect(answer.headers.get('error-code')).toBe('recovering');
    expect(answer.headers.get('retry-after')).toBe('30');
    expect(await answer.json()).toEqual({ error: 'Service unavailable' });
  }
  expect((await fetch(`${restored.system.gatewayUrl}/healthz`)).status).toBe(200);
}

test('a restored system is closed', async () => {
  expect(await readdir(target)).toContain('secrets.json');
  const systems = await readSystems(restored);
  expect(systems).toHaveLength(8);
  expect(new Set(systems.map(({ state }) => state))).toEqual(new Set(['RECOVERING']));
  expect(new Set(systems.map((one) => one.restore.id)).size).toBe(1);
  await expectClosed();
  await expect(backUp({ to: folder, final: false, dataDir: target })).rejects.toMatchObject({
    message: 'The system is recovering from a restore',
  });
});

test('reconcile compares the services of a restored system, and opens it', async () => {
  const [{ restore: announced }] = await readSystems(restored);
  // Either of the two may take the lease.
  const both = await Promise.allSettled(
    [1, 2].map(() => reconcile({ dataDir: target, openReason: undefined })),
  );
  const refused = both.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
  expect(refused).toMatchObject([{ exitStatus: 75, message: 'A reconcile is running' }]);
  [report] = both.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : [])) as [Report];
  expect(report).toMatchObject({
    restoreId: announced.id,
    instant: backup.instant,
    usageToResend: { from: backup.instant, until: expect.stringMatching(/Z$/) },
    unmatchedCharges: [],
    findings: [],
    opened: true,
  });
  expect(report.steps.map(({ step }) => step)).toEqual([
    'fence',
    'reassert',
    'number',
    'announce',
    'provider',
    'catchUp',
    'match',
    'check',
  ]);
  expect(new Set((await readSystems(restored)).map(({ state }) => state))).toEqual(
    new Set(['OPEN']),
  );
  // Each service reads within about a second that the system is open.
  for (const path of ['/invoices', '/customers', '/products', '/webhook-events']) {
    await eventually(async () => {
      expect((await ask(restored, { path, key: liveKey })).status).toBe(200);
    });
  }
  expect((await listInvoices(restored, liveKey)).map(({ id }) => id)).toEqual([kept.id]);
  const next = await createInvoice(restored, liveKey);
  expect(next.number).toBe(`INV-${report.code}-000001`);
  expect(await reconcile({ dataDir: target, openReason: undefined })).toBeUndefined();
});

test('an endpoint is told of a restore once, and no id is sent with other content', async () => {
  const { code, restoreId, usageToResend } = report;
  // The outcome of a delivery may be lost: its webhook is then sent again as it was.
  const known = new Set(receiver.received.slice(0, 2).map((webhook) => webhook.id));
  await eventually(() => {
    const [first] = receiver.received.filter((webhook) => !known.has(webhook.id));
    expect(first?.body.type).toBe('environment.restored');
  });
  await rename(restored, 'Found');
  await eventually(async () => {
    expect(heads()).toContainEqual(['customer.updated', 2, code]);
    expect((await feedOf(restored)).newest).toBe(`${code}.3`);
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
  const { data } = await feedOf(restored);
  expect(data.map(({ position }) => position)).toEqual([1, 2, 3]);
  expect(data.map(({ event }) => event.id)).toEqual([
    receiver.received[0]?.id,
    told[0]?.id,
    updated[1]?.id,
  ]);
  const stale = await ask(restored, { path: '/webhook-events?after=2', key: testKey });
  expect(stale.status).toBe(410);
});
