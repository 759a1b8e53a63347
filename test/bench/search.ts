import { type Document, MongoClient } from 'mongodb';
import { searchFieldsOf } from '@billing/chassis/aggregate';
import { newId } from '@billing/chassis/ids';
import { sliceOf } from '@billing/chassis/slices';
import { localOrganization } from '@billing/local/first-keys';
import { OperatorClient } from '../support/operator-client';
import type { Bench } from './report/bench';
import { judgeLimit, percentileOf } from './figures/statistics';
import { measureReads, readColumns, readRow } from './stage/reads';
import { createResource } from './stage/api';
import { documentsOf } from './stage/floor-data';
import type { StagedSystem } from './stage/stage';

interface Found {
  readonly id: string;
  readonly texts: readonly string[];
}

/** A text of operators, and the results that it must have. */
interface Search {
  readonly textOf: (number: number) => string;
  /** The customer of the number is among the results, or there are as many as are shown. */
  readonly finds: 'CUSTOMER' | 'EIGHT' | 'NOTHING';
}

const shownMax = 8;

const customers = { quick: 10_000, usual: 100_000 };
const reads = { quick: 50, usual: 200 };
const serverWorkMsMax = 150;
const warmUps = 10;
const insertBatchSize = 1_000;

// A thousand first names and a thousand last names.
const beginnings = ['al', 'ber', 'chri', 'da', 'eli', 'fran', 'geo', 'han', 'jo', 'mar'];
const middles = ['an', 'be', 'li', 'ma', 'ni', 'ra', 'sto', 'ti', 'vi', 'we'];
const ends = ['a', 'dt', 'er', 'ia', 'ka', 'n', 'sen', 'ski', 'son', 'ton'];
const nameOf = (number: number) =>
  [beginnings, middles, ends]
    .map((parts, place) => parts[Math.floor(number / 10 ** place) % 10] ?? '')
    .join('');

/** The seed's customer of a number. */
function customerOf(number: number) {
  // 7 and 1,000 have no common divisor: all pairs of names occur.
  const [first, last] = [nameOf(number * 7), nameOf(Math.floor(number / 1_000) + number)];
  const externalId = `acme-production-tenant-${String(number).padStart(6, '0')}`;
  return { first, last, externalId, email: `${first}.${last}${String(number)}@mail.example.com` };
}

/** Texts of operators, by kind; `number` is that of any customer. */
const searches: Readonly<Record<string, Search>> = {
  'two letters': { textOf: (number) => customerOf(number).last.slice(0, 2), finds: 'EIGHT' },
  'the beginning of a name': {
    textOf: (number) => customerOf(number).last.slice(0, 4),
    finds: 'EIGHT',
  },
  'first and last name': {
    textOf: (number) => `${customerOf(number).first} ${customerOf(number).last}`,
    finds: 'CUSTOMER',
  },
  'an email address': { textOf: (number) => customerOf(number).email, finds: 'CUSTOMER' },
  'an external id': { textOf: (number) => customerOf(number).externalId, finds: 'CUSTOMER' },
  'the beginning of an external id, shared by ten customers': {
    textOf: (number) => customerOf(number).externalId.slice(0, -1),
    finds: 'EIGHT',
  },
  'the beginning of every external id': { textOf: () => 'acme-production-tenant', finds: 'EIGHT' },
  'the domain of every customer': { textOf: () => 'mail.example.com', finds: 'EIGHT' },
  'a name with a wrong letter': {
    textOf: (number) => `${customerOf(number).last.slice(0, -1)}q`,
    finds: 'EIGHT',
  },
  'a name and the domain of every customer': {
    textOf: (number) => `${customerOf(number).last} mail.exa`,
    finds: 'EIGHT',
  },
  'a word that no customer has': { textOf: (number) => `xyzzy${String(number)}`, finds: 'NOTHING' },
};

/** Throws unless the results are those that a search must have. */
function checkResults(results: unknown, { textOf, finds }: Search, number: number): void {
  const customers = (results as { type: string; detail: string }[]).filter(
    ({ type }) => type === 'CUSTOMER',
  );
  const isFound = {
    CUSTOMER: customers.some(({ detail }) => detail === customerOf(number).email),
    EIGHT: customers.length === shownMax,
    NOTHING: customers.length === 0,
  }[finds];
  if (!isFound) throw new Error(`The search for ${textOf(number)} has other results`);
}

/** Server cost of the dashboard's search at 100,000 customers. */
export const search: Bench = {
  name: 'search',
  title: "the dashboard's search at 100,000 customers",
  run: async (stage, effort) => {
    const system = await stage.system();
    const count = effort.isQuick ? customers.quick : customers.usual;
    const times = effort.isQuick ? reads.quick : reads.usual;
    stage.log(`search: storing ${String(count)} customers`);
    const environmentId = await storeCustomers(system, count);
    const owner = await OperatorClient.owner({ ...system, organization: localOrganization });
    const operator = owner.in(environmentId);
    const rows: string[][] = [];
    for (const [kind, wanted] of Object.entries(searches)) {
      const read = async (number: number) => {
        const any = (number * 7_919) % count;
        const q = encodeURIComponent(wanted.textOf(any));
        const { status, body } = await operator.api('GET', `/search?q=${q}`);
        if (status !== 200) throw new Error(`The search answered ${String(status)}`);
        checkResults(body.results, wanted, any);
      };
      for (let number = 0; number < warmUps; number += 1) await read(number);
      const measured = await measureReads({ stage, system, times }, read);
      const verdict = judgeLimit(percentileOf(measured.workMs, 0.95), {
        atMost: serverWorkMsMax,
        isReduced: effort.isQuick,
      });
      rows.push([...readRow(kind, measured), verdict]);
    }
    const limit = `CPU p95 ≤ ${String(serverWorkMsMax)} ms`;
    const title = `GET /dashboard/api/search at ${String(count)} customers, one by one; ${limit}`;
    return { figures: [{ title, columns: [...readColumns, limit], rows }] };
  },
};

/** Copies a customer that the system created, directly in its database. */
async function storeCustomers(system: StagedSystem, count: number): Promise<string> {
  const { id } = await createResource(system, '/customers', { email: 'bench@example.com' });
  const { mongodbUri, databasePrefix } = system.site;
  const client = new MongoClient(mongodbUri);
  try {
    await client.connect();
    const documents = documentsOf(client, `${databasePrefix}_customer`, 'customers');
    const template = await documents.findOne({ _id: id });
    if (template === null) throw new Error('The customer was not stored');
    for (let from = 0; from < count; from += insertBatchSize) {
      const size = Math.min(insertBatchSize, count - from);
      const copies = Array.from({ length: size }, (_, index) => copyOf(template, from + index));
      await documents.insertMany(copies, { ordered: false });
    }
    return template.environmentId as string;
  } finally {
    await client.close();
  }
}

// As the service stores the keys of its customers.
const asCustomers = { search: { revision: 2, findableOf: (found: Found) => found } };

function copyOf(template: Document, number: number): Document & { _id: string } {
  const { first, last, email, externalId } = customerOf(number);
  const _id = newId();
  const name = `${first} ${last}`;
  const found = searchFieldsOf(asCustomers, { id: _id, texts: [name, email, externalId] });
  const keys = { externalId, externalIdKey: `v:${externalId}`, ...found };
  return { ...template, _id, slice: sliceOf(_id), name, email, ...keys };
}
