import {
  AckPolicy,
  connect,
  type Consumer,
  credsAuthenticator,
  DeliverPolicy,
  DiscardPolicy,
  ErrorCode,
  Events,
  headers,
  type JetStreamManager,
  nanos,
  type NatsConnection,
  NatsError,
  RetentionPolicy,
  StorageType,
  type StreamConfig,
} from 'nats';
import { DomainError } from '@billing/kernel/domain-error';
import { sleep } from './clock';
import type { Logger } from './logging';
import { natsAddress } from './nats-address';
import { currentTraceparent, inSpan } from './tracing';

/** Which stream, and for whom. */
export interface EventStreamOptions {
  /** Addresses of NATS servers, separated by commas; see nats-address.ts for credentials. */
  readonly url: string;
  /** In PEM: who must have issued the server's certificate. */
  readonly authority?: string | undefined;
  /** The text of a `.creds` file. */
  readonly credentials?: string | undefined;
  readonly streamName: string;
  readonly service: string;
  readonly logger: Logger;
}

/** An event to publish. */
export interface EventMessage {
  /** Without the stream's prefix: `subscription.subscription.renewed`. */
  readonly subject: string;
  /** The server drops a second message with the same id within two minutes. */
  readonly id: string;
  /** The trace in which the event came about. */
  readonly traceparent?: string;
  readonly data: Uint8Array | string;
}

/** What makes a durable consumer. */
export interface DurableConsumerOptions {
  readonly durable: string;
  /** Without the stream's prefix; every subject when absent. */
  readonly filterSubjects?: readonly string[];
  /** A message that is neither answered nor reported as in work for so long is delivered again. */
  readonly ackWaitMs: number;
  /** As many messages may be delivered and not yet acknowledged, those included that wait for their repetition. */
  readonly maxAckPending: number;
}

/** The one stream of all events. It gives speed; certainty comes from the owners' event logs. */
export interface EventStream {
  /** What every subject starts with, without the dot. */
  readonly subjectPrefix: string;
  /**
   * Resolves once the server has stored the event, else rejects as `unavailable`: it may have been stored in spite of that. With the
   * reason EVENT_TOO_LARGE it never will be, as long as the limits are as they are.
   */
  publish(message: EventMessage): Promise<void>;
  isConnected(): boolean;
  /** Finds the durable consumer, and the stream itself, or makes them. For startConsumer. */
  openConsumer(options: DurableConsumerOptions): Promise<Consumer>;
  /** Sends what is on its way, then disconnects. */
  close(): Promise<void>;
}

/** The header that carries a message's id. */
export const messageIdHeader = 'Nats-Msg-Id';
export const traceparentHeader = 'traceparent';

const minuteMs = 60_000;
// Long enough for a consumer that is away over a weekend; after that the event logs bring what it lacks.
const maxAgeMs = 3 * 24 * 60 * minuteMs;
const duplicateWindowMs = 2 * minuteMs;

// What the server says of a message that is larger than its stream takes.
const messageTooLargeCode = 10054;

const connectTimeoutMs = 5_000;
const publishTimeoutMs = 5_000;
const reconnectEveryMs = 500;
// A server that is gone without closing the connection is noticed after two of these.
const pingEveryMs = 10_000;
const flushTimeoutMs = 2_000;

/**
 * Connects to NATS and makes sure that the stream exists. Once connected it reconnects for ever. A stream that vanishes is made again: what
 * it held is in the owners' event logs.
 */
export async function connectStream(options: EventStreamOptions): Promise<EventStream> {
  const { streamName, service, logger } = options;
  const connection = await openConnection(options);
  const stream = new JetStreamEventStream(connection, streamName, service, logger);
  try {
    await stream.ensure();
  } catch (error) {
    await connection.close();
    throw new Error(`The stream ${streamName} cannot be made`, { cause: error });
  }
  return stream;
}

async function openConnection({
  url,
  authority,
  credentials,
  service,
}: EventStreamOptions): Promise<NatsConnection> {
  try {
    return await connect({
      ...natsAddress(url),
      ...(authority !== undefined && { tls: { ca: authority } }),
      ...(credentials !== undefined && {
        authenticator: credsAuthenticator(Buffer.from(credentials)),
      }),
      name: `billing-${service}`,
      timeout: connectTimeoutMs,
      maxReconnectAttempts: -1,
      reconnectTimeWait: reconnectEveryMs,
      reconnectJitter: reconnectEveryMs,
      // A server may refuse us while its own configuration is being changed; giving up would need a restart.
      ignoreAuthErrorAbort: true,
      pingInterval: pingEveryMs,
      // Recording where each request came from costs more than the request.
      noAsyncTraces: true,
    });
  } catch (error) {
    throw new Error('NATS cannot be reached', { cause: error });
  }
}

class JetStreamEventStream implements EventStream {
  readonly subjectPrefix: string;
  private isUp = true;
  private ensuring: Promise<void> | undefined;

  constructor(
    private readonly connection: NatsConnection,
    private readonly streamName: string,
    private readonly service: string,
    private readonly logger: Logger,
  ) {
    // One server may hold the streams of several systems; their subjects must not meet.
    this.subjectPrefix = streamName.toLowerCase();
    void this.watchConnection();
  }

  isConnected(): boolean {
    return this.isUp && !this.connection.isClosed();
  }

  publish(message: EventMessage): Promise<void> {
    const span = {
      name: `publish ${message.subject}`,
      kind: 'producer' as const,
      service: this.service,
      attributes: { 'messaging.system': 'nats', 'messaging.message.id': message.id },
      traceparent: message.traceparent,
    };
    return inSpan(span, async () => {
      try {
        await this.store(message);
      } catch (cause) {
        const reason = isTooLarge(cause) ? 'EVENT_TOO_LARGE' : 'EVENT_STREAM_UNAVAILABLE';
        throw new DomainError('unavailable', reason, 'Service unavailable', { cause });
      }
    });
  }

  async openConsumer(options: DurableConsumerOptions): Promise<Consumer> {
    const { streamName } = this;
    const { durable, filterSubjects = ['>'] } = options;
    const settings = {
      filter_subjects: filterSubjects.map((subject) => `${this.subjectPrefix}.${subject}`),
      ack_wait: nanos(options.ackWaitMs),
      max_ack_pending: options.maxAckPending,
      // An event is repeated until it has had its effect; what can have none is set aside.
      max_deliver: -1,
    };
    this.requireConnection();
    await this.ensure();
    const { consumers } = await this.manager();
    try {
      await consumers.update(streamName, durable, settings);
    } catch (error) {
      if (!isMissing(error)) throw error;
      await consumers.add(streamName, {
        ...settings,
        durable_name: durable,
        ack_policy: AckPolicy.Explicit,
        // From the oldest event on: a consumer that was lost repeats rather than misses.
        deliver_policy: DeliverPolicy.All,
      });
    }
    return this.connection.jetstream().consumers.get(streamName, durable);
  }

  async close(): Promise<void> {
    if (this.isConnected()) {
      // Acknowledgements are not confirmed: without this the last ones might be lost, and their messages repeated.
      const limit = new AbortController();
      await Promise.race([this.flush(), sleep(flushTimeoutMs, limit.signal)]);
      limit.abort();
    }
    await this.connection.close();
  }

  /** Makes the stream, or corrects its settings; callers at the same time share one attempt. */
  ensure(): Promise<void> {
    this.ensuring ??= this.ensureStream().finally(() => {
      this.ensuring = undefined;
    });
    return this.ensuring;
  }

  private async store(message: EventMessage): Promise<void> {
    this.requireConnection();
    try {
      await this.request(message);
    } catch (error) {
      // Nobody listens on the subject: the stream is gone, or does not have the subject.
      if (!hasCode(error, ErrorCode.NoResponders)) throw error;
      await this.ensure();
      await this.request(message);
    }
  }

  private async request({ subject, id, traceparent, data }: EventMessage): Promise<void> {
    const messageHeaders = headers();
    const trace = currentTraceparent() ?? traceparent;
    if (trace !== undefined) messageHeaders.set(traceparentHeader, trace);
    await this.connection.jetstream().publish(`${this.subjectPrefix}.${subject}`, data, {
      msgID: id,
      headers: messageHeaders,
      timeout: publishTimeoutMs,
    });
  }

  private async ensureStream(): Promise<void> {
    const { streamName: name, logger } = this;
    const { streams } = await this.manager();
    const wanted = streamSettings(this.subjectPrefix);
    try {
      const { config } = await streams.info(name);
      if (matches(config, wanted)) return;
      const { retention, storage } = wanted;
      if (!matches(config, { retention, storage })) {
        throw new Error(`The stream ${name} exists with another retention or storage`);
      }
      await streams.update(name, wanted);
      logger.info({ stream: name }, 'stream settings corrected');
    } catch (error) {
      if (!isMissing(error)) throw error;
      // Another process may make the same stream at the same time: then both succeed.
      await streams.add({ name, ...wanted });
      logger.info({ stream: name }, 'stream made');
    }
  }

  // While disconnected the client would take a request, drop it when it reconnects, and wait in vain for the answer.
  private requireConnection(): void {
    if (!this.isConnected()) throw NatsError.errorForCode(ErrorCode.Disconnect);
  }

  // Without the client's own check, which would cost a request each time.
  private manager(): Promise<JetStreamManager> {
    return this.connection.jetstreamManager({ checkAPI: false });
  }

  private async flush(): Promise<void> {
    try {
      await this.connection.flush();
    } catch (error) {
      this.logger.warn({ err: error }, 'stream disconnected before everything was sent');
    }
  }

  private async watchConnection(): Promise<void> {
    for await (const { type, data } of this.connection.status()) {
      if (type === Events.Disconnect) {
        this.isUp = false;
        this.logger.warn({ server: data }, 'stream disconnected');
      } else if (type === Events.Reconnect) {
        this.isUp = true;
        this.logger.info({ server: data }, 'stream connected again');
      } else if (type === Events.Error) {
        this.logger.warn({ problem: data }, 'stream connection has a problem');
      }
    }
  }
}

// Replicas and limits of size are the operator's, set on the stream or the server, and left as they are.
function streamSettings(subjectPrefix: string) {
  return {
    subjects: [`${subjectPrefix}.>`],
    retention: RetentionPolicy.Limits,
    storage: StorageType.File,
    max_age: nanos(maxAgeMs),
    // A full stream refuses events, which then wait in their outboxes, instead of forgetting older ones.
    discard: DiscardPolicy.New,
    duplicate_window: nanos(duplicateWindowMs),
  };
}

function matches(config: StreamConfig, wanted: Partial<StreamConfig>): boolean {
  return Object.entries(wanted).every(
    ([setting, value]) =>
      JSON.stringify(config[setting as keyof StreamConfig]) === JSON.stringify(value),
  );
}

/** Whether the server says that a stream or consumer does not exist. */
function isMissing(error: unknown): boolean {
  return error instanceof NatsError && error.api_error?.code === 404;
}

/** Whether the event is larger than the server or the stream takes: waiting does not help, only a higher limit does. */
function isTooLarge(error: unknown): boolean {
  if (hasCode(error, ErrorCode.MaxPayloadExceeded)) return true;
  return error instanceof NatsError && error.api_error?.err_code === messageTooLargeCode;
}

function hasCode(error: unknown, code: ErrorCode): boolean {
  return error instanceof NatsError && error.code === code.valueOf();
}
