import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually } from '@billing/chassis/testing';
import { ensureFirstKeys } from '@billing/local/first-keys';
import { MongoClient } from 'mongodb';
import { backUp } from './backup/backup';
import { reconcile } from './reconcile/reconcile';
import { restore } from './restore/restore';
import {
  ask,
  createInvoice,
  listInvoices,
  startAll,
  type StartedSystem,
  stopAll,
  useServersFolder,
} from './testing/started-system';

// Servers of their own on real disks: the launcher's PostgreSQL, which is copied while it runs.
jest.setTimeout(600_000);

let folder: string;

useServersFolder((made) => {
  folder = made;
});

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

async function expectClosed(restored: StartedSystem, key: string): Promise<void> {
  const answers = await Promise.all([
    ask(restored, { path: '/invoices', key }),
    ask(restored, { path: '/customers', key, body: { email: 'b@b.co' } }),
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

test('a restored system is closed until reconcile has compared its services, and is then served', async () => {
  const dataDir = join(folder, 'source');
  const source = await startAll(dataDir, folder);
  const { liveKey } = await ensureFirstKeys(source.system.addresses.identity, dataDir);
  const kept = await createInvoice(source, liveKey);
  const backup = await backUp({ to: join(folder, 'backups'), final: false, dataDir });
  await createInvoice(source, liveKey);
  await stopAll(source);

  const target = join(folder, 'target');
  await restore({ from: backup.path, dataDir: target });
  expect(await readdir(target)).toContain('secrets.json');
  const restored = await startAll(target, folder);
  try {
    const systems = await readSystems(restored);
    expect(systems).toHaveLength(8);
    expect(new Set(systems.map(({ state }) => state))).toEqual(new Set(['RECOVERING']));
    expect(new Set(systems.map((one) => one.restore.id)).size).toBe(1);
    await expectClosed(restored, liveKey);
    await expect(backUp({ to: folder, final: false, dataDir: target })).rejects.toMatchObject({
      message: 'The system is recovering from a restore',
    });

    // Either of the two may take the lease.
    const both = await Promise.allSettled(
      [1, 2].map(() => reconcile({ dataDir: target, openReason: undefined })),
    );
    const refused = both.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
    expect(refused).toMatchObject([{ exitStatus: 75, message: 'A reconcile is running' }]);
    const [report] = both.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    expect(report).toMatchObject({
      restoreId: systems[0].restore.id,
      instant: backup.instant,
      usageToResend: { from: backup.instant, until: expect.stringMatching(/Z$/) },
      unmatchedCharges: [],
      findings: [],
      opened: true,
    });
    expect(report?.steps.map(({ step }) => step)).toEqual([
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
    for (const path of ['/invoices', '/customers', '/products']) {
      await eventually(async () => {
        expect((await ask(restored, { path, key: liveKey })).status).toBe(200);
      });
    }
    expect((await listInvoices(restored, liveKey)).map(({ id }) => id)).toEqual([kept.id]);
    const next = await createInvoice(restored, liveKey);
    expect(next.number).toBe(`INV-${report?.code ?? ''}-000001`);
    expect(await reconcile({ dataDir: target, openReason: undefined })).toBeUndefined();
  } finally {
    await stopAll(restored);
  }
});
