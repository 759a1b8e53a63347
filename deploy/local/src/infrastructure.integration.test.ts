import { type ChildProcess, spawn } from 'node:child_process';
import { access, mkdtemp, readdir, readFile, readlink, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Collection, MongoClient } from 'mongodb';
import { connect } from 'nats';
import { makeSharedFolder } from './files/account';
import {
  type LauncherEnvironment,
  readLauncherEnvironment,
} from './environment/launcher-environment';
import { type Infrastructure, startInfrastructure } from './infrastructure';
import { identify, isAlive, type ProcessIdentity } from './process/identity';

/** Ignores the servers of the test run: these tests start their own. */
const environment: LauncherEnvironment = {
  ...readLauncherEnvironment(),
  mongodbUri: undefined,
  natsUrl: undefined,
};
const logLines: string[] = [];
const log = (line: string): void => {
  logLines.push(line);
};

let dataDir: string;
const opened: Infrastructure[] = [];

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'billing-test-data-'));
  await makeSharedFolder(dataDir);
});

afterEach(async () => {
  for (const infrastructure of opened.splice(0)) await infrastructure.stop();
  await rm(dataDir, { recursive: true, force: true });
});

async function start(): Promise<Infrastructure> {
  const infrastructure = await startInfrastructure({ dataDir, log, environment });
  opened.push(infrastructure);
  return infrastructure;
}

test('data survives a restart, and a stop leaves no process and no socket behind', async () => {
  const first = await start();
  const servers = identitiesOf(first.pids());
  const sockets = socketFolder(first);
  await insert(first, 'before');
  await publish(first, 'before');
  await first.stop();

  expect(servers.length).toBeGreaterThan(0);
  expect(servers.filter(isAlive)).toEqual([]);
  await expect(access(sockets)).rejects.toThrow('ENOENT');

  const second = await start();
  expect(await find(second)).toEqual(['before']);
  expect(await messages(second)).toBe(1);
});

test('a killed server is restarted with its data', async () => {
  const infrastructure = await start();
  await insert(infrastructure, 'before');
  await publish(infrastructure, 'before');
  const before = infrastructure.pids();

  for (const pid of Object.values(before)) process.kill(pid, 'SIGKILL');

  await until(async () => {
    const now = infrastructure.pids();
    const areAllNew = Object.entries(before).every(([name, pid]) => now[name] && now[name] !== pid);
    return areAllNew && (await find(infrastructure)).includes('before');
  });
  await until(async () => (await messages(infrastructure)) === 1);
});

test('an index created after a restart with another socket folder is used', async () => {
  await (await start()).stop();
  const infrastructure = await start();
  await withCollection(infrastructure, async (collection) => {
    await collection.insertMany(Array.from({ length: 500 }, (_, n) => ({ n, even: n % 2 === 0 })));
    await collection.createIndex({ even: 1, n: 1 });
    const plan = await collection
      .find({ even: true, n: { $gte: 0 } })
      .sort({ n: 1 })
      .limit(5)
      .explain();
    expect(JSON.stringify(plan)).toContain('even_1_n_1');
  });
});

test('a second system on the same data folder is refused, and the first one keeps running', async () => {
  const first = await start();
  await expect(startInfrastructure({ dataDir, log, environment })).rejects.toThrow(
    'uses this data folder already',
  );
  await insert(first, 'still there');
});

test('the only open port is that of NATS, which requires the token of the services', async () => {
  const infrastructure = await start();
  const { port } = new URL(infrastructure.natsUrl);

  expect(await listeningSockets(Object.values(infrastructure.pids()))).toEqual([
    `127.0.0.1:${port}`,
  ]);
  const stranger = connect({ servers: `127.0.0.1:${port}`, maxReconnectAttempts: 0 });
  await expect(stranger).rejects.toThrow(/authorization/i);
});

test('all servers run as an unprivileged user', async () => {
  const infrastructure = await start();
  for (const pid of Object.values(infrastructure.pids())) {
    const status = await readFile(`/proc/${String(pid)}/status`, 'utf8');
    expect(/^Uid:\s+(\d+)/m.exec(status)?.[1]).not.toBe('0');
  }
});

describe('a launcher that is killed', () => {
  test('the servers of a killed launcher end, and the next launcher finds the data', async () => {
    const { launcher, servers } = await startInProcess();
    launcher.kill('SIGKILL');

    await until(() => Promise.resolve(!servers.some(isAlive)));
    expect(await find(await start())).toEqual(['before']);
  });

  test('the next launcher stops servers left by a killed launcher and watchdog', async () => {
    const { launcher, servers, sockets } = await startInProcess();
    process.kill(await watchdogOf(sockets), 'SIGKILL');
    launcher.kill('SIGKILL');
    await until(() => Promise.resolve(launcher.signalCode !== null));
    expect(servers.filter(isAlive)).toEqual(servers);

    const next = await start();
    expect(servers.filter(isAlive)).toEqual([]);
    await expect(access(sockets)).rejects.toThrow('ENOENT');
    expect(await find(next)).toEqual(['before']);
  });

  /** Starts a launcher in a process of its own, which compiles its modules as jest does. */
  async function startInProcess(): Promise<{
    launcher: ChildProcess;
    servers: ProcessIdentity[];
    sockets: string;
  }> {
    const script = `
      const { transformFileSync } = require('@swc/core');
      require.extensions['.ts'] = (module, file) =>
        module._compile(transformFileSync(file, {
          jsc: { target: 'es2024', parser: { syntax: 'typescript' } }, module: { type: 'commonjs' },
        }).code, file);
      const { startInfrastructure } = require(${JSON.stringify(join(__dirname, 'infrastructure.ts'))});
      startInfrastructure({ dataDir: ${JSON.stringify(dataDir)}, log: () => undefined }).then(
        (started) => process.send({ ...started, pids: started.pids() }));
      setInterval(() => undefined, 1000);`;
    const { MONGODB_URI, NATS_URL, ...env } = process.env;
    expect([MONGODB_URI, NATS_URL]).not.toContain(undefined);
    const launcher = spawn(process.execPath, ['-e', script], {
      cwd: join(__dirname, '../../..'),
      env,
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    const started = await new Promise<Addresses & { pids: Record<string, number> }>(
      (resolve, reject) => {
        launcher.once('message', (message) => {
          resolve(message as never);
        });
        launcher.once('exit', () => {
          reject(new Error('The launcher died'));
        });
      },
    );
    await insert(started, 'before');
    return { launcher, servers: identitiesOf(started.pids), sockets: socketFolder(started) };
  }
});

/** Another process may get the number of one that has ended. */
function identitiesOf(pids: Record<string, number>): ProcessIdentity[] {
  return Object.values(pids).flatMap((pid) => identify(pid) ?? []);
}

type Addresses = Pick<Infrastructure, 'mongodbUri' | 'natsUrl'>;

function socketFolder({ mongodbUri }: Addresses): string {
  return dirname(decodeURIComponent(new URL(mongodbUri).hostname));
}

async function withCollection<T>(
  { mongodbUri }: Addresses,
  work: (collection: Collection) => Promise<T>,
  serverSelectionTimeoutMS = 30_000,
): Promise<T> {
  const client = new MongoClient(mongodbUri, { serverSelectionTimeoutMS });
  try {
    return await work(client.db('infrastructure').collection('items'));
  } finally {
    await client.close();
  }
}

async function insert(addresses: Addresses, name: string): Promise<void> {
  await withCollection(addresses, async (items) => await items.insertOne({ name }));
}

/** Result of a query; empty while the server is down. */
async function find(addresses: Addresses): Promise<unknown[]> {
  return await withCollection(addresses, async (items) => {
    const found = await items
      .find()
      .toArray()
      .catch(() => []);
    return found.map(({ name }) => name as unknown);
  });
}

// The client expects the token apart from the address.
function natsOptions(url: string) {
  const { host, username: token } = new URL(url);
  return { servers: host, token };
}

async function publish({ natsUrl }: Addresses, text: string): Promise<void> {
  const connection = await connect(natsOptions(natsUrl));
  const manager = await connection.jetstreamManager();
  await manager.streams.add({ name: 'ITEMS', subjects: ['items'] });
  await connection.jetstream().publish('items', text);
  await connection.close();
}

async function messages({ natsUrl }: Addresses): Promise<number> {
  const connection = await connect(natsOptions(natsUrl));
  const manager = await connection.jetstreamManager();
  const { state } = await manager.streams.info('ITEMS');
  await connection.close();
  return state.messages;
}

const UNTIL_TRIES_MAX = 1_200;

async function until(isTrue: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < UNTIL_TRIES_MAX; tries += 1) {
    if (await isTrue().catch(() => false)) return;
    await delay(50);
  }
  throw new Error('The condition was not met in time');
}

async function watchdogOf(sockets: string): Promise<number> {
  for (const entry of await readdir('/proc')) {
    const commandLine = await readFile(`/proc/${entry}/cmdline`, 'utf8').catch(() => '');
    const words = commandLine.split('\0');
    if (words.includes('billing-watchdog') && words.includes(sockets)) return Number(entry);
  }
  throw new Error('No watchdog runs');
}

const LISTENING = '0A';

/** Listening addresses of the processes, from the kernel's tables. */
async function listeningSockets(pids: readonly number[]): Promise<string[]> {
  const inodes = new Set<string>();
  for (const pid of pids) {
    for (const descriptor of await readdir(`/proc/${String(pid)}/fd`)) {
      const target = await readlink(`/proc/${String(pid)}/fd/${descriptor}`).catch(() => '');
      const [, inode] = /^socket:\[(\d+)\]$/.exec(target) ?? [];
      if (inode !== undefined) inodes.add(inode);
    }
  }
  const tables = await Promise.all(
    ['tcp', 'tcp6', 'udp', 'udp6'].map((table) => readFile(`/proc/net/${table}`, 'utf8')),
  );
  return tables
    .flatMap((table) => table.split('\n').slice(1))
    .map((line) => line.trim().split(/\s+/))
    .filter(([, , , state, , , , , , inode]) => state === LISTENING && inodes.has(inode ?? ''))
    .map(([, address]) => readable(address ?? ''));
}

/** Decodes an address such as `0100007F:1F90` (127.0.0.1:8080), in the processor's byte order. */
function readable(address: string): string {
  const [host = '', port = ''] = address.split(':');
  const bytes = Buffer.from(host, 'hex').reverse();
  return `${[...bytes].join('.')}:${String(Number.parseInt(port, 16))}`;
}
