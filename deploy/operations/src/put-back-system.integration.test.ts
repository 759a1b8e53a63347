import { join } from 'node:path';
import { eventually } from '@billing/chassis/testing';
import { ensureFirstKeys } from '@billing/local/first-keys';
import { MongoClient } from 'mongodb';
import { reconcile } from './reconcile/reconcile';
import { announceRestored } from './restore/announced-restore';
import {
  ask,
  call,
  startAll,
  type StartedSystem,
  startOn,
  stopAll,
  useServersFolder,
} from './testing/started-system';

// Servers of their own on real disks: their databases are changed while no service runs.
jest.setTimeout(600_000);

let folder: string;

useServersFolder((made) => {
  folder = made;
});

const startsAt = '2026-01-31T00:00:00.000Z';
const advancedTo = '2026-03-31T00:00:00.000Z';

async function subscribe(started: StartedSystem, key: string): Promise<void> {
  const post = (path: string, body: object): Promise<any> => call(started, { path, key, body });
  const { id: customerId } = await post('/customers', { email: 'a@b.co' });
  const monthly = { type: 'FLAT', currency: 'USD', amount: 2900, billingInterval: 'MONTHLY' };
  const { id: productId } = await post('/products', { name: 'Monthly', ...monthly });
  const paid = { authorizedTransactionId: 'txn_4242424242424242' };
  await post('/subscriptions', { customerId, productId, ...paid });
}

const advance = (started: StartedSystem, key: string, to: string): Promise<any> =>
  call(started, { path: '/sandboxes/clock/advance', key, body: { to } });

async function numbersOf(started: StartedSystem, key: string): Promise<string[]> {
  const { data } = (await call(started, { path: '/invoices', key })) as any;
  return (data as { number: string; status: string }[])
    .map(({ number, status }) => `${number} ${status}`)
    .toSorted();
}

/** Puts the clocks of identity back, as a copy that is older than those of other services. */
async function putClocksBack({ infrastructure }: StartedSystem): Promise<void> {
  const client = await MongoClient.connect(infrastructure.mongodbUri);
  await client
    .db('billing_identity')
    .collection('environments')
    .updateMany({ 'clock.kind': 'MANUAL' }, { $set: { 'clock.now': new Date(startsAt) } });
  await client.close();
}

test('databases that other tools have put back are closed until reconcile opens them', async () => {
  const dataDir = join(folder, 'source');
  const started = await startAll(dataDir, folder);
  try {
    const { liveKey } = await ensureFirstKeys(started.system.addresses.identity, dataDir);
    const sandbox = { name: 'Clock', clock: 'MANUAL', startsAt };
    const { key } = (await call(started, {
      path: '/sandboxes',
      key: liveKey,
      body: sandbox,
    })) as any;
    await subscribe(started, key);
    await advance(started, key, advancedTo);
    const before = await numbersOf(started, key);
    expect(before).toEqual(['INV-000001 PAID', 'INV-000002 PAID', 'INV-000003 PAID']);

    const instant = new Date();
    await expect(announceRestored(instant, { dataDir })).rejects.toMatchObject({
      exitStatus: 75,
      message: expect.stringMatching(/^A replica of \w+ is running$/),
    });
    await started.system.stop();
    const hours = (count: number) => new Date(instant.getTime() + count * 3_600_000);
    const refusals: readonly [Date, RegExp][] = [
      [hours(-1), /^billing_\w+ was not restored to .*: restore all databases to one instant$/],
      [hours(1), /^--restored is later than the clock of this machine$/],
    ];
    for (const [at, text] of refusals) {
      await expect(announceRestored(at, { dataDir })).rejects.toMatchObject({
        exitStatus: 78,
        message: expect.stringMatching(text),
      });
    }
    const elsewhere = { dataDir: join(folder, 'other') };
    await expect(announceRestored(instant, elsewhere)).rejects.toMatchObject({ exitStatus: 78 });
    await putClocksBack(started);
    const { id: restoreId, code } = await announceRestored(instant, { dataDir });

    started.system = await startOn(started.infrastructure, folder);
    expect((await ask(started, { path: '/invoices', key })).status).toBe(503);
    const report = await reconcile({ dataDir, openReason: undefined });
    expect(report).toMatchObject({ restoreId, findings: [], unmatchedCharges: [], opened: true });

    // Each service reads within about a second that the system is open.
    for (const path of ['/invoices', '/subscriptions', '/customers']) {
      await eventually(async () => {
        expect((await ask(started, { path, key })).status).toBe(200);
      });
    }
    expect(await call(started, { path: '/sandboxes/clock', key })).toMatchObject({
      now: advancedTo,
    });
    expect(await numbersOf(started, key)).toEqual(before);
    await advance(started, key, '2026-04-30T00:00:00.000Z');
    expect(await numbersOf(started, key)).toEqual([...before, `INV-${code}-000001 PAID`]);
  } finally {
    await stopAll(started);
  }
});
