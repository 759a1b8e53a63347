import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dropTestDatabase, dropTestStream } from '@billing/chassis/testing';
import { ensureFirstKeys, localOrganization } from '@billing/local/first-keys';
import type { SystemSite } from '@billing/local/service-environment';
import { serviceNames } from '@billing/local/services';
import { type RunningSystem, startSystem } from '@billing/local/system';
import { startSystemProcesses } from '@billing/local/system-processes';
import { ApiClient } from './api-client';
import { compileCache, firstMessageOf, forkCompiled, type TestSystem } from './shared-system';
import { givenInfrastructure, type Servers, siteIn, unlimited } from './test-site';

/**
 * A system with its own databases, stream and keys, for files that kill, limit or reconfigure it.
 */
export interface OwnTestSystem extends TestSystem {
  /** The database of a service. */
  databaseOf(service: string): { uri: string; database: string };
  /** The current process of each service, if they run separately. */
  readonly pids: () => Record<string, number>;
  /**
   * Stops everything and starts it again on the same data, at the same addresses. Only if the
   * services share this process.
   */
  restart(whileStopped: () => void): Promise<void>;
  stop(): Promise<void>;
}

/** Starts every service on the infrastructure of jest's global setup. */
export async function startTestSystem({
  processes = false,
  ownProcess = false,
  otlpEndpoint,
  rateLimits = unlimited,
  gateway = {},
  stripe = {},
  failpointsFolder,
  disk,
  environment = {},
  infrastructure = givenInfrastructure(),
  stream = {},
  secured = {},
}: {
  /** Runs each service in a process of its own. */
  processes?: boolean;
  /**
   * Runs all services in one compiled process, which costs less than in the test's: for tests that
   * change no clock of the services and restart none.
   */
  ownProcess?: boolean;
  /** Database and stream of the test's own, e.g. to kill them; absent: those of all tests. */
  infrastructure?: Servers;
  /** Variables of the stream. */
  stream?: Record<string, string>;
  /** Folder that tells processes where to kill themselves; see failpoint.ts of the chassis. */
  failpointsFolder?: string;
  /** Folder whose free space the services watch, and their reserve; absent: none. */
  disk?: { folder: string; reserveMb: number };
  /** Additional environment variables of processes. */
  environment?: Record<string, string>;
  otlpEndpoint?: string;
  rateLimits?: Record<string, string>;
  /** Additional variables of the gateway. */
  gateway?: Record<string, string>;
  /** Provider of live environments; absent: none. */
  stripe?: Record<string, string>;
  /** Certificates and credentials; absent: calls are unencrypted. */
  secured?: Pick<SystemSite, 'security' | 'variablesOf'>;
} = {}): Promise<OwnTestSystem> {
  const dataDir = await mkdtemp(join(tmpdir(), 'billing-t-'));
  const site = {
    ...siteIn(dataDir, {
      infrastructure,
      otlpEndpoint,
      settings: {
        ...rateLimits,
        ...gateway,
        ...stripe,
        ...stream,
        ...(disk && { DISK_RESERVE_MB: String(disk.reserveMb) }),
      },
    }),
    ...(disk && { databasesDir: disk.folder }),
    ...secured,
  };
  const startHere = ownProcess ? startInOwnProcess : startSystem;
  const start = (port: number) =>
    processes
      ? startSystemProcesses({
          site: { ...site, port },
          root: join(__dirname, '../..'),
          dataDir,
          environment: {
            ...process.env,
            NODE_COMPILE_CACHE: compileCache,
            ...environment,
            FAILPOINTS_FOLDER: failpointsFolder,
          },
          restartsWithoutBackoff: failpointsFolder !== undefined,
          log: () => undefined,
        })
      : startHere({ ...site, port });
  return describeSystem(await start(site.port), { site, dataDir, start });
}

async function describeSystem(
  system: RunningSystem,
  {
    site,
    dataDir,
    start,
  }: { site: SystemSite; dataDir: string; start: (port: number) => Promise<RunningSystem> },
): Promise<OwnTestSystem> {
  let running = system;
  const { gatewayUrl } = system;
  const client = (key: string | undefined) => new ApiClient(gatewayUrl, key);
  const { liveKey, testKey = '' } = await ensureFirstKeys(system.addresses.identity, dataDir, {
    security: site.security,
  });
  return {
    gatewayUrl,
    databaseOf: (service) => ({
      uri: site.mongodbUri,
      database: `${site.databasePrefix}_${service}`,
    }),
    organization: localOrganization,
    live: client(liveKey),
    sandbox: client(testKey),
    sandboxKey: testKey,
    addresses: system.addresses,
    databases: { uri: site.mongodbUri, prefix: site.databasePrefix },
    logDir: join(dataDir, 'logs'),
    pids: system.pids ?? (() => ({})),
    client,
    restart: async (whileStopped) => {
      await running.stop();
      whileStopped();
      running = await start(Number(new URL(gatewayUrl).port));
    },
    stop: async () => {
      await running.stop();
      await dropData(site);
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

async function startInOwnProcess(site: SystemSite): Promise<RunningSystem> {
  const child = forkCompiled('system-process');
  const exited = once(child, 'exit');
  const started = firstMessageOf(child);
  child.send({ ...site, variablesOf: undefined });
  const addresses = (await started) as Omit<RunningSystem, 'stop'>;
  return {
    ...addresses,
    stop: async () => {
      child.disconnect();
      await exited;
    },
  };
}

async function dropData(site: SystemSite): Promise<void> {
  await dropTestDatabase(
    ...serviceNames
      .filter((name) => name !== 'gateway')
      .map((name) => ({
        MONGODB_URI: site.mongodbUri,
        MONGODB_DATABASE: `${site.databasePrefix}_${name}`,
      })),
  );
  await dropTestStream({ NATS_URL: site.natsUrl, STREAM_NAME: site.streamName });
}
