import {
  AckPolicy,
  type Consumer,
  DeliverPolicy,
  ErrorCode,
  headers,
  type JetStreamManager,
  nanos,
  type NatsConnection,
  NatsError,
} from 'nats';
import { DomainError } from '@billing/kernel/domain-error';
import type { Logger } from '../telemetry/logging';
import type { StreamState } from '../telemetry/metrics';
import { isMissing, StreamDefinition } from './stream-definition';
import { NatsLink, type NatsLinkOptions } from './nats-link';
import { currentTraceparent, inSpan, type SpanAttributes } from '../telemetry/tracing';

/** Options of the connection to the stream. */
export interface EventStreamOptions extends NatsLinkOptions {
  readonly streamName: string;
  /** Number of servers that hold a copy of the stream, 1 to 5; 1 by default. */
  readonly replicas?: number;
  /** Size at which the stream drops its oldest events; absent: as its operator set it. */
  readonly maxBytes?: number;
  readonly logger: Logger;
}

/** An event to publish. */
export interface EventMessage {
  /** Without the stream's prefix: `subscription.subscription.renewed`. */
  readonly subject: string;
  /** The server drops a second message with the same id within two minutes. */
  readonly id: string;
  /** Trace in which the event was created. */
  readonly traceparent?: string;
  /** Attributes of the publication's span that identify the aggregate. */
  readonly attributes?: () => SpanAttributes;
  readonly data: Uint8Array | string;
}

/** Options of a durable consumer. */
export interface DurableConsumerOptions {
  readonly durable: string;
  /** Without the stream's prefix; absent: every subject. */
  readonly filterSubjects?: readonly string[];
  /** Time without an ack or a progress report after which a message is redelivered. */
  readonly ackWaitMs: number;
  /** Maximum number of delivered messages without an ack, including those that wait for a retry. */
  readonly maxAckPending: number;
}

/** The one stream of all events. It provides speed; the owners' event logs provide certainty. */
export interface EventStream {
  /** Prefix of every subject, without the dot. */
  readonly subjectPrefix: string;
  /**
   * Resolves once the server has stored the event. Otherwise rejects as `unavailable`, and the
   * event may have been stored nevertheless. With the reason EVENT_TOO_LARGE it is not stored until
   * the limits are raised.
   */
  publish(message: EventMessage): Promise<void>;
  /**
   * True if the server is connected and has the stream. Without the stream, events reach consumers
   * only by the event logs.
   */
  isConnected(): boolean;
  /** Asks the server for the state of the stream. Never rejects. */
  state(): Promise<StreamState>;
  /**
   * Opens the durable consumer for startConsumer. Creates it, and the stream, if they do not exist.
   */
  openConsumer(options: DurableConsumerOptions): Promise<Consumer>;
  /** Deletes all events; returns their number. */
  purge(): Promise<number>;
  /** Sends pending messages, then disconnects. */
  close(): Promise<void>;
}

/** Header with a message's id. */
export const messageIdHeader = 'Nats-Msg-Id';
export const traceparentHeader = 'traceparent';

// The server's code for a message that exceeds the size limit of its stream.
const messageTooLargeCode = 10054;

const publishTimeoutMs = 5_000;

/**
 * Connects to NATS and creates the stream. Resolves after the first attempt, successful or not. A
 * failed attempt is retried in the background until `close`; an established connection reconnects
 * without a limit. A stream that vanishes is created again: its events are in the owners' event
 * logs.
 */
export async function connectStream(options: EventStreamOptions): Promise<EventStream> {
  const stream = new JetStreamEventStream(options);
  await stream.open();
  return stream;
}

class JetStreamEventStream implements EventStream {
  readonly subjectPrefix: string;
  private readonly link: NatsLink;
  private readonly definition: StreamDefinition;
  private readonly streamName: string;
  private readonly service: string;
  private isEnsured = false;
  private ensuring: Promise<void> | undefined;

  constructor(options: EventStreamOptions) {
    const { streamName, service, replicas = 1, maxBytes, logger } = options;
    this.streamName = streamName;
    this.service = service;
    // One server may hold the streams of several systems, so their subjects must be distinct.
    this.subjectPrefix = streamName.toLowerCase();
    this.definition = new StreamDefinition({ name: streamName, replicas, maxBytes, logger });
    this.link = new NatsLink(options, () => this.ensure());
  }

  /** Resolves after the first attempt. */
  open(): Promise<void> {
    return this.link.open();
  }

  isConnected(): boolean {
    return this.isEnsured && this.link.current() !== undefined;
  }

  async state(): Promise<StreamState> {
    try {
      return await this.definition.state(await this.manager());
    } catch {
      return { isConnected: false, missingReplicas: undefined };
    }
  }

  publish(message: EventMessage): Promise<void> {
    const span = {
      name: `publish ${message.subject}`,
      kind: 'producer' as const,
      service: this.service,
      attributes: () => ({
        'messaging.system': 'nats',
        'messaging.message.id': message.id,
        ...message.attributes?.(),
      }),
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
      // An event is redelivered until it has had its effect; poison messages are terminated.
      max_deliver: -1,
    };
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
        // From the oldest event on: a consumer that was lost redelivers events rather than missing
        // some.
        deliver_policy: DeliverPolicy.All,
      });
    }
    return this.connection().jetstream().consumers.get(streamName, durable);
  }

  async purge(): Promise<number> {
    await this.ensure();
    const { streams } = await this.manager();
    return (await streams.purge(this.streamName)).purged;
  }

  close(): Promise<void> {
    return this.link.close();
  }

  /** Creates the stream, or corrects its settings. Concurrent callers share one attempt. */
  private ensure(): Promise<void> {
    this.ensuring ??= this.ensureStream().finally(() => {
      this.ensuring = undefined;
    });
    return this.ensuring;
  }

  private async ensureStream(): Promise<void> {
    await this.definition.ensure(await this.manager());
    this.isEnsured = true;
  }

  private async store(message: EventMessage): Promise<void> {
    if (!this.isEnsured) await this.ensure();
    try {
      await this.request(message);
    } catch (error) {
      // The subject has no listener: the stream is gone, or does not include the subject.
      if (!hasCode(error, ErrorCode.NoResponders)) throw error;
      await this.ensure();
      await this.request(message);
    }
  }

  private async request({ subject, id, traceparent, data }: EventMessage): Promise<void> {
    const messageHeaders = headers();
    const trace = currentTraceparent() ?? traceparent;
    if (trace !== undefined) messageHeaders.set(traceparentHeader, trace);
    await this.connection().jetstream().publish(`${this.subjectPrefix}.${subject}`, data, {
      msgID: id,
      headers: messageHeaders,
      timeout: publishTimeoutMs,
    });
  }

  // While disconnected, the client would accept a request, drop it on reconnecting, and wait in
  // vain for the answer.
  private connection(): NatsConnection {
    const connection = this.link.current();
    if (connection === undefined) throw NatsError.errorForCode(ErrorCode.Disconnect);
    return connection;
  }

  // Skips the client's own check, which would cost a request each time.
  private async manager(): Promise<JetStreamManager> {
    return this.connection().jetstreamManager({ checkAPI: false });
  }
}

/**
 * True if the event exceeds the size limit of server or stream. Waiting does not help, only a
 * higher limit does.
 */
function isTooLarge(error: unknown): boolean {
  if (hasCode(error, ErrorCode.MaxPayloadExceeded)) return true;
  return error instanceof NatsError && error.api_error?.err_code === messageTooLargeCode;
}

function hasCode(error: unknown, code: ErrorCode): boolean {
  return error instanceof NatsError && error.code === code.valueOf();
}

/**
 * Thrown by a handler when a retry cannot help: the message is moved to the poison messages, and an
 * alarm is raised.
 */
export class UnreadableMessageError extends Error {
  override readonly name = 'UnreadableMessageError';
}
