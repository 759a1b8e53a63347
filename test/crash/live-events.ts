import { sleep } from '@billing/chassis/clock';
import { eventually } from '@billing/chassis/testing';
import { serviceNames } from '@billing/local/services';
import { type Db, MongoClient } from 'mongodb';
import { PersistentClient } from '../support/persistent-client';
import type { OwnTestSystem } from '../support/test-system';

// Services whose events the notifier reads, and compares with their logs in live environments.
const owners = ['catalog', 'checkout', 'customer', 'discount', 'metering', 'subscription'];
const pauseMs = 2_000;

interface Entry {
  readonly id: string;
  readonly insertedAt: Date;
}

/** Has each service announce events of a live environment, repeatedly until the signal aborts. */
export async function announceInLive(system: OwnTestSystem, ending: AbortSignal): Promise<void> {
  const live = new PersistentClient(system.live);
  for (let round = 1; !ending.aborted; round += 1) {
    const { id: customerId } = await live.post(201, '/customers', { email: 'a@example.com' });
    const product = { name: 'Weekly', type: 'FLAT', currency: 'USD', amount: 700 };
    const { id: productId } = await live.post(201, '/products', {
      ...product,
      billingInterval: 'WEEKLY',
    });
    // Without a provider its invoice stays open.
    const bought = { customerId, productId, authorizedTransactionId: `real_${String(round)}` };
    await live.post(201, '/subscriptions', bought);
    const discount = { name: 'Spring', type: 'PERCENTAGE', value: 10, duration: 'FOREVER' };
    await live.post(201, '/discounts', discount);
    await live.post(201, '/meters', { name: 'Calls' });
    await sleep(pauseMs, ending);
  }
}

/** Verifies that kills were taken for no restore: no alarm was raised, and no database closed. */
export async function expectNothingWentBack({ databases }: OwnTestSystem): Promise<void> {
  const client = await new MongoClient(databases.uri).connect();
  const databaseOf = (service: string) => client.db(`${databases.prefix}_${service}`);
  try {
    const notifier = databaseOf('notifier');
    for (const owner of owners) {
      // The notifier reads each log every five seconds.
      const read = await eventually(async () => {
        const recent = await readRecent(notifier, owner);
        if (recent.length === 0) throw new Error(`No live event of ${owner} was read`);
        return recent;
      });
      expect({ owner, read: await findLogged(databaseOf(owner), read) }).toEqual({ owner, read });
    }
    expect(await notifier.collection('lostLogEntries').find().toArray()).toEqual([]);
    for (const service of serviceNames.filter((name) => name !== 'gateway')) {
      const state = await databaseOf(service).collection<any>('system').findOne({ _id: 'system' });
      expect([service, state?.['state'] ?? 'OPEN']).toEqual([service, 'OPEN']);
    }
  } finally {
    await client.close();
  }
}

async function readRecent(notifier: Db, owner: string): Promise<Entry[]> {
  const cursors = notifier.collection<{ _id: string; recent?: Entry[] }>('eventLogCursors');
  return (await cursors.findOne({ _id: owner }))?.recent ?? [];
}

/** Returns the entries that are still logged, in their order. */
async function findLogged(db: Db, entries: readonly Entry[]): Promise<Entry[]> {
  const log = db.collection<{ _id: string; insertedAt: Date }>('eventLog');
  const logged = await log.find({ _id: { $in: entries.map(({ id }) => id) } }).toArray();
  const times = new Map(logged.map(({ _id, insertedAt }) => [_id, insertedAt]));
  return entries.flatMap(({ id }) => {
    const insertedAt = times.get(id);
    return insertedAt === undefined ? [] : [{ id, insertedAt }];
  });
}
