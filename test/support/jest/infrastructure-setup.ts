import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeSharedFolder } from '../../../deploy/local/src/files/account';
import { type Infrastructure, startInfrastructure } from '../../../deploy/local/src/infrastructure';

declare global {
  var billingInfrastructure: Infrastructure | undefined;
}

/**
 * Starts MongoDB and NATS once for all projects that need them; tests read the addresses from their
 * environment.
 */
export default async function setUp(): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'billing-test-data-'));
  // Databases run as another user when the tests run as root.
  await makeSharedFolder(dataDir);
  const log = (line: string): void => {
    process.stderr.write(`  ${line}\n`);
  };
  const throwawayFolders = [dataDir];
  const infrastructure = await startInfrastructure({
    dataDir,
    throwawayFolders,
    fsync: false,
    log,
  });
  globalThis.billingInfrastructure = infrastructure;
  process.env.MONGODB_URI = infrastructure.mongodbUri;
  process.env.NATS_URL = infrastructure.natsUrl;
  // One file for each worker whose test files share a system.
  process.env.SHARED_SYSTEMS_FOLDER = await mkdtemp(join(dataDir, 'shared-'));
}
