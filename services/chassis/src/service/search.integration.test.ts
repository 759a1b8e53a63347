import type { Collection } from 'mongodb';
import type { AggregateDefinition, AggregateDocument } from '../aggregates/aggregate';
import { AggregateCollection } from '../aggregates/aggregate-collection';
import { usualResults } from '../aggregates/search-index';
import type { Tenant } from '../grpc/call-context';
import { newId } from '../ids';
import { connectMongo, type MongoConnection } from '../mongo/mongo';
import { EnvironmentDeletion } from './environment-deletion';
import { searchIndexing } from './search-indexing';
import { createLogger } from '../telemetry/logging';
import { TestClock } from '../testing/test-clock';
import { testTenant } from '../testing/testing';

type Documents = Collection<AggregateDocument>;

interface Person {
  readonly id: string;
  readonly name: string;
  readonly code: string | null;
}

const definition: AggregateDefinition<Person> = {
  collection: 'people',
  aggregate: 'person',
  resource: 'Person',
  search: {
    revision: 1,
    findableOf: ({ name, code }) => (name === '' ? undefined : { texts: [name, code] }),
    isForgiving: true,
  },
  toDocument: ({ name, code }) => ({ name, code }),
  fromDocument: ({ _id: id, name, code }) => {
    if (typeof name !== 'string') throw new Error('A person without a name');
    return { id, name, code: code as string | null };
  },
};
const { search = { revision: 1, findableOf: () => undefined } } = definition;
const strict = { ...definition, search: { ...search, isForgiving: false } };

const clock = new TestClock();
const logger = createLogger({ service: 'test', level: 'silent', file: undefined });
const unaborted = new AbortController().signal;

let mongo: MongoConnection;
let people: AggregateCollection<Person>;

beforeAll(async () => {
  mongo = await connectMongo({
    uri: process.env.MONGODB_URI ?? '',
    database: `t_${newId().replaceAll('-', '').slice(-12)}_search`,
    service: 'test',
  });
  people = new AggregateCollection(mongo.db, definition, { clock });
  await people.ensureIndexes();
});

afterAll(async () => {
  await mongo.db.dropDatabase();
  await mongo.close();
});

const place = (tenant: Tenant) => ({ tenant, now: clock.now() });

async function store(tenant: Tenant, name: string, code: string | null = null): Promise<string> {
  const id = newId();
  const state = { id, name, code };
  await people.within(place(tenant)).insert({ state, events: [], commands: [] });
  return id;
}

async function rename(tenant: Tenant, id: string, name: string): Promise<void> {
  const decide = (person: Person) => ({ state: { ...person, name }, events: [], commands: [] });
  await people.within(place(tenant)).mutate(id, decide);
}

async function namesOf(tenant: Tenant, text: string, { searchIndex } = people): Promise<string[]> {
  return (await searchIndex.find(text, { tenant })).map(({ state }) => state.name);
}

describe('a search', () => {
  test('finds aggregates that have a word beginning with each word of the text', async () => {
    const tenant = testTenant();
    const id = await store(tenant, 'Zoë Lovelace-Byron', 'C-7');
    await store(tenant, 'Ada Lovelace');
    for (const text of ['zoe', 'byr lovel', 'ZOË LOVELACE', 'c-7', id, id.slice(0, 30)]) {
      expect([text, await namesOf(tenant, text)]).toEqual([text, ['Zoë Lovelace-Byron']]);
    }
    for (const text of ['', ' – ', 'zoe ada', 'ovelace', '8', `${id.slice(0, -1)}g`]) {
      expect([text, await namesOf(tenant, text, strictPeople())]).toEqual([text, []]);
    }
    expect((await namesOf(tenant, 'lovelace')).length).toBe(2);
  });

  test('returns aggregates that have the whole word before others, and at most eight unless it asks for more', async () => {
    const tenant = testTenant();
    for (let number = 10; number < 30; number += 1) await store(tenant, `Plan1${String(number)}`);
    await store(tenant, 'Plan1');
    const names = await namesOf(tenant, 'plan1');
    expect([names.length, new Set(names).size]).toEqual([usualResults, usualResults]);
    expect(names[0]).toBe('Plan1');
    const more = (await people.searchIndex.find('plan1', { tenant }, { limit: 20 })).map(
      ({ state }) => state,
    );
    expect([more.length, more[0]?.name]).toEqual([20, 'Plan1']);
  });

  test('finds an aggregate of a filter among more others than it returns', async () => {
    const tenant = testTenant();
    for (let number = 0; number < 20; number += 1) await store(tenant, 'Hosting', 'other');
    await store(tenant, 'Hosting', 'wanted');
    for (const text of ['hosting', 'host', 'hostibg']) {
      const range = { filter: { code: 'wanted' } };
      const found = await people.searchIndex.find(text, { tenant }, range);
      expect([text, found.map(({ state }) => state.code)]).toEqual([text, ['wanted']]);
    }
  });

  test.each([
    ['codes that begin alike', 'acme-tenant-'],
    ['codes that begin alike without a separator', 'customer000'],
    ['codes with a long first part', 'acme-production-tenant-'],
  ])('finds one of %s, among more than it compares', async (_case, begin) => {
    const tenant = testTenant();
    const codeOf = (number: number) => `${begin}${String(number)}`;
    for (let number = 1_000; number < 1_230; number += 1) {
      await store(tenant, 'Ada', codeOf(number));
    }
    await store(tenant, 'Wanted', codeOf(2_345));
    for (const number of [23, 234, 2_345]) {
      expect(await namesOf(tenant, codeOf(number))).toEqual(['Wanted']);
    }
    expect((await namesOf(tenant, codeOf(12))).length).toBe(usualResults);
  });

  test('finds an aggregate by the first characters of its id', async () => {
    const tenant = testTenant();
    const id = await store(tenant, 'Wanted');
    for (const length of [8, 9, 11, 13, 20, 36]) {
      expect(await namesOf(tenant, id.slice(0, length))).toEqual(['Wanted']);
    }
    for (const length of [4, 7]) expect(await namesOf(tenant, id.slice(0, length))).toEqual([]);
  });

  test('finds an aggregate by its present words only, right after the write', async () => {
    const tenant = testTenant();
    const id = await store(tenant, 'Grace Hopper');
    await rename(tenant, id, 'Grace Murray');
    expect(await namesOf(tenant, 'hopper')).toEqual([]);
    expect(await namesOf(tenant, 'murray')).toEqual(['Grace Murray']);
    await rename(tenant, id, '');
    expect(await namesOf(tenant, 'grace')).toEqual([]);
    expect(await namesOf(tenant, id)).toEqual([]);
  });

  test('finds nothing of another environment, also of the same organization', async () => {
    const [own, other] = [testTenant(), testTenant()];
    const sibling = testTenant({ organizationId: own.organizationId });
    const id = await store(own, 'Katherine Johnson');
    for (const stranger of [other, sibling]) {
      for (const text of ['katherine', 'kathrine', id]) {
        expect(await namesOf(stranger, text)).toEqual([]);
      }
    }
  });

  test('forgives one wrong letter if nothing matches and the definition allows it', async () => {
    const tenant = testTenant();
    await store(tenant, 'Ada Lovelace');
    expect(await namesOf(tenant, 'lovelcae')).toEqual(['Ada Lovelace']);
    expect(await namesOf(tenant, 'ada lovelce')).toEqual(['Ada Lovelace']);
    expect(await namesOf(tenant, 'zoe lovelce')).toEqual([]);
    expect(await namesOf(tenant, 'lovlce')).toEqual([]);
    expect(await namesOf(tenant, 'lovelcae', strictPeople())).toEqual([]);
  });

  test('finds nothing once the environment is deleted', async () => {
    const [deleted, other] = [testTenant(), testTenant()];
    await store(deleted, 'Mary Jackson');
    await store(other, 'Mary Jackson');
    const deletion = new EnvironmentDeletion(mongo.db, { clock, logger });
    await deletion.ensureIndexes();
    await deletion.refresh();
    const until = new Date(clock.now().getTime() + 60_000);
    expect(await deletion.delete(deleted.environmentId, { until })).toBe(true);
    expect(await namesOf(deleted, 'mary')).toEqual([]);
    expect(await namesOf(other, 'mary')).toEqual(['Mary Jackson']);
    const { environmentId } = deleted;
    expect(await people.documents.countDocuments({ environmentId })).toBe(0);
  });
});

function strictPeople(): AggregateCollection<Person> {
  return new AggregateCollection(mongo.db, strict, { clock });
}

describe('documents of an earlier release', () => {
  /** Documents that run `before` ahead of each batch that is written, and the batches' sizes. */
  const observedBy = (before: (call: number) => unknown) => {
    const sizes: number[] = [];
    const bulkWrite: Documents['bulkWrite'] = async (operations, options) => {
      sizes.push(operations.length);
      await before(sizes.length);
      return people.documents.bulkWrite(operations, options);
    };
    const documents = new Proxy(people.documents, {
      get: (one, name) => {
        if (name === 'bulkWrite') return bulkWrite;
        const value: unknown = Reflect.get(one, name, one);
        return typeof value === 'function' ? (value.bind(one) as unknown) : value;
      },
    });
    return { documents, sizes };
  };

  const forget = () =>
    Promise.all([
      people.documents.updateMany({}, { $unset: { searchKeys: true } }),
      mongo.db.collection('searchProgress').deleteMany({}),
    ]);
  const indexing = (
    indexed: AggregateDefinition<Person> = definition,
    { documents = people.documents, hasOlder = false } = {},
  ) => {
    const hasOlderReplica = () => Promise.resolve(hasOlder);
    return searchIndexing(mongo.db, documents, indexed, { logger, hasOlderReplica });
  };

  test('are found once they are indexed, without a new version', async () => {
    const tenant = testTenant();
    const id = await store(tenant, 'Dorothy Vaughan');
    await forget();
    expect(await namesOf(tenant, 'dorothy')).toEqual([]);
    await indexing().run(unaborted);
    expect(await namesOf(tenant, 'dorothy')).toEqual(['Dorothy Vaughan']);
    expect((await people.within(place(tenant)).get(id)).version).toBe(1);
  });

  test('are indexed in batches that continue after a crash', async () => {
    const tenant = testTenant();
    const first = await store(tenant, 'Copied Person');
    const document = await people.documents.findOne({ _id: first });
    const copies = Array.from({ length: 1_200 }, () => ({ ...document, _id: newId() }));
    await people.documents.insertMany(copies as AggregateDocument[]);
    await forget();
    const crashing = new AbortController();
    const { documents, sizes } = observedBy((call) => {
      if (call === 2) crashing.abort();
    });
    await indexing(definition, { documents }).run(crashing.signal);
    const { environmentId } = tenant;
    const unindexed = { environmentId, searchKeys: { $exists: false } };
    const left = await people.documents.countDocuments(unindexed);
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThan(1_201);
    sizes.length = 0;
    await indexing(definition, { documents }).run(unaborted);
    expect(await people.documents.countDocuments(unindexed)).toBe(0);
    // Only what the first run had not visited.
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(left);
    sizes.length = 0;
    await indexing(definition, { documents }).run(unaborted);
    expect(sizes).toEqual([]);
  });

  test('keep the words of a write that overtakes the indexing', async () => {
    const tenant = testTenant();
    const id = await store(tenant, 'Before');
    await forget();
    const { documents, sizes } = observedBy(() => rename(tenant, id, 'After'));
    await indexing(definition, { documents }).run(unaborted);
    expect(sizes.length).toBeGreaterThan(0);
    expect(await namesOf(tenant, 'before')).toEqual([]);
    expect(await namesOf(tenant, 'after')).toEqual(['After']);
  });

  test('wait while a replica of an earlier release writes documents without words', async () => {
    const tenant = testTenant();
    await store(tenant, 'Annie Easley');
    await forget();
    await indexing(definition, { hasOlder: true }).run(unaborted);
    expect(await namesOf(tenant, 'annie')).toEqual([]);
    await indexing().run(unaborted);
    expect(await namesOf(tenant, 'annie')).toEqual(['Annie Easley']);
  });

  test('of aggregates that are found in another way now lose their words with their next write', async () => {
    const tenant = testTenant();
    const id = await store(tenant, 'Evelyn Boyd');
    const { search: _search, ...unsearched } = definition;
    const others = new AggregateCollection(mongo.db, unsearched, { clock });
    const decide = (person: Person) => ({
      state: { ...person, code: 'new' },
      events: [],
      commands: [],
    });
    await others.within(place(tenant)).mutate(id, decide);
    expect(await people.documents.findOne({ _id: id })).toMatchObject({ searchKeys: [] });
    const { stored } = await others.within(place(tenant)).insert({
      state: { id: newId(), name: 'New', code: null },
      events: [],
      commands: [],
    });
    const inserted = await people.documents.findOne({ _id: stored.state.id });
    expect(inserted?.searchKeys).toBeUndefined();
  });

  test('are indexed again by a new revision of the rule', async () => {
    const tenant = testTenant();
    await store(tenant, 'Christine Darden', 'NASA');
    await indexing().run(unaborted);
    const findableOf = ({ code }: Person) => ({ texts: [code] });
    await indexing({ ...definition, search: { revision: 2, findableOf } }).run(unaborted);
    expect(await namesOf(tenant, 'christine', strictPeople())).toEqual([]);
    expect(await namesOf(tenant, 'nasa')).toEqual(['Christine Darden']);
  });

  test('that cannot be read are skipped', async () => {
    const tenant = testTenant();
    const id = await store(tenant, 'Broken');
    await store(tenant, 'Melba Mouton');
    await forget();
    await people.documents.updateOne({ _id: id }, { $unset: { name: true } });
    await indexing().run(unaborted);
    expect(await namesOf(tenant, 'melba')).toEqual(['Melba Mouton']);
    await people.documents.deleteOne({ _id: id });
  });
});
