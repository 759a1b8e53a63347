import { join } from 'node:path';
import { ConfigurationError } from '@billing/chassis/configuration';
import { freePort } from '@billing/chassis/listen-address';
import { randomSecret } from '@billing/chassis/ids';
import { type Account, canReach, makePrivateFolder, unprivilegedAccount } from './files/account';
import { findProgram } from './process/command';
import {
  type LauncherEnvironment,
  readLauncherEnvironment,
} from './environment/launcher-environment';
import {
  type ContainerOptions,
  type ContainerServer,
  prepareMongodContainer,
  prepareNatsContainer,
} from './container/containers';
import {
  type DataFolder,
  openDataFolder,
  readRememberedWays,
  type RememberedWays,
  rememberWays,
} from './files/data-folder';
import { installDocumentDb } from './install/documentdb';
import { ferretDbProgram, ferretDbUri, installFerretDb } from './server/ferretdb';
import { ADDRESS_GIVEN, takeFirstOpenWay, type Way } from './server/ladder';
import { mongodUri, prepareMongod } from './server/mongod';
import { downloadMongod } from './install/mongod-download';
import {
  installNatsFromDebian,
  installNatsFromGo,
  prepareNats,
  requireUsableNats,
} from './server/nats-server';
import type { LogRecovery } from './server/log-recovery';
import { archiveNeedsPostgres, preparePostgres } from './server/postgres';
import { openProcessFamily, type ProcessFamily } from './process/family';
import { recoverFromRecord } from './process/record';
import { makeSocketFolder } from './files/socket-folder';

export interface Infrastructure {
  mongodbUri: string;
  natsUrl: string;
  /** Description of the servers in use. */
  describe: { mongodb: string; nats: string };
  dataFolder: DataFolder;
  /** Folder of the databases' sockets. */
  socketDir: string;
  /** Running servers by name. */
  pids(): Record<string, number>;
  stop(): Promise<void>;
}

export interface InfrastructureOptions {
  dataDir: string;
  log: (line: string) => void;
  environment?: LauncherEnvironment;
  /** Folders that are removed after the servers have ended, even if the launcher is killed. */
  throwawayFolders?: readonly string[];
  /**
   * Syncs writes to disk; default true. Tests only kill processes, whose writes survive without it.
   */
  fsync?: boolean;
  /** Folder into which the launcher's PostgreSQL archives its write-ahead log. */
  archiveDir?: string | undefined;
  /** Recovers files of the launcher's PostgreSQL that were copied or put back. */
  recovery?: LogRecovery | undefined;
}

/** Record of the servers of a data folder, while a launcher runs on it. */
export function infrastructureRecord(dataDir: string): string {
  return join(dataDir, 'infrastructure-processes.json');
}

interface Server {
  uri: string;
}

interface Site {
  environment: LauncherEnvironment;
  account: Account | undefined;
  data: DataFolder;
  socketDir: string;
  family: ProcessFamily;
  fsync: boolean | undefined;
  archiveDir: string | undefined;
  recovery: LogRecovery | undefined;
  log: (line: string) => void;
}

/**
 * Finds or installs a MongoDB-compatible server and NATS, starts them and waits until they are
 * ready.
 */
export async function startInfrastructure(options: InfrastructureOptions): Promise<Infrastructure> {
  const { log, fsync, archiveDir, recovery, throwawayFolders = [] } = options;
  const { environment = readLauncherEnvironment() } = options;
  const account = unprivilegedAccount();
  const data = await openDataFolder(options.dataDir, account, log);
  const recordFile = infrastructureRecord(data.path);
  await recoverFromRecord(recordFile, log);
  const socketDir = await makeSocketFolder(account);
  const folders = [socketDir, ...throwawayFolders];
  const family = await openProcessFamily({ recordFile, folders, log });
  const here = { environment, account, data, socketDir, family };
  const site: Site = { ...here, fsync, archiveDir, recovery, log };
  try {
    const remembered = await readRememberedWays(data);
    const { mongodb, nats } = await startServers(site, remembered);
    return {
      mongodbUri: mongodb.found.uri,
      natsUrl: nats.found.uri,
      describe: { mongodb: mongodb.way, nats: nats.way },
      dataFolder: data,
      socketDir,
      pids: () => family.pids(),
      stop: () => family.stop(),
    };
  } catch (error) {
    await family.stop();
    throw error;
  }
}

async function startServers(site: Site, remembered: RememberedWays) {
  const { data, log } = site;
  refuseOpenContainer(remembered, data);
  const reasonsFile = join(data.logs, 'infrastructure.log');
  const [mongodb, nats] = await bothOrFirstError(
    takeFirstOpenWay({
      what: 'MongoDB',
      ways: mongodbWays(site),
      remembered: remembered.mongodb,
      ...{ log, reasonsFile },
    }),
    takeFirstOpenWay({
      what: 'NATS',
      ways: natsWays(site),
      remembered: natsWayOf(remembered),
      ...{ log, reasonsFile },
    }),
  );
  if (site.archiveDir !== undefined && mongodb.way !== FERRETDB) {
    throw new ConfigurationError([archiveNeedsPostgres]);
  }
  const ways = { ...remembered };
  if (mongodb.way !== ADDRESS_GIVEN) ways.mongodb = mongodb.way;
  if (nats.way !== ADDRESS_GIVEN) ways.nats = nats.way;
  await rememberWays(data, ways);
  return { mongodb, nats };
}

// Name that earlier releases stored for containers without a password.
const OPEN_CONTAINER = 'container';

function refuseOpenContainer({ mongodb }: RememberedWays, { databases }: DataFolder): void {
  if (mongodb !== OPEN_CONTAINER) return;
  const folder = join(databases, 'container');
  throw new Error(
    `${folder} was written by a MongoDB without a password; start mongod on it yourself and set MONGODB_URI`,
  );
}

/** Ignores such a container of NATS: the event logs contain its events. */
function natsWayOf({ nats }: RememberedWays): string | undefined {
  return nats === OPEN_CONTAINER ? undefined : nats;
}

/** Waits for both before it reports an error, so that nothing starts after a stop. */
async function bothOrFirstError<A, B>(a: Promise<A>, b: Promise<B>): Promise<[A, B]> {
  await Promise.allSettled([a, b]);
  return [await a, await b];
}

export const FERRETDB = 'ferretdb';
export const MONGOD = 'mongod';
export const CONTAINER = 'docker';

function mongodbWays(site: Site): Way<Server>[] {
  const { environment, log } = site;
  return [
    givenAddress('MONGODB_URI', environment.mongodbUri),
    {
      name: MONGOD,
      description: 'mongod on the PATH',
      open: async () => await startMongod(site, await requireProgram('mongod', environment)),
    },
    {
      name: MONGOD,
      description: 'a downloaded mongod',
      open: async () => await startMongod(site, await downloadMongod(environment, log)),
    },
    {
      name: CONTAINER,
      description: 'mongod in a container',
      open: async () => await startContainer(site, prepareMongodContainer, 'mongod'),
    },
    {
      name: FERRETDB,
      description: 'FerretDB on PostgreSQL with DocumentDB (Debian packages, Go module)',
      open: async () => await startFerretDb(site),
    },
  ];
}

function natsWays(site: Site): Way<Server>[] {
  const { environment, log } = site;
  return [
    givenAddress('NATS_URL', environment.natsUrl),
    {
      name: 'nats-server',
      description: 'nats-server on the PATH',
      open: async () => await startNats(site, await requireProgram('nats-server', environment)),
    },
    {
      name: CONTAINER,
      description: 'nats-server in a container',
      open: async () => await startContainer(site, prepareNatsContainer, 'nats-server'),
    },
    {
      name: 'nats-server',
      description: 'nats-server of a Debian package',
      open: async () => await startNats(site, await installNatsFromDebian(environment, log)),
    },
    {
      name: 'nats-server',
      description: 'nats-server built from its Go module',
      open: async () => await startNats(site, await installNatsFromGo(environment, log)),
    },
  ];
}

function givenAddress(variable: string, uri: string | undefined): Way<Server> {
  return {
    name: ADDRESS_GIVEN,
    description: variable,
    open: async () => {
      if (uri === undefined) return await Promise.reject(new Error('not set'));
      return { uri };
    },
  };
}

async function requireProgram(name: string, { path }: LauncherEnvironment): Promise<string> {
  const program = await findProgram(name, path);
  if (program === undefined) throw new Error(`${name} is not on the PATH`);
  return program;
}

async function startMongod(site: Site, command: string): Promise<Server> {
  const { data, socketDir, account, family } = site;
  const dataDir = join(data.databases, 'mongod');
  const logFile = join(data.logs, 'mongod.log');
  await family.start(await prepareMongod({ command, dataDir, socketDir, logFile, account }));
  return { uri: mongodUri(socketDir) };
}

async function startFerretDb(site: Site): Promise<Server> {
  const { environment, data, socketDir, account, family, fsync, archiveDir, recovery, log } = site;
  if (archiveDir !== undefined) await openArchive(archiveDir, account);
  const [programs, command] = await bothOrFirstError(
    installDocumentDb(environment, log),
    installFerretDb(environment, log),
  );
  const postgres = await preparePostgres(
    {
      programs,
      socketDir,
      dataDir: join(data.databases, 'postgres'),
      logFile: join(data.logs, 'postgres.log'),
      account,
      fsync,
      archiveDir,
      recovery,
    },
    environment.cacheDir,
    log,
  );
  await family.start(postgres);
  const logFile = join(data.logs, 'ferretdb.log');
  await family.start(ferretDbProgram({ command, socketDir, logFile, account }));
  return { uri: ferretDbUri(socketDir) };
}

async function openArchive(folder: string, account: Account | undefined): Promise<void> {
  await makePrivateFolder(folder, account);
  if (await canReach(join(folder, 'any'), account)) return;
  const problem = 'cannot be reached by the user that the databases run as';
  throw new ConfigurationError([{ variable: 'BILLING_ARCHIVE', problem }]);
}

async function startContainer(
  { environment, data, socketDir, family }: Site,
  prepare: (options: ContainerOptions) => Promise<ContainerServer>,
  log: string,
): Promise<Server> {
  const { program, uri } = await prepare({
    environment,
    dataDir: data.databases,
    runDir: socketDir,
    logFile: join(data.logs, `${log}.log`),
  });
  await family.start(program);
  return { uri };
}

const natsTokenBytes = 24;

async function startNats(site: Site, command: string): Promise<Server> {
  const { data, socketDir, account, family } = site;
  await requireUsableNats(command);
  const port = await freePort();
  // Only the services of this launcher know the token, and only while it runs.
  const token = randomSecret(natsTokenBytes).toString('hex');
  const program = await prepareNats({
    command,
    token,
    dataDir: join(data.databases, 'nats'),
    runDir: socketDir,
    port,
    logFile: join(data.logs, 'nats-server.log'),
    account,
  });
  await family.start(program);
  return { uri: `nats://${token}@127.0.0.1:${String(port)}` };
}
