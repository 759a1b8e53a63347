import { newId } from '@billing/chassis/ids';
import { connectMongo, type MongoConnection } from '@billing/chassis/mongo';
import type { Restore } from '@billing/chassis/recovery';
import { Restores } from '@billing/chassis/restores';
import { SystemStore } from '@billing/chassis/system-store';
import { dropTestDatabase, testServiceConfiguration } from '@billing/chassis/testing';
import type { ServiceDatabase } from '../database/databases';
import { type Opening, openingSteps, Openings } from './opening';
import { recover } from './reconcile';
import { toReport } from './report';

const services = ['catalog', 'checkout', 'identity'];
const configurations = services.map((service) => testServiceConfiguration(`opening_${service}`));
const instant = new Date('2026-11-28T20:00:00Z');
const organizations = ['a', 'b'];
let connections: readonly MongoConnection[];
let databases: readonly ServiceDatabase[];

beforeAll(async () => {
  connections = await Promise.all(
    configurations.map(({ MONGODB_URI: uri, MONGODB_DATABASE: database }) =>
      connectMongo({ uri, database, service: 'test' }),
    ),
  );
  databases = connections.map(({ db }, index) => {
    return { service: services[index] ?? '', db, system: new SystemStore(db) };
  });
  for (const environmentId of organizations) {
    const organization = { _id: newId(), environmentId };
    await identity().collection<any>('organizations').insertOne(organization);
  }
});

afterAll(async () => {
  await Promise.all(connections.map((mongo) => mongo.close()));
  await dropTestDatabase(...configurations);
});

const identity = () => connections[2]!.db;

/** Closes the databases under a new restore. */
async function restored(): Promise<Restore> {
  const restore = { id: newId(), code: 'WHDWR', at: new Date(), instant };
  for (const { db, system } of databases) {
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
  Promise.all(databases.map(async ({ system }) => (await system.read())?.state));
const openedAtOf = ({ id }: Restore) =>
  Promise.all(databases.map(async ({ db }) => (await new Restores(db).find(id))?.openedAt));
const auditOf = ({ id: targetId }: Restore) =>
  identity().collection('auditEntries').find({ targetId }).sort({ environmentId: 1 }).toArray();
const run = (openReason?: string) =>
  recover(databases, { openReason, confirm: () => Promise.resolve() });

test('an opening that ended after any of its steps is finished by the next run, with its report', async () => {
  const { length } = openingSteps(databases, openingOf(await restored()));
  // The decision, the audit log, and two for each database.
  expect(length).toBe(2 + 2 * services.length);
  for (let taken = 1; taken < length; taken += 1) {
    const restore = await restored();
    const opening = openingOf(restore);
    for (const take of openingSteps(databases, opening).slice(0, taken)) await take();
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
  for (const take of openingSteps(databases, openingOf(await restored()))) await take();
  const { id } = await restored();
  expect(await new Openings(databases).find(id)).toBeUndefined();
});

test('an opening without findings leaves no audit entry', async () => {
  const restore = await restored();
  const opening = { ...openingOf(restore), reason: undefined };
  for (const take of openingSteps(databases, opening)) await take();
  expect(await auditOf(restore)).toEqual([]);
});
