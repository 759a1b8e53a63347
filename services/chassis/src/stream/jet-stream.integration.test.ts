import {
  connect,
  DiscardPolicy,
  ErrorCode,
  type JetStreamManager,
  type NatsConnection,
  nanos,
  RetentionPolicy,
  StorageType,
} from 'nats';
import pino from 'pino';
import { processEnvironment } from '../service/configuration';
import { newId } from '../ids';
import { connectStream, type EventStream } from './jet-stream';
import { natsAddress } from './nats-address';
import { eventually } from '../testing/testing';
import { startTestProxy, type TestProxy } from '../testing/network';
import { startTracing } from '../telemetry/tracing';

const url = processEnvironment().NATS_URL!;
const logger = pino({ level: 'silent' });
const hourMs = 60 * 60 * 1_000;

let observer: NatsConnection;
let manager: JetStreamManager;
let streamName: string;
const open: { close(): Promise<void> }[] = [];

beforeAll(async () => {
  observer = await connect(natsAddress(url));
  manager = await observer.jetstreamManager();
});

beforeEach(() => {
  streamName = `T_${newId().replaceAll('-', '').slice(-16).toUpperCase()}`;
});

afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close();
  await manager.streams.delete(streamName).catch(() => false);
});

afterAll(async () => {
  await observer.close();
});

async function openStream(
  options: { url?: string; replicas?: number; maxBytes?: number } = {},
): Promise<EventStream> {
  const stream = await connectStream({ url, streamName, service: 'test', logger, ...options });
  open.push(stream);
  return stream;
}

async function storedCount(): Promise<number> {
  const { state } = await manager.streams.info(streamName);
  return state.messages;
}

describe('publishing', () => {
  test('stores an event with its id, trace and data below the prefix of the stream', async () => {
    const stream = await openStream();
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    await stream.publish({ subject: 'a.b.done', id: 'b1:1', traceparent, data: '{"n":"ü"}' });

    expect(stream.subjectPrefix).toBe(streamName.toLowerCase());
    const stored = await manager.streams.getMessage(streamName, { seq: 1 });
    expect(stored.subject).toBe(`${streamName.toLowerCase()}.a.b.done`);
    expect(stored.header.get('Nats-Msg-Id')).toBe('b1:1');
    expect(stored.header.get('traceparent')).toBe(traceparent);
    expect(stored.string()).toBe('{"n":"ü"}');
  });

  test('distinguishes an event that exceeds the size limit of server or stream from an outage', async () => {
    const stream = await openStream();
    const tooLarge = { kind: 'unavailable', reason: 'EVENT_TOO_LARGE' };
    const publish = (bytes: number) =>
      stream.publish({ subject: 'a.b.done', id: `b1:${String(bytes)}`, data: 'x'.repeat(bytes) });
    const { max_payload: payloadMax = 0 } = observer.info ?? {};
    await expect(publish(payloadMax + 1)).rejects.toMatchObject(tooLarge);
    await manager.streams.update(streamName, { max_msg_size: 1_000 });
    await expect(publish(2_000)).rejects.toMatchObject(tooLarge);
    await publish(10);
    expect(await storedCount()).toBe(1);
  });

  test("sends its own span as the parent of the consumers' spans", async () => {
    const tracing = startTracing();
    open.push({ close: () => tracing.shutdown() });
    const stream = await openStream();
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    await stream.publish({ subject: 'a.b.done', id: 'b1:1', traceparent, data: 'x' });

    const { header } = await manager.streams.getMessage(streamName, { seq: 1 });
    expect(header.get('traceparent')).toContain('0af7651916cd43dd8448eb211c80319c');
    expect(header.get('traceparent')).not.toContain('b7ad6b7169203331');
  });

  test('the same id twice stores one event', async () => {
    const stream = await openStream();
    const message = { subject: 'a.b.done', id: 'b1:1', data: 'x' };
    await stream.publish(message);
    await stream.publish(message);

    expect(await storedCount()).toBe(1);
  });

  test('continues after the stream was deleted, also for many concurrent publishers', async () => {
    const streams = [await openStream(), await openStream()];
    await streams[0]!.publish({ subject: 'a.b.done', id: 'before:1', data: 'x' });
    await manager.streams.delete(streamName);

    const ids = Array.from({ length: 40 }, (_, index) => `after:${String(index)}`);
    await Promise.all(
      ids.map((id, index) => streams[index % 2]!.publish({ subject: 'a.b.done', id, data: 'x' })),
    );

    expect(await storedCount()).toBe(ids.length);
  });

  test('to a full stream drops the oldest events', async () => {
    const stream = await openStream({ maxBytes: 1_000_000 });
    for (let n = 1; n <= 4; n += 1) {
      const id = `b1:${String(n)}`;
      await stream.publish({ subject: 'a.b.done', id, data: 'x'.repeat(400_000) });
    }
    const { state } = await manager.streams.info(streamName);
    expect(state).toMatchObject({ first_seq: 3, last_seq: 4, messages: 2 });
  });
});

describe('the stream', () => {
  test('keeps events in files for three days and drops the oldest ones when full', async () => {
    await openStream();

    const { config } = await manager.streams.info(streamName);
    expect(config).toMatchObject({
      subjects: [`${streamName.toLowerCase()}.>`],
      retention: RetentionPolicy.Limits,
      storage: StorageType.File,
      discard: DiscardPolicy.Old,
      max_age: nanos(72 * hourMs),
      duplicate_window: nanos(hourMs / 30),
    });
  });

  test('is created once by processes that start at the same time', async () => {
    await Promise.all(Array.from({ length: 10 }, () => openStream()));

    expect(await storedCount()).toBe(0);
  });

  test('gets the current settings if it exists, and keeps those that its operator set', async () => {
    const name = streamName;
    const subjects = [`${name.toLowerCase()}.old.>`];
    const discard = DiscardPolicy.New;
    const operators = { max_bytes: 1_000_000, max_msgs: 1_000 };
    await manager.streams.add({ name, subjects, discard, max_age: nanos(hourMs), ...operators });
    const stream = await openStream({ maxBytes: 2_000_000 });
    await stream.publish({ subject: 'a.b.done', id: 'b1:1', data: 'x' });

    const { config } = await manager.streams.info(name);
    expect(config).toMatchObject({
      subjects: [`${name.toLowerCase()}.>`],
      discard: DiscardPolicy.Old,
      max_age: nanos(72 * hourMs),
      max_bytes: 2_000_000,
      max_msgs: 1_000,
    });
  });

  test('that its operator made refuse events accepts them again when it is full', async () => {
    const stream = await openStream();
    await manager.streams.update(streamName, { max_msgs: 1, discard: DiscardPolicy.New });
    for (const id of ['b1:1', 'b1:2']) await stream.publish({ subject: 'a.b.done', id, data: id });
    const { config, state } = await manager.streams.info(streamName);
    expect(config.discard).toBe(DiscardPolicy.Old);
    expect(state).toMatchObject({ first_seq: 2, last_seq: 2 });
  });

  test('is created even if there are fewer servers than replicas, and its state reports the missing ones', async () => {
    const stream = await openStream({ replicas: 3 });
    await stream.publish({ subject: 'a.b.done', id: 'b1:1', data: 'x' });
    expect(await stream.state()).toEqual({ isConnected: true, missingReplicas: 2 });
  });

  test('counts as not connected while it is deleted, until it is created again', async () => {
    const stream = await openStream();
    await manager.streams.delete(streamName);
    expect(await stream.state()).toEqual({ isConnected: false, missingReplicas: undefined });
    await stream.publish({ subject: 'a.b.done', id: 'b1:1', data: 'x' });
    expect(await stream.state()).toEqual({ isConnected: true, missingReplicas: 0 });
  });

  test('in memory is refused, because it would not survive a restart of its server', async () => {
    const name = streamName;
    const subjects = [`${name.toLowerCase()}.>`];
    await manager.streams.add({ name, subjects, storage: StorageType.Memory });

    const stream = await openStream();
    expect(stream.isConnected()).toBe(false);
    const message = { subject: 'a.b.done', id: 'b1:1', data: 'x' };
    await expect(stream.publish(message)).rejects.toMatchObject({ kind: 'unavailable' });
  });
});

describe('a connection', () => {
  test('to an unreachable server is retried until the server is reachable', async () => {
    const proxy = await startProxy();
    proxy.cut();
    const stream = await openStream({ url: proxy.url });
    expect(stream.isConnected()).toBe(false);
    const message = { subject: 'a.b.done', id: 'b1:1', data: 'x' };
    await expect(stream.publish(message)).rejects.toMatchObject({ kind: 'unavailable' });

    proxy.restore();
    await eventually(() => {
      expect(stream.isConnected()).toBe(true);
    });
    await stream.publish(message);
    expect(await storedCount()).toBe(1);
  });

  test('to an unreachable server can be closed', async () => {
    const server = await startProxy();
    await server.close();
    const stream = await openStream({ url: server.url });

    await stream.close();
    expect(stream.isConnected()).toBe(false);
  });

  test('that is lost makes publishing fail at once, and reconnects', async () => {
    const proxy = await startProxy();
    const stream = await openStream({ url: proxy.url });
    await stream.publish({ subject: 'a.b.done', id: 'b1:1', data: 'x' });
    proxy.cut();
    await eventually(() => {
      expect(stream.isConnected()).toBe(false);
    });

    const message = { subject: 'a.b.done', id: 'b1:2', data: 'x' };
    // A publication that waits for an answer in vain fails with a timeout.
    await expect(stream.publish(message)).rejects.toMatchObject({
      kind: 'unavailable',
      cause: { code: ErrorCode.Disconnect },
    });

    proxy.restore();
    await eventually(() => {
      expect(stream.isConnected()).toBe(true);
    });
    await stream.publish(message);
    expect(await storedCount()).toBe(2);
  });

  test('that is closed is not connected, and published events are stored', async () => {
    const stream = await openStream();
    await stream.publish({ subject: 'a.b.done', id: 'b1:1', data: 'x' });
    await stream.close();

    expect(stream.isConnected()).toBe(false);
    expect(await storedCount()).toBe(1);
    await expect(
      stream.publish({ subject: 'a.b.done', id: 'b1:2', data: 'x' }),
    ).rejects.toMatchObject({ kind: 'unavailable' });
  });

  test('that is lost can be closed', async () => {
    const proxy = await startProxy();
    const stream = await openStream({ url: proxy.url });
    proxy.cut();
    await eventually(() => {
      expect(stream.isConnected()).toBe(false);
    });

    await stream.close();
  });
});

/** A connection to the server that can be cut; closed after the test. */
async function startProxy(): Promise<TestProxy> {
  const proxy = await startTestProxy(url);
  open.push(proxy);
  return proxy;
}
