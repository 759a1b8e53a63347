import { exitStatuses, StartRefusal } from '@billing/chassis/start-refusal';
import { findDataFolder, reportDatabasesOutside } from '@billing/local/data-folder';
import { withDataServers } from '@billing/local/data-servers';
import { readDataSettings, reportProgress } from '@billing/local/maintenance';
import { withDatabases } from '../database/databases';
import { type Check, checksOf } from './checks';
import { readFacts } from './read-facts';

/** Checks a running system. */
export async function examine(dataDir: string | undefined): Promise<Check[]> {
  const { environment, settings } = readDataSettings(dataDir);
  const isElsewhere = environment.mongodbUri !== undefined;
  const data = await findDataFolder(settings.dataDir, { rootReads: true, isElsewhere });
  if (!isElsewhere) {
    if (!data.isThere) {
      const message = `There is no data folder ${data.path}: set --data as for the start`;
      throw new StartRefusal(exitStatuses.configuration, message);
    }
    reportDatabasesOutside(data, reportProgress);
  }
  const databasesDir = isElsewhere ? undefined : data.databases;
  const servers = { environment, data, onlyRunning: true, log: reportProgress };
  return await withDataServers(servers, ({ mongodbUri, readArchiver }) =>
    withDatabases(mongodbUri, settings, async (databases) =>
      checksOf({
        ...(await readFacts(databases, databasesDir)),
        archiver: await readArchiver?.(),
      }),
    ),
  );
}
