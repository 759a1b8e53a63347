import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { DataKey } from '@billing/chassis/data-keys';
import type { AddressInfo } from 'node:net';
import type { Tenant } from '@billing/chassis/call-context';
import { monotonicMs } from '@billing/chassis/clock';
import { isId } from '@billing/chassis/ids';
import { connectMongo, type MongoConnection } from '@billing/chassis/mongo';
import { connectPeer, type Peer } from '@billing/chassis/peer';
import type { RunningService } from '@billing/chassis/service';
import {
  dropTestDatabase,
  dropTestStream,
  testContext,
  testServiceConfiguration,
} from '@billing/chassis/testing';
import {
  type ErasureServiceServer,
  ErasureServiceService,
} from '@billing/proto/billing/erasure/v1/erasure';
import {
  type MailServiceServer,
  MailServiceService,
} from '@billing/proto/billing/notifier/v1/mail';
import {
  type MailSettingsServiceServer,
  MailSettingsServiceService,
} from '@billing/proto/billing/notifier/v1/mail_settings';
import {
  type OperatorMailServiceServer,
  OperatorMailServiceService,
} from '@billing/proto/billing/notifier/v1/operator_mail';
import {
  type NotifierServiceServer,
  NotifierServiceService,
} from '@billing/proto/billing/notifier/v1/notifier';
import {
  type WebhookDeliveryServiceServer,
  WebhookDeliveryServiceService,
} from '@billing/proto/billing/notifier/v1/webhook_delivery';
import {
  type WebhookFeedServiceServer,
  WebhookFeedServiceService,
} from '@billing/proto/billing/notifier/v1/webhook_feed';
import type { NotifierConfiguration } from '../config';
import { type NotifierOverrides, start } from '../service';
import {
  checkoutSessions,
  type EventOwner,
  quietProducts,
  startOwner,
  subscriptions,
} from './event-owner';

// Shared by the notifier's integration tests: its environment, i.e. a receiver of webhooks and an
// owner of events.

/** The encryption keys of endpoint secrets in tests. */
export const testDataKeys: readonly DataKey[] = [{ id: 'test', bytes: Buffer.alloc(32, 1) }];

/** A received webhook. */
export interface ReceivedWebhook {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly body: any;
  /** Monotonic. */
  readonly atMs: number;
}

/**
 * The receiver's answer; NEVER lets the caller wait, and DRIPS answers 200 with a body that never
 * ends.
 */
export type Answer =
  | 'NEVER'
  | 'DRIPS'
  | { readonly status: number; readonly headers?: Record<string, string>; readonly text?: string };

/** A real HTTP server that records the webhooks it receives. */
export interface WebhookReceiver {
  readonly origin: string;
  readonly received: ReceivedWebhook[];
  answer: (webhook: ReceivedWebhook) => Answer | Promise<Answer>;
  receivedAt(path: string): ReceivedWebhook[];
  close(): Promise<void>;
}

/** The sequences of a subscription's webhooks in the order of arrival. */
export function sequencesOf(
  webhooks: readonly ReceivedWebhook[],
  subscriptionId: string,
): number[] {
  return webhooks
    .filter(({ body }) => body.data.subscriptionId === subscriptionId)
    .map(({ body }) => body.sequence as number);
}

function drip(response: ServerResponse): void {
  response.writeHead(200).write('slow');
  const dripping = setInterval(() => response.write('.'), 100);
  response.once('close', () => {
    clearInterval(dripping);
  });
}

export async function startReceiver(): Promise<WebhookReceiver> {
  const received: ReceivedWebhook[] = [];
  const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString('utf8');
      const { url: path = '', headers } = request;
      const webhook = { path, headers, text, body: JSON.parse(text), atMs: monotonicMs() };
      received.push(webhook);
      void Promise.resolve(receiver.answer(webhook)).then((answer) => {
        if (answer === 'NEVER') return;
        if (answer === 'DRIPS') {
          drip(response);
          return;
        }
        response.writeHead(answer.status, answer.headers).end(answer.text);
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const receiver: WebhookReceiver = {
    origin: `http://127.0.0.1:${String(port)}`,
    received,
    answer: () => ({ status: 204 }),
    receivedAt: (path) => received.filter((webhook) => webhook.path === path),
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
  return receiver;
}

/** A notifier with its peers, databases and a stream of its own. */
export interface TestSystem {
  /** Announces events of subscriptions. */
  readonly owner: EventOwner;
  /** Announces events of checkout sessions. */
  readonly checkout: EventOwner;
  readonly receiver: WebhookReceiver;
  readonly config: NotifierConfiguration;
  /** The notifier's database, for facts that no call shows. */
  readonly mongo: MongoConnection;
  /** Starts a notifier; several are replicas. */
  startNotifier(
    overrides?: NotifierOverrides,
    configured?: Partial<NotifierConfiguration>,
  ): Promise<RunningNotifier>;
  /** Stops all notifiers, and aborts their deliveries in flight. */
  stopNotifiers(): Promise<void>;
  /** Deletes the stream with its messages. */
  wipeStream(): Promise<void>;
  close(): Promise<void>;
}

export interface RunningNotifier extends RunningService {
  readonly calls: Peer<NotifierServiceServer>;
  readonly deliveryCalls: Peer<WebhookDeliveryServiceServer>;
  readonly feedCalls: Peer<WebhookFeedServiceServer>;
  readonly erasureCalls: Peer<ErasureServiceServer>;
  readonly mailCalls: Peer<MailServiceServer>;
  readonly mailSettingsCalls: Peer<MailSettingsServiceServer>;
  readonly operatorMailCalls: Peer<OperatorMailServiceServer>;
  /** Registers a path of the receiver; returns id and secret. */
  register(
    tenant: Tenant,
    path: string,
    events?: string[],
  ): Promise<{ id: string; secret: string }>;
}

/** `name` distinguishes the systems of one test file. */
export async function startSystem(name: string): Promise<TestSystem> {
  const own = (service: string) => {
    const configuration = testServiceConfiguration(`${service}_${name}`);
    return { ...configuration, STREAM_NAME: `${configuration.STREAM_NAME}_${name}` };
  };
  const ownerConfiguration = own('subscription');
  const owner = await startOwner(subscriptions, ownerConfiguration);
  const checkoutConfiguration = own('checkout');
  const checkout = await startOwner(checkoutSessions, checkoutConfiguration);
  // Stands for the owners that announce nothing in these tests.
  const quietConfiguration = own('catalog');
  const quiet = await startOwner(quietProducts, quietConfiguration);
  const receiver = await startReceiver();
  const config: NotifierConfiguration = {
    ...own('notifier'),
    SUBSCRIPTION_ADDRESS: owner.address,
    CHECKOUT_ADDRESS: checkout.address,
    CATALOG_ADDRESS: quiet.address,
    CUSTOMER_ADDRESS: quiet.address,
    DISCOUNT_ADDRESS: quiet.address,
    METERING_ADDRESS: quiet.address,
    ALLOW_LOOPBACK_IN_SANDBOXES: true,
    DATA_KEYS: testDataKeys,
    DELIVERY_LEASE_MS: 30_000,
    SMTP_TLS: 'require',
    SMTP_CONNECTIONS_MAX: 5,
    SMTP_PER_SECOND_MAX: 0,
  };
  const mongo = await connectMongo({
    uri: config.MONGODB_URI,
    database: config.MONGODB_DATABASE,
    service: 'testing',
  });
  const running = new Set<RunningNotifier>();
  return {
    owner,
    checkout,
    receiver,
    config,
    mongo,
    startNotifier: async (overrides, configured = {}) => {
      const notifier = await startNotifier({ ...config, ...configured }, receiver, overrides);
      running.add(notifier);
      return notifier;
    },
    stopNotifiers: async () => {
      await Promise.all([...running].map((notifier) => notifier.stop()));
      running.clear();
    },
    wipeStream: () => dropTestStream(config),
    close: async () => {
      await Promise.all([...running].map((notifier) => notifier.stop()));
      await Promise.all([owner.stop(), checkout.stop(), quiet.stop()]);
      await receiver.close();
      await mongo.close();
      await dropTestStream(config);
      await dropTestDatabase(config, ownerConfiguration, checkoutConfiguration, quietConfiguration);
    },
  };
}

async function startNotifier(
  config: NotifierConfiguration,
  { origin }: WebhookReceiver,
  overrides: NotifierOverrides = {},
): Promise<RunningNotifier> {
  const service = await start(config, overrides);
  const { address } = service;
  const caller = { address, service: 'test' };
  const calls = connectPeer<NotifierServiceServer>(NotifierServiceService, caller);
  const deliveryCalls = connectPeer<WebhookDeliveryServiceServer>(
    WebhookDeliveryServiceService,
    caller,
  );
  const feedCalls = connectPeer<WebhookFeedServiceServer>(WebhookFeedServiceService, caller);
  const erasureCalls = connectPeer<ErasureServiceServer>(ErasureServiceService, caller);
  const mailCalls = connectPeer<MailServiceServer>(MailServiceService, caller);
  const mailSettingsCalls = connectPeer<MailSettingsServiceServer>(
    MailSettingsServiceService,
    caller,
  );
  const operatorMailCalls = connectPeer<OperatorMailServiceServer>(OperatorMailServiceService, {
    ...caller,
    withoutTenant: ['getMailServer'],
  });
  return {
    address,
    calls,
    deliveryCalls,
    feedCalls,
    erasureCalls,
    mailCalls,
    mailSettingsCalls,
    operatorMailCalls,
    register: async (tenant, path, events = []) => {
      const { webhookEndpoint, secret } = await calls.createWebhookEndpoint(
        { url: `${origin}${path}`, events, description: undefined, active: undefined },
        testContext({ tenant }),
      );
      const { id = '' } = webhookEndpoint ?? {};
      if (!isId(id)) throw new Error('An endpoint without an id');
      return { id, secret };
    },
    stop: async () => {
      calls.close();
      deliveryCalls.close();
      feedCalls.close();
      erasureCalls.close();
      mailCalls.close();
      mailSettingsCalls.close();
      operatorMailCalls.close();
      await service.stop();
    },
  };
}
