import type { ApiClient } from '../support/api-client';
import { product, unknownId } from '../support/patterns';
import { joinTestSystem } from '../support/shared-system';

const startsAt = '2026-01-31T00:00:00.000Z';
const dueDate = '2026-03-02T00:00:00.000Z';
const declined = (customerId: string) => ({
  authorizedTransactionId: `txn_4000000000000002_${customerId}`,
});

let api: ApiClient;
let sold: any;

beforeAll(async () => {
  const system = await joinTestSystem();
  api = await system.live.manualSandbox(startsAt);
  const priced = { ...product, trialDays: null, amount: 3451 };
  sold = await api.expect(201, api.post('/products', priced));
});

async function aCustomer(customer: object = {}): Promise<string> {
  const body = { email: 'a@b.co', collectionMethod: 'SEND_INVOICE', ...customer };
  return (await api.expect(201, api.post('/customers', body))).id;
}

async function subscribe(customerId: string, rest: object = {}): Promise<any> {
  return api.subscribe({ customerId, productId: sold.id, ...rest });
}

const invoiceOf = ({ latestInvoiceId }: any): Promise<any> => read(latestInvoiceId);
const read = (id: string): Promise<any> => api.expect(200, api.get(`/invoices/${id}`));
const anInvoice = async (customer: object = {}) =>
  invoiceOf(await subscribe(await aCustomer(customer)));
const pay = (id: string, body: object, headers?: Record<string, string>) =>
  api.post(`/invoices/${id}/payments`, { method: 'BANK_TRANSFER', ...body }, headers);
const paid = (id: string, body: object) => api.expect(201, pay(id, body));
const mark = (id: string, headers?: Record<string, string>) =>
  api.post(`/invoices/${id}/mark-uncollectible`, {}, headers);
const adjust = (customerId: string, amount: number) =>
  api.expect(201, api.post('/balance-entries', { customerId, amount, description: 'Goodwill' }));

/** Kind and amount of the entries of a customer, the oldest first. */
async function ledgerOf(customerId: string): Promise<unknown[]> {
  const { data } = await api.expect(200, api.get(`/balance-entries?customerId=${customerId}`));
  return data.toReversed().map(({ kind, amount }: any) => [kind, amount]);
}

describe('a payment received elsewhere', () => {
  test('M1: in parts pays the invoice, and what is too much goes to the balance', async () => {
    const { id, customerId } = await anInvoice();
    const sent = {
      amount: 2000,
      reference: 'Statement 7',
      receivedAt: '2026-01-30T12:00:00.000Z',
      metadata: { 'a.b': 1 },
    };
    const answer = await pay(id, sent);
    expect([answer.status, answer.headers.get('location')]).toEqual([201, `/v1/invoices/${id}`]);
    expect(answer.body).toEqual({
      ...{ id: expect.any(String), invoiceId: id, ...sent, currency: sold.currency },
      ...{ method: 'BANK_TRANSFER', provider: 'external', providerPaymentId: null },
      ...{ status: 'SUCCEEDED', failureCode: null, overpayment: 0, amountRefunded: 0 },
      ...{ disputeId: null, card: null, createdAt: startsAt },
    });
    const part = await read(id);
    expect(part).toMatchObject({ status: 'OPEN', amountPaid: 2000, amountDue: 1451, paidAt: null });
    expect(part.payments).toEqual([answer.body]);
    await paid(id, { amount: 2000 });
    expect(await read(id)).toMatchObject({
      ...{ status: 'PAID', amountPaid: 3451, amountDue: 0, paidAt: startsAt },
      payments: [{}, { amount: 2000, overpayment: 549, receivedAt: startsAt }],
    });
    expect(await ledgerOf(customerId)).toEqual([['OVERPAYMENT', 549]]);
  });

  test('M2: in excess lowers the next invoice, which a card pays', async () => {
    const { id, customerId } = await anInvoice();
    await paid(id, { amount: 4000 });
    const card = { collectionMethod: 'CHARGE_AUTOMATICALLY' };
    await api.expect(200, api.request('PATCH', `/customers/${customerId}`, { body: card }));
    const next = await invoiceOf(await subscribe(customerId));
    expect(next).toMatchObject({ status: 'OPEN', balanceApplied: 549, amountDue: 2902 });
    const authorizedTransactionId = `txn_${customerId}`;
    await api.expect(200, api.post(`/invoices/${next.id}/pay`, { authorizedTransactionId }));
    expect(await read(next.id)).toMatchObject({
      ...{ status: 'PAID', amountPaid: 2902 },
      payments: [{ amount: 2902, method: 'CARD', reference: null, receivedAt: null }],
    });
  });

  test('is of what is outstanding by default, and once for its key', async () => {
    const { id } = await anInvoice();
    const headers = { 'Idempotency-Key': `payment-${id}` };
    const answers = [await pay(id, {}, headers), await pay(id, {}, headers)];
    expect(answers.map(({ status }) => status)).toEqual([201, 201]);
    expect(answers[1]?.body).toEqual(answers[0]?.body);
    expect(await read(id)).toMatchObject({ status: 'PAID', payments: [{ amount: 3451 }] });
    const again = await pay(id, {});
    expect([again.status, again.body]).toEqual([409, { error: 'Invoice is not open' }]);
    expect(again.headers.get('error-code')).toBe('conflict');
  });

  test('M10: heals a subscription that is past due', async () => {
    const customerId = await aCustomer({ collectionMethod: 'CHARGE_AUTOMATICALLY' });
    const { id } = await subscribe(customerId, declined(customerId));
    const subscription = () => api.expect(200, api.get(`/subscriptions/${id}`));
    expect(await subscription()).toMatchObject({ status: 'PAST_DUE' });
    const { latestInvoiceId } = await subscription();
    await paid(latestInvoiceId, { amount: 1000 });
    expect(await subscription()).toMatchObject({ status: 'PAST_DUE' });
    await paid(latestInvoiceId, {});
    await api.advanceTo(startsAt);
    expect(await subscription()).toMatchObject({ status: 'ACTIVE' });
  });

  test.each([
    [{ amount: 0 }, { amount: ['Must be at least 1'] }],
    [{ amount: 1.5 }, { amount: ['Must be a whole number'] }],
    [{ method: 'CARD' }, { method: [expect.any(String)] }],
    [{ method: null }, { method: ['Required'] }],
    [{ reference: 'x'.repeat(201) }, { reference: ['Must be at most 200 characters'] }],
    [{ receivedAt: '2026-01-31T00:00:00.001Z' }, { receivedAt: ['Must not be in the future'] }],
    [{ currency: 'USD' }, { currency: ['Unknown field'] }],
    [{ method: 'BALANCE', amount: 3452 }, { amount: ['More than what is outstanding'] }],
  ])('with %j is refused', async (field, error) => {
    const { id, customerId } = await anInvoice();
    await adjust(customerId, 9000);
    const answer = await pay(id, field);
    expect([answer.status, answer.body]).toEqual([400, { error }]);
    expect((await read(id)).payments).toEqual([]);
  });

  test.each([unknownId, 'x'])('of the unknown invoice %s is 404', async (id) => {
    const answer = await pay(id, {});
    expect([answer.status, answer.body]).toEqual([404, { error: 'Invoice not found' }]);
  });

  test('is refused for the open invoice of a checkout session', async () => {
    const body = { customerId: await aCustomer(), productId: sold.id };
    const { sessionId } = await api.expect(201, api.post('/checkout', body));
    const { invoice } = await api.expect(200, api.get(`/checkout/${sessionId}`));
    for (const refused of [await pay(invoice.id, {}), await mark(invoice.id)]) {
      const error = 'Invoice belongs to a checkout session';
      expect([refused.status, refused.body]).toEqual([409, { error }]);
    }
    const ahead = await pay(invoice.id, { receivedAt: '2026-01-31T00:00:00.001Z' });
    expect(ahead.status).toBe(400);
  });
});

describe('a payment from the balance', () => {
  test('takes what the balance holds, or the given part of it', async () => {
    const { id, customerId } = await anInvoice();
    const low = await pay(id, { method: 'BALANCE' });
    expect([low.status, low.body]).toEqual([409, { error: 'Balance is too low' }]);
    await adjust(customerId, 549);
    expect(await paid(id, { method: 'BALANCE', amount: 49 })).toMatchObject({
      ...{ amount: 49, provider: 'balance', method: 'BALANCE', status: 'SUCCEEDED' },
    });
    await paid(id, { method: 'BALANCE' });
    expect(await read(id)).toMatchObject({
      ...{ status: 'OPEN', amountPaid: 549, balanceApplied: 0, amountDue: 2902 },
      payments: [{ amount: 49 }, { amount: 500 }],
    });
    await adjust(customerId, 5000);
    await paid(id, { method: 'BALANCE' });
    expect(await read(id)).toMatchObject({ status: 'PAID', amountPaid: 3451 });
    expect(await ledgerOf(customerId)).toEqual([
      ['ADJUSTMENT', 549],
      ['PAYMENT', -49],
      ['PAYMENT', -500],
      ['ADJUSTMENT', 5000],
      ['PAYMENT', -2902],
    ]);
  });
});

describe('an invoice with a payment', () => {
  test('cannot be voided', async () => {
    const { id } = await anInvoice();
    await paid(id, { amount: 1 });
    const answer = await api.post(`/invoices/${id}/void`);
    const error = 'Invoice has payments or credit notes';
    expect([answer.status, answer.body]).toEqual([409, { error }]);
  });

  test('stays open and payable when its subscription is canceled at once', async () => {
    const { id, latestInvoiceId } = await subscribe(await aCustomer());
    await paid(latestInvoiceId, { amount: 1 });
    await api.expect(200, api.post(`/subscriptions/${id}/cancel`));
    await api.advanceTo(startsAt);
    expect(await read(latestInvoiceId)).toMatchObject({ status: 'OPEN', amountDue: 3450 });
    await paid(latestInvoiceId, {});
    expect(await read(latestInvoiceId)).toMatchObject({ status: 'PAID' });
  });
});

describe('writing an invoice off', () => {
  test('ends the debt and heals the subscription, and the invoice can still be paid', async () => {
    const customerId = await aCustomer({ collectionMethod: 'CHARGE_AUTOMATICALLY' });
    const { id, latestInvoiceId } = await subscribe(customerId, declined(customerId));
    const answer = await mark(latestInvoiceId);
    expect(answer.headers.get('etag')).toMatch(/^"\d+"$/);
    expect(answer.body).toMatchObject({ status: 'UNCOLLECTIBLE', amountDue: 0 });
    await api.advanceTo(startsAt);
    expect(await api.expect(200, api.get(`/subscriptions/${id}`))).toMatchObject({
      ...{ status: 'ACTIVE', entitled: false, cancelReason: null },
    });
    expect((await mark(latestInvoiceId)).body).toEqual({ error: 'Invoice is not open' });
    await paid(latestInvoiceId, { method: 'CASH', amount: 451 });
    expect(await read(latestInvoiceId)).toMatchObject({ status: 'UNCOLLECTIBLE', amountPaid: 451 });
    await paid(latestInvoiceId, { method: 'CASH' });
    expect(await read(latestInvoiceId)).toMatchObject({ status: 'PAID', paidAt: startsAt });
    await api.advanceTo(startsAt);
    const settled = await api.expect(200, api.get(`/subscriptions/${id}`));
    expect(settled).toMatchObject({ status: 'ACTIVE', entitled: true });
  });

  test('is refused for a stale version', async () => {
    const { id } = await anInvoice();
    expect((await mark(id, { 'If-Match': '"999"' })).status).toBe(412);
    expect(await read(id)).toMatchObject({ status: 'OPEN' });
  });
});

// Last, because it advances the clock.
test('a part payment is recorded at the instant of a retry before the rest is charged (M12), and an overpaid invoice that was overdue heals its subscription', async () => {
  const charged = await aCustomer({ collectionMethod: 'CHARGE_AUTOMATICALLY' });
  const subscription = await subscribe(charged, declined(charged));
  const sent = await subscribe(await aCustomer());
  const retryAt = '2026-02-03T00:00:00.000Z';
  await paid(subscription.latestInvoiceId, { amount: 1000 });
  await api.advanceTo(retryAt);
  expect(await read(subscription.latestInvoiceId)).toMatchObject({
    payments: [
      { status: 'FAILED', amount: 3451 },
      { status: 'SUCCEEDED', amount: 1000 },
      { status: 'FAILED', amount: 2451 },
    ],
  });
  await api.advanceTo(dueDate);
  const late = () => api.expect(200, api.get(`/subscriptions/${sent.id}`));
  expect(await late()).toMatchObject({ status: 'PAST_DUE' });
  await paid(sent.latestInvoiceId, { amount: 451, method: 'CHECK' });
  expect(await late()).toMatchObject({ status: 'PAST_DUE' });
  // The second period began in the meantime; its invoice is not due yet.
  await paid(sent.latestInvoiceId, { amount: 4000, method: 'OTHER' });
  await api.advanceTo(dueDate);
  expect(await late()).toMatchObject({ status: 'ACTIVE' });
  await api.advanceTo('2026-03-31T00:00:00.000Z');
  const renewed = await invoiceOf(await late());
  expect(renewed).toMatchObject({ status: 'OPEN', balanceApplied: 1000, amountDue: 2451 });
});
