import { rm } from 'node:fs/promises';
import { Closers, type Running } from '@billing/chassis/process';
import { ownerLink } from '@billing/identity/first-owner-client';
import type { Announcement } from './announcement';
import { type LauncherEnvironment, readLauncherEnvironment } from './config';
import { ensureFirstKeys, localOrganization } from './first-keys';
import type { Flags } from './flags';
import { type Infrastructure, startInfrastructure } from './infrastructure';
import { ensureSecrets } from './secrets';
import type { SystemSite } from './service-environment';
import { makeSocketFolder } from './socket-folder';
import { type RunningSystem, startSystem } from './system';
import { startSystemProcesses } from './system-processes';

export interface LaunchOptions {
  flags: Flags;
  /** The repository. */
  root: string;
  log: (line: string) => void;
  announce: (announcement: Announcement) => void;
  environment?: LauncherEnvironment;
}

/** One command: databases, services, first keys. What was started is stopped in reverse order, also after a failure. */
export async function launch(options: LaunchOptions): Promise<Running> {
  const { flags, log, environment = readLauncherEnvironment() } = options;
  const closers = new Closers();
  try {
    const runDir = await makeSocketFolder(undefined);
    closers.add('sockets', () => rm(runDir, { recursive: true, force: true }));
    log('Starting MongoDB and NATS');
    const infrastructure = await startInfrastructure({
      dataDir: flags.dataDir,
      throwawayFolders: [runDir],
      log,
      environment,
    });
    closers.add('databases', () => infrastructure.stop());

    log(flags.processes ? 'Starting the services, each in its process' : 'Starting the services');
    const system = await startServices({ ...options, environment, infrastructure, runDir });
    closers.add('services', () => system.stop());

    options.announce(await announcementOf(system, infrastructure));
    return { stop: () => closers.closeAll() };
  } catch (error) {
    await closers.closeAll();
    throw error;
  }
}

interface ServicesOptions extends LaunchOptions {
  environment: LauncherEnvironment;
  infrastructure: Infrastructure;
  runDir: string;
}

async function startServices(options: ServicesOptions): Promise<RunningSystem> {
  const { flags, root, log, environment, infrastructure, runDir } = options;
  const { path: dataDir, logs: logDir } = infrastructure.dataFolder;
  const site: SystemSite & { logDir: string } = {
    mongodbUri: infrastructure.mongodbUri,
    natsUrl: infrastructure.natsUrl,
    databasePrefix: 'billing',
    streamName: 'BILLING',
    runDir,
    port: flags.port,
    secrets: await ensureSecrets(dataDir),
    logDir,
    logLevel: environment.logLevel,
    version: environment.version,
    otlpEndpoint: environment.otlpEndpoint,
    traceSampleRatio: environment.traceSampleRatio,
    rateLimits: environment.rateLimits,
    stripe: environment.stripe,
    identityProvider: environment.identityProvider,
  };
  if (!flags.processes) return await startSystem(site);
  return await startSystemProcesses({ site, root, dataDir, environment: environment.all, log });
}

async function announcementOf(
  system: RunningSystem,
  { mongodbUri, natsUrl, dataFolder }: Infrastructure,
): Promise<Announcement> {
  const keys = await ensureFirstKeys(system.addresses.identity, dataFolder.path);
  const link = await ownerLink({
    identityAddress: system.addresses.identity,
    gatewayUrl: system.gatewayUrl,
    organization: localOrganization,
    service: 'launcher',
  });
  return {
    gatewayUrl: system.gatewayUrl,
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
