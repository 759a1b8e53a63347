import type { ApiClient } from '../support/api-client';
import { product, unknownId } from '../support/patterns';
import { joinTestSystem, type TestSystem } from '../support/shared-system';

const startsAt = '2026-01-31T00:00:00.000Z';
const declined = '4000000000000002';

let system: TestSystem;
let api: ApiClient;
let sold: any;

beforeAll(async () => {
  system = await joinTestSystem();
  api = await system.live.manualSandbox(startsAt);
  sold = await api.expect(201, api.post('/products', { ...product, trialDays: null }));
});

/** Subscribes a new customer; without a transaction no payment method exists. */
async function subscribe(authorizedTransactionId?: string, customer: object = {}): Promise<any> {
  const { id } = await api.expect(201, api.post('/customers', { email: 'a@b.co', ...customer }));
  return api.subscribe({ customerId: id, productId: sold.id, authorizedTransactionId });
}

async function invoiceOf({ latestInvoiceId }: any): Promise<any> {
  return api.expect(200, api.get(`/invoices/${latestInvoiceId}`));
}

const openInvoice = async () => invoiceOf(await subscribe());

describe('an invoice', () => {
  test('has its own page, where it can be paid', async () => {
    const invoice = await openInvoice();
    expect(invoice).toMatchObject({ status: 'OPEN', amountDue: 2900, discounts: [], payments: [] });
    expect(invoice.hostedUrl).toMatch(new RegExp(`^${system.gatewayUrl}/invoice/[\\w-]{43}$`));
  });
});

describe('paying an invoice', () => {
  test('charges an authorized payment once, and returns the paid invoice', async () => {
    const { id } = await openInvoice();
    const answer = await api.post(`/invoices/${id}/pay`, {
      authorizedTransactionId: 'txn_4242424242424242',
    });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('etag')).toMatch(/^"\d+"$/);
    expect(answer.body).toMatchObject({ status: 'PAID', amountPaid: 2900, amountDue: 0 });
    expect(answer.body.payments).toMatchObject([{ status: 'SUCCEEDED', amount: 2900 }]);
  });

  test('answers 200 where the charge is declined, too', async () => {
    const { id } = await openInvoice();
    const body = { authorizedTransactionId: `txn_${declined}` };
    const invoice = await api.expect(200, api.post(`/invoices/${id}/pay`, body));
    expect(invoice).toMatchObject({
      status: 'OPEN',
      amountDue: 2900,
      payments: [{ status: 'FAILED', failureCode: 'card_declined' }],
    });
  });

  test('without a payment and without a method records one more failure', async () => {
    const { id } = await openInvoice();
    const invoice = await api.expect(200, api.post(`/invoices/${id}/pay`));
    expect(invoice.payments).toMatchObject([
      { status: 'FAILED', failureCode: 'no_payment_method', providerPaymentId: null },
    ]);
  });

  test('that is not open is a conflict', async () => {
    const { id } = await invoiceOf(await subscribe('txn_4242424242424242_paid'));
    const { error } = await api.expect(409, api.post(`/invoices/${id}/pay`));
    expect(error).toEqual(expect.any(String));
  });

  test.each([
    [{ authorizedTransactionId: '' }],
    [{ authorizedTransactionId: 'x'.repeat(256) }],
    [{ authorizedTransactionId: 7 }],
  ])('%#: with an invalid transaction is refused', async (body) => {
    const { id } = await openInvoice();
    expect(await api.refusedFields(`/invoices/${id}/pay`, body)).toEqual([
      'authorizedTransactionId',
    ]);
  });

  test('under an idempotency key is done once', async () => {
    const { id } = await openInvoice();
    const pay = () =>
      api.post(
        `/invoices/${id}/pay`,
        { authorizedTransactionId: `txn_${declined}` },
        { 'Idempotency-Key': `pay-${id}` },
      );
    const first = await pay();
    const second = await pay();
    expect(second.headers.get('idempotent-replayed')).toBe('true');
    expect(second.body).toEqual(first.body);
    expect((await api.expect(200, api.get(`/invoices/${id}`))).payments).toHaveLength(1);
  });
});

describe('voiding an invoice', () => {
  test('ends the debt', async () => {
    const { id } = await openInvoice();
    const answer = await api.post(`/invoices/${id}/void`);
    expect([answer.status, answer.body.status, answer.body.amountDue]).toEqual([200, 'VOID', 0]);
    await api.expect(409, api.post(`/invoices/${id}/void`));
    await api.expect(409, api.post(`/invoices/${id}/pay`));
  });

  test('is refused for a stale version', async () => {
    const { id } = await openInvoice();
    const headers = { 'If-Match': '"999"' };
    await api.expect(412, api.post(`/invoices/${id}/void`, {}, headers));
    expect(await api.expect(200, api.get(`/invoices/${id}`))).toMatchObject({ status: 'OPEN' });
  });
});

test.each(['pay', 'void'])('an unknown invoice cannot be found to %s', async (verb) => {
  for (const id of [unknownId, 'malformed']) {
    const { error } = await api.expect(404, api.post(`/invoices/${id}/${verb}`));
    expect(error).toBe('Invoice not found');
  }
});

describe('the PDF of an invoice', () => {
  const read = async (id: string) => {
    const response = await fetch(`${system.gatewayUrl}/v1/invoices/${id}/pdf`, {
      headers: { Authorization: `Bearer ${system.sandboxKey}` },
    });
    return { response, bytes: Buffer.from(await response.arrayBuffer()) };
  };

  test('has the same bytes each time', async () => {
    const { sandbox } = system;
    const create = (path: string, body: object) => sandbox.expect(201, sandbox.post(path, body));
    const customer = await create('/customers', {
      email: 'a@b.co',
      name: 'Фёдор 株式会社 مثال 😀',
    });
    const { id: productId } = await create('/products', { ...product, name: '漢字 Ω' });
    const order = { customerId: customer.id, productId };
    const { latestInvoiceId: id } = await sandbox.subscribe(order);
    const { response, bytes } = await read(id);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/pdf');
    expect(bytes.subarray(0, 5).toString()).toBe('%PDF-');
    expect((await read(id)).bytes.equals(bytes)).toBe(true);
  });

  test('of an unknown invoice is 404', async () => {
    expect(await api.expect(404, api.get(`/invoices/${unknownId}/pdf`))).toEqual({
      error: 'Invoice not found',
    });
  });
});
