import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { SystemStore } from '@billing/chassis/system-store';
import { MongoClient } from 'mongodb';
import { databaseNames, mongoOptions } from './moved-data';
import type { Environment } from './service-settings';

interface RecoveryOptions {
  /** Root of the repository, with the built command. */
  readonly root: string;
  readonly mongodbUri: string;
  readonly dataDir: string;
  readonly databasePrefix: string;
  readonly services: Environment;
  readonly log: (line: string) => void;
}

/**
 * Runs `reconcile` if the data was restored and is not open yet. Returns false if the system stays
 * closed; the command has printed why.
 */
export async function openAfterRestore(options: RecoveryOptions): Promise<boolean> {
  if (!(await isRecovering(options))) return true;
  const { root, mongodbUri, dataDir, databasePrefix, log } = options;
  log('The data was restored: running npm run reconcile');
  const program = join(root, 'deploy/operations/dist/reconcile/main.js');
  const { BILLING_ARCHIVE: _archive, ...environment } = process.env;
  const command = spawn(process.execPath, [program, '--data', dataDir], {
    env: { ...environment, MONGODB_URI: mongodbUri, DATABASE_PREFIX: databasePrefix },
    // Standard output is for the line that announces the system.
    stdio: ['ignore', process.stderr, process.stderr],
  });
  const end = () => {
    command.kill();
  };
  process.once('exit', end);
  await once(command, 'exit');
  process.off('exit', end);
  return !(await isRecovering(options));
}

async function isRecovering({
  mongodbUri,
  databasePrefix,
  services,
}: RecoveryOptions): Promise<boolean> {
  const client = await MongoClient.connect(mongodbUri, mongoOptions(services));
  try {
    for (const name of databaseNames(databasePrefix).values()) {
      if ((await new SystemStore(client.db(name)).read())?.state === 'RECOVERING') return true;
    }
    return false;
  } finally {
    await client.close();
  }
}
