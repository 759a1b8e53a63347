import { systemClock } from '@billing/chassis/clock';
import { newId } from '@billing/chassis/ids';
import { Restores } from '@billing/chassis/restores';
import { findDataFolder } from '@billing/local/data-folder';
import { withDataServers } from '@billing/local/data-servers';
import { readDataSettings, reportProgress } from '@billing/local/maintenance';
import { findAggregates } from '../database/aggregates';
import { withCommandLease } from '../database/command-lease';
import { databaseOf, type ServiceDatabase, withDatabases } from '../database/databases';
import { agreedRestore } from './agreed-restore';
import { check } from './check';
import { checkSums } from './check-sums';
import { LivingServices } from './living-services';
import { open, Openings } from './opening';
import { findWrongAmounts } from './read-amounts';
import { findingsOf, readCheckedFacts, readUnmatchedCharges } from './read-checked-facts';
import { readSums } from './read-sums';
import { isClean, type Report, shortened, toReport } from './report';
import { takeSteps } from './request-steps';
import { unfinishedSteps } from './unfinished-steps';

/** System to reconcile. */
export interface ReconcileOptions {
  readonly dataDir: string | undefined;
  /** Reason for which the system is opened despite what was found. */
  readonly openReason: string | undefined;
}

/**
 * Compares the services of a restored system with each other and with the payment provider, and
 * opens the system. Returns undefined if it is open.
 */
export async function reconcile({
  dataDir,
  openReason,
}: ReconcileOptions): Promise<Report | undefined> {
  const { environment, settings } = readDataSettings(dataDir);
  const isElsewhere = environment.mongodbUri !== undefined;
  const data = await findDataFolder(settings.dataDir, { rootReads: false, isElsewhere });
  const { archiveDir } = settings;
  const options = { environment, data, archiveDir, onlyRunning: true, log: reportProgress };
  return await withDataServers(options, ({ mongodbUri }) =>
    withDatabases(mongodbUri, settings, (databases) =>
      withCommandLease('reconcile', databases, (lease) =>
        recover(databases, { openReason, confirm: () => lease.confirm() }),
      ),
    ),
  );
}

/**
 * Takes the steps, and opens the databases unless something was found. An opening that an earlier
 * run has decided is finished without steps. Returns undefined if all databases are open.
 */
export async function recover(
  databases: readonly ServiceDatabase[],
  { openReason, confirm }: { openReason: string | undefined; confirm: () => Promise<void> },
): Promise<Report | undefined> {
  const restore = await agreedRestore(databases);
  if (restore === undefined) return undefined;
  const decided = await new Openings(databases).find(restore.id);
  if (decided !== undefined) return await open(databases, { ...decided, restore });
  const living = new LivingServices(restore.id);
  const aggregates = await findAggregates(databases);
  const steps = await takeSteps(databases, { aggregates, living, report: reportProgress });
  reportProgress('Step check');
  const checked = check(await readCheckedFacts(databases, aggregates));
  const sums = checkSums(await readSums(databases));
  const amounts = await findWrongAmounts(databases);
  const unmatchedCharges = await readUnmatchedCharges(databases, restore.id);
  const charges = findingsOf(unmatchedCharges);
  const findings = [...unfinishedSteps(steps), ...checked, ...sums, ...amounts, ...charges];
  const found = { restore, steps, findings, unmatchedCharges, openedAt: undefined };
  const closed = toReport(found);
  await confirm();
  await recordReport(databases, closed);
  if (!isClean(closed) && openReason === undefined) {
    // The next run takes the steps again: something was repaired until then.
    for (const { system } of databases) await system.forgetSteps();
    return closed;
  }
  const at = systemClock.now();
  const report = toReport({ ...found, openedAt: at });
  await recordReport(databases, report);
  const reason = isClean(closed) ? undefined : openReason;
  return await open(databases, { id: newId(), restore, at, reason, report });
}

/** Keeps the report for the System page of the dashboard. */
async function recordReport(databases: readonly ServiceDatabase[], report: Report): Promise<void> {
  const restores = new Restores(databaseOf(databases, 'identity'));
  await restores.recordReport(report.restoreId, JSON.stringify(shortened(report)));
}
