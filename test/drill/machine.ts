import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { dropTestDatabase, dropTestStream } from '@billing/chassis/testing';
import { TestStripe } from '@billing/checkout/testing/stripe-provider';
import { ensureFirstKeys } from '@billing/local/first-keys';
import type { SystemSite } from '@billing/local/service-environment';
import { serviceNames } from '@billing/local/services';
import type { RunningSystem } from '@billing/local/system';
import { ApiClient } from '../support/api-client';
import { firstMessageOf, forkCompiled } from '../support/shared-system';
import { siteIn, unlimited } from '../support/test-site';
import { type Edit, editingVariables, presentRelease } from '../upgrade/releases';
import { type Ended, type IsFatal, runCommand } from './command';

/** Variables of the provider's test double. */
export function stripeVariables(stripe: TestStripe): Record<string, string> {
  return {
    STRIPE_SECRET_KEY: 'sk_test_secret',
    STRIPE_WEBHOOK_SECRET: 'whsec_of_the_tests',
    STRIPE_API_URL: stripe.url,
  };
}

/** A system in one process, which ends, is killed and starts again on the same databases. */
export class Machine {
  gatewayUrl = '';
  liveKey = '';
  /** The gRPC address of each service. */
  addresses = {} as RunningSystem['addresses'];
  private child: ChildProcess | undefined;

  private constructor(
    readonly site: SystemSite,
    readonly stripe: TestStripe,
    private readonly folder: string,
    private readonly edits: readonly Edit[] = [],
  ) {}

  /** `folder` gets logs, keys and an empty data folder; `edits` are faults of the services. */
  static async start(folder: string, edits?: readonly Edit[]): Promise<Machine> {
    const stripe = await TestStripe.start();
    const settings = { ...unlimited, ...stripeVariables(stripe) };
    const machine = new Machine(siteIn(folder, { settings }), stripe, folder, edits);
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
    const { root } = presentRelease;
    const variables = editingVariables({ root, edits: this.edits });
    const child = forkCompiled('system-process', [], variables);
    this.child = child;
    const started = firstMessageOf(child);
    const port = this.gatewayUrl === '' ? 0 : Number(new URL(this.gatewayUrl).port);
    child.send({ ...this.site, port, variablesOf: undefined });
    const { gatewayUrl, addresses } = (await started) as RunningSystem;
    this.gatewayUrl = gatewayUrl;
    this.addresses = addresses;
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

  /** Runs a command of the product on the databases. */
  run([command, ...args]: readonly [string, ...string[]], isFatal?: IsFatal): Promise<Ended> {
    const { mongodbUri, natsUrl, databasePrefix } = this.site;
    const servers = { MONGODB_URI: mongodbUri, NATS_URL: natsUrl, DATABASE_PREFIX: databasePrefix };
    const data = join(this.folder, 'data');
    const env = { ...process.env, ...servers };
    return runCommand([command, ...args, '--data', data], { env, isFatal });
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
