import {
  UnreadableMessageError,
  type EventStream,
  messageIdHeader,
  traceparentHeader,
} from './jet-stream';
import type { Consumer, ConsumerMessages, JsMsg } from 'nats';
import { sleep } from '../clock';
import { atBoundary } from '../failpoint';
import { jitter } from '../ids';
import type { Logger } from '../telemetry/logging';
import { KeyedMessageQueue } from './keyed-message-queue';
import type { SystemWatch } from '../replicas/system-watch';
import { messageRetryMs, messageRetryMsMax } from './message-retries';
import { isOfSandbox, type PoisonMessages } from './poison-messages';
import type { Metrics } from '../telemetry/metrics';
import { eventAttributes } from '../grpc/span-attributes';
import { inSpan } from '../telemetry/tracing';

/** An event as a consumer receives it. */
export interface StreamMessage {
  /** `<aggregate id>:<sequence>`, the same in each delivery of the event. */
  readonly id: string;
  /** Without the stream's prefix: `subscription.subscription.renewed`. */
  readonly subject: string;
  readonly aggregateId: string;
  readonly data: string;
  readonly traceparent?: string;
  /** 1 for the first delivery, more for retries. */
  readonly deliveryCount: number;
}

export interface ConsumerOptions {
  readonly stream: EventStream;
  /** Processes with the same name share the messages. */
  readonly durable: string;
  /** Without the stream's prefix; absent: every subject. */
  readonly filterSubjects?: readonly string[];
  readonly poison: Pick<PoisonMessages, 'insert'>;
  /** May receive a message again, so its effect must be idempotent. */
  readonly handle: (message: StreamMessage) => Promise<void>;
  /** Number of messages handled concurrently, each of another aggregate. */
  readonly concurrency?: number;
  /**
   * After this time without a progress report from this process, its messages are redelivered to
   * another one.
   */
  readonly ackWaitMs?: number;
  readonly logger: Logger;
  readonly metrics?: Metrics;
  readonly service: string;
  /** While the system is not open, messages wait. */
  readonly system?: Pick<SystemWatch, 'holdsMessages' | 'write'>;
}

const concurrencyDefault = 16;
const batchSize = 100;
const ackWaitMsDefault = 30_000;
// Also bounds the messages in flight here: every delivered one is being handled or queued.
const maxAckPending = 1_000;
const pullExpiresMs = 10_000;
// Pause between two looks at the state of the system.
const lookAgainMs = 1_000;
const reopenDelayMsMin = 250;
const reopenDelayMsMax = 5_000;

/**
 * Starts a consumer of events. Each event is handled at least once; events of one aggregate are
 * handled one at a time and in order within this process, events of different aggregates
 * concurrently. A message is acknowledged after its effect. A failed message is retried later, and
 * the following ones of its aggregate wait for it. It is not returned to the server in between,
 * because returned messages are redelivered in any order.
 */
export async function startConsumer(options: ConsumerOptions): Promise<RunningConsumer> {
  const consumer = new StreamConsumer(options);
  await consumer.start();
  return consumer;
}

export interface RunningConsumer {
  stop(): Promise<void>;
  /**
   * Number of events that wait on the stream or are in flight, in all processes that share the
   * consumer.
   */
  lag(): Promise<number>;
}

/** A delivered message that has not been acknowledged. */
interface InFlightMessage {
  /** Its latest delivery. */
  delivery: JsMsg;
  /**
   * Consumer that delivered it. A consumer created again under the same name numbers its messages
   * from the start.
   */
  readonly origin: string;
  readonly sequence: number;
  readonly message: StreamMessage;
  failures: number;
}

class StreamConsumer implements RunningConsumer {
  private readonly stopping = new AbortController();
  private readonly queue: KeyedMessageQueue<InFlightMessage>;
  private readonly inFlight = new Map<string, InFlightMessage>();
  private readonly logger: Logger;
  private readonly ackWaitMs: number;
  private progressTimer: NodeJS.Timeout | undefined;
  private pulling: Promise<void> = Promise.resolve();
  private messages: ConsumerMessages | undefined;
  private origin = '';
  private opened: Consumer | undefined;

  constructor(private readonly options: ConsumerOptions) {
    const { concurrency = concurrencyDefault, ackWaitMs = ackWaitMsDefault } = options;
    this.queue = new KeyedMessageQueue(concurrency, (entry) => this.process(entry));
    this.ackWaitMs = ackWaitMs;
    this.logger = options.logger.child({ consumer: options.durable });
  }

  /**
   * Resolves after the first attempt to open the consumer; a failed attempt is retried in the
   * background.
   */
  async start(): Promise<void> {
    const consumer = await this.open().catch((error: unknown) => {
      this.logger.warn({ err: error }, 'opening JetStream consumer failed, retrying');
      return undefined;
    });
    this.progressTimer = setInterval(() => {
      this.reportInProgress();
    }, this.ackWaitMs / 3);
    this.pulling = this.pullUntilStopped(consumer);
  }

  async lag(): Promise<number> {
    const info = await this.opened?.info();
    return (info?.num_pending ?? 0) + (info?.num_ack_pending ?? 0);
  }

  /** Stops pulling, finishes running handlers, and returns queued messages to the server. */
  async stop(): Promise<void> {
    this.stopping.abort();
    this.messages?.stop();
    await this.pulling;
    this.queue.endPauses();
    await this.queue.idle();
    clearInterval(this.progressTimer);
  }

  /**
   * Reopens a lost consumer. Stream and consumer may have vanished with the server's storage; both
   * are created again.
   */
  private async pullUntilStopped(first: Consumer | undefined): Promise<void> {
    let consumer = first;
    let failures = 0;
    while (!this.isStopping()) {
      try {
        consumer ??= await this.open();
        await this.pull(consumer, () => {
          failures = 0;
        });
      } catch (error) {
        this.logger.warn({ err: error }, 'JetStream consumer lost, reconnecting');
      }
      if (this.isStopping()) return;
      consumer = undefined;
      const delayMs = Math.min(reopenDelayMsMin * 2 ** Math.min(failures, 10), reopenDelayMsMax);
      failures += 1;
      await sleep(delayMs * jitter(0.2), this.stopping.signal);
    }
  }

  private async open(): Promise<Consumer> {
    const { stream, durable, filterSubjects } = this.options;
    const { ackWaitMs } = this;
    const consumer = await stream.openConsumer({
      durable,
      filterSubjects,
      ackWaitMs,
      maxAckPending,
    });
    this.origin = (await consumer.info(true)).created;
    this.opened = consumer;
    return consumer;
  }

  /** Accepts messages as they are delivered. The server limits their number by maxAckPending. */
  private async pull(consumer: Consumer, onMessage: () => void): Promise<void> {
    this.messages = await consumer.consume({
      max_messages: batchSize,
      expires: pullExpiresMs,
      abort_on_missing_resource: true,
    });
    if (this.isStopping()) this.messages.stop();
    for await (const delivery of this.messages) {
      onMessage();
      this.accept(delivery);
    }
  }

  private accept(delivery: JsMsg): void {
    const entry = this.read(delivery);
    const key = keyOf(entry);
    const known = this.inFlight.get(key);
    if (known !== undefined) {
      // Redelivered while queued here, e.g. after a long loss of the connection: handle it once.
      known.delivery = delivery;
      return;
    }
    this.inFlight.set(key, entry);
    this.queue.add(entry.message.aggregateId, entry);
  }

  private read(delivery: JsMsg): InFlightMessage {
    const { streamSequence, timestampNanos, deliveryCount } = delivery.info;
    const givenId = delivery.headers?.get(messageIdHeader) ?? '';
    // Only foreign publishers omit the id. The message gets a generated one, so that it can be
    // stored as poison.
    const id = givenId === '' ? `${String(timestampNanos)}:${String(streamSequence)}` : givenId;
    const traceparent = delivery.headers?.get(traceparentHeader) ?? '';
    return {
      delivery,
      origin: this.origin,
      sequence: streamSequence,
      message: {
        id,
        subject: delivery.subject.slice(this.options.stream.subjectPrefix.length + 1),
        aggregateId: id.split(':', 1)[0] ?? id,
        data: delivery.string(),
        traceparent: traceparent === '' ? undefined : traceparent,
        deliveryCount,
      },
      failures: 0,
    };
  }

  /** Handles a message. Returns the delay before its retry, or undefined when it is finished. */
  private async process(entry: InFlightMessage): Promise<number | undefined> {
    if (this.isStopping()) {
      this.release(entry, (delivery) => {
        delivery.nak();
      });
      return undefined;
    }
    const { system } = this.options;
    if (system?.holdsMessages === true) return lookAgainMs;
    try {
      const handle = () => this.runHandler(entry);
      const outcome = await (system === undefined ? handle() : system.write(handle));
      this.release(entry, (delivery) => {
        // Acks are not confirmed by the server. A lost ack causes a redelivery, which handlers must
        // tolerate anyway; a confirmation would cost a round trip per message.
        if (outcome === 'done') delivery.ack();
        else delivery.term('unreadable');
      });
      return undefined;
    } catch (error) {
      return this.retryAfterMs(entry, error);
    }
  }

  private async runHandler({ message, failures }: InFlightMessage): Promise<'done' | 'unreadable'> {
    const { service, handle, durable } = this.options;
    const deliveryCount = message.deliveryCount + failures;
    const span = {
      name: `consume ${message.subject}`,
      kind: 'consumer' as const,
      service,
      attributes: () => ({
        'messaging.system': 'nats',
        'messaging.message.id': message.id,
        ...eventAttributes(message),
      }),
      traceparent: message.traceparent,
    };
    try {
      await inSpan(span, () =>
        atBoundary('consumer', durable, () => handle({ ...message, deliveryCount })),
      );
      return 'done';
    } catch (error) {
      if (!(error instanceof UnreadableMessageError)) throw error;
      await this.storePoison(message, error);
      return 'unreadable';
    }
  }

  private async storePoison(message: StreamMessage, error: UnreadableMessageError): Promise<void> {
    const isNew = await this.options.poison.insert(message, error);
    // A redelivery, because the server missed the termination, must not raise a second alarm.
    if (!isNew) return;
    const live = !isOfSandbox(message.data);
    this.options.metrics?.recordPoisonMessage({ consumer: this.options.durable, live });
    const { id, subject } = message;
    this.logger.error(
      { err: error, alarm: 'poison_message', messageId: id, subject },
      'message unreadable, moved to poison messages',
    );
  }

  private retryAfterMs(entry: InFlightMessage, error: unknown): number {
    const { id, subject } = entry.message;
    const delayMs = messageRetryMs(entry.failures, error);
    entry.failures += 1;
    // At the maximum delay, retries alone have not helped: log an error so that people look at it.
    const level = delayMs < messageRetryMsMax ? 'warn' : 'error';
    this.logger[level](
      { err: error, messageId: id, subject, failures: entry.failures, retryInMs: delayMs },
      'handling message failed, retrying',
    );
    return delayMs;
  }

  private release(entry: InFlightMessage, send: (delivery: JsMsg) => void): void {
    this.inFlight.delete(keyOf(entry));
    this.answer(entry, send);
  }

  private answer({ delivery, origin }: InFlightMessage, send: (delivery: JsMsg) => void): void {
    // An ack names a sequence number, which may denote another message in a consumer that was
    // created again.
    if (origin !== this.origin) return;
    try {
      send(delivery);
    } catch (error) {
      this.logger.warn({ err: error }, 'ack failed, message will be redelivered');
    }
  }

  /**
   * Reports all messages in flight as in progress, so that the server does not redeliver them while
   * they run or wait.
   */
  private reportInProgress(): void {
    for (const entry of this.inFlight.values()) {
      this.answer(entry, (delivery) => {
        delivery.working();
      });
    }
  }

  private isStopping(): boolean {
    return this.stopping.signal.aborted;
  }
}

function keyOf({ origin, sequence }: InFlightMessage): string {
  return `${origin}/${String(sequence)}`;
}
