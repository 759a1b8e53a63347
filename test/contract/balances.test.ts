import type { ApiClient } from '../support/api-client';
import { product, unknownId } from '../support/patterns';
import { joinTestSystem, type TestSystem } from '../support/shared-system';

const startsAt = '2026-01-31T00:00:00.000Z';
const secondPeriod = '2026-02-28T00:00:00.000Z';
const currency = product.currency.toUpperCase();

let system: TestSystem;
let api: ApiClient;
let sold: any;

beforeAll(async () => {
  system = await joinTestSystem();
  api = await system.live.manualSandbox(startsAt);
  sold = await api.expect(201, api.post('/products', { ...product, trialDays: null }));
});

async function aCustomer(customer: object = {}): Promise<string> {
  const { id } = await api.expect(
    201,
    api.post('/customers', { email: 'a@b.co', currency, ...customer }),
  );
  return id;
}

const adjust = (customerId: string, amount: number, rest: object = {}) =>
  api.post('/balance-entries', { customerId, amount, description: 'Goodwill', ...rest });

async function balancesOf(customerId: string): Promise<any[]> {
  return (await api.expect(200, api.get(`/balances?customerId=${customerId}`))).data;
}

/** Entries of a customer, the oldest first. */
async function ledgerOf(customerId: string): Promise<any[]> {
  const { data } = await api.expect(200, api.get(`/balance-entries?customerId=${customerId}`));
  return data.toReversed();
}

async function subscribe(customerId: string, rest: object = {}): Promise<any> {
  return api.subscribe({ customerId, productId: sold.id, ...rest });
}

const invoiceOf = ({ latestInvoiceId }: any): Promise<any> =>
  api.expect(200, api.get(`/invoices/${latestInvoiceId}`));

const cardOf = (customerId: string) => ({ authorizedTransactionId: `txn_${customerId}` });

describe('a manual balance entry', () => {
  test('is posted to the balance in the currency of the customer', async () => {
    const customerId = await aCustomer();
    expect(await balancesOf(customerId)).toEqual([]);
    const answer = await adjust(customerId, 2500, { metadata: { 'a.b': 1 } });
    expect([answer.status, answer.headers.get('location')]).toEqual([
      201,
      `/v1/balance-entries/${answer.body.id}`,
    ]);
    expect(answer.body).toEqual({
      id: expect.any(String),
      ...{ customerId, currency, amount: 2500, balanceAfter: 2500, sequence: 1 },
      ...{ kind: 'ADJUSTMENT', invoiceId: null, creditNoteId: null, refundId: null },
      ...{ description: 'Goodwill', metadata: { 'a.b': 1 }, createdAt: startsAt },
    });
    expect(await balancesOf(customerId)).toEqual([
      { customerId, currency, balance: 2500, updatedAt: startsAt },
    ]);
    const { id } = answer.body;
    expect(await api.expect(200, api.get(`/balance-entries/${id}`))).toEqual(answer.body);
    expect(await ledgerOf(customerId)).toEqual([answer.body]);
  });

  test('is posted once for its key', async () => {
    const customerId = await aCustomer();
    const body = { customerId, amount: 500, description: 'Once', currency: 'jpy' };
    const headers = { 'Idempotency-Key': 'balance-once' };
    const [first, again] = [
      await api.post('/balance-entries', body, headers),
      await api.post('/balance-entries', body, headers),
    ];
    expect([first.status, again.status]).toEqual([201, 201]);
    expect(again.body).toEqual(first.body);
    expect(await balancesOf(customerId)).toMatchObject([{ currency: 'JPY', balance: 500 }]);
  });

  test('keeps the balance from 0 to its limit', async () => {
    const customerId = await aCustomer();
    const low = await adjust(customerId, -1);
    expect([low.status, low.body]).toEqual([409, { error: 'Balance is too low' }]);
    expect(low.headers.get('error-code')).toBe('conflict');
    expect(await balancesOf(customerId)).toEqual([]);
    await api.expect(201, adjust(customerId, 99_999_999_999));
    const high = await adjust(customerId, 1);
    expect([high.status, high.body]).toEqual([409, { error: 'Balance is too high' }]);
    await api.expect(201, adjust(customerId, -99_999_999_999));
    expect(await ledgerOf(customerId)).toMatchObject([
      { sequence: 1, balanceAfter: 99_999_999_999 },
      { sequence: 2, balanceAfter: 0 },
    ]);
  });

  test.each([
    [{ amount: 0 }, { amount: ['Must not be 0'] }],
    [{ amount: 1.5 }, { amount: ['Must be a whole number'] }],
    [{ amount: 100_000_000_000 }, { amount: ['Must be at most 99999999999'] }],
    [{ amount: '1' }, { amount: ['Must be a number'] }],
    [{ description: '' }, { description: ['Required'] }],
    [{ description: 'x'.repeat(501) }, { description: ['Must be at most 500 characters'] }],
    [{ currency: 'XXX' }, { currency: ['Invalid currency'] }],
    [{ invoiceId: unknownId }, { invoiceId: ['Unknown field'] }],
  ])('with %j is refused', async (field, error) => {
    const customerId = await aCustomer();
    const answer = await adjust(customerId, 1, field);
    expect([answer.status, answer.body]).toEqual([400, { error }]);
    expect(await ledgerOf(customerId)).toEqual([]);
  });

  test.each([unknownId, 'x'])('of the unknown customer %s is 404', async (customerId) => {
    const answer = await adjust(customerId, 1);
    expect([answer.status, answer.body]).toEqual([404, { error: 'Customer not found' }]);
  });

  test.each([unknownId, 'x'])('with the unknown id %s is 404', async (id) => {
    const answer = await api.get(`/balance-entries/${id}`);
    expect([answer.status, answer.body]).toEqual([404, { error: 'Balance entry not found' }]);
    expect(answer.headers.get('error-code')).toBe('balance_entry_not_found');
  });
});

describe('lists of balances and entries', () => {
  test('take filters, and unknown values match nothing', async () => {
    const customerId = await aCustomer();
    await api.expect(201, adjust(customerId, 1));
    await api.expect(201, adjust(customerId, 2, { currency: 'JPY' }));
    const count = async (path: string) => (await api.expect(200, api.get(path))).total;
    const mine = `customerId=${customerId}`;
    expect(await count(`/balances?${mine}`)).toBe(2);
    expect(await count(`/balances?${mine}&currency=JPY`)).toBe(1);
    expect(await count('/balances?customerId=x')).toBe(0);
    expect(await count(`/balance-entries?${mine}&currency=JPY&kind=ADJUSTMENT`)).toBe(1);
    expect(await count(`/balance-entries?${mine}&kind=APPLIED`)).toBe(0);
    expect(await count(`/balance-entries?invoiceId=${unknownId}`)).toBe(0);
    expect(await api.expect(400, api.get('/balance-entries?kind=X'))).toHaveProperty('error.kind');
  });
});

describe('an invoice of a customer with a balance', () => {
  test('leaves it to the next one if its payment was authorized elsewhere', async () => {
    const customerId = await aCustomer();
    await api.expect(201, adjust(customerId, 549));
    const authorized = await invoiceOf(await subscribe(customerId, cardOf(customerId)));
    expect(authorized).toMatchObject({
      ...{ status: 'PAID', balanceApplied: 0, amountPaid: 2900, payments: [{ amount: 2900 }] },
    });
    const invoice = await invoiceOf(await subscribe(customerId));
    expect(invoice).toMatchObject({
      ...{ status: 'PAID', subtotal: 2900, total: 2900, balanceApplied: 549 },
      ...{ amountPaid: 2351, amountDue: 0, payments: [{ amount: 2351 }] },
    });
    expect(await ledgerOf(customerId)).toMatchObject([
      { kind: 'ADJUSTMENT', amount: 549 },
      { kind: 'APPLIED', amount: -549, balanceAfter: 0, sequence: 2, invoiceId: invoice.id },
    ]);
  });

  test('is paid without a payment if the balance covers it', async () => {
    const customerId = await aCustomer({ collectionMethod: 'SEND_INVOICE' });
    await api.expect(201, adjust(customerId, 5000));
    const subscription = await subscribe(customerId);
    expect(subscription.status).toBe('ACTIVE');
    expect(await invoiceOf(subscription)).toMatchObject({
      ...{ status: 'PAID', balanceApplied: 2900, amountPaid: 0, amountDue: 0, payments: [] },
      paidAt: startsAt,
    });
    expect(await balancesOf(customerId)).toMatchObject([{ balance: 2100 }]);
  });

  test('takes what was posted before the clock has moved on', async () => {
    const customerId = await aCustomer();
    const { id } = await subscribe(customerId, cardOf(customerId));
    await api.expect(201, adjust(customerId, 900));
    await api.advanceTo(secondPeriod);
    const renewed = await api.expect(200, api.get(`/subscriptions/${id}`));
    expect(await invoiceOf(renewed)).toMatchObject({
      ...{ status: 'PAID', balanceApplied: 900, amountPaid: 2000 },
    });
  });

  test('returns it when it is voided', async () => {
    const customerId = await aCustomer();
    await api.expect(201, adjust(customerId, 549));
    const { id, balanceApplied, amountDue } = await invoiceOf(await subscribe(customerId));
    expect([balanceApplied, amountDue]).toEqual([549, 2351]);
    const voided = await api.expect(200, api.post(`/invoices/${id}/void`, {}));
    expect(voided).toMatchObject({ status: 'VOID', total: 2900, balanceApplied: 0, amountDue: 0 });
    expect(await ledgerOf(customerId)).toMatchObject([
      { kind: 'ADJUSTMENT', amount: 549 },
      { kind: 'APPLIED', amount: -549 },
      { kind: 'RETURNED', amount: 549, balanceAfter: 549, invoiceId: id },
    ]);
  });

  test('takes nothing in another currency, nor as the invoice of a checkout session', async () => {
    const customerId = await aCustomer();
    await api.expect(201, adjust(customerId, 700, { currency: 'JPY' }));
    expect(await invoiceOf(await subscribe(customerId))).toMatchObject({ balanceApplied: 0 });
    await api.expect(201, adjust(customerId, 700));
    const body = { customerId, productId: sold.id };
    const { sessionId } = await api.expect(201, api.post('/checkout', body));
    const { invoice } = await api.expect(200, api.get(`/checkout/${sessionId}`));
    expect(invoice).toMatchObject({ balanceApplied: 0, amountDue: 2900 });
    expect(await balancesOf(customerId)).toMatchObject([{ balance: 700 }, { balance: 700 }]);
  });
});
