import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createLogger } from '@billing/chassis/logging';
import { Closers, runCommand } from '@billing/chassis/process';
import { exitStatuses, StartRefusal } from '@billing/chassis/start-refusal';
import { readLauncherEnvironment } from '../config';
import { unprivilegedAccount } from '../files/account';
import { hasDatabases, openDataFolder } from '../files/data-folder';
import { startInfrastructure } from '../infrastructure';
import { readSettings } from '../settings';
import { ensureSecrets } from '../system/secrets';
import { serviceEnvironment, type SystemSite } from '../system/service-environment';
import { serviceNames, services } from '../system/services';

const usage = 'Usage: npm run indexes -- [--data <folder>]';
const dataDirDefault = join(__dirname, '../../../../.data');

/** Builds the indexes that are missing, on collections of any size. The system may be stopped. */
async function buildIndexes(): Promise<string> {
  const environment = readLauncherEnvironment();
  const flags = {
    ...{ json: false, processes: false, watch: false },
    ...{ url: undefined, listen: undefined, dataDir: readDataDir(), archiveDir: undefined },
  };
  const settings = readSettings(flags, environment, dataDirDefault);
  const { dataDir, archiveDir, databasePrefix, streamName } = settings;
  const data = await openDataFolder(dataDir, unprivilegedAccount(), () => undefined);
  const hasData = await hasDatabases(data);
  if (!hasData && environment.mongodbUri === undefined) return 'There is no data yet';
  const secrets = await ensureSecrets(data.path, { hasData });
  const closers = new Closers();
  try {
    const runDir = await mkdtemp(join(tmpdir(), 'billing-indexes-'));
    closers.add('folder', () => rm(runDir, { recursive: true, force: true }));
    const infrastructure = await startInfrastructure({ dataDir, archiveDir, log, environment });
    closers.add('databases', () => infrastructure.stop());
    const { mongodbUri, natsUrl } = infrastructure;
    const names = { databasePrefix, streamName };
    const servers = { mongodbUri, natsUrl, runDir };
    const site = { ...servers, ...names, port: 0, secrets, settings: settings.services };
    const count = await buildEach(site);
    return count === 0 ? 'All indexes exist' : 'All indexes are built';
  } finally {
    await closers.closeAll();
  }
}

/** Builds the indexes of each service; returns the number of collections that lacked some. */
async function buildEach(site: SystemSite): Promise<number> {
  let count = 0;
  for (const name of serviceNames.filter((one) => one !== 'gateway')) {
    const running = await services[name].start(serviceEnvironment(name, site), {
      logger: createLogger({ service: name, level: 'silent' }),
      buildsIndexes: (line) => {
        count += 1;
        log(`${name}: ${line}`);
      },
    });
    await running.stop();
  }
  return count;
}

function readDataDir(): string | undefined {
  try {
    return parseArgs({ options: { data: { type: 'string' } } }).values.data;
  } catch (error) {
    throw new StartRefusal(exitStatuses.usage, `${(error as Error).message}\n\n${usage}`);
  }
}

function log(line: string): void {
  process.stderr.write(`[${(performance.now() / 1000).toFixed(1).padStart(6)} s] ${line}\n`);
}

runCommand('indexes', buildIndexes);
