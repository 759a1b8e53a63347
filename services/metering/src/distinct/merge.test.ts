import fc from 'fast-check';
import { blockValuesMax, mergedRuns, mergedValues, streamsMax, type ValueStream } from './merge';
import {
  countAt,
  countedValues,
  entryBytes,
  hashedValue,
  mergePacked,
  PackedEntries,
  packValues,
  valueBytes,
} from './packed-values';

type Counts = ReadonlyMap<number, number>;

const hashes = Array.from({ length: 40 }, (_one, index) => hashedValue('m', String(index)));

function hashOf(value: number): Buffer {
  const hash = hashes[value];
  if (hash === undefined) throw new Error('Unknown value');
  return hash;
}

function packedOf(counts: Counts): Buffer {
  const entries = new PackedEntries(counts.size);
  const sorted = [...counts].toSorted(([a], [b]) => hashOf(a).compare(hashOf(b)));
  for (const [value, count] of sorted) entries.add(hashOf(value), 0, count);
  return entries.take();
}

/** A stream of blocks of some values each; some are empty. */
async function* streamOf(packed: Buffer, valuesPerBlock: number): AsyncGenerator<Buffer> {
  yield Buffer.alloc(0);
  for (let start = 0; start < packed.length; start += valuesPerBlock * entryBytes) {
    yield await Promise.resolve(packed.subarray(start, start + valuesPerBlock * entryBytes));
  }
}

async function collected(stream: ValueStream): Promise<Buffer> {
  const blocks: Buffer[] = [];
  for await (const block of stream) blocks.push(block);
  return Buffer.concat(blocks);
}

function entriesOf(packed: Buffer): [hash: string, count: number][] {
  return Array.from({ length: packed.length / entryBytes }, (_one, index) => {
    const offset = index * entryBytes;
    const hash = packed.subarray(offset, offset + valueBytes).toString('hex');
    return [hash, countAt(packed, offset)];
  });
}

/** The merge as a plain map: counts add up, and values whose count is 0 vanish. */
function expected(all: readonly Counts[]): [hash: string, count: number][] {
  const sums = new Map<string, number>();
  for (const [value, count] of all.flatMap((counts) => [...counts])) {
    const hash = hashOf(value).toString('hex');
    sums.set(hash, (sums.get(hash) ?? 0) + count);
  }
  return [...sums].filter(([, count]) => count !== 0).toSorted(([a], [b]) => (a < b ? -1 : 1));
}

const anyCounts: fc.Arbitrary<Counts> = fc
  .array(
    fc.tuple(
      fc.nat({ max: 39 }),
      fc.integer({ min: -3, max: 3 }).filter((n) => n !== 0),
    ),
    {
      maxLength: 40,
    },
  )
  .map((entries) => new Map(entries));

test('a merge of streams equals a map of the summed counts, without values whose count is 0', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(anyCounts, { maxLength: 12 }),
      fc.integer({ min: 1, max: 5 }),
      async (all, valuesPerBlock) => {
        const streams = all.map((counts) => streamOf(packedOf(counts), valuesPerBlock));
        const merged = await collected(mergedValues(streams));
        expect(entriesOf(merged)).toEqual(expected(all));
        expect(entriesOf(mergePacked(all.map(packedOf)))).toEqual(expected(all));
        expect(countedValues(merged)).toBe(expected(all).filter(([, count]) => count > 0).length);
      },
    ),
    { numRuns: 1_000 },
  );
});

test('packed values are sorted and counted', () => {
  fc.assert(
    fc.property(fc.array(fc.nat({ max: 39 }), { maxLength: 60 }), (values) => {
      const counts = values.map((value) => new Map([[value, 1]]));
      expect(entriesOf(packValues(values.map(hashOf)))).toEqual(expected(counts));
    }),
    { numRuns: 1_000 },
  );
});

test('of any number of streams, at most 64 are open at a time', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 0, max: 300 }), async (count) => {
      let open = 0;
      let openMax = 0;
      const runs: Buffer[] = [];
      const all = Array.from(
        { length: count },
        (_one, index) => new Map([[index % 40, index + 1]]),
      );
      const counted = async function* (packed: Buffer): AsyncGenerator<Buffer> {
        open += 1;
        openMax = Math.max(openMax, open);
        yield* streamOf(packed, 2);
        open -= 1;
      };
      const merged = await mergedRuns(
        all.map((counts) => counted(packedOf(counts))),
        {
          store: async (stream) => {
            const run = await collected(stream);
            runs.push(run);
            return counted(run);
          },
        },
      );
      expect(entriesOf(await collected(merged))).toEqual(expected(all));
      expect(openMax).toBeLessThanOrEqual(streamsMax);
      // Each run takes the place of up to 64 streams.
      expect(runs).toHaveLength(count <= streamsMax ? 0 : Math.ceil((count - 64) / 63));
    }),
    { numRuns: 60 },
  );
});

test('a merged stream has blocks of 4,096 values, and no value is in two', async () => {
  const many = Array.from({ length: 10_000 }, (_one, index) => hashedValue('m', String(index)));
  const packed = packValues(many);
  const sizes: number[] = [];
  const all: Buffer[] = [];
  for await (const block of mergedValues([streamOf(packed, 700), streamOf(packed, 4_096)])) {
    sizes.push(block.length / entryBytes);
    all.push(block);
  }
  expect(sizes).toEqual([blockValuesMax, blockValuesMax, 10_000 - 2 * blockValuesMax]);
  const entries = entriesOf(Buffer.concat(all));
  expect(new Set(entries.map(([hash]) => hash)).size).toBe(10_000);
  expect(entries.every(([, count]) => count === 2)).toBe(true);
});

test('a merge that is abandoned closes its streams', async () => {
  const many = packValues(
    Array.from({ length: 10_000 }, (_one, index) => hashedValue('m', String(index))),
  );
  let open = 0;
  const stream = async function* (): AsyncGenerator<Buffer> {
    open += 1;
    try {
      yield* streamOf(many, 100);
    } finally {
      open -= 1;
    }
  };
  const merged = mergedValues([stream(), stream()]);
  const failing = async () => {
    for await (const block of merged) {
      throw new Error(`Abandoned after ${String(block.length)} bytes, ${String(open)} open`);
    }
  };
  await expect(failing()).rejects.toThrow('2 open');
  expect(open).toBe(0);
});
