import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { randomSecret } from '@billing/chassis/ids';
import { freePort } from '@billing/chassis/listen-address';
import { dropTestDatabase, dropTestStream, eventually } from '@billing/chassis/testing';
import { makeSharedFolder } from '@billing/local/account';
import { localOrganization } from '@billing/local/first-keys';
import { type ServiceName, serviceNames, services } from '@billing/local/services';
import { MongoClient } from 'mongodb';
import { ApiClient } from '../support/api-client';
import { forgetContract } from '../support/described-answers';
import type { TestSystem } from '../support/shared-system';
import { givenInfrastructure, unlimited } from '../support/test-site';
import { editingVariables, type Release } from './releases';

/** A running system of an installation. */
export type RunningInstallation = TestSystem & {
  /** Stops the system; SIGKILL leaves everything as it is. */
  stop(signal?: NodeJS.Signals): Promise<void>;
};

/** A running system whose services can be of different releases. */
export type MixedInstallation = RunningInstallation & {
  /** Restarts services as those of a release. */
  replace(names: readonly ServiceName[], release: Release): Promise<void>;
};

type Environments = ReadonlyMap<ServiceName, Readonly<Record<string, string>>>;

const startWithinMs = 300_000;
const backends = serviceNames.filter((name) => name !== 'gateway');

/** Data that one release after another runs on: databases, a stream and a data folder. */
export class Installation {
  private environments: Environments | undefined;

  private constructor(
    private readonly dataDir: string,
    private readonly port: number,
    private readonly prefix: string,
    private readonly stream: string,
  ) {}

  static async create(): Promise<Installation> {
    const dataDir = await mkdtemp(join(tmpdir(), 'billing-upgrade-'));
    await makeSharedFolder(dataDir);
    const run = randomSecret(5).toString('hex');
    return new Installation(dataDir, await freePort(), `u_${run}`, `U_${run}`);
  }

  /** `npm start -- --processes` of a release, and the end of it with this process. */
  async launch(release: Release): Promise<RunningInstallation> {
    const { mongodbUri, natsUrl } = givenInfrastructure();
    const flags = ['--json', '--processes', '--data', this.dataDir, '--port', String(this.port)];
    const launcher = spawn(
      process.execPath,
      [join(release.root, 'deploy/local/dist/main.js'), ...flags],
      {
        cwd: release.root,
        stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
        env: {
          ...process.env,
          ...unlimited,
          MONGODB_URI: mongodbUri,
          NATS_URL: natsUrl,
          DATABASE_PREFIX: this.prefix,
          STREAM_NAME: this.stream,
          STREAM_MAX_BYTES: '8000000',
          ...editingVariables(release),
        },
      },
    );
    const announced = await announcementOf(launcher);
    this.environments ??= environmentsOf(announced.pids);
    return {
      ...this.describe(announced),
      stop: async (signal = 'SIGTERM') => {
        await end(launcher, signal);
        if (signal === 'SIGKILL') await this.servicesEnded();
      },
    };
  }

  /**
   * Starts the services with the settings that the first release launched here gave them, and with
   * no others.
   */
  async startMixed(release: Release): Promise<MixedInstallation> {
    const running = new Map<ServiceName, ChildProcess>();
    const stop = async (names: readonly ServiceName[], signal: NodeJS.Signals) => {
      await Promise.all(names.map((name) => end(running.get(name), signal)));
    };
    const start = async (names: readonly ServiceName[], of: Release) => {
      await Promise.all(
        names.map(async (name) => running.set(name, await this.startService(name, of))),
      );
      forgetContract(this.gatewayUrl);
    };
    await start(serviceNames, release);
    return {
      ...this.describe(this.announced()),
      stop: async (signal = 'SIGTERM') => {
        await stop(['gateway'], signal);
        await stop(backends, signal);
      },
      replace: async (names, of) => {
        await stop(names, 'SIGTERM');
        await start(names, of);
      },
    };
  }

  /** Names of the indexes of all collections, as `<service>.<collection>.<name>`. */
  async indexes(): Promise<string[]> {
    return await this.inEachDatabase(async (db, service) => {
      const collections = await db.listCollections().toArray();
      const names = collections.map(async ({ name }) => {
        const indexes = await db.collection(name).indexes();
        return indexes.map((index) => `${service}.${name}.${String(index.name)}`);
      });
      return (await Promise.all(names)).flat();
    });
  }

  /** Messages that a service could not read. */
  async poisoned(): Promise<string[]> {
    return await this.inEachDatabase(async (db, service) => {
      const found = await db.collection('poisonMessages').find().toArray();
      return found.map(({ subject }) => `${service} poisoned ${String(subject)}`);
    });
  }

  /** Resources whose events the notifier cannot read yet. */
  async awaited(): Promise<string[]> {
    return await this.inEachDatabase(async (db) => {
      return (await db.collection('awaitedEvents').find().toArray()).map(({ _id }) => String(_id));
    });
  }

  /** Lines of the services' logs at the level of errors. */
  async loggedErrors(): Promise<string[]> {
    const folder = join(this.dataDir, 'logs');
    const texts = (await readdir(folder)).map((file) => readFile(join(folder, file), 'utf8'));
    const lines = (await Promise.all(texts)).flatMap((text) => text.split('\n'));
    return lines.filter((line) => /"level":"(error|fatal)"/.test(line));
  }

  async remove(): Promise<void> {
    const { mongodbUri, natsUrl } = givenInfrastructure();
    await dropTestDatabase(
      ...backends.map((name) => ({
        MONGODB_URI: mongodbUri,
        MONGODB_DATABASE: `${this.prefix}_${name}`,
      })),
    );
    await dropTestStream({ NATS_URL: natsUrl, STREAM_NAME: this.stream });
    await rm(this.dataDir, { recursive: true, force: true });
  }

  private get gatewayUrl(): string {
    return `http://127.0.0.1:${String(this.port)}`;
  }

  private describe({ addresses, liveKey, testKey }: Announced): TestSystem {
    const { gatewayUrl } = this;
    forgetContract(gatewayUrl);
    const client = (key: string | undefined) => new ApiClient(gatewayUrl, key);
    return {
      gatewayUrl,
      addresses,
      organization: localOrganization,
      live: client(liveKey),
      sandbox: client(testKey),
      sandboxKey: testKey,
      databases: { uri: givenInfrastructure().mongodbUri, prefix: this.prefix },
      logDir: join(this.dataDir, 'logs'),
      client,
    };
  }

  /** Returns what the launcher announces, for services that run without it. */
  private announced(): Announced {
    const keys = readFileSync(join(this.dataDir, 'keys.json'), 'utf8');
    const addresses = backends.map((name) => [name, this.environmentOf(name).GRPC_LISTEN ?? '']);
    return {
      ...(JSON.parse(keys) as Pick<Announced, 'liveKey' | 'testKey'>),
      addresses: Object.fromEntries([...addresses, ['gateway', this.gatewayUrl]]),
      pids: {},
    };
  }

  private environmentOf(name: ServiceName): Readonly<Record<string, string>> {
    const environment = this.environments?.get(name);
    if (environment === undefined) throw new Error('No release has been launched here');
    return environment;
  }

  private async startService(name: ServiceName, release: Release): Promise<ChildProcess> {
    const environment = this.environmentOf(name);
    const socket = environment.GRPC_LISTEN?.replace('unix:', '');
    // The launcher that chose the folder has removed it.
    if (socket !== undefined) await mkdir(dirname(socket), { recursive: true, mode: 0o700 });
    // In the folder of the logs of the launcher, so that its errors are found; restarts append.
    const output = join(this.dataDir, 'logs', `${name}-alone.log`);
    const file = openSync(output, 'a');
    const main = join(release.root, services[name].folder, 'dist/main.js');
    const child = spawn(process.execPath, [main], {
      cwd: release.root,
      env: { ...environment, ...editingVariables(release) },
      stdio: ['ignore', file, file],
    });
    closeSync(file);
    await eventually(
      async () => {
        if (hasEnded(child)) return;
        if (socket === undefined) await this.gatewayIsReady();
        else await connects(socket);
      },
      { timeoutMs: startWithinMs },
    );
    if (hasEnded(child)) throw new Error(`${name} did not start: ${readFileSync(output, 'utf8')}`);
    return child;
  }

  private async gatewayIsReady(): Promise<void> {
    const { ok, status } = await fetch(`${this.gatewayUrl}/readyz`);
    if (!ok) throw new Error(`The gateway is not ready: ${String(status)}`);
  }

  /** Waits for the watchdog of a killed launcher. */
  private async servicesEnded(): Promise<void> {
    await eventually(async () => {
      const isReachable = await fetch(this.gatewayUrl).then(
        () => true,
        () => false,
      );
      if (isReachable) throw new Error('The services of the killed launcher are running');
    });
  }

  private async inEachDatabase<T>(
    read: (db: ReturnType<MongoClient['db']>, service: ServiceName) => Promise<T[]>,
  ): Promise<T[]> {
    const client = await MongoClient.connect(givenInfrastructure().mongodbUri);
    try {
      const found: T[] = [];
      for (const name of backends) {
        found.push(...(await read(client.db(`${this.prefix}_${name}`), name)));
      }
      return found;
    } finally {
      await client.close();
    }
  }
}

type Announced = Pick<TestSystem, 'addresses'> & {
  readonly liveKey: string;
  readonly testKey: string;
  readonly pids: Readonly<Record<string, number>>;
};

async function announcementOf(launcher: ChildProcess): Promise<Announced> {
  let output = '';
  let progress = '';
  launcher.stdout?.setEncoding('utf8').on('data', (text: string) => (output += text));
  launcher.stderr?.setEncoding('utf8').on('data', (text: string) => (progress += text));
  await eventually(
    () => {
      if (!output.endsWith('\n') && !hasEnded(launcher)) throw new Error(`No output: ${progress}`);
      return Promise.resolve();
    },
    { timeoutMs: startWithinMs },
  );
  if (output === '') throw new Error(`npm start failed: ${progress}`);
  return JSON.parse(output) as Announced;
}

/** The environment of each process, as it was started. */
function environmentsOf(pids: Readonly<Record<string, number>>): Environments {
  const entries = serviceNames.map((name) => {
    const text = readFileSync(`/proc/${String(pids[name])}/environ`, 'utf8');
    const variables = text.split('\0').filter((line) => line.includes('='));
    const pairs = variables.map((line) => [
      line.slice(0, line.indexOf('=')),
      line.slice(line.indexOf('=') + 1),
    ]);
    return [name, Object.fromEntries(pairs) as Record<string, string>] as const;
  });
  return new Map(entries);
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}

async function end(child: ChildProcess | undefined, signal: NodeJS.Signals): Promise<void> {
  if (child === undefined || hasEnded(child)) return;
  const ended = once(child, 'exit');
  child.kill(signal);
  await ended;
}

async function connects(path: string): Promise<void> {
  const socket = createConnection(path);
  await once(socket, 'connect');
  socket.destroy();
}
