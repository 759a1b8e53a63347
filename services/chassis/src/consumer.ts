import type { Collection, Db } from 'mongodb';
import type { Consumer, ConsumerMessages, JsMsg } from 'nats';
import { type Clock, sleep } from './clock';
import { atBoundary } from './failpoint';
import { jitter } from './ids';
import { type EventStream, messageIdHeader, traceparentHeader } from './jet-stream';
import type { Logger } from './logging';
import { KeyedMessageQueue } from './keyed-message-queue';
import type { Metrics } from './metrics';
import { duplicateKeyIndex, retryTransient } from './mongo';
import { eventAttributes } from './span-attributes';
import { inSpan } from './tracing';

/** An event as a consumer sees it. */
export interface StreamMessage {
  /** `<aggregate id>:<sequence>`, the same each time that the event is delivered. */
  readonly id: string;
  /** Without the stream's prefix: `subscription.subscription.renewed`. */
  readonly subject: string;
  readonly aggregateId: string;
  readonly data: string;
  readonly traceparent?: string;
  /** 1 for the first time, more when it is repeated. */
  readonly deliveryCount: number;
}

/** What a handler throws when repeating cannot help: the message is set aside, and an alarm is raised. */
export class UnreadableMessageError extends Error {
  override readonly name = 'UnreadableMessageError';
}

/** What a consumer is made of. */
export interface ConsumerOptions {
  readonly stream: EventStream;
  /** Processes that give the same name share the messages. */
  readonly durable: string;
  /** Without the stream's prefix; every subject when absent. */
  readonly filterSubjects?: readonly string[];
  readonly poison: PoisonStore;
  /** May get a message that it has handled before: its effect must be one that can be repeated. */
  readonly handle: (message: StreamMessage) => Promise<void>;
  /** So many messages are handled at a time, each of another aggregate. */
  readonly concurrency?: number;
  /** After so long without a sign of life from this process its messages go to another one. */
  readonly ackWaitMs?: number;
  readonly logger: Logger;
  readonly metrics?: Metrics;
  readonly service: string;
}

/** A message that was set aside, as stored. */
interface PoisonMessage {
  /** The message's id. */
  readonly _id: string;
  /** Of the message, where that can be read of it. */
  readonly environmentId?: string | undefined;
  readonly subject: string;
  readonly data: string;
  readonly traceparent: string | null;
  readonly error: string;
  readonly receivedAt: Date;
}

/** Messages that no handler could read, kept for people. */
export interface PoisonStore {
  /** Keeps a message once; false if it was there already. */
  insert(message: StreamMessage, error: Error): Promise<boolean>;
  count(): Promise<number>;
}

export function createPoisonStore(db: Db, clock: Clock): PoisonStore {
  const messages: Collection<PoisonMessage> = db.collection('poisonMessages');
  return {
    insert: async ({ id, subject, data, traceparent = null }, { message: error }) => {
      const receivedAt = clock.now();
      const environmentId = /"environmentid":"([^"]+)"/.exec(data)?.[1];
      const document = { _id: id, environmentId, subject, data, traceparent, error, receivedAt };
      try {
        await retryTransient(() => messages.insertOne(document));
        return true;
      } catch (failure) {
        if (duplicateKeyIndex(failure) === undefined) throw failure;
        return false;
      }
    },
    count: () => retryTransient(() => messages.countDocuments()),
  };
}

const concurrencyDefault = 16;
const batchSize = 100;
const ackWaitMsDefault = 30_000;
// Also the most that is in hand here: everything delivered is, whether it is being handled or waits for its turn.
const maxAckPending = 1_000;
const pullExpiresMs = 10_000;
const retryDelaysMs = [1_000, 5_000, 30_000, 60_000];
const reopenDelayMsMin = 250;
const reopenDelayMsMax = 5_000;

/**
 * Reads events from now on: each at least once, those of one aggregate one at a time and in order within this process, those of others
 * in the meantime. A message is acknowledged after its effect. One that fails is repeated later, and the aggregate's following ones wait for it; it
 * stays in hand for that, because messages that were given back would return in any order.
 */
export async function startConsumer(options: ConsumerOptions): Promise<RunningConsumer> {
  const consumer = new StreamConsumer(options);
  await consumer.start();
  return consumer;
}

/** A consumer at work. */
export interface RunningConsumer {
  stop(): Promise<void>;
  /** How many events wait on the stream or are in hand, here and in other processes of its name. */
  lag(): Promise<number>;
}

/** A delivered message that has not been answered. */
interface InFlightMessage {
  /** The latest delivery of it. */
  delivery: JsMsg;
  /** Which consumer delivered it; one that was made again under the same name counts its messages again. */
  readonly origin: string;
  readonly sequence: number;
  readonly message: StreamMessage;
  failures: number;
}

class StreamConsumer implements RunningConsumer {
  private readonly stopping = new AbortController();
  private readonly lanes: KeyedMessageQueue<InFlightMessage>;
  private readonly inFlight = new Map<string, InFlightMessage>();
  private readonly logger: Logger;
  private readonly ackWaitMs: number;
  private reporting: NodeJS.Timeout | undefined;
  private pulling: Promise<void> = Promise.resolve();
  private messages: ConsumerMessages | undefined;
  private origin = '';
  private opened: Consumer | undefined;

  constructor(private readonly options: ConsumerOptions) {
    const { concurrency = concurrencyDefault, ackWaitMs = ackWaitMsDefault } = options;
    this.lanes = new KeyedMessageQueue(concurrency, (entry) => this.work(entry));
    this.ackWaitMs = ackWaitMs;
    this.logger = options.logger.child({ consumer: options.durable });
  }

  /** Resolves after the first attempt to open the consumer; a failed one is retried in the background. */
  async start(): Promise<void> {
    const consumer = await this.open().catch((error: unknown) => {
      this.logger.warn({ err: error }, 'opening JetStream consumer failed, retrying');
      return undefined;
    });
    this.reporting = setInterval(() => {
      this.report();
    }, this.ackWaitMs / 3);
    this.pulling = this.pullUntilStopped(consumer);
  }

  async lag(): Promise<number> {
    const info = await this.opened?.info();
    return (info?.num_pending ?? 0) + (info?.num_ack_pending ?? 0);
  }

  /** Pulls no more, finishes what is being handled, and gives back what waits. */
  async stop(): Promise<void> {
    this.stopping.abort();
    this.messages?.stop();
    await this.pulling;
    this.lanes.endPauses();
    await this.lanes.idle();
    clearInterval(this.reporting);
  }

  /** The stream and the consumer may have vanished with the server's storage: both are made again. */
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

  /** Takes messages into hand as they come; how many that may be is the server's to limit, by maxAckPending. */
  private async pull(consumer: Consumer, onMessage: () => void): Promise<void> {
    this.messages = await consumer.consume({
      max_messages: batchSize,
      expires: pullExpiresMs,
      abort_on_missing_resource: true,
    });
    if (this.isStopping()) this.messages.stop();
    for await (const delivery of this.messages) {
      onMessage();
      this.take(delivery);
    }
  }

  private take(delivery: JsMsg): void {
    const entry = this.read(delivery);
    const key = keyOf(entry);
    const known = this.inFlight.get(key);
    if (known !== undefined) {
      // Delivered again while it waits here, e.g. after the connection was lost for long: once is enough.
      known.delivery = delivery;
      return;
    }
    this.inFlight.set(key, entry);
    this.lanes.add(entry.message.aggregateId, entry);
  }

  private read(delivery: JsMsg): InFlightMessage {
    const { streamSequence, timestampNanos, deliveryCount } = delivery.info;
    const givenId = delivery.headers?.get(messageIdHeader) ?? '';
    // Only a stranger publishes without an id. The message gets one all the same, so that the poison collection can hold it.
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

  /** Gives the time after which the message is to be repeated, nothing if it is out of hand. */
  private async work(entry: InFlightMessage): Promise<number | undefined> {
    if (this.isStopping()) {
      this.letGo(entry, (delivery) => {
        delivery.nak();
      });
      return undefined;
    }
    try {
      const outcome = await this.effect(entry);
      this.letGo(entry, (delivery) => {
        // Not confirmed by the server: an acknowledgement that gets lost costs a repetition, which handlers must bear anyway, and a
        // confirmation would cost a round trip for each message.
        if (outcome === 'done') delivery.ack();
        else delivery.term('unreadable');
      });
      return undefined;
    } catch (error) {
      return this.retryAfterMs(entry, error);
    }
  }

  private async effect({ message, failures }: InFlightMessage): Promise<'done' | 'unreadable'> {
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
      await this.setAside(message, error);
      return 'unreadable';
    }
  }

  private async setAside(message: StreamMessage, error: UnreadableMessageError): Promise<void> {
    const isNew = await this.options.poison.insert(message, error);
    // A repetition, because the server missed that it was terminated, is no second reason for an alarm.
    if (!isNew) return;
    this.options.metrics?.recordPoisonMessage(this.options.durable);
    const { id, subject } = message;
    this.logger.error(
      { err: error, alarm: 'poison_message', messageId: id, subject },
      'message unreadable, moved to poison messages',
    );
  }

  private retryAfterMs(entry: InFlightMessage, error: unknown): number {
    const { id, subject } = entry.message;
    const delayMs = retryDelaysMs[Math.min(entry.failures, retryDelaysMs.length - 1)] ?? 0;
    entry.failures += 1;
    // Once the delay grows no more, repeating alone has not helped: someone should look.
    const level = entry.failures < retryDelaysMs.length ? 'warn' : 'error';
    this.logger[level](
      { err: error, messageId: id, subject, failures: entry.failures, repeatInMs: delayMs },
      'handling message failed, retrying',
    );
    return delayMs;
  }

  private letGo(entry: InFlightMessage, give: (delivery: JsMsg) => void): void {
    this.inFlight.delete(keyOf(entry));
    this.answer(entry, give);
  }

  private answer({ delivery, origin }: InFlightMessage, give: (delivery: JsMsg) => void): void {
    // The answer names a number, and a consumer that was made again may mean another message by it.
    if (origin !== this.origin) return;
    try {
      give(delivery);
    } catch (error) {
      this.logger.warn({ err: error }, 'ack failed, message will be redelivered');
    }
  }

  /** Tells the server that what is in hand is not lost, however long it takes or waits for its turn. */
  private report(): void {
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
