import { MongoNetworkError } from 'mongodb';
import { newId } from '@billing/chassis/ids';
import { createLogger } from '@billing/chassis/logging';
import { connectMongo, type MongoConnection } from '@billing/chassis/mongo';
import { dropTestDatabase, testContext, testServiceConfiguration } from '@billing/chassis/testing';
import { EpochStore } from '../epoch/epoch-store';
import { EpochWorker } from '../epoch/epoch-worker';
import { auditHour } from '../audit/audit-hour';
import { firstGeneration, openEvents } from '../testing/events';
import { TestedSeries } from '../testing/flushes';
import { toEventDocument } from '../usage/event-store';
import { hourMs } from '../usage/hour';
import { CountedEvents } from './counted';
import { CurrentWriter } from './flush-worker';
import { FlushStore, openParts } from './flush-store';
import type { FlushStorage } from './flush-storage';
import type { MeteredEvent } from './part';
import { recoverSlot } from './recover-slot';
import { FencedError, type RetryUntilFenced, Slot } from './slot';
import { storeFlush } from './store-flush';

const configuration = testServiceConfiguration('metering');
const { tenant } = testContext();
const at = new Date('2026-03-10T08:00:00Z');
const logger = createLogger({ service: 'test', level: 'silent', file: undefined });
const metrics = { recordFlush: () => undefined };
const meter = { aggregation: 'SUM', uniqueProperty: null } as const;
const distinctMeter = { aggregation: 'UNIQUE_COUNT', uniqueProperty: 'user' } as const;
const retry: RetryUntilFenced = (step) => step();

let mongo: MongoConnection;

beforeAll(async () => {
  const { MONGODB_URI: uri, MONGODB_DATABASE: database } = configuration;
  mongo = await connectMongo({ uri, database, service: 'metering' });
  await new EpochStore(mongo.db).open(at);
  await openEvents(mongo.db).make(firstGeneration.name);
});

afterAll(async () => {
  await mongo.close();
  await dropTestDatabase(configuration);
});

function aSeries() {
  return { customerId: newId(), meterId: newId() };
}

type Series = ReturnType<typeof aSeries>;

function itemOf(series: Series, eventId: string, arrival = 1) {
  const document = toEventDocument(tenant, {
    ...series,
    eventId,
    quantity: '2.5',
    timestamp: at,
    properties: {},
    receivedAt: at,
    arrival,
  });
  return { document, meter, firstArrivalMs: 0, isSame: () => true };
}

/** A process: its own stores and writer. */
function aProcess(changes: Partial<FlushStorage> = {}) {
  const epochs = new EpochStore(mongo.db);
  const stored = new FlushStore(openEvents(mongo.db), openParts(mongo.db));
  const storage: FlushStorage = new Proxy(stored, {
    get: (target, name) =>
      changes[name as keyof FlushStorage] ??
      (Reflect.get(target, name) as (...args: never) => unknown).bind(target),
  });
  return {
    epochs,
    storage,
    writer: new CurrentWriter({ epochs, storage, metrics, logger }),
    counted: new CountedEvents(stored, epochs),
  };
}

/** Fences a writer and recovers its slots, as any process does after half a minute. */
async function recover(writer: number, by: MeteredEvent['meter'] = meter): Promise<void> {
  const { epochs, storage } = aProcess();
  await epochs.fence(writer);
  const metersOf = (ids: readonly string[]) => Promise.resolve(new Map(ids.map((id) => [id, by])));
  const slots = (await epochs.findSlots()).filter((slot) => slot.writer === writer);
  for (const { id } of slots) {
    const slot = await epochs.findSlot(id);
    if (slot !== undefined) await recoverSlot(slot, { epochs, storage, metersOf });
  }
}

/** Lets all epochs so far pass. */
async function passEpochs(): Promise<void> {
  const { epochs } = aProcess();
  const slots = await epochs.findSlots();
  for (const { writer } of slots) await recover(writer);
  const { current } = await epochs.readEpoch();
  await epochs.advanceCurrent(current);
  const unused = () => Promise.reject(new Error('No slot is left'));
  const worker = new EpochWorker({
    storage: epochs,
    recover: unused,
    ownWriter: () => undefined,
    nowMs: () => 0,
    logger,
  });
  await worker.run();
}

/** The total of the series by its folded parts, which must equal that of its events. */
async function countedBy(series: Series) {
  await passEpochs();
  const { until } = await aProcess().epochs.readEpoch();
  const tested = new TestedSeries(mongo.db, tenant, { ...series, ...meter });
  await tested.fold(until);
  const audit = await auditHour(tested.store, tested.series, Math.floor(at.getTime() / hourMs));
  // Without parts there is no hour, and there must be no event.
  const { customerId, meterId } = series;
  const stored = openEvents(mongo.db).of(firstGeneration);
  const events = () => stored.countDocuments({ customerId, meterId });
  if (audit === undefined) return { events: await events(), quantity: '0' };
  expect(audit.stored).toEqual(audit.counted);
  return audit.stored;
}

/** A gate that a test opens. */
function barrier() {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
}

test('a flush stores and counts its events, and reports those that were stored before', async () => {
  const series = aSeries();
  const { writer, counted } = aProcess();
  const first = await writer.flush([itemOf(series, 'a'), itemOf(series, 'b'), itemOf(series, 'a')]);
  expect(first.repeats.size).toBe(1);
  const again = [itemOf(series, 'b'), itemOf(series, 'c')];
  const { repeats, failed } = await writer.flush(again);
  expect([...repeats.keys()]).toEqual([again[0]]);
  expect(failed.size).toBe(0);
  expect(await counted.includes([...repeats.values()])).toBe(true);
  expect(await countedBy(series)).toEqual({ events: 3, quantity: '7.5' });
});

test('a flush is one update and two inserts, and one find more if it repeats events', async () => {
  const calls: string[] = [];
  const db = new Proxy(mongo.db, {
    get: (target, name) =>
      name === 'collection'
        ? (collection: string) =>
            new Proxy(target.collection(collection), {
              get: (of, method) => {
                const called = Reflect.get(of, method, of) as unknown;
                if (typeof called !== 'function') return called;
                return (...args: unknown[]) => {
                  calls.push(`${String(method)} ${collection}`);
                  return (called as (...args: unknown[]) => unknown).apply(of, args);
                };
              },
            })
        : (Reflect.get(target, name, target) as unknown),
  });
  const epochs = new EpochStore(db);
  const storage = new FlushStore(openEvents(db), openParts(db));
  const writer = new CurrentWriter({ epochs, storage, metrics, logger });
  const series = aSeries();
  await writer.flush([itemOf(series, 'd')]);
  calls.length = 0;
  await writer.flush([itemOf(series, 'e')]);
  const flush = ['updateOne usageSlots', 'insertMany usageEvents', 'insertMany usageParts'];
  expect(calls).toEqual(flush);
  calls.length = 0;
  await writer.flush([itemOf(series, 'e'), itemOf(series, 'f')]);
  expect(calls).toEqual(flush.toSpliced(2, 0, 'find usageEvents'));
});

test('an insert whose reply was lost does not report its own events as repeats', async () => {
  const series = aSeries();
  await aProcess().writer.flush([itemOf(series, 'g')]);
  const lost = new FlushStore(openEvents(mongo.db), openParts(mongo.db));
  let answers = 0;
  const { writer } = aProcess({
    insertEvents: async (events, place) => {
      const inserted = await lost.insertEvents(events, place);
      answers += 1;
      if (answers === 1) throw new MongoNetworkError('connection closed');
      return inserted;
    },
  });
  const sent = [itemOf(series, 'g', 2), itemOf(series, 'h', 2)];
  // The callers hear of the failure at once; the writer goes on.
  await expect(writer.flush(sent)).rejects.toThrow('connection closed');
  const { repeats } = await writer.flush([itemOf(series, 'h', 3)]);
  expect(repeats.size).toBe(1);
  await writer.flush([itemOf(series, 'i', 4)]);
  expect(await countedBy(series)).toEqual({ events: 3, quantity: '7.5' });
});

test('A2: an event of a writer that froze after its insert is counted once it is recovered', async () => {
  const series = aSeries();
  const frozen = barrier();
  const stores = aProcess().storage;
  const { writer } = aProcess({
    insertParts: async (parts) => {
      await frozen.opened;
      await stores.insertParts(parts);
    },
  });
  const first = writer.flush([itemOf(series, 'j')]);
  const other = aProcess();
  const insertedOnce = async () => {
    const { repeats } = await other.writer.flush([itemOf(series, 'j', 2)]);
    return [...repeats.values()];
  };
  // Until the first writer has inserted the event.
  while ((await stores.findEvents([itemOf(series, 'j').document._id], firstGeneration)).size === 0);
  const repeats = await insertedOnce();
  expect(repeats).toHaveLength(1);
  expect(await other.counted.includes(repeats)).toBe(false);
  await recover(writer.number ?? 0);
  expect(await other.counted.includes(repeats)).toBe(true);
  frozen.open();
  await first;
  expect(await countedBy(series)).toEqual({ events: 1, quantity: '2.5' });
});

test('A3: a writer that froze before its insert stores nothing after its recovery', async () => {
  const series = aSeries();
  const frozen = barrier();
  const stores = aProcess().storage;
  const gated = barrier();
  const { writer } = aProcess({
    insertEvents: async (events, place) => {
      gated.open();
      await frozen.opened;
      return stores.insertEvents(events, place);
    },
  });
  const first = writer.flush([itemOf(series, 'k')]);
  const refused = expect(first).rejects.toMatchObject({ kind: 'unavailable' });
  await gated.opened;
  const before = writer.number;
  await recover(before ?? 0);
  frozen.open();
  await refused;
  expect(await countedBy(series)).toEqual({ events: 0, quantity: '0' });
  // It goes on as a new writer.
  const { repeats } = await writer.flush([itemOf(series, 'k', 2)]);
  expect(repeats.size).toBe(0);
  expect(writer.number).not.toBe(before);
  expect(await countedBy(series)).toEqual({ events: 1, quantity: '2.5' });
});

test('two recoveries of one slot count its events once, and a blocked event is taken over', async () => {
  const series = aSeries();
  const { epochs, storage } = aProcess();
  const number = await epochs.registerWriter();
  const slot = new Slot({ writer: number, slot: 0 }, epochs);
  await slot.acquire(retry);
  const { current } = await epochs.readEpoch();
  const [stored, missing] = [itemOf(series, 'l'), itemOf(series, 'm')];
  const ids = [stored.document._id, missing.document._id];
  const name = await slot.beginFlush({ epoch: current, ids }, retry);
  await storage.insertEvents([Object.assign(stored.document, name)], firstGeneration);
  await Promise.all([recover(number), recover(number)]);
  expect(await epochs.findSlot(slot.id)).toMatchObject({ dead: true, epoch: null, ids: [] });
  const found = await storage.findEvents(ids, firstGeneration);
  expect(found.get(missing.document._id)).toEqual({
    _id: missing.document._id,
    blocked: [name.flush],
  });
  await expect(slot.move(current + 1, retry)).rejects.toThrow(FencedError);
  const { repeats } = await aProcess().writer.flush([itemOf(series, 'l'), itemOf(series, 'm')]);
  expect(repeats.size).toBe(1);
  expect(await countedBy(series)).toEqual({ events: 2, quantity: '5' });
});

test('the slot of a flush with values that look like erased ones is recovered', async () => {
  const series = aSeries();
  const { epochs, storage } = aProcess();
  const number = await epochs.registerWriter();
  const slot = new Slot({ writer: number, slot: 0 }, epochs);
  await slot.acquire(retry);
  const { current } = await epochs.readEpoch();
  const properties = JSON.stringify({ user: '\u0000erased:ab' });
  const documents = ['p', 'q'].map((id) => ({ ...itemOf(series, id).document, properties }));
  const name = await slot.beginFlush(
    { epoch: current, ids: documents.map(({ _id }) => _id) },
    retry,
  );
  const stored = documents.map((document) => ({ ...document, ...name }));
  await storage.insertEvents(stored, firstGeneration);
  await recover(number, distinctMeter);
  expect(await epochs.findSlot(slot.id)).toMatchObject({ dead: true, epoch: null, ids: [] });
  await passEpochs();
  const tested = new TestedSeries(mongo.db, tenant, { ...series, ...distinctMeter });
  await tested.fold((await epochs.readEpoch()).until);
  const day = { start: at, end: new Date(at.getTime() + 24 * hourMs) };
  expect(await tested.readQuantities([day])).toEqual(['1']);
});

test('a blocker names every dead flush that may still try to take it over', async () => {
  const { storage, epochs } = aProcess();
  const item = itemOf(aSeries(), 'n');
  const { _id } = item.document;
  await storage.block([_id], 'first', firstGeneration);
  await storage.block([_id], 'second', firstGeneration);
  for (const flush of ['first', 'second']) {
    const event = { ...item.document, flush, epoch: 1 };
    expect(await storage.takeOver(event, firstGeneration)).toBe(false);
  }
  const slot = new Slot({ writer: await epochs.registerWriter(), slot: 0 }, epochs);
  await slot.acquire(retry);
  const reading = await epochs.readEpoch();
  const awaitOver = () => Promise.reject(new Error('There is one generation'));
  const { repeats } = await storeFlush(slot, [item], { storage, reading, awaitOver, retry });
  expect(repeats.size).toBe(0);
  expect((await storage.findEvents([_id], firstGeneration)).get(_id)).not.toHaveProperty('blocked');
});

test('without flushes nothing is written, and slots that are not used are parked', async () => {
  const { epochs, writer } = aProcess();
  const series = aSeries();
  await writer.flush([itemOf(series, 'o')]);
  await passEpochs();
  const before = await epochs.readEpoch();
  const worker = new EpochWorker({
    storage: epochs,
    recover: () => Promise.resolve(),
    ownWriter: () => undefined,
    nowMs: (() => {
      let now = 0;
      return () => (now += 5_000);
    })(),
    logger,
  });
  for (let run = 0; run < 5; run += 1) await worker.run();
  expect(await epochs.readEpoch()).toEqual({ ...before, until: before.current - 1 });
});
