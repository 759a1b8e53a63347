import type { Collection, Db } from 'mongodb';
import { systemClock } from '@billing/chassis/clock';
import { newId } from '@billing/chassis/ids';
import { connectMongo, type MongoConnection } from '@billing/chassis/mongo';
import { testContext } from '@billing/chassis/testing';
import { DomainError } from '@billing/kernel/domain-error';
import { InvoiceStatus } from '@billing/proto/billing/checkout/v1/checkout';
import { aRequest, type RunningCheckout, startCheckout } from '../testing/rpc';
import { RefusedAttemptStore } from './refused-attempt-store';

let running: RunningCheckout;
let mongo: MongoConnection;

beforeAll(async () => {
  running = await startCheckout();
  const { MONGODB_URI: uri, MONGODB_DATABASE: database } = running.configuration;
  mongo = await connectMongo({ uri, database, service: 'test' });
});

afterAll(async () => {
  await mongo.close();
  await running.stop();
});

test('an address with ten refused payments of an invoice is limited, while another address still pays', async () => {
  const context = testContext({ now: new Date('2026-01-05T12:00:00.000Z') });
  const customerId = newId();
  const { invoiceId: id } = aRequest({ customerId });
  await running.checkout.createInvoice({ ...aRequest({ customerId }), invoiceId: id }, context);
  const pay = async (number: string, clientNetwork: string | undefined) => {
    const card = { number, expiry: '12/60', code: '123', name: undefined };
    const saved = await running.payments.savePaymentMethod({ customerId, card }, context);
    const source = { $case: 'paymentMethodId' as const, value: saved.paymentMethodId };
    const asked = { id, source, returnUrl: 'https://shop.example/back', clientNetwork };
    return (await running.payments.payInvoice(asked, context)).invoice!;
  };
  for (let count = 1; count <= 10; count += 1) {
    expect((await pay('4000000000000002', '192.0.2.1')).payments).toHaveLength(count);
  }
  await expect(pay('4242424242424242', '192.0.2.1')).rejects.toMatchObject({
    kind: 'resource_exhausted',
    reason: 'TOO_MANY_REFUSED_PAYMENTS',
  });
  expect((await pay('4000000000000002', undefined)).payments).toHaveLength(11);
  expect(await pay('4242424242424242', '192.0.2.2')).toMatchObject({
    status: InvoiceStatus.INVOICE_STATUS_PAID,
  });
});

describe('a payment is counted', () => {
  const context = testContext();
  const client = () => ({ resourceId: newId(), network: '192.0.2.1' });
  const warnings: object[] = [];
  const storeOn = (db: Db) =>
    new RefusedAttemptStore(db, {
      clock: systemClock,
      logger: { warn: (facts: object) => warnings.push(facts) } as never,
    });
  const refusedPayment = { pay: () => Promise.resolve('REFUSED'), isCounted: () => true };
  const tooLate = new DomainError('unavailable', 'TOO_LATE_TO_STORE', 'Service unavailable');
  const openPayment = { pay: () => Promise.resolve('WAITING'), isCounted: () => false };

  /** A database that fails from the given write on. */
  function failingFrom(write: number): Db {
    const name = 'refusedAttempts';
    let writes = 0;
    const failing = new Proxy(mongo.db.collection(name), {
      get: (target: Collection, method) => {
        const value = Reflect.get(target, method, target) as unknown;
        if (method !== 'updateOne') return value;
        return (...args: Parameters<Collection['updateOne']>) => {
          writes += 1;
          return writes < write
            ? target.updateOne(...args)
            : Promise.reject(new Error('The database fails'));
        };
      },
    });
    return new Proxy(mongo.db, {
      get: (target, method) =>
        method === 'collection' ? () => failing : (Reflect.get(target, method, target) as unknown),
    });
  }

  /** The number of further refusals before the client is limited. */
  async function left(paying: ReturnType<typeof client>): Promise<number> {
    const store = storeOn(mongo.db);
    for (let count = 0; ; count += 1) {
      try {
        await store.count({ client: paying, ...refusedPayment }, context);
      } catch (error) {
        expect(error).toMatchObject({ reason: 'TOO_MANY_REFUSED_PAYMENTS' });
        return count;
      }
    }
  }

  test('before it is made, so that nothing is charged without a count', async () => {
    const pay = jest.fn(() => Promise.resolve('REFUSED'));
    const payment = { client: client(), pay, isCounted: () => true };
    await expect(storeOn(failingFrom(1)).count(payment, context)).rejects.toThrow();
    expect(pay).not.toHaveBeenCalled();
  });

  test.each<[string, () => Promise<string>, number]>([
    ['waits for its payer', () => Promise.resolve('WAITING'), 10],
    ['is not allowed', () => Promise.reject(new DomainError('failed_precondition', 'A', 'B')), 10],
    ['was too late to begin', () => Promise.reject(tooLate), 10],
    ['has no known outcome', () => Promise.reject(new DomainError('unavailable', 'A', 'B')), 9],
  ])('while its outcome may be a refusal: one that %s', async (_case, pay, expected) => {
    const paying = client();
    const payment = { client: paying, pay, isCounted: () => false };
    await storeOn(mongo.db)
      .count(payment, context)
      .catch(() => undefined);
    expect(await left(paying)).toBe(expected);
  });

  test('also when the count cannot be withdrawn, which is logged', async () => {
    const paying = client();
    const store = storeOn(failingFrom(2));
    expect(await store.count({ client: paying, ...openPayment }, context)).toBe('WAITING');
    expect(warnings).toEqual([expect.objectContaining({ resourceId: paying.resourceId })]);
    expect(await left(paying)).toBe(9);
  });

  test('once for each of twenty concurrent payments, and at most ten are made', async () => {
    const payment = { client: client(), ...refusedPayment };
    const store = storeOn(mongo.db);
    const outcomes = await Promise.allSettled(
      Array.from({ length: 20 }, () => store.count(payment, context)),
    );
    const made = outcomes.filter(({ status }) => status === 'fulfilled');
    expect(made.length).toBeLessThanOrEqual(10);
    expect(await left(payment.client)).toBe(10 - made.length);
  });
});
