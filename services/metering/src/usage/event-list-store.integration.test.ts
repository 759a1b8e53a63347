import fc from 'fast-check';
import { newId } from '@billing/chassis/ids';
import { connectMongo, type MongoConnection } from '@billing/chassis/mongo';
import type { ScanPosition } from '@billing/chassis/scan-page';
import {
  dropTestDatabase,
  roundsOf,
  testContext,
  testServiceConfiguration,
} from '@billing/chassis/testing';
import { firstGeneration } from '../testing/events';
import { type EventCollection, EventCollections, eventIdOf, toEventDocument } from './event-store';
import { type EventFilter, EventListStore, scanEvents } from './event-list-store';

const configuration = testServiceConfiguration('metering');
const start = new Date('2026-03-10T08:00:00Z').getTime();
const generations = [
  firstGeneration,
  { name: 'usageEvents_202603', from: 5, since: new Date(start) },
  { name: 'usageEvents_202604', from: 9, since: new Date(start + 2_000) },
];
let mongo: MongoConnection;
let collections: EventCollections;
let events: EventCollection;
/** The events of all generations. */
let whole: EventCollection;

beforeAll(async () => {
  const { MONGODB_URI: uri, MONGODB_DATABASE: database } = configuration;
  mongo = await connectMongo({ uri, database, service: 'metering' });
  collections = new EventCollections(mongo.db, () => Promise.resolve(generations));
  for (const { name } of generations) await collections.make(name);
  events = collections.of(firstGeneration);
  whole = collections.of({ name: 'whole' });
});

afterAll(async () => {
  await mongo.close();
  await dropTestDatabase(configuration);
});

interface Sent {
  readonly customer: number;
  readonly meter: number;
  /** A small range, so that many events share a timestamp. */
  readonly second: number;
  /** Letters that sort differently as text and as bytes. */
  readonly name: string;
  readonly generation?: number;
}

const anySent: fc.Arbitrary<Sent> = fc.record({
  customer: fc.nat({ max: 1 }),
  meter: fc.nat({ max: 3 }),
  second: fc.nat({ max: 4 }),
  name: fc.constantFrom('a', '\u{1f600}', '\uffee', 'é'),
  generation: fc.nat({ max: 2 }),
});

function seriesOf(customers: number, meters: number) {
  const ids = (length: number) => Array.from({ length }, () => newId());
  return { customers: ids(customers), meters: ids(meters) };
}

async function store({ customers, meters }: ReturnType<typeof seriesOf>, sent: readonly Sent[]) {
  const { tenant } = testContext();
  const documents = sent.map(({ customer, meter, second, name }, index) =>
    toEventDocument(tenant, {
      eventId: `${name}-${String(index)}`,
      customerId: customers[customer] ?? '',
      meterId: meters[meter] ?? '',
      quantity: '1',
      timestamp: new Date(start + second * 1_000),
      properties: {},
      receivedAt: new Date(start),
      arrival: index,
    }),
  );
  const byGeneration = Map.groupBy(
    documents,
    (_document, index) => generations[sent[index]?.generation ?? 0] ?? firstGeneration,
  );
  for (const [place, own] of byGeneration) await collections.of(place).insertMany(own);
  await whole.insertMany(documents);
  return tenant;
}

test('each page of events equals that of a single query over all generations, with the same total', async () => {
  const request = fc.record({
    isOfCustomer: fc.boolean(),
    meter: fc.option(fc.nat({ max: 3 })),
    from: fc.option(fc.nat({ max: 4 })),
    to: fc.option(fc.nat({ max: 5 })),
    page: fc.integer({ min: 1, max: 4 }),
    perPage: fc.integer({ min: 1, max: 7 }),
    oldestFirst: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(anySent, { minLength: 1, maxLength: 24 }),
      fc.array(request, { minLength: 6, maxLength: 6 }),
      async (sent, requests) => {
        const series = seriesOf(2, 4);
        const tenant = await store(series, sent);
        const [customerId = ''] = series.customers;
        for (const { isOfCustomer, meter, from, to, page, perPage, oldestFirst } of requests) {
          const filter: EventFilter = {
            customerId: isOfCustomer ? customerId : undefined,
            meterId: meter === null ? undefined : series.meters[meter],
            from: from === null ? undefined : new Date(start + from * 1_000),
            to: to === null ? undefined : new Date(start + to * 1_000),
          };
          const listed = await new EventListStore(collections).list(tenant, {
            filter,
            page,
            perPage,
            oldestFirst,
          });
          const { environmentId } = tenant;
          const all = await whole
            .find({
              environmentId,
              ...(isOfCustomer && { customerId }),
              ...(filter.meterId !== undefined && { meterId: filter.meterId }),
              timestamp: { $gte: filter.from ?? new Date(0), $lt: filter.to ?? new Date(8e15) },
            })
            .sort(oldestFirst ? { timestamp: 1, _id: 1 } : { timestamp: -1, _id: -1 })
            .toArray();
          const expected = all.slice((page - 1) * perPage, page * perPage).map(eventIdOf);
          expect(listed.data.map(({ eventId }) => eventId)).toEqual(expected);
          expect(listed.total).toBe(all.length);
        }
      },
    ),
    { numRuns: roundsOf(40) },
  );
});

test('a scan has each event of all generations once, by timestamp and id', async () => {
  const bound = fc.option(fc.nat({ max: 5 }), { nil: undefined });
  await fc.assert(
    fc.asyncProperty(
      fc.array(anySent, { minLength: 1, maxLength: 24 }),
      fc.integer({ min: 1, max: 7 }),
      bound,
      bound,
      async (sent, limit, first, end) => {
        const tenant = await store(seriesOf(2, 4), sent);
        const timeOf = (second?: number) =>
          second === undefined ? undefined : new Date(start + second * 1_000);
        const [from, to] = [timeOf(first), timeOf(end)];
        const scanned: string[] = [];
        let after: ScanPosition | undefined;
        for (;;) {
          const page = await scanEvents(collections, { from, to, after }, { tenant, limit });
          scanned.push(...page.map(({ event }) => event.eventId));
          if (page.length < limit) break;
          after = page.at(-1)?.position;
        }
        const { environmentId } = tenant;
        const timestamp = { $gte: from ?? new Date(0), $lt: to ?? new Date(8e15) };
        const all = await whole
          .find({ environmentId, timestamp })
          .sort({ timestamp: 1, _id: 1 })
          .toArray();
        expect(scanned).toEqual(all.map(eventIdOf));
      },
    ),
    { numRuns: roundsOf(20) },
  );
});

/** The events collection, and the filters of the queries sent to it. */
function watched() {
  const filters: object[] = [];
  const watch = (target: EventCollection, name: string | symbol) => {
    const member: unknown = Reflect.get(target, name);
    if (name !== 'find' && name !== 'countDocuments') return member;
    return (...all: unknown[]) => {
      filters.push(all[0] as object);
      return (member as (...all: unknown[]) => unknown).apply(target, all);
    };
  };
  const watchedEvents = new Proxy(events, { get: watch });
  return { filters, events: { holding: () => Promise.resolve([watchedEvents]) } };
}

test('a page near the top reads only the customer’s events, meter by meter', async () => {
  const series = seriesOf(2, 3);
  const sent = [0, 1, 2].flatMap((meter) =>
    [0, 1].map((customer) => ({ customer, meter, second: meter, name: 'a' })),
  );
  const tenant = await store(series, sent);
  const [customerId = ''] = series.customers;
  const { filters, events: collection } = watched();
  const lists = new EventListStore(collection);
  const { data } = await lists.list(tenant, { filter: { customerId }, page: 1, perPage: 2 });
  expect(data.map(({ eventId }) => eventId)).toEqual(['a-4', 'a-2']);
  const unnamed = filters.filter((filter) => !('_id' in filter) && !('meterId' in filter));
  expect(unnamed).toEqual([]);
  expect(filters).toHaveLength(3 * 3 + 1);
});

test('a customer with many meters is served by one query, which never reads past the end', async () => {
  const meters = 21;
  const series = seriesOf(1, meters);
  const sent = Array.from({ length: meters }, (_, meter) => {
    return { customer: 0, meter, second: meter, name: 'a' };
  });
  const tenant = await store(series, sent);
  const [customerId = ''] = series.customers;
  const [meterId = ''] = series.meters;
  const { filters, events: collection } = watched();
  const lists = new EventListStore(collection);
  const top = await lists.list(tenant, { filter: { customerId }, page: 1, perPage: 2 });
  expect(top.data.map(({ eventId }) => eventId)).toEqual(['a-20', 'a-19']);
  expect(filters).toHaveLength(2);
  const past = { filter: { customerId, meterId }, page: 2_001, perPage: 100 };
  expect(await lists.list(tenant, past)).toEqual({ data: [], total: 1 });
  expect(filters).toHaveLength(3);
});

test('a page far down a long list is served by one query with the same result', async () => {
  const series = seriesOf(1, 2);
  const sent = Array.from({ length: 2_100 }, (_, index) => {
    return { customer: 0, meter: index % 2, second: index, name: 'a' };
  });
  const tenant = await store(series, sent);
  const [customerId = ''] = series.customers;
  const { filters, events: collection } = watched();
  const lists = new EventListStore(collection);
  const far = { filter: { customerId }, page: 205, perPage: 10 };
  const { data, total } = await lists.list(tenant, far);
  expect(data.map(({ eventId }) => eventId)).toEqual(
    Array.from({ length: 10 }, (_, index) => `a-${String(59 - index)}`),
  );
  expect(total).toBe(2_100);
  expect(filters).toHaveLength(3);
});

test('an id that was used in several generations finds the event of each, oldest first', async () => {
  const { tenant } = testContext();
  const documents = generations.map((_generation, index) =>
    toEventDocument(tenant, {
      eventId: 'used again',
      ...{ customerId: newId(), meterId: newId(), quantity: '1', properties: {} },
      ...{ timestamp: new Date(start + index), receivedAt: new Date(start), arrival: index },
    }),
  );
  for (const [index, document] of documents.entries()) {
    await collections.of(generations[index] ?? firstGeneration).insertOne(document);
  }
  const found = await collections.find(tenant, ['used again', 'unknown']);
  expect([...found]).toEqual([['used again', documents]]);
});
