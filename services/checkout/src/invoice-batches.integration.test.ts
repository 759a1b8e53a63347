import { newId } from '@billing/chassis/ids';
import { connectMongo, type MongoConnection } from '@billing/chassis/mongo';
import { dropTestDatabase, testContext, testServiceConfiguration } from '@billing/chassis/testing';
import { InvoiceStatus } from '@billing/proto/billing/checkout/v1/checkout';
import { InvoiceNumberStore } from './invoice/number/invoice-number-store';
import { aRequest, type RunningCheckout, startCheckout } from './testing/rpc';

const numbersFrom = (first: number, count: number) =>
  Array.from({ length: count }, (_, index) => `INV-${String(first + index).padStart(6, '0')}`);

describe('concurrently taken numbers', () => {
  const configuration = testServiceConfiguration('numbers');
  let mongo: MongoConnection;

  beforeAll(async () => {
    const { MONGODB_URI: uri, MONGODB_DATABASE: database } = configuration;
    mongo = await connectMongo({ uri, database, service: 'numbers' });
    await new InvoiceNumberStore(mongo.db, () => null).ensureIndexes();
  });

  afterAll(async () => {
    await mongo.close();
    await dropTestDatabase(configuration);
  });

  test('form one sequence without gaps in each environment, also with racing replicas', async () => {
    const environments = [newId(), newId()];
    const replicas = [1, 2, 3].map(() => new InvoiceNumberStore(mongo.db, () => null));
    const taken = await Promise.all(
      environments.flatMap((environmentId) =>
        replicas.flatMap((replica) =>
          Array.from({ length: 40 }, async () => ({
            environmentId,
            number: await replica.take({ environmentId, invoiceId: newId() }),
          })),
        ),
      ),
    );
    for (const environmentId of environments) {
      const numbers = taken.filter((one) => one.environmentId === environmentId);
      expect(numbers.map(({ number }) => number).sort()).toEqual(numbersFrom(1, 120));
    }
  });

  test('are the same for an invoice that asks again, alone or among new ones, in any replica', async () => {
    const environmentId = newId();
    const ids = Array.from({ length: 10 }, () => newId());
    const take = (store: InvoiceNumberStore, invoiceId: string) =>
      store.take({ environmentId, invoiceId });
    const first = new InvoiceNumberStore(mongo.db, () => null);
    const before = await Promise.all(ids.slice(0, 5).map((id) => take(first, id)));
    const second = new InvoiceNumberStore(mongo.db, () => null);
    // Old and new ones alternate: the old ones must leave no gaps between the new.
    const mixed = [0, 5, 1, 6, 2, 7, 3, 8, 4, 9].map((index) => ids[index]!);
    const [again, doubled] = await Promise.all([
      Promise.all(mixed.map((id) => take(second, id))),
      Promise.all(mixed.map((id) => take(first, id))),
    ]);
    expect(doubled).toEqual(again);
    expect(again.filter((_number, index) => index % 2 === 0)).toEqual(before);
    expect([...again].sort()).toEqual(numbersFrom(1, 10));
  });

  test('continue a sequence that a crash interrupted', async () => {
    const environmentId = newId();
    const ids = Array.from({ length: 6 }, () => newId());
    const insert = (invoiceId: string, number: number) =>
      mongo.db.collection('invoiceNumbers').insertOne({
        _id: `${environmentId}:${String(number)}`,
        environmentId,
        number,
        invoiceId,
      } as never);
    // The first two of a batch of six were stored.
    await insert(ids[0]!, 1);
    await insert(ids[1]!, 2);
    const store = new InvoiceNumberStore(mongo.db, () => null);
    const numbers = await Promise.all(
      ids.map((invoiceId) => store.take({ environmentId, invoiceId })),
    );
    expect(numbers.slice(0, 2)).toEqual(numbersFrom(1, 2));
    expect([...numbers].sort()).toEqual(numbersFrom(1, 6));
  });

  test('form a new series after each restore, and stay those of their invoices', async () => {
    const environmentId = newId();
    const [old, ...ids] = Array.from({ length: 14 }, () => newId());
    const take = (series: string | null, invoiceId: string) =>
      new InvoiceNumberStore(mongo.db, () => series).take({ environmentId, invoiceId });
    expect(await take(null, old!)).toBe('INV-000001');
    // Taken by stores without cached last numbers, as after a start.
    const numbers: string[] = [];
    for (const id of ids.slice(0, 11)) numbers.push(await take('WH5C2', id));
    expect(numbers).toEqual(numbersFrom(1, 11).map((text) => text.replace('-', '-WH5C2-')));
    expect(await take('WH5C2', old!)).toBe('INV-000001');
    expect(await take('WJWQ0', ids[11]!)).toBe('INV-WJWQ0-000001');
    expect(await take('WJWQ0', ids[10]!)).toBe('INV-WH5C2-000011');
    expect(await take('WJWQ0', ids[12]!)).toBe('INV-WJWQ0-000002');
  });

  test('leave no gap if replicas with cached last numbers overtake each other', async () => {
    const environmentId = newId();
    const replicas = [1, 2].map(() => new InvoiceNumberStore(mongo.db, () => null));
    const numbers: string[] = [];
    for (const [turn, count] of [1, 3, 2, 1, 4, 1, 2].entries()) {
      const replica = replicas[turn % 3 === 0 ? 0 : 1]!;
      const ids = Array.from({ length: count }, () => newId());
      const taken = ids.map((invoiceId) => replica.take({ environmentId, invoiceId }));
      numbers.push(...(await Promise.all(taken)));
      // Asked again, alone: returns the number held, although a later one is cached.
      const again = replica.take({ environmentId, invoiceId: ids[0]! });
      expect(await again).toBe(await taken[0]);
    }
    expect([...numbers].sort()).toEqual(numbersFrom(1, 14));
  });
});

describe('invoices that one call creates', () => {
  let running: RunningCheckout;

  beforeAll(async () => {
    running = await startCheckout();
  });

  afterAll(() => running.stop());

  test('are opened and numbered individually, and a retry finds them', async () => {
    const { checkout } = running;
    const context = testContext();
    const requests = Array.from({ length: 30 }, () => aRequest());
    const { responses } = await checkout.createInvoices({ requests }, context);
    expect(responses.map(({ invoice }) => invoice?.id)).toEqual(
      requests.map(({ invoiceId }) => invoiceId),
    );
    const numbers = responses.map(({ invoice }) => invoice?.number ?? '');
    expect([...numbers].sort()).toEqual(numbersFrom(1, 30));
    const again = await checkout.createInvoices({ requests }, context);
    expect(again.responses.map(({ invoice }) => invoice?.number)).toEqual(numbers);
  });

  test('succeed although one of them is invalid or void', async () => {
    const { checkout } = running;
    const context = testContext();
    const [good, wrong, late] = [aRequest(), aRequest({ currency: 'XYZ' }), aRequest()];
    await checkout.voidDerivedInvoice(late, context);
    const { responses } = await checkout.createInvoices({ requests: [wrong, good, late] }, context);
    expect(responses.map(({ invoice }) => invoice?.status)).toEqual([
      undefined,
      InvoiceStatus.INVOICE_STATUS_OPEN,
      InvoiceStatus.INVOICE_STATUS_VOID,
    ]);
    await expect(checkout.createInvoice(wrong, context)).rejects.toMatchObject({
      kind: 'invalid_input',
    });
  });

  test.each([0, 101])('number 1 to 100, and not %d', async (count) => {
    const requests = Array.from({ length: count }, () => aRequest());
    await expect(
      running.checkout.createInvoices({ requests }, testContext()),
    ).rejects.toMatchObject({ kind: 'invalid_input' });
  });
});
