import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomSecret } from '@billing/chassis/ids';
import { freePort } from '@billing/chassis/listen-address';
import { eventually } from '@billing/chassis/testing';
import { readLauncherEnvironment } from '@billing/local/config';
import { findNatsServer, greetsWithJetStream } from '@billing/local/nats-server';
import { openProcessFamily } from '@billing/local/process-family';

/** Three NATS servers that share their streams. They end with the process that started them. */
export interface NatsCluster {
  /** Addresses of all servers, separated by commas, with their token. */
  readonly url: string;
  /** Names of the servers. */
  readonly names: readonly string[];
  /** Kills a server. It stays away until it is started again. */
  kill(name: string): void;
  /** Starts a killed server; resolves once it serves. */
  restart(name: string): Promise<void>;
  /** State of the only stream, according to its leader; undefined while it has none. */
  stream(): Promise<StreamState | undefined>;
  stop(): Promise<void>;
}

/** A stream as its leader sees it. */
export interface StreamState {
  /** Name of the leading server. */
  readonly leader: string;
  readonly replicas: number;
  /** Number of other servers that are up to date. */
  readonly currentFollowers: number;
  /** Sequences of the oldest and the newest event. */
  readonly first: number;
  readonly last: number;
}

interface Server {
  readonly name: string;
  readonly port: number;
  readonly monitorPort: number;
  readonly clusterPort: number;
}

const names = ['n1', 'n2', 'n3'];
const readyWithinMs = 60_000;

/** Returns undefined where no server program is available. */
export async function startNatsCluster(): Promise<NatsCluster | undefined> {
  const command = await findNatsServer(readLauncherEnvironment(), () => undefined);
  if (command === undefined) return undefined;
  const folder = await mkdtemp(join(tmpdir(), 'billing-nats-'));
  const recordFile = join(folder, 'processes.json');
  const family = await openProcessFamily({ recordFile, folders: [folder], log: () => undefined });
  const token = randomSecret(12).toString('hex');
  const servers: Server[] = [];
  for (const name of names) {
    servers.push({
      name,
      port: await freePort(),
      monitorPort: await freePort(),
      clusterPort: await freePort(),
    });
  }
  /** Holds back the restart of killed servers, by name. */
  const away = new Map<string, PromiseWithResolvers<void>>();
  const release = (name: string) => {
    away.get(name)?.resolve();
    away.delete(name);
  };

  const start = async (server: Server) => {
    const { name, port } = server;
    const cwd = join(folder, name);
    const file = join(cwd, 'nats.conf');
    await mkdir(cwd);
    await writeFile(file, configurationOf(server, { cwd, token, servers }));
    await family.start({
      name,
      command,
      args: ['-c', file],
      env: {},
      cwd,
      logFile: join(cwd, 'nats.log'),
      beforeStart: () => away.get(name)?.promise ?? Promise.resolve(),
      stopSignal: 'SIGTERM',
      isReady: () => greetsWithJetStream(port),
      restartsWithoutBackoff: true,
    });
  };
  await Promise.all(servers.map(start));

  const [first, ...others] = servers.map(({ port }) => `127.0.0.1:${String(port)}`);
  return {
    url: [`nats://${token}@${first ?? ''}`, ...others.map((one) => `nats://${one}`)].join(','),
    names,
    kill: (name) => {
      const pid = family.pids()[name];
      if (pid === undefined) throw new Error(`${name} does not run`);
      away.set(name, Promise.withResolvers());
      process.kill(pid, 'SIGKILL');
    },
    restart: async (name) => {
      release(name);
      const port = servers.find((server) => server.name === name)?.port ?? 0;
      await eventually(
        async () => {
          if (!(await greetsWithJetStream(port))) throw new Error(`${name} does not serve`);
        },
        { timeoutMs: readyWithinMs },
      );
    },
    stream: async () => {
      const seen = await Promise.all(servers.map(readStream));
      return seen.find((state) => state !== undefined);
    },
    stop: async () => {
      for (const name of names) release(name);
      await family.stop();
    },
  };
}

/** Undefined unless the server leads the stream. */
async function readStream({ name, monitorPort }: Server): Promise<StreamState | undefined> {
  const url = `http://127.0.0.1:${String(monitorPort)}/jsz?accounts=true&streams=true&config=true`;
  const response = await fetch(url).catch(() => undefined);
  const report: any = await response?.json();
  const detail = report?.account_details?.[0]?.stream_detail?.[0];
  if (detail?.cluster?.leader !== name) return undefined;
  const followers: { current: boolean; offline?: boolean }[] = detail.cluster.replicas ?? [];
  return {
    leader: name,
    replicas: detail.config.num_replicas,
    currentFollowers: followers.filter(({ current, offline }) => current && offline !== true)
      .length,
    first: detail.state.first_seq,
    last: detail.state.last_seq,
  };
}

function configurationOf(
  { name, port, monitorPort, clusterPort }: Server,
  { cwd, token, servers }: { cwd: string; token: string; servers: readonly Server[] },
): string {
  // The format of the server's configuration accepts JSON.
  return JSON.stringify({
    server_name: name,
    listen: `127.0.0.1:${String(port)}`,
    http: `127.0.0.1:${String(monitorPort)}`,
    authorization: { token },
    jetstream: { store_dir: join(cwd, 'data') },
    cluster: {
      name: 'billing',
      listen: `127.0.0.1:${String(clusterPort)}`,
      routes: servers.map((server) => `nats://127.0.0.1:${String(server.clusterPort)}`),
      no_advertise: true,
    },
  });
}
