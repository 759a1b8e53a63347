import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeSharedFolder } from '@billing/local/account';
import { readLauncherEnvironment } from '@billing/local/config';
import { type Infrastructure, startInfrastructure } from '@billing/local/infrastructure';

/** Starts servers of the calling file, which may harm them: other tests do not use them. */
export async function startOwnServers(
  log: (line: string) => void = () => undefined,
): Promise<Infrastructure> {
  const dataDir = await mkdtemp(join(tmpdir(), 'billing-faults-'));
  await makeSharedFolder(dataDir);
  const environment = { ...readLauncherEnvironment(), mongodbUri: undefined, natsUrl: undefined };
  return startInfrastructure({ dataDir, throwawayFolders: [dataDir], environment, log });
}
