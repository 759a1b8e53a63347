import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { freePort } from '@billing/chassis/listen-address';
import { randomSecret } from '@billing/chassis/ids';
import { exitStatuses, StartRefusal } from '@billing/chassis/start-refusal';
import { runCommand } from '../process/command';
import type { LauncherEnvironment } from '../environment/launcher-environment';
import { answersPing } from '../server/ferretdb';
import type { ContainerSettings } from './loopback-container';
import { greetsWithJetStream } from '../server/nats-server';
import { readJsonIfThere, writePrivateJson } from '../files/private-file';
import type { Program } from '../process/supervised-process';

/** A server in a container, and its address with credentials. */
export interface ContainerServer {
  program: Program;
  uri: string;
}

export interface ContainerOptions {
  environment: LauncherEnvironment;
  /** Folder of the databases' files; names of containers and volumes derive from it. */
  dataDir: string;
  /** A private folder of this start. */
  runDir: string;
  logFile: string;
}

/** Settings of a container without its name and port. */
interface ServerSettings extends Omit<ContainerSettings, 'name' | 'hostPort'> {
  readonly kind: 'mongodb' | 'nats';
  readonly isReady: (hostPort: number) => Promise<boolean>;
}

// The built file, also if tests run this module from its source.
const containerMain = join(__dirname, '../..', 'dist/container/main.js');
const MONGODB_IMAGE = 'mongo:8.2';
const NATS_IMAGE = 'nats:2.12-alpine';
const MONGODB_USER = 'billing';
const SECRET_BYTES = 24;
const PULL_TIMEOUT_MS = 10 * 60_000;

/**
 * MongoDB in a container. Its root password is created with its volume and stored with the
 * databases' files, readable by the launcher's user only.
 */
export async function prepareMongodContainer(options: ContainerOptions): Promise<ContainerServer> {
  await requireImage(options, MONGODB_IMAGE);
  const password = await rootPassword(options.dataDir);
  const uriAt = (port: number) => mongodbUri(password, port);
  const { program, hostPort } = await containerProgram(options, {
    kind: 'mongodb',
    image: MONGODB_IMAGE,
    port: 27_017,
    dataPath: '/data/db',
    variables: {
      MONGO_INITDB_ROOT_USERNAME: MONGODB_USER,
      MONGO_INITDB_ROOT_PASSWORD: password,
    },
    args: ['--auth', '--quiet'],
    isReady: (port) => answersPing(uriAt(port)),
  });
  return { program, uri: uriAt(hostPort) };
}

/** Address of the MongoDB that a launcher has started in a container with these folders. */
export async function runningMongodContainer({
  dataDir,
  runDir,
}: Pick<ContainerOptions, 'dataDir' | 'runDir'>): Promise<string> {
  const file = settingsFileOf('mongodb', runDir);
  const settings = (await readJsonIfThere(file)) as ContainerSettings | undefined;
  if (settings === undefined) {
    throw new StartRefusal(exitStatuses.busy, 'The MongoDB of this system is starting: try again');
  }
  return mongodbUri(await rootPassword(dataDir), settings.hostPort);
}

function mongodbUri(password: string, port: number): string {
  return `mongodb://${MONGODB_USER}:${password}@127.0.0.1:${String(port)}/?authSource=admin&retryWrites=false&directConnection=true`;
}

/** NATS in a container; clients need the token of this start. */
export async function prepareNatsContainer(options: ContainerOptions): Promise<ContainerServer> {
  await requireImage(options, NATS_IMAGE);
  const token = newSecret();
  const { program, hostPort } = await containerProgram(options, {
    kind: 'nats',
    image: NATS_IMAGE,
    port: 4_222,
    dataPath: '/data',
    variables: { NATS_CONFIGURATION: natsConfiguration(token) },
    // Writes the configuration inside the container: the server reads a token from its arguments or
    // a file only.
    entrypoint: ['sh'],
    args: [
      '-c',
      'umask 077 && printf "%s" "$NATS_CONFIGURATION" > /tmp/nats.conf && exec nats-server -c /tmp/nats.conf',
    ],
    isReady: (port) => greetsWithJetStream(port),
  });
  return { program, uri: `nats://${token}@127.0.0.1:${String(hostPort)}` };
}

function natsConfiguration(token: string): string {
  return `listen: "0.0.0.0:4222"; authorization { token: "${token}" }; jetstream { store_dir: "/data", sync_interval: "2s" }`;
}

async function containerProgram(
  options: ContainerOptions,
  server: ServerSettings,
): Promise<{ program: Program; hostPort: number }> {
  const { runDir, logFile } = options;
  const { kind, isReady, ...settings } = server;
  const name = containerName(kind, options.dataDir);
  const hostPort = await freePort();
  const settingsFile = settingsFileOf(kind, runDir);
  await writePrivateJson(settingsFile, { ...settings, name, hostPort } satisfies ContainerSettings);
  const program: Program = {
    name: kind === 'nats' ? 'nats-server' : 'mongod',
    command: process.execPath,
    args: [containerMain, 'run', settingsFile],
    env: engineEnvironment(options),
    cwd: '/',
    logFile,
    // Forwarded to the server in the container.
    stopSignal: 'SIGTERM',
    isReady: () => isReady(hostPort),
  };
  return { program, hostPort };
}

function settingsFileOf(kind: ServerSettings['kind'], runDir: string): string {
  return join(runDir, `${kind}-container.json`);
}

/** Name of the container and of its volume. */
function containerName(kind: ServerSettings['kind'], dataDir: string): string {
  const key = createHash('sha256').update(dataDir).digest('hex').slice(0, 12);
  return `billing-${kind}-${key}`;
}

/**
 * Password of the volume. The image sets a password only in an empty volume, so it never changes.
 */
async function rootPassword(dataDir: string): Promise<string> {
  const file = join(dataDir, 'mongodb-container.json');
  const kept = (await readJsonIfThere(file)) as { password?: string } | undefined;
  if (kept?.password !== undefined) return kept.password;
  const password = newSecret();
  await writePrivateJson(file, { password });
  return password;
}

function newSecret(): string {
  return randomSecret(SECRET_BYTES).toString('hex');
}

/** Pulls an image if it is missing; rejects if no engine answers or the image is not available. */
async function requireImage(options: ContainerOptions, image: string): Promise<void> {
  await runCommand({
    program: process.execPath,
    args: [containerMain, 'image', image],
    env: engineEnvironment(options),
    timeoutMs: PULL_TIMEOUT_MS,
  });
}

/** Variables that locate the engine, without settings of the services. */
function engineEnvironment({ environment }: ContainerOptions): NodeJS.ProcessEnv {
  const known = Object.entries(environment.all).filter(
    ([name]) => name === 'PATH' || name === 'HOME' || name.startsWith('DOCKER_'),
  );
  // Ports are published on this host only, so the library need not detect it.
  return { ...Object.fromEntries(known), TESTCONTAINERS_HOST_OVERRIDE: '127.0.0.1' };
}
