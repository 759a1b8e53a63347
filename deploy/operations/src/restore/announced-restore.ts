import { systemClock } from '@billing/chassis/clock';
import type { Restore } from '@billing/chassis/recovery';
import { exitStatuses, StartRefusal } from '@billing/chassis/start-refusal';
import { findDataFolder, hasDatabases } from '@billing/local/data-folder';
import { withDataServers } from '@billing/local/data-servers';
import { readDataSettings, reportProgress } from '@billing/local/maintenance';
import { findAggregates } from '../database/aggregates';
import { type ServiceDatabase, withDatabases } from '../database/databases';
import { refuseRunningReplicas } from '../database/pause';
import {
  apartMsMax,
  closeDatabases,
  nameRestore,
  notRestored,
  refuseOtherInstants,
} from './name-restore';

/**
 * Names the restore of databases that other tools have put back to an instant, while no service
 * runs. They stay closed until `reconcile` has compared the services.
 */
export async function announceRestored(
  instant: Date,
  { dataDir }: { readonly dataDir: string | undefined },
): Promise<Restore> {
  const { environment, settings } = readDataSettings(dataDir);
  const isElsewhere = environment.mongodbUri !== undefined;
  const data = await findDataFolder(settings.dataDir, { rootReads: false, isElsewhere });
  if (!isElsewhere && !(data.isThere && (await hasDatabases(data)))) {
    throw refused(
      `There are no databases in ${data.path}: set --data or MONGODB_URI as for the start`,
    );
  }
  if (instant > systemClock.now()) {
    throw refused('--restored is later than the clock of this machine');
  }
  const { archiveDir } = settings;
  const servers = { environment, data, archiveDir, recovery: {}, log: reportProgress };
  return await withDataServers(servers, ({ mongodbUri }) =>
    withDatabases(mongodbUri, settings, (databases) => announceIn(databases, instant)),
  );
}

/** Names the restore in databases that were put back. */
export async function announceIn(
  databases: readonly ServiceDatabase[],
  instant: Date,
): Promise<Restore> {
  await refuseRunningReplicas(databases);
  return await whileClosed(databases, async () => {
    // A replica that started since then has seen the closing, or is seen here.
    await refuseRunningReplicas(databases);
    await refuseOtherInstants(databases, instant);
    await refuseLaterWrites(databases, instant);
    await closeDatabases(databases);
    return await nameRestore(databases, instant);
  });
}

/** Closes the databases that are open. A failure leaves those as they were that this run closed. */
async function whileClosed<T>(
  databases: readonly ServiceDatabase[],
  work: () => Promise<T>,
): Promise<T> {
  const undone: (() => Promise<void>)[] = [];
  try {
    for (const database of databases) {
      const { system } = database;
      const former = await system.read();
      if (former?.state === 'RECOVERING') continue;
      undone.push(() => system.undoClose(former));
      await closeDatabases([database]);
    }
    return await work();
  } catch (error) {
    await Promise.allSettled(undone.map((undo) => undo()));
    throw error;
  }
}

/** Refuses a database that is empty, or has an aggregate that was written after the instant. */
async function refuseLaterWrites(
  databases: readonly ServiceDatabase[],
  instant: Date,
): Promise<void> {
  const changedAt = { $gt: new Date(instant.getTime() + apartMsMax) };
  for (const database of databases) {
    const name = database.db.databaseName;
    reportProgress(`Looking for later writes in ${name}`);
    const aggregates = await findAggregates([database]);
    if (aggregates.length === 0) throw notRestored(name, instant);
    for (const { documents } of aggregates) {
      if ((await documents.findOne({ changedAt })) !== null) throw notRestored(name, instant);
    }
  }
}

function refused(message: string): StartRefusal {
  return new StartRefusal(exitStatuses.configuration, message);
}
