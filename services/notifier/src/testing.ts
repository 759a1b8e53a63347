import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { AggregateDefinition } from '@billing/chassis/aggregate';
import type { Tenant } from '@billing/chassis/call-context';
import { monotonicMs, systemClock } from '@billing/chassis/clock';
import { eventId, logEvent, openEventLog, toEnvelope } from '@billing/chassis/event-log';
import { InsertBatches } from '@billing/chassis/insert-batches';
import { isId, newId } from '@billing/chassis/ids';
import { connectMongo, type MongoConnection } from '@billing/chassis/mongo';
import { connectPeer, type Peer } from '@billing/chassis/peer';
import { type RunningService, Service } from '@billing/chassis/service';
import {
  dropTestDatabase,
  dropTestStream,
  testContext,
  testServiceConfiguration,
} from '@billing/chassis/testing';
import { SubscriptionEvent } from '@billing/proto/billing/event/v1/subscription_event';
import {
  type NotifierServiceServer,
  NotifierServiceService,
} from '@billing/proto/billing/notifier/v1/notifier';
import { SubscriptionStatus } from '@billing/proto/billing/subscription/v1/subscription';
import type { NotifierConfiguration } from './config';
import { type NotifierOverrides, start } from './service';

// What the notifier's integration tests share: the world around it, i.e. a receiver of webhooks and an owner of events.

/** A webhook as it came in. */
export interface ReceivedWebhook {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly body: any;
  /** Monotonic. */
  readonly atMs: number;
}

/** What a receiver says; NEVER lets the caller wait. */
export type Answer =
  | 'NEVER'
  | { readonly status: number; readonly headers?: Record<string, string>; readonly text?: string };

/** A real HTTP server that keeps what it is sent. */
export interface WebhookReceiver {
  readonly origin: string;
  readonly received: ReceivedWebhook[];
  answer: (webhook: ReceivedWebhook) => Answer | Promise<Answer>;
  receivedAt(path: string): ReceivedWebhook[];
  close(): Promise<void>;
}

/** The numbers of a subscription's webhooks in the order in which they came. */
export function sequencesOf(
  webhooks: readonly ReceivedWebhook[],
  subscriptionId: string,
): number[] {
  return webhooks
    .filter(({ body }) => body.data.subscriptionId === subscriptionId)
    .map(({ body }) => body.sequence as number);
}

export async function startReceiver(): Promise<WebhookReceiver> {
  const received: ReceivedWebhook[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString('utf8');
      const { url: path = '', headers } = request;
      const webhook = { path, headers, text, body: JSON.parse(text), atMs: monotonicMs() };
      received.push(webhook);
      void Promise.resolve(receiver.answer(webhook)).then((answer) => {
        if (answer === 'NEVER') return;
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

interface Announcer {
  readonly id: string;
  readonly announced: number;
}

const announcers: AggregateDefinition<Announcer> = {
  collection: 'subscriptions',
  aggregate: 'subscription',
  resource: 'Subscription',
  toDocument: ({ announced }) => ({ announced }),
  fromDocument: ({ _id, announced }) => ({ id: _id, announced: Number(announced) }),
  encodeEvent: ({ data }) => SubscriptionEvent.toJSON(data as SubscriptionEvent),
};

/** A service with aggregates that announce subscription events, an event log, and nothing else. */
export interface EventOwner extends RunningService {
  /** Announces the next event of a subscription. */
  announce(tenant: Tenant, subscriptionId: string, type?: string): Promise<void>;
  /** Logs an event that the stream does not bring. */
  logOnly(tenant: Tenant, subscriptionId: string, sequence: number): Promise<void>;
  /** Has the stream bring a logged event, once more or for the first time. */
  publish(subscriptionId: string, sequence: number): Promise<void>;
  /** How many subscriptions have events that are not published yet. */
  countPending(): Promise<number>;
}

async function startOwner(
  configuration: ReturnType<typeof testServiceConfiguration>,
): Promise<EventOwner> {
  const service = await Service.open('subscription', configuration);
  const subscriptions = service.aggregates(announcers);
  const eventLog = openEventLog(service.db);
  const running = await service.serve([]);
  return {
    ...running,
    logOnly: async (tenant, aggregateId, sequence) => {
      const envelope = toEnvelope({
        service: 'subscription',
        aggregate: 'subscription',
        aggregateId,
        sequence,
        type: 'subscription.renewed',
        at: systemClock.now(),
        tenant,
        data: JSON.stringify(SubscriptionEvent.toJSON(subscriptionEvent(tenant, aggregateId))),
      });
      const entry = { _id: eventId({ aggregateId, sequence }), envelope, traceparent: null };
      await logEvent(new InsertBatches(eventLog), entry, systemClock);
    },
    publish: async (aggregateId, sequence) => {
      const _id = eventId({ aggregateId, sequence });
      const entry = await eventLog.findOne({ _id });
      if (entry === null) throw new Error('Such an event is not in the log');
      const subject = 'subscription.subscription.renewed';
      // Under an id of its own, because the server drops what it has already seen.
      const publication = { subject, id: `${_id}:${newId()}`, data: entry.envelope };
      await service.stream.publish(publication);
    },
    countPending: () =>
      subscriptions.documents.countDocuments({ pendingSince: { $gt: new Date(0) } }),
    announce: async (tenant, id, type = 'subscription.renewed') => {
      const store = subscriptions.within({ tenant, now: systemClock.now() });
      const events = [{ type, data: subscriptionEvent(tenant, id) }];
      const { inserted } = await store.insert({
        state: { id, announced: 1 },
        events,
        commands: [],
      });
      if (inserted) return;
      await store.mutate(id, ({ announced }) => ({
        state: { id, announced: announced + 1 },
        events,
        commands: [],
      }));
    },
  };
}

/** What a subscription announces. */
export function subscriptionEvent({ organizationId }: Tenant, id: string): SubscriptionEvent {
  const at = new Date('2026-01-31T00:00:00.000Z');
  return SubscriptionEvent.fromPartial({
    subscription: {
      id,
      organizationId,
      customerId: newId(),
      status: SubscriptionStatus.SUBSCRIPTION_STATUS_ACTIVE,
      phase: 3,
      startAt: at,
      currentPeriodStart: at,
      currentPeriodEnd: at,
      createdAt: at,
      updatedAt: at,
    },
  });
}

/** A notifier and the world around it, with databases and a stream of their own. */
export interface TestSystem {
  readonly owner: EventOwner;
  readonly receiver: WebhookReceiver;
  readonly config: NotifierConfiguration;
  /** The notifier's database, for what calls cannot show. */
  readonly mongo: MongoConnection;
  /** Starts a notifier; several are replicas. */
  startNotifier(overrides?: NotifierOverrides): Promise<RunningNotifier>;
  /** Deletes the stream with everything in it. */
  wipeStream(): Promise<void>;
  close(): Promise<void>;
}

export interface RunningNotifier extends RunningService {
  readonly calls: Peer<NotifierServiceServer>;
  /** Registers a path of the receiver; returns id and secret. */
  register(
    tenant: Tenant,
    path: string,
    events?: string[],
  ): Promise<{ id: string; secret: string }>;
}

/** `name` tells apart the systems of one test file. */
export async function startSystem(name: string): Promise<TestSystem> {
  const own = (service: string) => {
    const configuration = testServiceConfiguration(`${service}_${name}`);
    return { ...configuration, STREAM_NAME: `${configuration.STREAM_NAME}_${name}` };
  };
  const ownerConfiguration = own('subscription');
  const owner = await startOwner(ownerConfiguration);
  const receiver = await startReceiver();
  const config: NotifierConfiguration = {
    ...own('notifier'),
    SUBSCRIPTION_ADDRESS: owner.address,
    ALLOW_LOOPBACK_IN_SANDBOXES: true,
  };
  const mongo = await connectMongo({
    uri: config.MONGODB_URI,
    database: config.MONGODB_DATABASE,
    service: 'testing',
  });
  const running = new Set<RunningNotifier>();
  return {
    owner,
    receiver,
    config,
    mongo,
    startNotifier: async (overrides) => {
      const notifier = await startNotifier(config, receiver, overrides);
      running.add(notifier);
      return notifier;
    },
    wipeStream: () => dropTestStream(config),
    close: async () => {
      await Promise.all([...running].map((notifier) => notifier.stop()));
      await owner.stop();
      await receiver.close();
      await mongo.close();
      await dropTestStream(config);
      await dropTestDatabase(config, ownerConfiguration);
    },
  };
}

async function startNotifier(
  config: NotifierConfiguration,
  { origin }: WebhookReceiver,
  overrides: NotifierOverrides = {},
): Promise<RunningNotifier> {
  const service = await start(config, overrides);
  const calls = connectPeer<NotifierServiceServer>(NotifierServiceService, {
    address: service.address,
    service: 'test',
  });
  return {
    address: service.address,
    calls,
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
      await service.stop();
    },
  };
}
