import { rm } from 'node:fs/promises';
import { Closers, type Running } from '@billing/chassis/process';
import { ownerLink } from '@billing/identity/create-owner-link';
import { unprivilegedAccount } from './files/account';
import type { Announcement } from './announcement';
import {
  type LauncherEnvironment,
  readLauncherEnvironment,
} from './environment/launcher-environment';
import { hasDatabases, openDataFolder } from './files/data-folder';
import { ensureFirstKeys, localOrganization } from './system/first-keys';
import type { Flags } from './flags';
import { holdPort } from './held-port';
import { type Infrastructure, startInfrastructure } from './infrastructure';
import { ensureSecrets } from './system/secrets';
import type { Secrets, SystemSite } from './system/service-environment';
import { isServiceVariable } from './system/service-settings';
import { readSettings, type Settings } from './settings';
import { makeSocketFolder } from './files/socket-folder';
import { keepLogsSmall } from './process/log-rotation';
import { forgetRunningSystem, recordRunningSystem } from './system/running-system';
import { type RunningSystem, startSystem } from './system/system';
import { openMovedData } from './system/moved-data';
import { announceOnceOpen, openAfterRestore } from './system/recovery';
import { startSystemProcesses } from './system/processes';

export interface LaunchOptions {
  flags: Flags;
  /** Root folder of the repository. */
  root: string;
  log: (line: string) => void;
  /** Data folder unless flags or environment name another one. */
  dataDirDefault: string;
  announce: (announcement: Announcement) => void;
}

/**
 * Starts databases and services, and creates the first keys. Stops in reverse order, also after a
 * failure.
 */
export async function launch(options: LaunchOptions): Promise<Running> {
  const { flags, dataDirDefault, log } = options;
  const environment = readLauncherEnvironment();
  const closers = new Closers();
  try {
    const settings = readSettings(flags, environment, dataDirDefault);
    const { host, dataDir } = settings;
    const port = settings.port === 0 ? undefined : await holdPort(host, settings.port);
    closers.add('port', async () => port?.release());
    const data = await openDataFolder(dataDir, unprivilegedAccount(), () => undefined);
    const secrets = await ensureSecrets(data.path, { hasData: await hasDatabases(data) });
    const logs = keepLogsSmall(data.logs, log);
    closers.add('log rotation', () => logs.stop());
    const runDir = await makeSocketFolder(undefined);
    closers.add('sockets', () => rm(runDir, { recursive: true, force: true }));
    log('Starting MongoDB and NATS');
    const infrastructure = await startInfrastructure({
      dataDir,
      archiveDir: settings.archiveDir,
      throwawayFolders: [runDir],
      log,
      environment,
    });
    closers.add('databases', () => infrastructure.stop());
    if (flags.undoFinal) await openMovedData(infrastructure.mongodbUri, settings);

    log(flags.processes ? 'Starting the services in separate processes' : 'Starting the services');
    // The gateway takes the port now.
    await port?.release();
    const system = await startServices({
      ...options,
      environment,
      settings,
      infrastructure,
      runDir,
      secrets,
    });
    closers.add('services', () => system.stop());
    await recordRunningSystem(data.path, system);
    closers.add('record of the system', () => forgetRunningSystem(data.path));

    const { root } = options;
    const { mongodbUri } = infrastructure;
    const announce = async () => {
      options.announce(await announcementOf(system, infrastructure, log));
    };
    const recovery = { ...settings, root, mongodbUri, log };
    if (await openAfterRestore(recovery)) {
      await announce();
    } else {
      const opening = announceOnceOpen(recovery, announce);
      closers.add('announcement', () => opening.stop());
      log(`The system stays closed; operators may sign in at ${system.publicUrl}/dashboard`);
    }
    return { stop: () => closers.closeAll() };
  } catch (error) {
    await closers.closeAll();
    throw error;
  }
}

interface ServicesOptions extends LaunchOptions {
  environment: LauncherEnvironment;
  settings: Settings;
  infrastructure: Infrastructure;
  runDir: string;
  secrets: Secrets;
}

async function startServices(options: ServicesOptions): Promise<RunningSystem> {
  const { flags, root, log, environment, settings, infrastructure, runDir, secrets } = options;
  const { path: dataDir, logs: logDir, databases: databasesDir } = infrastructure.dataFolder;
  const { host, port, publicUrl, databasePrefix, streamName, services } = settings;
  const site: SystemSite & { logDir: string } = {
    mongodbUri: infrastructure.mongodbUri,
    natsUrl: infrastructure.natsUrl,
    databasePrefix,
    streamName,
    runDir,
    host,
    port,
    publicUrl,
    secrets,
    logDir,
    databasesDir,
    settings: services,
  };
  if (!flags.processes) return await startSystem(site);
  const { watch: watches, inspect } = flags;
  return await startSystemProcesses({
    site,
    root,
    dataDir,
    watches,
    inspect,
    log,
    environment: withoutSettings(environment.all),
  });
}

/** The environment without the settings of services: each process gets those that it reads. */
function withoutSettings(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(environment).filter(([variable]) => !isServiceVariable(variable)),
  );
}

async function announcementOf(
  system: RunningSystem,
  { mongodbUri, natsUrl, dataFolder }: Infrastructure,
  log: (line: string) => void,
): Promise<Announcement> {
  const keys = await ensureFirstKeys(system.addresses.identity, dataFolder.path, { log });
  const link = await ownerLink({
    identityAddress: system.addresses.identity,
    gatewayUrl: system.publicUrl,
    organization: localOrganization,
    service: 'launcher',
  });
  return {
    gatewayUrl: system.gatewayUrl,
    publicUrl: system.publicUrl,
    ...keys,
    ...(link !== undefined && { ownerLink: link }),
    dataDir: dataFolder.path,
    logDir: dataFolder.logs,
    mongodbUri,
    natsUrl,
    addresses: system.addresses,
    ...(system.pids && { pids: system.pids() }),
  };
}
