import { createLogger } from '@billing/chassis/logging';
import { testContext } from '@billing/chassis/testing';
import { LargeReads } from '../distinct/run-large-read';
import { partOf } from '../flush/part';
import { fromPartDocument } from '../fold/bucket-document';
import { foldSeries } from '../fold/fold-series';
import { SeriesTable, storageOn } from '../testing/series-table';
import { hourMs } from '../usage/hour';
import { ContinuedReads } from './continued-reads';
import { UsageReader } from './read-in-time';

const logger = createLogger({ service: 'test', level: 'silent', file: undefined });
const ten = new Date('2026-03-01T10:00:00Z').getTime();
const series = {
  ...{ customerId: 'c', meterId: 'm' },
  ...({ aggregation: 'UNIQUE_COUNT', uniqueProperty: 'user' } as const),
};
const timeout = { reason: 'USAGE_READ_TIMEOUT' };
let incompleteReads = 0;

/** A folded hour of three users whose raw reads wait until they are released. */
async function aSlowHour() {
  const table = new SeriesTable();
  const storage = storageOn(table);
  const add = (epoch: number, ms: number) => {
    const event = {
      id: `e${String(epoch)}`,
      at: new Date(ten + ms),
      arrival: epoch,
      quantity: '1',
    };
    const flush = { epoch, flush: `f${String(epoch)}` };
    const flushed = { ...event, ...flush, uniqueValue: `user-${String(epoch)}` };
    table.events.push(flushed);
    table.insertPart(fromPartDocument(partOf(flush, { k: 'k', ...series }, [flushed])));
  };
  [1_000, 2_000, 1_900_000].forEach((ms, index) => {
    add(index + 1, ms);
  });
  table.until = 3;
  await foldSeries(storage, series.aggregation);
  let release = () => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  const continued = new ContinuedReads(() => undefined);
  const reads = {
    storageOf: (_series: unknown, signal: AbortSignal) => ({
      ...storage,
      events: async function* (...span: Parameters<typeof storage.events>) {
        const events = storage.events(...span);
        for await (const event of events) {
          await released;
          signal.throwIfAborted();
          yield event;
        }
      },
    }),
    prepare: () => Promise.resolve(),
    largeReads: new LargeReads(),
    continued,
    metrics: { recordIncompleteRead: () => (incompleteReads += 1) },
    logger,
  };
  const { tenant } = testContext({ now: new Date(ten) });
  /** Reads from inside of the hour on, until the caller stops waiting. */
  const read = async (signal = new AbortController().signal, endMs = hourMs) => {
    const window = [{ start: new Date(ten + 1_500), end: new Date(ten + endMs) }];
    const [found] = await new UsageReader(reads, { tenant, signal }).read(series, [window]);
    return found?.quantity.toString();
  };
  const readInVain = async (endMs?: number) => {
    const caller = new AbortController();
    const reading = read(caller.signal, endMs);
    const raw = table.rawReads;
    while (table.rawReads === raw) await new Promise((resolve) => setImmediate(resolve));
    caller.abort();
    await expect(reading).rejects.toMatchObject(timeout);
  };
  return { table, continued, add, read, readInVain, release };
}

test('a read that takes longer than its caller waits ends, and its retry reads no event again', async () => {
  const { table, read, readInVain, release } = await aSlowHour();
  await readInVain();
  const caller = new AbortController();
  const retry = read(caller.signal);
  caller.abort();
  await expect(retry).rejects.toMatchObject(timeout);
  release();
  expect(await read()).toBe('2');
  expect(table.rawReads).toBe(1);
});

test('a retry has the events that were acknowledged after the first read began', async () => {
  const { add, read, readInVain, release } = await aSlowHour();
  await readInVain();
  add(4, 120_000);
  const retry = read();
  release();
  expect(await retry).toBe('3');
});

test('of many slow reads four continue', async () => {
  const { table, read, readInVain, release } = await aSlowHour();
  for (let hours = 1; hours <= 5; hours += 1) await readInVain(hours * hourMs);
  release();
  for (let hours = 1; hours <= 4; hours += 1)
    expect(await read(undefined, hours * hourMs)).toBe('2');
  expect(table.rawReads).toBe(5);
  expect(await read(undefined, 5 * hourMs)).toBe('2');
  expect(table.rawReads).toBe(6);
});

test('a read that needs dropped events fails and is counted', async () => {
  const { table, read } = await aSlowHour();
  table.events.length = 0;
  incompleteReads = 0;
  await expect(read()).rejects.toMatchObject({ reason: 'USAGE_EVENTS_DROPPED' });
  expect(incompleteReads).toBe(1);
});

test('a slow read does not continue when its process closes', async () => {
  const { table, continued, read, readInVain, release } = await aSlowHour();
  await readInVain();
  continued.close();
  release();
  expect(await read()).toBe('2');
  expect(table.rawReads).toBe(2);
});
