import { newId } from '@billing/chassis/ids';
import { connectMongo, type MongoConnection } from '@billing/chassis/mongo';
import { dropTestDatabase, testServiceConfiguration, testTenant } from '@billing/chassis/testing';
import { entryBytes, PackedEntries, valueBytes } from '../distinct/packed-values';
import { partId, type UsagePart } from '../flush/part';
import { TestedSeries } from '../testing/flushes';
import { hourMs } from '../usage/hour';

const configuration = testServiceConfiguration('metering');
const mebibyte = 1_048_576;

let mongo: MongoConnection;

beforeAll(async () => {
  const { MONGODB_URI: uri, MONGODB_DATABASE: database } = configuration;
  mongo = await connectMongo({ uri, database, service: 'test' });
});

afterAll(async () => {
  await mongo.close();
  await dropTestDatabase(configuration);
});

test('a step of a fold takes about 16 MiB of parts, and complete epochs only', async () => {
  const series = {
    customerId: newId(),
    meterId: newId(),
    aggregation: 'UNIQUE_COUNT',
    uniqueProperty: 'user',
  } as const;
  const { collections, store, k } = new TestedSeries(mongo.db, testTenant(), series);
  const parts = [1, 2, 3, 4].flatMap((epoch) =>
    ['a', 'b', 'c'].map((flush): UsagePart => {
      const values = [[500_000, Buffer.alloc(2 * mebibyte)]] as const;
      return { _id: partId(k, { epoch, flush }), k, minutes: [[30_000_000, 1, '1']], values };
    }),
  );
  for (const part of parts) await collections.parts.insertOne(part);
  const first = await store.partsUpTo(9);
  expect(first.parts.map(({ epoch }) => epoch)).toEqual([1, 1, 1, 2, 2, 2, 3, 3, 3]);
  expect(first).toMatchObject({ upTo: 3, isLast: false });
  await store.deleteParts(first.upTo);
  const second = await store.partsUpTo(9);
  expect(second.parts.map(({ flush }) => flush)).toEqual(['a', 'b', 'c']);
  expect(second).toMatchObject({ upTo: 9, isLast: true });
  expect(await store.partsUpTo(3)).toEqual({ parts: [], upTo: 3, isLast: true });
});

/** Packed values that no other buffer has. */
function distinctValues(bytes: number, buffer: number): Buffer {
  const count = Math.floor(bytes / entryBytes);
  const entries = new PackedEntries(count);
  const value = Buffer.alloc(valueBytes, buffer);
  for (let index = 0; index < count; index += 1) {
    value.writeUInt32BE(index);
    entries.add(value, 0, 1);
  }
  return entries.take();
}

test('a read of more than about 32 MiB of parts is refused', async () => {
  const series = {
    customerId: newId(),
    meterId: newId(),
    aggregation: 'UNIQUE_COUNT',
    uniqueProperty: 'user',
  } as const;
  const { collections, store, k } = new TestedSeries(mongo.db, testTenant(), series);
  const insert = async (epoch: number) => {
    const values = [[500_000, distinctValues(4 * mebibyte - 200, epoch)]] as const;
    const minutes = [[30_000_000, 1, '1']] as const;
    const _id = partId(k, { epoch, flush: 'a' });
    await collections.parts.insertOne({ _id, k, minutes, values });
  };
  for (let epoch = 1; epoch <= 8; epoch += 1) await insert(epoch);
  const query = { cuts: [100] };
  expect(await store.parts(query)).toHaveLength(8);
  await insert(9);
  await expect(store.parts(query)).rejects.toMatchObject({
    kind: 'unavailable',
    reason: 'USAGE_PARTS_TOO_LARGE',
  });
});

test('more than 32 MiB of parts that have values in common are read', async () => {
  const series = {
    customerId: newId(),
    meterId: newId(),
    aggregation: 'UNIQUE_COUNT',
    uniqueProperty: 'user',
  } as const;
  const tested = new TestedSeries(mongo.db, testTenant(), series);
  const packed = distinctValues(4 * mebibyte, 1);
  const part = { minutes: [[30_000_000, 1, null]], values: [[500_000, packed]] } as const;
  for (let count = 0; count < 9; count += 1) await tested.insertParts([part]);
  tested.until = 5;
  const at = 500_000 * hourMs;
  const span = { start: new Date(at), end: new Date(at + hourMs) };
  const distinct = packed.length / entryBytes;
  expect(await tested.readQuantities([span])).toEqual([String(distinct)]);
});
