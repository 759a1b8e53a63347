import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { Collection } from 'mongodb';
import { SpanStatusCode } from '@opentelemetry/api';
import { InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace';
import { monotonicMs, systemClock } from '../clock';
import { newId } from '../ids';
import { createLogger } from '../telemetry/logging';
import { ClockSkew } from './clock-skew';
import { connectMongo, duplicateKeyIndex, type MongoConnection, retryTransient } from './mongo';
import { inSpan, startTracing } from '../telemetry/tracing';
import { eventually } from '../testing/testing';

interface Item {
  readonly _id: string;
  readonly [field: string]: unknown;
}

let mongo: MongoConnection;
let items: Collection<Item>;
beforeAll(async () => {
  mongo = await connectMongo({
    uri: process.env.MONGODB_URI!,
    database: `chassis-mongo-${newId()}`,
    service: 'test',
  });
  items = mongo.db.collection<Item>('items');
});
afterAll(async () => {
  await mongo.db.dropDatabase();
  await mongo.close();
});

test.each([90, -90])(
  'a process whose clock is %s seconds off finds it by asking the database',
  async (offSeconds) => {
    const warn = jest.fn();
    const skew = new ClockSkew({
      databaseTime: () => mongo.time(),
      clock: { now: () => new Date(systemClock.now().getTime() + offSeconds * 1_000) },
      nowMs: monotonicMs,
      logger: { ...createLogger({ service: 'test', level: 'silent', file: undefined }), warn },
    });
    await eventually(() => skew.measure());
    expect(Math.abs((skew.seconds ?? 0) - offSeconds)).toBeLessThan(30);
    expect(warn).toHaveBeenCalledTimes(1);
  },
);

describe('a stored document', () => {
  test.each([
    ['zero', 0n],
    ['a negative amount', -1999n],
    ['the smallest int64', -(2n ** 63n)],
    ['the largest int64', 2n ** 63n - 1n],
  ])('keeps %s as a bigint', async (_what, amountMinor) => {
    const _id = newId();
    await items.insertOne({ _id, amountMinor });
    expect(await items.findOne({ _id })).toEqual({ _id, amountMinor });
    expect(await items.findOne({ _id, amountMinor: { $lte: amountMinor } })).not.toBeNull();
  });

  test('keeps small and fractional numbers, times and null', async () => {
    const document = {
      _id: newId(),
      count: 3,
      share: 0.5,
      at: new Date('2026-01-31T00:00:00.123Z'),
      none: null,
    };
    await items.insertOne(document);
    expect(await items.findOne({ _id: document._id })).toEqual(document);
  });

  test('omits fields that are undefined', async () => {
    const _id = newId();
    await items.insertOne({ _id, present: 1, absent: undefined });
    expect(Object.keys((await items.findOne({ _id })) ?? {})).toEqual(['_id', 'present']);
  });

  test.each([
    ['a dot', { 'a.b': 'x' }],
    ['a dollar sign in front', { $price: 'x' }],
    ['both', { '$a.$b': 'x', 'c.': 'y', '.d': 'z' }],
    ['nothing', { '': 'x' }],
  ])('keeps keys with %s inside a field', async (_what, metadata) => {
    const _id = newId();
    await items.insertOne({ _id, metadata });
    expect(await items.findOne({ _id })).toEqual({ _id, metadata });
    await items.updateOne({ _id }, { $set: { metadata: { ...metadata, more: 1 } } });
    expect(await items.findOne({ _id })).toEqual({ _id, metadata: { ...metadata, more: 1 } });
  });
});

describe('a violated unique index', () => {
  let accounts: Collection<Item>;
  beforeAll(async () => {
    accounts = mongo.db.collection<Item>('accounts');
    await accounts.createIndexes([{ key: { email: 1 }, name: 'email', unique: true }]);
  });

  async function violation(write: () => Promise<unknown>): Promise<unknown> {
    return write().then(
      () => undefined,
      (error: unknown) => error,
    );
  }

  test('is named by an insert, and so is the primary key', async () => {
    const _id = newId();
    await accounts.insertOne({ _id, email: _id });
    expect(duplicateKeyIndex(await violation(() => accounts.insertOne({ _id, email: 'x' })))).toBe(
      '_id_',
    );
    expect(
      duplicateKeyIndex(await violation(() => accounts.insertOne({ _id: newId(), email: _id }))),
    ).toBe('email');
  });

  test('is the primary key when an upsert finds that its document does not match', async () => {
    const _id = newId();
    await accounts.insertOne({ _id, email: _id, version: 2 });
    const stale = { _id, version: 1 };
    const write = { $set: { version: 3 } };
    for (const upsert of [
      () => accounts.updateOne(stale, write, { upsert: true }),
      () => accounts.findOneAndUpdate(stale, write, { upsert: true }),
    ]) {
      expect(duplicateKeyIndex(await violation(upsert))).toBe('_id_');
    }
  });

  test('is named by an update, an upsert, a replacement and a batch', async () => {
    const [first, second] = [newId(), newId()];
    await accounts.insertMany([
      { _id: first, email: first },
      { _id: second, email: second },
    ]);
    const taken = { $set: { email: first } };
    const writes = [
      () => accounts.updateOne({ _id: second }, taken),
      () => accounts.updateOne({ _id: newId() }, taken, { upsert: true }),
      () => accounts.replaceOne({ _id: second }, { email: first }),
      () => accounts.insertMany([{ _id: newId(), email: first }], { ordered: false }),
      () => accounts.bulkWrite([{ updateOne: { filter: { _id: second }, update: taken } }]),
    ];
    for (const write of writes) expect(duplicateKeyIndex(await violation(write))).toBe('email');
  });

  test('refuses all but one of 50 concurrent inserts', async () => {
    const email = newId();
    const outcomes = await Promise.all(
      Array.from({ length: 50 }, async () => {
        const _id = newId();
        return violation(() => retryTransient(() => accounts.insertOne({ _id, email })));
      }),
    );
    const losers = outcomes.filter((outcome) => outcome !== undefined);
    expect(losers).toHaveLength(49);
    expect(new Set(losers.map(duplicateKeyIndex))).toEqual(new Set(['email']));
  });
});

/** The database behind a server that closes the first connection. */
async function delayedServer() {
  const [, before = '', host = '', after = ''] =
    /^(mongodb:\/\/(?:[^@/]*@)?)([^/]+)(.*)$/.exec(process.env.MONGODB_URI!) ?? [];
  const path = decodeURIComponent(host);
  const [tcpHost, tcpPort] = host.split(':');
  const sockets: Socket[] = [];
  let attempts = 0;
  const server = createServer((socket) => {
    sockets.push(socket.on('error', () => undefined));
    attempts += 1;
    if (attempts === 1) return;
    const behind = path.startsWith('/') ? connect(path) : connect(Number(tcpPort), tcpHost);
    sockets.push(behind.on('error', () => undefined));
    socket.pipe(behind).pipe(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    uri: `${before}127.0.0.1:${String(port)}${after}`,
    attempts: () => attempts,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

describe('a connection', () => {
  test('answers a ping, and fails it after it is closed', async () => {
    const other = await connectMongo({
      uri: process.env.MONGODB_URI!,
      database: 'any',
      service: 'test',
    });
    await eventually(() => other.ping());
    await other.close();
    await expect(other.ping()).rejects.toThrow();
  });

  test('to an unreachable server is refused within its time limit', async () => {
    const nowhere = { uri: 'mongodb://127.0.0.1:1/', database: 'any', service: 'test' };
    await expect(connectMongo({ ...nowhere, reachWithinMs: 0 })).rejects.toMatchObject({
      exitStatus: 75,
      message: expect.stringMatching(/^MongoDB cannot be reached: .+$/),
    });
  });

  test('to a server that is silent at first is established once it answers', async () => {
    const { uri, attempts, close } = await delayedServer();
    const late = await connectMongo({ uri, database: 'any', service: 'test' });
    await eventually(() => late.ping());
    expect(attempts()).toBeGreaterThan(1);
    await late.close();
    await close();
  });
});

describe('the spans of operations', () => {
  const exporter = new InMemorySpanExporter();
  let tracing: ReturnType<typeof startTracing>;
  beforeAll(() => {
    tracing = startTracing({ spanProcessors: [new SimpleSpanProcessor({ exporter })] });
  });
  afterAll(() => tracing.shutdown());
  beforeEach(() => {
    exporter.reset();
  });

  async function spansOf(act: () => Promise<unknown>): Promise<(string | undefined)[]> {
    await inSpan({ name: 'root', kind: 'server' }, async () => {
      await act().catch(() => undefined);
    });
    const spans = exporter.getFinishedSpans();
    const root = spans.find(({ name }) => name === 'root');
    return spans
      .filter((span) => span.parentSpanContext?.spanId === root?.spanContext().spanId)
      .map(({ name, status }) => (status.code === SpanStatusCode.ERROR ? `${name} failed` : name));
  }

  const inserted = { _id: newId(), email: newId() };
  test.each<[string, string[], () => Promise<unknown>]>([
    ['an insert', ['mongodb insert items'], () => items.insertOne(inserted)],
    ['a failing insert', ['mongodb insert items failed'], () => items.insertOne(inserted)],
    ['a read', ['mongodb find items'], () => items.findOne({ _id: inserted._id })],
    ['a read of nothing', ['mongodb find items'], () => items.findOne({ _id: 'none' })],
    ['a list', ['mongodb find items'], () => items.find().sort({ _id: 1 }).limit(2).toArray()],
    ['an empty list', ['mongodb find items'], () => items.find({ _id: 'none' }).toArray()],
    ['a list in batches', ['mongodb find items'], () => items.find().batchSize(2).toArray()],
    [
      'an update',
      ['mongodb update items'],
      () => items.updateOne({ _id: 'none' }, { $set: { a: 1 } }),
    ],
    [
      'a batch',
      ['mongodb insert items'],
      () => items.insertMany([{ _id: newId(), email: newId() }]),
    ],
    ['a count', ['mongodb aggregate items'], () => items.countDocuments({})],
  ])('include one for %s', async (_what, expected, act) => {
    expect(await spansOf(act)).toEqual(expected);
  });

  test('belong to the request that made the operation, however many share a connection', async () => {
    const single = await connectMongo({
      uri: process.env.MONGODB_URI!,
      database: mongo.db.databaseName,
      service: 'test',
      maxPoolSize: 1,
    });
    const collection = single.db.collection<Item>('items');
    await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        inSpan({ name: `root ${String(index)}`, kind: 'server' }, async () => {
          await collection.findOne({ _id: String(index) });
          await inSpan({ name: `inner ${String(index)}`, kind: 'internal' }, () =>
            collection.find({ _id: String(index) }).toArray(),
          );
        }),
      ),
    );
    await single.close();

    const spans = exporter.getFinishedSpans();
    const nameOf = new Map(spans.map((span) => [span.spanContext().spanId, span.name]));
    const parents = spans
      .filter(({ name }) => name.startsWith('mongodb'))
      .map((span) => nameOf.get(span.parentSpanContext?.spanId ?? ''));
    const expected = Array.from({ length: 20 }, (_, index) => [
      `root ${String(index)}`,
      `inner ${String(index)}`,
    ]);
    expect(parents.sort()).toEqual(expected.flat().sort());
  });

  test('are not created outside of a trace', async () => {
    await items.findOne({ _id: 'none' });
    expect(exporter.getFinishedSpans()).toEqual([]);
  });
});
