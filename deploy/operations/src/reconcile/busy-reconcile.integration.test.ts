import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { newId } from '@billing/chassis/ids';
import { Restores } from '@billing/chassis/restores';
import { testServiceConfiguration } from '@billing/chassis/testing';
import { openAfterRestore } from '@billing/local/recovery';
import { withCommandLease } from '../database/command-lease';
import { type ServiceDatabase, withDatabases } from '../database/databases';
import { Openings } from './opening';
import { toReport } from './report';

// The command that the launcher runs takes the databases of the test by their prefix.
const { MONGODB_URI: mongodbUri, MONGODB_DATABASE } = testServiceConfiguration('busy');
const settings = { databasePrefix: MONGODB_DATABASE, services: {} };
const root = resolve(__dirname, '../../../..');
let dataDir: string;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'billing-test-busy-'));
});

afterAll(async () => {
  await rm(dataDir, { recursive: true, force: true });
  await withDatabases(mongodbUri, settings, async (databases) => {
    for (const { db } of databases) await db.dropDatabase();
  });
});

/** Databases of a restored system whose opening was decided: no service is needed to finish it. */
async function decide(databases: readonly ServiceDatabase[]): Promise<void> {
  const at = new Date();
  const restore = { id: newId(), code: 'WHDWR', at, instant: at };
  for (const { db, system } of databases) {
    await system.close();
    await new Restores(db).record(restore);
    await system.recoverFrom(restore);
  }
  const found = { restore, steps: [], findings: [], unmatchedCharges: [], openedAt: at };
  const opening = { id: newId(), restore, at, reason: undefined, report: toReport(found) };
  await new Openings(databases).record(opening);
}

test('a start waits for the lease that a killed reconcile has left, and then opens the system', async () => {
  await withDatabases(mongodbUri, settings, async (databases) => {
    await decide(databases);
    const isBusy = Promise.withResolvers<unknown>();
    const log = (line: string) => {
      if (line.endsWith('trying again')) isBusy.resolve(line);
    };
    const opened = await withCommandLease('reconcile', databases, async () => {
      const opening = openAfterRestore({ ...settings, root, mongodbUri, dataDir, log });
      await Promise.race([isBusy.promise, opening]);
      return { opening };
    });
    expect(await opened.opening).toBe(true);
    for (const { system } of databases) expect((await system.read())?.state).toBe('OPEN');
  });
});
