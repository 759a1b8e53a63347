import { connect, type JetStreamManager, type NatsConnection } from 'nats';
import pino from 'pino';
import { sleep, systemClock } from '../clock';
import { type ConsumerOptions, startConsumer, type StreamMessage } from './consumer';
import { newId } from '../ids';
import { connectStream, type EventStream } from './jet-stream';
import { connectMongo, type MongoConnection } from '../mongo/mongo';
import { natsAddress } from './nats-address';
import { PoisonMessages } from './poison-messages';
import { dropTestDatabase, eventually, testServiceConfiguration } from '../testing/testing';

const configuration = testServiceConfiguration('recovery');
const subject = 'sale.order.paid';
const logger = pino({ level: 'silent' });

let mongo: MongoConnection;
let observer: NatsConnection;
let manager: JetStreamManager;

let streamName: string;
let stream: EventStream;
/** Ids in the order in which their handlers succeeded. */
let handled: string[];
let cleanUp: (() => Promise<void>)[];

beforeAll(async () => {
  const { MONGODB_URI: uri, MONGODB_DATABASE: database, NATS_URL: url } = configuration;
  mongo = await connectMongo({ uri, database, service: 'test' });
  observer = await connect(natsAddress(url));
  manager = await observer.jetstreamManager();
});

beforeEach(async () => {
  handled = [];
  cleanUp = [];
  streamName = `T_${newId().replaceAll('-', '').slice(-16).toUpperCase()}`;
  stream = await openStream();
});

afterEach(async () => {
  for (const one of cleanUp.reverse()) await one();
  await manager.streams.delete(streamName).catch(() => false);
});

afterAll(async () => {
  await observer.close();
  await mongo.close();
  await dropTestDatabase(configuration);
});

async function openStream(): Promise<EventStream> {
  const { NATS_URL: url } = configuration;
  const opened = await connectStream({ url, streamName, service: 'test', logger });
  cleanUp.push(() => opened.close());
  return opened;
}

async function consume(
  handle: (message: StreamMessage) => Promise<void>,
  options: Partial<ConsumerOptions> = {},
) {
  const consumer = await startConsumer({
    stream,
    durable: 'reader',
    poison: new PoisonMessages(mongo.db, systemClock),
    handle: async (message) => {
      await handle(message);
      handled.push(message.id);
    },
    logger,
    service: 'test',
    ...options,
  });
  cleanUp.push(() => consumer.stop());
  return consumer;
}

async function publish(ids: readonly string[]): Promise<void> {
  for (const id of ids) await stream.publish({ subject, id, data: `data of ${id}` });
}

async function expectHandled(ids: readonly string[]): Promise<void> {
  await eventually(() => {
    expect(handled).toEqual(ids);
  });
}

/** Expects every delivered message to be acknowledged and none to wait for delivery. */
async function expectAllAnswered(): Promise<void> {
  await eventually(async () => {
    const info = await manager.consumers.info(streamName, 'reader');
    expect({ unanswered: info.num_ack_pending, waiting: info.num_pending }).toEqual({
      unanswered: 0,
      waiting: 0,
    });
  });
}

function idsOf(aggregateId: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${aggregateId}:${String(index + 1)}`);
}

describe('after a loss of what JetStream had stored:', () => {
  test('a deleted stream is created again, and publishing and consuming go on', async () => {
    await consume(async () => {});
    await publish(idsOf('a', 5));
    await expectHandled(idsOf('a', 5));
    await manager.streams.delete(streamName);
    await publish(idsOf('b', 5));
    await expectHandled([...idsOf('a', 5), ...idsOf('b', 5)]);

    // Once more, while nothing is being published: the consumer must detect the loss without a
    // failed publish.
    await manager.streams.delete(streamName);
    await expectAllAnswered();
    await publish(idsOf('c', 5));
    await expectHandled([...idsOf('a', 5), ...idsOf('b', 5), ...idsOf('c', 5)]);
  });

  test('a deleted consumer is created again, and all events are redelivered without a gap', async () => {
    await consume(async () => {});
    await publish(idsOf('a', 3));
    await expectAllAnswered();
    await manager.consumers.delete(streamName, 'reader');
    await publish(['a:4']);

    await expectHandled([...idsOf('a', 3), ...idsOf('a', 4)]);
    await expectAllAnswered();
  });

  test('an ack for a message of the old stream does not acknowledge one of the new stream', async () => {
    const started: string[] = [];
    const oldOne = Promise.withResolvers<undefined>();
    const newOne = Promise.withResolvers<undefined>();
    await consume(async ({ id }) => {
      started.push(id);
      await (id === 'old:1' ? oldOne : newOne).promise;
    });
    await publish(['old:1']);
    await eventually(() => {
      expect(started).toEqual(['old:1']);
    });
    await manager.streams.delete(streamName);
    await publish(['new:1']);
    await eventually(() => {
      expect(started).toEqual(['old:1', 'new:1']);
    });

    // Both are the first message of their streams.
    oldOne.resolve(undefined);
    await expectHandled(['old:1']);
    await publish(['other:1']);
    await eventually(() => {
      expect(started).toEqual(['old:1', 'new:1', 'other:1']);
    });
    const { num_ack_pending: unanswered } = await manager.consumers.info(streamName, 'reader');
    expect(unanswered).toBe(2);
    newOne.resolve(undefined);
    await expectAllAnswered();
  });
});

describe('when processes share a consumer:', () => {
  test('a message that one process handled but did not acknowledge is redelivered to another', async () => {
    const deliveries: number[] = [];
    const crashing = await openStream();
    const ackWaitMs = 6_000;
    await consume(
      async ({ deliveryCount }) => {
        deliveries.push(deliveryCount);
        await crashing.close();
      },
      { stream: crashing, ackWaitMs },
    );
    await publish(['a:1']);
    await expectHandled(['a:1']);
    await consume(async ({ deliveryCount }) => void deliveries.push(deliveryCount), { ackWaitMs });

    await expectAllAnswered();
    expect(deliveries).toEqual([1, 2]);
  });

  test('processes with the same consumer name share its messages', async () => {
    const handledBy: string[][] = [[], []];
    for (const own of handledBy) {
      await consume(
        async ({ id }) => {
          await sleep(2);
          own.push(id);
        },
        { stream: await openStream() },
      );
    }
    const ids = Array.from({ length: 400 }, (_, index) => `aggregate-${String(index)}:1`);
    await publish(ids);

    await expectAllAnswered();
    expect([...handled].sort()).toEqual([...ids].sort());
    expect(handledBy.every((own) => own.length > 0)).toBe(true);
  });
});

describe('stopping a consumer', () => {
  test('in the middle of a batch finishes running handlers, and another process handles the rest soon', async () => {
    const ids = ['a', 'b', 'c', 'd'].flatMap((aggregateId) => idsOf(aggregateId, 40));
    await publish(ids);
    let running = 0;
    const handle = async () => {
      running += 1;
      await sleep(5);
      running -= 1;
    };
    const first = await consume(handle, { concurrency: 2 });
    await eventually(() => {
      expect(handled.length).toBeGreaterThan(10);
    });
    await first.stop();

    expect(running).toBe(0);
    expect(handled.length).toBeLessThan(ids.length);
    await consume(handle);
    await expectAllAnswered();
    // Each exactly once: finished messages had been acknowledged, and all others were returned.
    expect([...handled].sort()).toEqual([...ids].sort());
  });

  test('returns a message that waits for its retry', async () => {
    const failed: string[] = [];
    // Stored first, so that one pull delivers both: messages in transit at the stop are redelivered
    // only after the ack wait.
    await publish(['a:1', 'a:2']);
    const failing = await consume(({ id }) => {
      failed.push(id);
      return Promise.reject(new Error('broken here'));
    });
    await eventually(async () => {
      // On a slow machine it may have been retried by now.
      expect(new Set(failed)).toEqual(new Set(['a:1']));
      expect((await manager.consumers.info(streamName, 'reader')).num_ack_pending).toBe(2);
    });
    await failing.stop();
    await consume(async () => {});

    await expectAllAnswered();
    // The server does not preserve the order of returned messages.
    expect([...handled].sort()).toEqual(['a:1', 'a:2']);
  });

  test('ends immediately when there is nothing to do, also a second time', async () => {
    const consumer = await consume(async () => {});
    await consumer.stop();
    await consumer.stop();
  });

  test('ends when the connection is already closed', async () => {
    const lost = await openStream();
    const consumer = await consume(async () => {}, { stream: lost });
    await lost.close();
    await consumer.stop();
  });
});
