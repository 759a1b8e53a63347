import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { dropTestDatabase, dropTestStream } from '@billing/chassis/testing';
import { TestStripe } from '@billing/checkout/testing/stripe-provider';
import { ensureFirstKeys } from '@billing/local/first-keys';
import type { SystemSite } from '@billing/local/service-environment';
import { serviceNames } from '@billing/local/services';
import type { RunningSystem } from '@billing/local/system';
import { ApiClient } from '../support/api-client';
import { firstMessageOf, forkCompiled } from '../support/shared-system';
import { siteIn, unlimited } from '../support/test-site';

const operations = join(__dirname, '../../deploy/operations/dist');

/** Variables of the provider's test double. */
export function stripeVariables(stripe: TestStripe): Record<string, string> {
  return {
    STRIPE_SECRET_KEY: 'sk_test_secret',
    STRIPE_WEBHOOK_SECRET: 'whsec_of_the_tests',
    STRIPE_API_URL: stripe.url,
  };
}

/** End of a command of the product. */
export interface Ended {
  /** Undefined: it was killed. */
  readonly code: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

/** Report of a command that prints one line of JSON. */
export function reportOf({ stdout, stderr }: Ended): any {
  const line = stdout.trim().split('\n').at(-1) ?? '';
  if (!line.startsWith('{')) throw new Error(`No report: ${stdout}${stderr}`);
  return JSON.parse(line);
}

/** A system in one process, which ends, is killed and starts again on the same databases. */
export class Machine {
  gatewayUrl = '';
  liveKey = '';
  private child: ChildProcess | undefined;

  private constructor(
    readonly site: SystemSite,
    readonly stripe: TestStripe,
    private readonly folder: string,
  ) {}

  /** `folder` gets logs, keys and an empty data folder. */
  static async start(folder: string): Promise<Machine> {
    const stripe = await TestStripe.start();
    const settings = { ...unlimited, ...stripeVariables(stripe) };
    const machine = new Machine(siteIn(folder, { settings }), stripe, folder);
    const { identity } = await machine.start();
    ({ liveKey: machine.liveKey } = await ensureFirstKeys(identity, folder));
    return machine;
  }

  /** Another machine for the same system, with databases and a stream of its own. */
  another(folder: string): Machine {
    const { databasePrefix, streamName } = siteIn(folder);
    const machine = new Machine(
      { ...this.site, databasePrefix, streamName, runDir: folder },
      this.stripe,
      folder,
    );
    machine.liveKey = this.liveKey;
    return machine;
  }

  /** Names of the services that have a database. */
  get services(): readonly string[] {
    return serviceNames.filter((name) => name !== 'gateway');
  }

  client(key: string): ApiClient {
    return new ApiClient(this.gatewayUrl, key);
  }

  /** Starts the services, again at the same address. */
  async start(): Promise<RunningSystem['addresses']> {
    const child = forkCompiled('system-process');
    this.child = child;
    const started = firstMessageOf(child);
    const port = this.gatewayUrl === '' ? 0 : Number(new URL(this.gatewayUrl).port);
    child.send({ ...this.site, port, variablesOf: undefined });
    const { gatewayUrl, addresses } = (await started) as RunningSystem;
    this.gatewayUrl = gatewayUrl;
    return addresses;
  }

  /** Lets all services end. */
  async stop(): Promise<void> {
    await this.endBy((child) => {
      child.disconnect();
    });
  }

  /** The machine loses its power. */
  async kill(): Promise<void> {
    await this.endBy((child) => child.kill('SIGKILL'));
  }

  private async endBy(end: (child: ChildProcess) => void): Promise<void> {
    const { child } = this;
    this.child = undefined;
    if (child === undefined) return;
    const exited = once(child, 'exit');
    end(child);
    await exited;
  }

  /**
   * Runs a command of the product on the databases, once no other run of it has the lease.
   * `isFatal` looks at what the command has reported so far, and may have it killed.
   */
  async run(
    [command, ...args]: readonly [string, ...string[]],
    isFatal?: (reported: string) => boolean,
  ): Promise<Ended> {
    for (;;) {
      const ended = await this.runOnce([command, ...args], isFatal);
      const isBusy = ended.code === 75 && ended.stderr.includes(`A ${command} is running`);
      if (!isBusy) return ended;
      await delay(1_000);
    }
  }

  private async runOnce(
    [command, ...args]: readonly [string, ...string[]],
    isFatal: (reported: string) => boolean = () => false,
  ): Promise<Ended> {
    const { mongodbUri, natsUrl, databasePrefix } = this.site;
    const servers = { MONGODB_URI: mongodbUri, NATS_URL: natsUrl, DATABASE_PREFIX: databasePrefix };
    const program = join(operations, command, 'main.js');
    const child = spawn(process.execPath, [program, ...args, '--data', join(this.folder, 'data')], {
      env: { ...process.env, ...servers },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let [stdout, stderr] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => (stdout += chunk));
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => (stderr += chunk));
    const watch = setInterval(() => {
      if (isFatal(stderr)) child.kill('SIGKILL');
    }, 5);
    const [code] = (await once(child, 'close')) as [number | null];
    clearInterval(watch);
    return { code: code ?? undefined, stdout, stderr };
  }

  /** Ends the services, and deletes their data. */
  async end(): Promise<void> {
    await this.stop();
    const { mongodbUri, natsUrl, databasePrefix, streamName } = this.site;
    await dropTestDatabase(
      ...this.services.map((name) => ({
        MONGODB_URI: mongodbUri,
        MONGODB_DATABASE: `${databasePrefix}_${name}`,
      })),
    );
    await dropTestStream({ NATS_URL: natsUrl, STREAM_NAME: streamName });
  }
}
