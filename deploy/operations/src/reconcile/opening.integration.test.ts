import { newId } from '@billing/chassis/ids';
import type { Restore } from '@billing/chassis/recovery';
import { Restores } from '@billing/chassis/restores';
import { ServiceDatabases } from '../testing/service-databases';
import { type Opening, openingSteps, Openings } from './opening';
import { recover } from './reconcile';
import { toReport } from './report';

const services = ['catalog', 'checkout', 'identity'];
const databases = new ServiceDatabases('opening', services);
const instant = new Date('2026-11-28T20:00:00Z');
const organizations = ['a', 'b'];

beforeAll(async () => {
  await databases.connect();
  for (const environmentId of organizations) {
    const organization = { _id: newId(), environmentId };
    await identity().collection<any>('organizations').insertOne(organization);
  }
});

afterAll(() => databases.drop());

const identity = () => databases.of('identity');

/** Closes the databases under a new restore. */
async function restored(): Promise<Restore> {
  const restore = { id: newId(), code: 'WHDWR', at: new Date(), instant };
  for (const { db, system } of databases.all) {
    await system.close();
    await new Restores(db).record(restore);
    await system.recoverFrom(restore);
  }
  return restore;
}

function openingOf(restore: Restore): Opening {
  const at = new Date('2026-11-28T22:00:00Z');
  const findings = [{ invariant: 'I61', text: 'a period is billed twice' }];
  const found = { restore, steps: [], findings, unmatchedCharges: [], openedAt: at };
  return { id: newId(), restore, at, reason: 'seen', report: toReport(found) };
}

const statesOf = () =>
  Promise.all(databases.all.map(async ({ system }) => (await system.read())?.state));
const openedAtOf = ({ id }: Restore) =>
  Promise.all(databases.all.map(async ({ db }) => (await new Restores(db).find(id))?.openedAt));
const auditOf = ({ id: targetId }: Restore) =>
  identity().collection('auditEntries').find({ targetId }).sort({ environmentId: 1 }).toArray();
const run = (openReason?: string) =>
  recover(databases.all, { openReason, confirm: () => Promise.resolve() });

test('an opening that ended after any of its steps is finished by the next run, with its report', async () => {
  const { length } = openingSteps(databases.all, openingOf(await restored()));
  // The decision, the audit log, and two for each database.
  expect(length).toBe(2 + 2 * services.length);
  for (let taken = 1; taken < length; taken += 1) {
    const restore = await restored();
    const opening = openingOf(restore);
    for (const take of openingSteps(databases.all, opening).slice(0, taken)) await take();
    expect(await statesOf()).toContain('RECOVERING');
    expect(await run()).toEqual(opening.report);
    expect(await statesOf()).toEqual(['OPEN', 'OPEN', 'OPEN']);
    expect(await openedAtOf(restore)).toEqual([opening.at, opening.at, opening.at]);
    const audit = await auditOf(restore);
    expect(audit.map(({ environmentId }) => environmentId)).toEqual(organizations);
    expect(audit[0]).toMatchObject({ at: opening.at, action: 'reconcile --open' });
  }
  expect(await run()).toBeUndefined();
});

test('an opening does not count for a later restore', async () => {
  for (const take of openingSteps(databases.all, openingOf(await restored()))) await take();
  const { id } = await restored();
  expect(await new Openings(databases.all).find(id)).toBeUndefined();
});

test('an opening without findings leaves no audit entry', async () => {
  const restore = await restored();
  const opening = { ...openingOf(restore), reason: undefined };
  for (const take of openingSteps(databases.all, opening)) await take();
  expect(await auditOf(restore)).toEqual([]);
});
