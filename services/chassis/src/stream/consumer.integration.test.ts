import { InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace';
import type { Collection } from 'mongodb';
import { connect, type JetStreamManager, type NatsConnection } from 'nats';
import pino from 'pino';
import { monotonicMs, sleep, systemClock } from '../clock';
import { type ConsumerOptions, startConsumer, type StreamMessage } from './consumer';
import { UnreadableMessageError, connectStream, type EventStream } from './jet-stream';
import { newId } from '../ids';
import { connectMongo, duplicateKeyIndex, type MongoConnection } from '../mongo/mongo';
import { natsAddress } from './nats-address';
import { PoisonMessages } from './poison-messages';
import { dropTestDatabase, eventually, testServiceConfiguration } from '../testing/testing';
import { currentTraceId, inSpan, startTracing } from '../telemetry/tracing';

const configuration = testServiceConfiguration('consumer');
const subject = 'sale.order.paid';

let mongo: MongoConnection;
let observer: NatsConnection;
let manager: JetStreamManager;
let effects: Collection<{ _id: string; at: number }>;

let streamName: string;
let stream: EventStream;
let logged: { level: number; msg: string; alarm?: string; messageId?: string }[];
let cleanUp: (() => Promise<void>)[];

const logger = pino(
  { level: 'info' },
  {
    write: (line: string) => {
      logged.push(JSON.parse(line) as (typeof logged)[number]);
    },
  },
);

beforeAll(async () => {
  const { MONGODB_URI: uri, MONGODB_DATABASE: database, NATS_URL: url } = configuration;
  mongo = await connectMongo({ uri, database, service: 'test' });
  effects = mongo.db.collection('effects');
  observer = await connect(natsAddress(url));
  manager = await observer.jetstreamManager();
});

beforeEach(async () => {
  logged = [];
  cleanUp = [];
  streamName = `T_${newId().replaceAll('-', '').slice(-16).toUpperCase()}`;
  stream = await openStream();
  await effects.deleteMany({});
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

function poisonStore() {
  return new PoisonMessages(mongo.db, systemClock);
}

async function consume(
  handle: (message: StreamMessage) => Promise<void>,
  options: Partial<ConsumerOptions> = {},
) {
  const consumer = await startConsumer({
    stream,
    durable: 'reader',
    poison: poisonStore(),
    handle,
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

/** Handler with an idempotent effect, as all handlers must have. */
async function insertEffect(id: string): Promise<void> {
  try {
    await effects.insertOne({ _id: id, at: monotonicMs() });
  } catch (error) {
    if (duplicateKeyIndex(error) === undefined) throw error;
  }
}

async function expectEffects(ids: readonly string[]): Promise<void> {
  await eventually(async () => {
    const found = await effects.find().toArray();
    expect(found.map(({ _id }) => _id).sort()).toEqual([...ids].sort());
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

describe('a consumer', () => {
  test('passes each message that matches its filter to its handler', async () => {
    const received: StreamMessage[] = [];
    await consume(async (message) => void received.push(message), {
      filterSubjects: ['sale.>', 'stock.item.*'],
    });
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    await stream.publish({ subject: 'billing.order.paid', id: 'x:1', data: 'not asked for' });
    await stream.publish({ subject: 'sale.order.paid', id: 'a:1', data: 'ü', traceparent });
    await stream.publish({ subject: 'stock.item.sold', id: 'b:7', data: '{}' });

    await expectAllAnswered();
    const rest = { deliveryCount: 1 };
    expect(received).toEqual([
      { ...rest, id: 'a:1', subject: 'sale.order.paid', aggregateId: 'a', data: 'ü', traceparent },
      { ...rest, id: 'b:7', subject: 'stock.item.sold', aggregateId: 'b', data: '{}' },
    ]);
  });

  test('updates its filter when the service changes its subjects', async () => {
    const received: string[] = [];
    const handle = async ({ id }: StreamMessage) => void received.push(id);
    const first = await consume(handle, { filterSubjects: ['sale.>'] });
    await publish(['a:1']);
    await expectAllAnswered();
    await first.stop();
    await consume(handle, { filterSubjects: ['stock.>', 'sale.>'] });
    await stream.publish({ subject: 'stock.item.sold', id: 'b:1', data: 'x' });

    await eventually(() => {
      expect(received).toEqual(['a:1', 'b:1']);
    });
  });

  test('handles a message in the trace of its publisher', async () => {
    const exporter = new InMemorySpanExporter();
    const tracing = startTracing({ spanProcessors: [new SimpleSpanProcessor({ exporter })] });
    cleanUp.push(() => tracing.shutdown());
    const seen: (string | undefined)[] = [];
    await consume(async () => void seen.push(currentTraceId()));
    const publisher = await inSpan({ name: 'request', kind: 'server' }, async () => {
      await publish(['a:1']);
      return currentTraceId();
    });

    await expectAllAnswered();
    expect(seen).toEqual([publisher]);
    expect(exporter.getFinishedSpans().map(({ name }) => name)).toEqual(
      expect.arrayContaining([`publish ${subject}`, `consume ${subject}`]),
    );
  });
});

describe('a message', () => {
  test('whose handler fails after its effect is redelivered later and has one effect', async () => {
    const deliveries: { count: number; atMs: number }[] = [];
    await consume(async ({ id, deliveryCount }) => {
      deliveries.push({ count: deliveryCount, atMs: monotonicMs() });
      await insertEffect(id);
      if (deliveryCount === 1) throw new Error('crashed before the acknowledgement');
    });
    await publish(['a:1']);

    await eventually(() => {
      expect(deliveries.map(({ count }) => count)).toEqual([1, 2]);
    });
    await expectAllAnswered();
    await expectEffects(['a:1']);
    expect(deliveries[1]!.atMs - deliveries[0]!.atMs).toBeGreaterThan(900);
  });

  test('that takes long, or waits in the queue, is not delivered to another process', async () => {
    // Longer than a busy process stalls.
    const ackWaitMs = 15_000;
    const started: string[] = [];
    const slow = async ({ id }: StreamMessage) => {
      started.push(id);
      if (id === 'a:1') await sleep(ackWaitMs + 2_000);
    };
    await consume(slow, { concurrency: 1, ackWaitMs });
    await publish(['a:1', 'b:1']);
    await eventually(async () => {
      expect(started).toEqual(['a:1']);
      // Both were delivered to the first process.
      expect((await manager.consumers.info(streamName, 'reader')).num_ack_pending).toBe(2);
    });
    const other: string[] = [];
    await consume(async ({ id }) => void other.push(id), { ackWaitMs, stream: await openStream() });

    await expectAllAnswered();
    expect(started).toEqual(['a:1', 'b:1']);
    expect(other).toEqual([]);
  });

  test('that is redelivered while in flight is not handled twice', async () => {
    const started: string[] = [];
    await consume(
      async ({ id }) => {
        started.push(id);
        // The server redelivers the messages of a process that blocks for long.
        do {
          const endMs = monotonicMs() + 4_000;
          while (monotonicMs() < endMs);
        } while ((await manager.consumers.info(streamName, 'reader')).num_redelivered === 0);
        // An answer on the connection of the consumer comes after the redelivered message.
        await stream.state();
        await sleep(100);
      },
      { ackWaitMs: 2_000 },
    );
    await publish(['a:1']);

    await expectAllAnswered();
    expect(started).toEqual(['a:1']);
  });

  test('that cannot be read is moved to the poison messages once, with one alarm, and blocks nothing', async () => {
    const handle = async ({ id }: StreamMessage) => {
      if (id === 'a:1') throw new UnreadableMessageError('not JSON');
      await insertEffect(id);
    };
    await consume(handle);
    const before = await poisonStore().count();
    await publish(['a:1', 'a:2', 'b:1']);
    await expectEffects(['a:2', 'b:1']);
    await expectAllAnswered();
    // Makes the server forget that the message was terminated.
    await manager.consumers.delete(streamName, 'reader');
    await publish(['a:3']);
    await expectEffects(['a:2', 'a:3', 'b:1']);
    await expectAllAnswered();

    expect((await poisonStore().count()) - before).toBe(1);
    expect(await mongo.db.collection('poisonMessages').findOne({ _id: 'a:1' } as object)).toEqual({
      _id: 'a:1',
      subject,
      data: 'data of a:1',
      traceparent: null,
      error: 'not JSON',
      receivedAt: expect.any(Date),
    });
    const alarms = logged.filter(({ alarm }) => alarm === 'poison_message');
    expect(alarms).toMatchObject([{ level: 50, messageId: 'a:1' }]);
  });

  test('without an id can be moved to the poison messages, too', async () => {
    await consume(async () => {
      throw new UnreadableMessageError('who are you?');
    });
    const before = await poisonStore().count();
    const client = observer.jetstream();
    await client.publish(`${stream.subjectPrefix}.${subject}`, 'one');
    await client.publish(`${stream.subjectPrefix}.${subject}`, 'two');

    await eventually(async () => {
      expect((await poisonStore().count()) - before).toBe(2);
    });
    await expectAllAnswered();
  });

  test('is handled once it is given back and can be read', async () => {
    await mongo.db.collection('poisonMessages').deleteMany({});
    let isReadable = false;
    await consume(async ({ id, aggregateId }) => {
      if (aggregateId === 'c' && !isReadable) throw new UnreadableMessageError('not JSON');
      await insertEffect(id);
    });
    await publish(['c:1', 'c:2']);
    await eventually(async () => {
      expect(await poisonStore().count()).toBe(2);
    });
    // Unreadable again: set aside again, without a second suffix.
    expect(await poisonStore().requeue(stream, 'c:2')).toEqual(['c:2']);
    await eventually(async () => {
      expect(await poisonStore().count()).toBe(2);
    });
    isReadable = true;
    const given = await poisonStore().requeue(stream);
    expect(given).toEqual(['c:1', expect.stringMatching(/^c:2:again-[0-9a-f-]{36}$/)]);
    await eventually(async () => {
      const handled = await effects.find({ _id: /^c:/ }).toArray();
      const again = handled.map(({ _id }) => _id.replace(/:again-[0-9a-f-]{36}$/, ''));
      expect(again.toSorted()).toEqual(['c:1', 'c:2']);
    });
    expect(await poisonStore().count()).toBe(0);
    expect(await poisonStore().requeue(stream, 'c:1')).toEqual([]);
  });

  test('is removed with its aggregate', async () => {
    const environmentId = newId();
    const data = JSON.stringify({ environmentid: environmentId });
    const ids = ['d:1', `d:2:again-${newId()}`, 'd2:1', 'e:1'];
    for (const id of ids) {
      const message = { id, subject, aggregateId: '', data, deliveryCount: 1 };
      await poisonStore().insert(message, new Error('not JSON'));
    }
    await poisonStore().removeOf(newId(), 'e');
    await poisonStore().removeOf(environmentId, 'd');
    const left = await mongo.db.collection('poisonMessages').find({ environmentId }).toArray();
    expect(left.map(({ _id }) => String(_id)).toSorted()).toEqual(['d2:1', 'e:1']);
  });
});

describe('the messages of one aggregate', () => {
  test('are handled one at a time and in order, concurrently with those of other aggregates, even if some fail', async () => {
    const aggregates = Array.from({ length: 12 }, (_, index) => `aggregate-${String(index)}`);
    const perAggregate = 25;
    const handled = new Map<string, string[]>();
    const running = new Map<string, number>();
    let most = 0;
    let mostOfOne = 0;
    const failed = new Set<string>();
    await consume(
      async ({ id, aggregateId }) => {
        running.set(aggregateId, (running.get(aggregateId) ?? 0) + 1);
        const counts = [...running.values()];
        most = Math.max(most, counts.filter((count) => count > 0).length);
        mostOfOne = Math.max(mostOfOne, ...counts);
        await sleep(Math.random() * 5);
        running.set(aggregateId, (running.get(aggregateId) ?? 0) - 1);
        if (/^aggregate-[0-3]:(7|8|20)$/.test(id) && !failed.has(id)) {
          failed.add(id);
          throw new Error('not this time');
        }
        handled.set(aggregateId, [...(handled.get(aggregateId) ?? []), id]);
      },
      { concurrency: 8 },
    );
    for (let sequence = 1; sequence <= perAggregate; sequence += 1) {
      await publish(aggregates.map((aggregate) => `${aggregate}:${String(sequence)}`));
    }

    await eventually(() => {
      const total = [...handled.values()].reduce((sum, ids) => sum + ids.length, 0);
      expect(total).toBe(aggregates.length * perAggregate);
    });
    for (const aggregate of aggregates) {
      expect(handled.get(aggregate)).toEqual(idsOf(aggregate, perAggregate));
    }
    expect(failed.size).toBe(12);
    expect(mostOfOne).toBe(1);
    expect(most).toBeGreaterThan(1);
    expect(most).toBeLessThanOrEqual(8);
    await expectAllAnswered();
  });

  test('wait for a failed one without blocking other aggregates', async () => {
    const handled: string[] = [];
    let isBroken = true;
    await consume(async ({ id, aggregateId }) => {
      if (isBroken && aggregateId === 'broken') throw new Error('broken');
      handled.push(id);
    });
    await publish([...idsOf('broken', 3), ...idsOf('fine', 3)]);
    await eventually(() => {
      expect(handled).toEqual(idsOf('fine', 3));
    });
    isBroken = false;

    await eventually(() => {
      expect(handled).toEqual([...idsOf('fine', 3), ...idsOf('broken', 3)]);
    });
    await expectAllAnswered();
  });
});
