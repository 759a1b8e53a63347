import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { closeSync, openSync, readdirSync, readFileSync, rmdirSync, statSync } from 'node:fs';
import { mkdir, readFile, rm, symlink } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { once } from 'node:events';
import { eventually } from '@billing/chassis/testing';
import { readLauncherEnvironment } from '@billing/local/config';
import { installDebianPackages } from '@billing/local/debian-packages';
import { EngineNetwork } from './network';

/** A Docker engine with a network and a view of the files of its own. */
export interface Engine {
  /** Value of DOCKER_HOST. */
  readonly host: string;
  readonly network: EngineNetwork;
  /** Runs `docker` in the engine's view; returns its standard output. */
  docker(args: readonly string[], options?: DockerOptions): Promise<string>;
  /** Kills a process that the engine knows by this id. */
  kill(pid: number): void;
  /** Folders of control groups that are left of it. */
  controlGroups(): string[];
  /** Stops all containers and processes, and removes what the kernel keeps of them. */
  stop(): Promise<void>;
}

interface DockerOptions {
  readonly env?: NodeJS.ProcessEnv;
  readonly folder?: string;
  readonly timeoutMs?: number;
}

// Compose and Buildx are commands of `docker`.
const packages = ['docker.io', 'docker-cli', 'docker-compose', 'docker-buildx', 'iproute2', 'tini'];
const programs = ['unshare', 'nsenter', 'mount', 'apt-get', 'dpkg-deb'];
const namespaces = ['--net', '--mount', '--pid', '--fork'];
const commandTimeoutMs = 300_000;
const logTailCharacters = 3_000;

// The programs need the C library of their own Debian, so its /usr replaces that of the machine,
// for the engine alone. `tini` ends what an ended container leaves behind.
const startScript =
  'mount --rbind "$1/usr" /usr && ip link set lo up && shift && exec tini -s -- dockerd "$@"';

/** What this machine lacks for an engine, for the name of a test; undefined if it lacks nothing. */
export function lackForEngine(): string | undefined {
  if (process.platform !== 'linux') return 'Linux';
  if (process.getuid?.() !== 0) return 'root';
  const missing = programs.find((name) => spawnSync('which', [name]).status !== 0);
  if (missing !== undefined) return missing;
  // Root of a container may lack it.
  const mayMount = spawnSync('unshare', [...namespaces, 'mount', '-t', 'tmpfs', 'none', '/mnt']);
  return mayMount.status === 0 ? undefined : 'the right to mount';
}

/** Starts an engine whose images, containers and volumes are in `folder`. */
export async function startEngine(folder: string): Promise<Engine> {
  const root = await installEngine();
  const group = `billing-engine-${basename(folder)}`;
  const run = join(folder, 'run');
  // An engine that was killed leaves sockets.
  await rm(run, { recursive: true, force: true });
  await mkdir(run, { recursive: true });
  const logFile = join(folder, 'engine.log');
  const socket = join(run, 'docker.sock');
  const log = openSync(logFile, 'a');
  const unshare = spawn(
    'unshare',
    [
      ...[...namespaces, '--kill-child', '--mount-proc'],
      ...['sh', '-c', startScript, 'sh', root],
      ...['--data-root', join(folder, 'data')],
      ...['--exec-root', join(run, 'exec')],
      ...['--pidfile', join(run, 'pid')],
      ...['--host', `unix://${socket}`],
      ...['--exec-opt', 'native.cgroupdriver=cgroupfs'],
      ...['--cgroup-parent', `/${group}`],
      ...['--log-level', 'warn'],
    ],
    { stdio: ['ignore', log, log], cwd: '/', env: engineEnvironment },
  );
  closeSync(log);
  const failure = once(unshare, 'exit').then(async (): Promise<never> => {
    const text = await readFile(logFile, 'utf8');
    throw new Error(`The engine ended: ${text.slice(-logTailCharacters)}`);
  });
  failure.catch(() => undefined);
  // The engine's other processes end with it.
  const kill = () => unshare.kill('SIGKILL');
  process.once('exit', kill);
  const host = `unix://${socket}`;
  const variables = { DOCKER_HOST: host, DOCKER_CONFIG: join(folder, 'client') };
  const docker = (args: readonly string[], { env, ...options }: DockerOptions = {}) =>
    runDocker(firstChildOf(unshare), args, { ...options, env: { ...variables, ...env } });
  const isReady = async () => {
    await eventually(() => docker(['version']));
    return await EngineNetwork.open(firstChildOf(unshare), run);
  };
  const network = await Promise.race([failure, isReady()]).catch((error: unknown) => {
    kill();
    throw error;
  });
  return {
    host,
    network,
    docker,
    kill: (pid) => {
      const entry = ['--target', String(firstChildOf(unshare)), '--pid'];
      execFileSync('nsenter', [...entry, 'sh', '-c', 'kill -KILL "$1"', 'sh', String(pid)]);
    },
    controlGroups: () => controlGroupsOf(group),
    stop: async () => {
      if (unshare.exitCode !== null || unshare.signalCode !== null) return;
      await network.close();
      process.kill(firstChildOf(unshare), 'SIGTERM');
      await failure.catch(() => undefined);
      process.off('exit', kill);
      // They outlive their processes.
      controlGroupsOf(group).forEach(removeFolders);
    },
  };
}

const engineEnvironment = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' };

async function installEngine(): Promise<string> {
  return await installDebianPackages({
    packages,
    environment: readLauncherEnvironment(),
    log: (line) => process.stderr.write(`${line}\n`),
    // As Debian's alternatives do.
    finish: async (root) => {
      for (const name of ['iptables', 'ip6tables']) {
        await symlink(`${name}-nft`, join(root, 'usr/sbin', name));
      }
    },
  });
}

/** Process 1 of the engine. */
function firstChildOf({ pid }: ChildProcess): number {
  const text = readFileSync(`/proc/${String(pid)}/task/${String(pid)}/children`, 'utf8');
  const child = Number(text.split(' ')[0]);
  if (!(child > 0)) throw new Error('The engine does not run');
  return child;
}

async function runDocker(
  pid: number,
  args: readonly string[],
  { env, folder = '/', timeoutMs = commandTimeoutMs }: DockerOptions,
): Promise<string> {
  const child = spawn(
    'nsenter',
    ['--target', String(pid), '--mount', '--net', `--wdns=${folder}`, 'docker', ...args],
    {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...engineEnvironment, ...env },
      timeout: timeoutMs,
    },
  );
  let output = '';
  let errors = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (output += chunk));
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (errors += chunk));
  const [status] = (await once(child, 'close')) as [number | null];
  if (status === 0) return output;
  throw new Error(`docker ${args.join(' ')}: ${errors.slice(-logTailCharacters)}`);
}

const controlGroups = '/sys/fs/cgroup';

/** Control groups of an engine: one of each controller, or one of all. */
function controlGroupsOf(name: string): string[] {
  const parents = readdirSync(controlGroups).map((entry) => join(controlGroups, entry));
  return [controlGroups, ...parents]
    .map((parent) => join(parent, name))
    .filter((folder) => statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true);
}

function removeFolders(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.isDirectory()) removeFolders(join(folder, entry.name));
  }
  rmdirSync(folder);
}
