import { withDataServers } from '@billing/local/data-servers';
import { findDataFolder } from '@billing/local/data-folder';
import { readDataSettings, reportProgress } from '@billing/local/maintenance';
import type { Restore } from '@billing/chassis/recovery';
import { withDatabases } from '../database/databases';
import { refuseRunningReplicas } from '../database/pause';
import { closeDatabases, nameRestore, refuseOtherInstants } from './name-restore';

/**
 * Names the restore of databases that other tools have put back to an instant, while no service
 * runs. They stay closed until `reconcile` has compared the services.
 */
export async function announceRestored(
  instant: Date,
  { dataDir }: { readonly dataDir: string | undefined },
): Promise<Restore> {
  const { environment, settings } = readDataSettings(dataDir);
  const data = await findDataFolder(settings.dataDir, { rootReads: false });
  const { archiveDir } = settings;
  const servers = { environment, data, archiveDir, log: reportProgress };
  return await withDataServers(servers, ({ mongodbUri }) =>
    withDatabases(mongodbUri, settings, async (databases) => {
      await refuseRunningReplicas(databases);
      await refuseOtherInstants(databases, instant);
      await closeDatabases(databases);
      return await nameRestore(databases, instant);
    }),
  );
}
