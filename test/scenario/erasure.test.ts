import { type Document, MongoClient } from 'mongodb';
import { sleep } from '@billing/chassis/clock';
import { newId } from '@billing/chassis/ids';
import { eventually } from '@billing/chassis/testing';
import type { ApiClient } from '../support/api-client';
import { product } from '../support/patterns';
import { joinTestSystem, type TestSystem } from '../support/shared-system';

// Each test has several steps that a slow machine may take minutes for.
jest.setTimeout(900_000);

let system: TestSystem;
let api: ApiClient;
let productId: string;

const mark = `leaver${String(process.pid)}`;
const person = {
  email: `${mark}@example.com`,
  externalId: `${mark}-external`,
  name: `${mark} Lovelace`,
  phone: `${mark}-phone`,
  address: { line1: `${mark} Street`, country: 'DE' },
  buyerReference: `${mark}-reference`,
  taxIds: [{ type: 'EU_VAT', value: 'DE136695976' }],
  currency: 'EUR',
  metadata: { secret: `${mark}-metadata` },
};

beforeAll(async () => {
  system = await joinTestSystem();
  api = await system.live.manualSandbox('2026-01-31T00:00:00.000Z');
  ({ id: productId } = await api.expect(201, api.post('/products', product)));
  const body = { legalName: 'Acme Ltd' };
  await api.expect(200, api.request('PATCH', '/seller', { body }));
});

const create = (path: string, body: object) => api.expect(201, api.post(path, body));

const steps = { timeoutMs: 200_000, everyMs: 500 };

/** Deletes a customer; 404 only if the answer of an attempt came too late. */
async function remove(customerId: string): Promise<void> {
  const accepted = [204];
  await eventually(async () => {
    const { status } = await api.delete(`/customers/${customerId}`);
    if (status >= 500) accepted.push(404);
    expect(accepted).toContain(status);
  }, steps);
}

describe('20 subscriptions created while their customer is deleted', () => {
  const outcomes: boolean[] = [];

  /** Creates them within so many milliseconds of the deletion, so that each order occurs. */
  async function race(ms: number): Promise<void> {
    const { id } = await create('/customers', { email: `${mark}@race.example`, currency: 'EUR' });
    const subscribe = async () => {
      await sleep(ms * Math.random());
      return api.post('/subscriptions', { customerId: id, productId });
    };
    const [deletion, ...creations] = await Promise.all([
      api.delete(`/customers/${String(id)}`),
      ...Array.from({ length: 20 }, subscribe),
    ]);
    for (const { status } of creations) expect([201, 404, 503, 504]).toContain(status);
    // A deletion waits eight seconds for bills, and its answer may then come too late.
    const isDeleted =
      deletion.status === 204 ||
      (deletion.status !== 409 && (await api.get(`/customers/${String(id)}`)).status === 404);
    outcomes.push(isDeleted);
    if (!isDeleted) {
      expect([409, 503, 504]).toContain(deletion.status);
      if (deletion.status !== 409) return;
      expect(deletion.body.error).toMatch(/^Customer has an (active subscription|open invoice)$/);
      return;
    }
    await eventually(async () => {
      const all = await api.all(`/subscriptions?customerId=${String(id)}`);
      expect(new Set(all.map(({ status }: { status: string }) => status))).not.toContain('ACTIVE');
      const invoices = await api.all(`/invoices?customerId=${String(id)}`);
      expect(invoices.filter(({ status }: { status: string }) => status === 'OPEN')).toEqual([]);
    }, steps);
  }

  test.each([0, 20, 100])('are refused, or canceled and owe nothing (%i ms)', race);

  test('do not always prevent the deletion', async () => {
    // On a busy machine even the first of them may have to wait for longer.
    for (let ms = 200; !outcomes.includes(true) && ms < 60_000; ms *= 2) await race(ms);
    expect(outcomes).toContain(true);
  });
});

describe('usage that arrived before the deletion of its customer', () => {
  let meterId: string;
  let metered: string;

  beforeAll(async () => {
    meterId = String((await create('/meters', { name: 'Calls', aggregation: 'SUM' })).id);
    metered = String((await create('/products', product)).id);
    const body = { prices: [{ meterId, unitAmount: '10' }] };
    await api.expect(200, api.request('PATCH', `/products/${metered}/meter-prices`, { body }));
  });

  const use = (customerId: string, quantity: number) =>
    create('/events/ingest', { events: [{ customerId, meterId, quantity }] });

  const card = () => `txn_4242424242424242_${newId()}`;

  /** Amounts of the customer's usage on invoices, in order. */
  async function billed(customerId: string): Promise<number[]> {
    const invoices = await api.all(`/invoices?customerId=${customerId}`);
    const lines = invoices.flatMap(({ lineItems }: any) => lineItems as any[]);
    return lines
      .filter((line) => line.meterId === meterId)
      .map((line) => Number(line.amount))
      .toSorted();
  }

  /** A customer whose subscription has ended and is billed, and late usage of it. */
  async function endedCustomer(fields: object, order: object): Promise<string> {
    const email = `${mark}@race.example`;
    const { id } = await create('/customers', { email, currency: 'EUR', ...fields });
    const customerId = String(id);
    const subscription = await create('/subscriptions', {
      ...{ customerId, productId: metered, ...order },
    });
    await use(customerId, 3);
    const ended = { atPeriodEnd: false };
    await api.expect(200, api.post(`/subscriptions/${String(subscription.id)}/cancel`, ended));
    await eventually(async () => {
      expect(await billed(customerId)).toEqual([30]);
    }, steps);
    await use(customerId, 4);
    return customerId;
  }

  test('is charged to its card first, and later usage is refused', async () => {
    const customerId = await endedCustomer({}, { authorizedTransactionId: card() });
    // 409 while the card is being charged.
    await eventually(() => remove(customerId), steps);
    expect(await billed(customerId)).toEqual([30, 40]);
    const invoices = await api.all(`/invoices?customerId=${customerId}`);
    expect(new Set(invoices.map(({ status }: any) => String(status)))).toEqual(new Set(['PAID']));
    const refusal = { accepted: 0, rejected: [{ error: 'Customer not found' }] };
    // Metering caches customers for up to 5 s.
    await eventually(async () => {
      const { body } = await api.post('/events/ingest', {
        events: [{ customerId, meterId, quantity: 1 }],
      });
      expect(body).toMatchObject(refusal);
    }, steps);
  });

  test('and later, while the deletion runs, is billed if it was accepted', async () => {
    const customerId = await endedCustomer({}, { authorizedTransactionId: card() });
    let accepted = 0;
    let isDeleted = false;
    const send = async () => {
      for (let refused = false; !refused;) {
        const event = { customerId, meterId, quantity: 1 };
        const { body } = await api.post('/events/ingest', { events: [event] });
        accepted += Number(body.accepted ?? 0);
        refused = body.rejected?.length > 0;
        if (refused) expect(body).toMatchObject({ rejected: [{ error: 'Customer not found' }] });
        expect(isDeleted || !refused).toBe(true);
      }
    };
    const sending = [send(), send(), send()];
    await eventually(async () => {
      const deletion = remove(customerId);
      isDeleted = true;
      await deletion;
    }, steps);
    await Promise.all(sending);
    expect(accepted).toBeGreaterThan(0);
    await eventually(async () => {
      const sum = (await billed(customerId)).reduce((total, amount) => total + amount, 0);
      expect(sum).toBe(10 * (3 + 4 + accepted));
    }, steps);
    await eventually(async () => {
      const invoices = await api.all(`/invoices?customerId=${customerId}`);
      // The last one has the customer as it was, and no card to charge.
      for (const { status } of invoices) expect(['PAID', 'UNCOLLECTIBLE']).toContain(status);
      for (const { buyer } of invoices) expect(buyer?.email).toBe(`${mark}@race.example`);
    }, steps);
  });

  test('is on an invoice that is in the way of the deletion until it is settled', async () => {
    const customerId = await endedCustomer({ collectionMethod: 'SEND_INVOICE' }, {});
    const settle = async () => {
      for (const { id, status } of await api.all(`/invoices?customerId=${customerId}`)) {
        if (status !== 'OPEN') continue;
        const path = `/invoices/${String(id)}/mark-uncollectible`;
        await api.expect(200, api.post(path, {}));
      }
    };
    await settle();
    expect(await api.delete(`/customers/${customerId}`)).toMatchObject({
      ...{ status: 409, body: { error: 'Customer has an open invoice' } },
    });
    expect(await billed(customerId)).toEqual([30, 40]);
    await settle();
    await remove(customerId);
    expect(await billed(customerId)).toEqual([30, 40]);
  });
});

test('usage for an external id belongs to the customer that has it since a deletion', async () => {
  const { id: meterId } = await create('/meters', { name: 'Pages', aggregation: 'SUM' });
  const externalId = `${mark}@race`;
  const fields = { email: `${mark}@race.example`, externalId };
  const use = (quantity: number) =>
    create('/events/ingest', {
      events: [{ externalCustomerId: externalId, meterId, quantity }],
    });
  const { id: first } = await create('/customers', fields);
  await use(1);
  await remove(String(first));
  const { id: second } = await create('/customers', fields);
  await use(20);
  const { data } = await api.expect(200, api.get(`/events?customerId=${String(second)}`));
  expect(data).toMatchObject([{ quantity: '20' }]);
});

test('a deleted customer is in no database but on invoices, also in what is replayed', async () => {
  const { id } = await create('/customers', person);
  const documents = await useEverything(String(id));
  await setAsideMessage(String(id));
  const places = await findMark(() => true);
  expect(places.length).toBeGreaterThan(5);
  await remove(String(id));
  await eventually(async () => {
    expect(await stepOf(String(id))).toBe('EVENTS');
  }, steps);
  await beginLastStep(String(id));
  await expectNoMark(places);
  // The law keeps the buyer on invoices and credit notes.
  for (const path of documents) {
    const { buyer } = await api.expect(200, api.get(path));
    expect(buyer).toMatchObject({ name: person.name, taxIds: person.taxIds });
  }
});

/** Leaves traces of a customer in every service; returns paths of its invoice and credit note. */
async function useEverything(customerId: string): Promise<string[]> {
  const meter = await create('/meters', {
    ...{ name: mark.slice(-4), aggregation: 'UNIQUE_COUNT', uniqueProperty: 'user' },
  });
  const { id: meterId } = meter;
  const event = { customerId, meterId, properties: { user: `${mark}-user`, page: mark } };
  await create('/events/ingest', { events: [event] });
  await create(`/customers/${customerId}/meter-credits`, {
    ...{ meterId, amount: 1, metadata: { note: mark } },
  });
  const session = await create('/checkout', { customerId, productId, metadata: { note: mark } });
  await api.advanceTo('2026-02-02T00:00:00.000Z');
  expect(session.sessionId).toBeDefined();
  const authorizedTransactionId = `txn_4242424242424242_${customerId}`;
  const subscription = await api.subscribe({
    ...{ customerId, productId, authorizedTransactionId, metadata: { note: mark } },
  });
  await create('/portal/sessions', { customerId });
  const change = { name: `${mark} King` };
  await api.expect(200, api.request('PATCH', `/customers/${customerId}`, { body: change }));
  const [paid] = await api.all(`/invoices?subscriptionId=${String(subscription.id)}`);
  const invoiceId = String(paid.id);
  const returned = { invoiceId, amount: 100, reason: 'SERVICE', settle: 'REFUND' };
  const note = await create('/credit-notes', returned);
  await api.expect(
    200,
    api.post(`/subscriptions/${String(subscription.id)}/cancel`, { atPeriodEnd: false }),
  );
  await api.expect(200, api.get('/webhook-events?limit=1'));
  return [`/invoices/${invoiceId}`, `/credit-notes/${String(note.id)}`];
}

/** Stores an event of the customer as the notifier stores one that it cannot read. */
async function setAsideMessage(customerId: string): Promise<void> {
  await withDatabases(async (client, names) => {
    const notifier = client.db(names.find((one) => one.endsWith('notifier')));
    const messages = notifier.collection('messages');
    const message = await messages.findOne({ subscriptionId: customerId });
    const poison = notifier.collection<{ _id: string }>('poisonMessages');
    const { environmentId } = message!;
    await poison.insertOne({ _id: `${customerId}:1`, environmentId, data: mark } as never);
  });
}

/** A document that names the person. */
interface Place {
  readonly collection: string;
  readonly text: string;
}

/** Waits until no place names the person: first the places so far, then all of every database. */
async function expectNoMark(known: readonly Place[]): Promise<void> {
  let left = new Set(known.map(({ collection }) => collection));
  await eventually(async () => {
    if (left.size > 0) {
      const places = await findMark((collection) => left.has(collection));
      left = new Set(places.map(({ collection }) => collection));
      expect(places).toEqual([]);
    }
    const others = await findMark(() => true);
    left = new Set(others.map(({ collection }) => collection));
    expect(others).toEqual([]);
  }, steps);
}

/** Places in collections that name the person, but for those that the law keeps. */
async function findMark(isExamined: (collection: string) => boolean): Promise<Place[]> {
  return withDatabases(async (client, names) => {
    const places = await Promise.all(
      names.flatMap(async (name) => {
        const db = client.db(name);
        const found = await db.listCollections({}, { nameOnly: true }).toArray();
        const collections = found
          .map((one) => one.name)
          .filter(
            // Kept for 24 hours.
            (one) => one !== 'idempotencyRecords' && isExamined(`${name}.${one}`),
          );
        return Promise.all(
          collections.map(async (collection) => {
            const documents = await db.collection(collection).find().toArray();
            return documents
              .map((document) => JSON.stringify(withoutKept(collection, document), asText))
              .filter((text) => text.includes(mark) && !text.includes(`${mark}@race`))
              .map((text) => ({ collection: `${name}.${collection}`, text: text.slice(0, 200) }));
          }),
        );
      }),
    );
    return places.flat(2);
  });
}

// Invoices and credit notes keep their buyer.
function withoutKept(collection: string, document: Document): Document {
  return collection === 'invoices' ? withoutBuyer(document) : document;
}

function withoutBuyer({ keptBuyer: _kept, finalization, ...document }: Document): Document {
  const parties = (finalization as Document | null | undefined)?.parties as Document | null;
  return { ...document, finalization: { ...parties, buyer: null } };
}

function asText(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value;
}

async function stepOf(customerId: string): Promise<unknown> {
  return withDatabases(async (client, names) => {
    const document = await customersIn(client, names).findOne({ _id: customerId });
    return document?.eraseStep;
  });
}

// Stands for the 30 days of real time before the last step.
async function beginLastStep(customerId: string): Promise<void> {
  await withDatabases(async (client, names) => {
    const $set = { eraseAt: new Date() };
    await customersIn(client, names).updateOne({ _id: customerId }, { $set });
  });
}

function customersIn(client: MongoClient, names: readonly string[]) {
  const name = names.find((one) => one.endsWith('customer'));
  return client.db(name).collection<{ _id: string; eraseStep?: string }>('customers');
}

async function withDatabases<T>(
  use: (client: MongoClient, names: readonly string[]) => Promise<T>,
): Promise<T> {
  const { uri, prefix } = system.databases;
  const client = new MongoClient(uri);
  try {
    const { databases } = await client.db('admin').admin().listDatabases({ nameOnly: true });
    return await use(
      client,
      databases.map(({ name }) => name).filter((name) => name.startsWith(prefix)),
    );
  } finally {
    await client.close();
  }
}
