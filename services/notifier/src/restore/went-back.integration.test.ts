import type { Tenant } from '@billing/chassis/call-context';
import { newId } from '@billing/chassis/ids';
import { eventually, testTenant } from '@billing/chassis/testing';
import { startSystem, type TestSystem } from '../testing/system';

const overrides = { reconcileEveryMs: 200, watchEveryMs: 200 };
const live: Tenant = { ...testTenant(), live: true, manualClock: false };
const sandbox: Tenant = { ...testTenant(), live: false };
let system: TestSystem;

beforeAll(async () => {
  system = await startSystem('back');
});

afterAll(() => system.close());

const lost = () => system.mongo.db.collection('lostLogEntries').find().toArray();

async function readRecent(): Promise<unknown[]> {
  const cursors = system.mongo.db.collection<any>('eventLogCursors');
  const found = await cursors.findOne({ _id: 'subscription' });
  return (found?.recent ?? []).map(({ id }: { id: string }) => id);
}

/** Time in which the owners are looked up some times. */
const looks = () => new Promise((resolve) => setTimeout(resolve, 1_500));

test('a database that was put back is noticed, also by a notifier that was not running', async () => {
  let notifier = await system.startNotifier(overrides);
  const [kept, gone, ofSandbox] = [newId(), newId(), newId()];
  for (const sequence of [1, 2]) await system.owner.logOnly(live, kept, sequence);
  await system.owner.logOnly(live, gone, 1);
  await system.owner.logOnly(sandbox, ofSandbox, 1);
  await eventually(async () => {
    expect(await readRecent()).toContain(`${gone}:1`);
  });

  // A sandbox may be deleted with its events.
  await system.owner.forget(ofSandbox, [1]);
  await looks();
  expect(await lost()).toEqual([]);

  await notifier.stop();
  const forgotten = await system.owner.forget(gone, [1]);
  await system.owner.logOnly(live, kept, 3);
  notifier = await system.startNotifier(overrides);
  await eventually(async () => {
    expect(await lost()).toMatchObject([{ _id: 'subscription', entries: [{ id: `${gone}:1` }] }]);
  });
  // It stays, although newer entries are read.
  await eventually(async () => {
    expect(await readRecent()).toContain(`${kept}:3`);
  });
  await looks();
  expect(await lost()).toHaveLength(1);

  // The database has its entries again.
  await system.owner.haveAgain(forgotten);
  await eventually(async () => {
    expect(await lost()).toEqual([]);
  });
  await notifier.stop();
});

test('a database that was put back is noticed when its work is done again before a look', async () => {
  let notifier = await system.startNotifier(overrides);
  const subject = newId();
  for (const sequence of [1, 2, 3]) await system.owner.logOnly(live, subject, sequence);
  await eventually(async () => {
    expect(await readRecent()).toContain(`${subject}:3`);
  });
  await notifier.stop();
  const forgotten = await system.owner.forget(subject, [2, 3]);
  // Later than an outbox logs an entry again that a killed database has lost.
  const madeAgain = forgotten.map((entry) => ({
    ...entry,
    insertedAt: new Date(entry.insertedAt.getTime() + 10 * 60_000),
  }));
  await system.owner.haveAgain(madeAgain);
  notifier = await system.startNotifier(overrides);
  await eventually(async () => {
    const [first, ...more] = await lost();
    expect(more).toEqual([]);
    expect(first).toMatchObject({ _id: 'subscription' });
    expect(first?.['entries'].map(({ id }: { id: string }) => id)).toContain(`${subject}:3`);
  });
  // It stays, although the work was read again.
  await system.owner.logOnly(live, newId(), 1);
  await looks();
  expect(await lost()).toHaveLength(1);
  await notifier.stop();
});
