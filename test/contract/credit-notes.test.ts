import type { ApiClient } from '../support/api-client';
import { product, unknownId } from '../support/patterns';
import { PersistentClient } from '../support/persistent-client';
import { joinTestSystem } from '../support/shared-system';

const startsAt = '2026-01-31T00:00:00.000Z';

let api: ApiClient;
let sold: any;

beforeAll(async () => {
  api = await (await joinTestSystem()).live.manualSandbox(startsAt);
  const priced = { ...product, trialDays: null, amount: 3451 };
  sold = await api.expect(201, api.post('/products', priced));
});

async function aCustomer(customer: object = {}): Promise<string> {
  const body = { email: 'a@b.co', currency: sold.currency, ...customer };
  return (await api.expect(201, api.post('/customers', body))).id;
}

/** An invoice of 3451 that is paid by card. */
async function paidBy(card = '4242424242424242', customer?: string): Promise<any> {
  const customerId = customer ?? (await aCustomer());
  const authorizedTransactionId = `txn_${card}_${customerId}`;
  const body = { customerId, productId: sold.id, authorizedTransactionId };
  const { latestInvoiceId } = await api.subscribe(body);
  return read(latestInvoiceId);
}

/** An open invoice that is sent, with lines of the amounts. */
async function sent(...amounts: number[]): Promise<any> {
  const customerId = await aCustomer({ collectionMethod: 'SEND_INVOICE' });
  const lines = amounts.map((amount) => ({ description: 'Work', amount }));
  return api.expect(201, api.post('/invoices', { customerId, lines, finalize: true }));
}

const read = (id: string): Promise<any> => api.expect(200, api.get(`/invoices/${id}`));
const credit = (invoiceId: string, body: object = {}, headers?: Record<string, string>) =>
  api.post('/credit-notes', { invoiceId, reason: 'OTHER', ...body }, headers);
const credited = (invoiceId: string, body: object = {}): Promise<any> =>
  api.expect(201, credit(invoiceId, body));
const settle = (id: string, body: object) => api.post(`/refunds/${id}/settle`, body);
const pay = (id: string, amount?: number) =>
  api.expect(201, api.post(`/invoices/${id}/payments`, { method: 'CASH', amount }));
const balanceOf = async (customerId: string): Promise<number | undefined> =>
  (await api.expect(200, api.get(`/balances?customerId=${customerId}`))).data[0]?.balance;
const list = async (path: string): Promise<any[]> => (await api.expect(200, api.get(path))).data;

describe('a credit note', () => {
  test('M4: of parts refunds the card, until nothing is left', async () => {
    const { id, customerId, lineItems } = await paidBy();
    const memo = 'Sorry\nfor the outage';
    const answer = await credit(id, { amount: 1000, settle: 'REFUND', memo, metadata: { k: 1 } });
    const [note] = await list(`/credit-notes?invoiceId=${id}`);
    expect([answer.status, answer.headers.get('location')]).toEqual([
      201,
      `/v1/credit-notes/${String(note.id)}`,
    ]);
    expect(answer.body).toMatchObject({
      ...{ invoiceId: id, customerId, status: 'ISSUED', reason: 'OTHER', memo },
      ...{ number: expect.stringMatching(/^CN-\d{6}$/), metadata: { k: 1 }, issuedAt: startsAt },
      ...{ subtotal: 1000, tax: 0, total: 1000, currency: sold.currency },
      ...{ reduced: 0, toBalance: 0, refunded: 1000, external: 0, unsettled: 0 },
      lines: [{ lineItemId: lineItems[0].id, amount: 1000, taxAmount: 0, total: 1000 }],
      refunds: [{ status: 'SUCCEEDED', amount: 1000, attempt: 1, provider: 'sandbox' }],
    });
    expect(note).toEqual(answer.body);
    expect(await api.expect(200, api.get(`/credit-notes/${String(note.id)}`))).toEqual(note);
    await credited(id, { amount: 1000, settle: 'REFUND' });
    expect((await credited(id, { settle: 'REFUND' })).refunds).toMatchObject([{ amount: 1451 }]);
    const fourth = await credit(id);
    expect([fourth.status, fourth.body]).toEqual([409, { error: 'More than what is left' }]);
    expect(fourth.headers.get('error-code')).toBe('conflict');
    expect(await read(id)).toMatchObject({
      ...{ status: 'PAID', amountPaid: 3451, amountDue: 0, amountReduced: 0 },
      ...{ amountCredited: 3451, amountRefunded: 3451 },
      creditNoteIds: [note.id, expect.any(String), expect.any(String)],
      payments: [{ amount: 3451, amountRefunded: 3451, disputeId: null }],
    });
    const refunds = await list(`/refunds?customerId=${customerId}&status=SUCCEEDED`);
    expect(refunds.map(({ amount }) => amount).sort()).toEqual([1000, 1000, 1451]);
    const { id: refundId } = refunds[0];
    expect(await api.expect(200, api.get(`/refunds/${String(refundId)}`))).toEqual(refunds[0]);
    const settled = await settle(refundId, { to: 'BALANCE' });
    expect([settled.status, settled.body]).toEqual([409, { error: 'Refund has not failed' }]);
  });

  test('M5: of an amount is spread over the lines', async () => {
    const { id } = await sent(396, 396, 396);
    const { lines } = await credited(id, { amount: 1000 });
    expect(lines.map(({ total }: any) => total)).toEqual([334, 333, 333]);
  });

  test('M6: lowers what is owed, and the rest goes to the balance', async () => {
    const { id, customerId } = await sent(3451);
    await pay(id, 2000);
    const refused = await credit(id, { settle: 'REFUND' });
    expect([refused.status, refused.body]).toEqual([
      409,
      { error: 'More than what can be refunded' },
    ]);
    expect(await credited(id)).toMatchObject({ reduced: 1451, toBalance: 2000 });
    expect(await read(id)).toMatchObject({
      ...{ status: 'PAID', amountDue: 0, amountPaid: 2000, amountReduced: 1451, paidAt: startsAt },
    });
    expect(await balanceOf(customerId)).toBe(2000);
    const [entry] = await list(`/balance-entries?customerId=${customerId}`);
    expect(entry).toMatchObject({ kind: 'CREDIT_NOTE', amount: 2000, invoiceId: id });
  });

  test('M8: refunds only what came by card', async () => {
    const customerId = await aCustomer({ collectionMethod: 'CHARGE_AUTOMATICALLY' });
    const entry = { customerId, amount: 549, description: 'Goodwill' };
    await api.expect(201, api.post('/balance-entries', entry));
    const body = { customerId, productId: sold.id };
    const { latestInvoiceId: id } = await api.subscribe(body);
    const authorizedTransactionId = `txn_${customerId}`;
    await api.expect(200, api.post(`/invoices/${String(id)}/pay`, { authorizedTransactionId }));
    await api.expect(409, credit(id, { settle: 'REFUND' }));
    expect(await credited(id)).toMatchObject({ toBalance: 3451, refunded: 0 });
    expect(await balanceOf(customerId)).toBe(3451);
  });

  test('M11: heals a subscription that is past due', async () => {
    const customerId = await aCustomer();
    const authorizedTransactionId = `txn_4000000000000002_${customerId}`;
    const body = { customerId, productId: sold.id, authorizedTransactionId };
    const { id, latestInvoiceId } = await api.subscribe(body);
    const subscription = () => api.expect(200, api.get(`/subscriptions/${String(id)}`));
    expect(await subscription()).toMatchObject({ status: 'PAST_DUE' });
    expect(await credited(latestInvoiceId)).toMatchObject({ reduced: 3451 });
    await api.advanceTo(startsAt);
    expect(await subscription()).toMatchObject({ status: 'ACTIVE' });
    expect(await read(latestInvoiceId)).toMatchObject({ status: 'PAID', amountPaid: 0 });
  });

  test('is issued once for its key, and of twenty of the whole one is issued', async () => {
    const { id } = await sent(100);
    const headers = { 'Idempotency-Key': `note-${String(id)}` };
    const answers = [
      await credit(id, { amount: 1 }, headers),
      await credit(id, { amount: 1 }, headers),
    ];
    expect(answers[1]?.body).toEqual(answers[0]?.body);
    const persistent = new PersistentClient(api);
    const all = await Promise.all(
      Array.from({ length: 20 }, (_, index) => {
        const key = { 'Idempotency-Key': `note-${String(id)}-${String(index)}` };
        return persistent.answer(() => credit(id, {}, key));
      }),
    );
    expect(all.map(({ status }) => status).sort()).toEqual([201, ...Array<number>(19).fill(409)]);
    expect(await read(id)).toMatchObject({ amountCredited: 100, status: 'PAID' });
  });

  test('of lines takes an amount or all that is left of each', async () => {
    const { id, lineItems } = await sent(1000, 500);
    const [first, second] = lineItems.map(({ id: lineItemId }: any) => ({ lineItemId }));
    const note = await credited(id, { lines: [{ ...first, amount: 400 }, second] });
    expect(note.lines.map(({ total }: any) => total)).toEqual([400, 500]);
    expect(await read(id)).toMatchObject({ status: 'OPEN', amountDue: 600, amountReduced: 900 });
    const tooMuch = await api.expect(400, credit(id, { lines: [{ ...first, amount: 601 }] }));
    expect(tooMuch).toEqual({ error: { lines: ['0.amount: More than what is left'] } });
    const voided = await api.post(`/invoices/${String(id)}/void`, {});
    expect([voided.status, voided.body]).toEqual([
      409,
      { error: 'Invoice has payments or credit notes' },
    ]);
  });

  test.each([
    [{ lines: [{ lineItemId: 'x' }] }, { lines: ['0.lineItemId: Line item not found'] }],
    [{ lines: [{ lineItemId: unknownId }], amount: 1 }, { amount: ['Not allowed with lines'] }],
    [{ lines: [] }, { lines: [expect.any(String)] }],
    [{ amount: 0 }, { amount: ['Must be at least 1'] }],
    [{ reason: 'CHANGE' }, { reason: [expect.any(String)] }],
    [{ settle: 'CASH' }, { settle: [expect.any(String)] }],
    [{ memo: 'x'.repeat(501) }, { memo: ['Must be at most 500 characters'] }],
    [{ currency: 'USD' }, { currency: ['Unknown field'] }],
  ])('with %j is refused', async (field, error) => {
    const { id } = await sent(100);
    const answer = await credit(id, field);
    expect([answer.status, answer.body]).toEqual([400, { error }]);
  });

  test('is a PDF with the same bytes each time', async () => {
    const { id } = await sent(3451);
    const { id: noteId, number } = await credited(id);
    const download = async () => {
      const response = await fetch(`${api.gatewayUrl}/v1/credit-notes/${noteId}/pdf`, {
        headers: { Authorization: `Bearer ${api.key ?? ''}` },
      });
      return { response, bytes: Buffer.from(await response.arrayBuffer()) };
    };
    const { response, bytes } = await download();
    expect([response.status, response.headers.get('content-type')]).toEqual([
      200,
      'application/pdf',
    ]);
    expect(response.headers.get('content-disposition')).toBe(`inline; filename="${number}.pdf"`);
    expect(bytes.subarray(0, 5).toString()).toBe('%PDF-');
    expect((await download()).bytes.equals(bytes)).toBe(true);
    for (const unknown of [unknownId, id, 'malformed']) {
      const answer = await api.get(`/credit-notes/${String(unknown)}/pdf`);
      expect([answer.status, answer.body]).toEqual([404, { error: 'Credit note not found' }]);
    }
  });

  test('needs an invoice that is issued', async () => {
    expect((await credit(unknownId)).body).toEqual({ error: 'Invoice not found' });
    const customerId = await aCustomer();
    const lines = [{ description: 'Work', amount: 1 }];
    const draft = await api.expect(201, api.post('/invoices', { customerId, lines }));
    const answer = await credit(draft.id);
    expect([answer.status, answer.body]).toEqual([409, { error: 'Invoice cannot be credited' }]);
    for (const path of ['/credit-notes', '/refunds', '/disputes']) {
      await api.expect(404, api.get(`${path}/${unknownId}`));
      expect(await list(`${path}?customerId=x`)).toEqual([]);
    }
  });
});

describe('a refund', () => {
  test('M9: that fails is settled to the balance', async () => {
    const { id, customerId } = await paidBy('4000000000005134');
    const note = await credited(id, { settle: 'REFUND' });
    expect(note).toMatchObject({ refunded: 0, unsettled: 3451 });
    const [failed] = note.refunds;
    expect(failed).toMatchObject({ status: 'FAILED', failureCode: 'refund_declined' });
    expect(await list(`/refunds?status=FAILED&invoiceId=${String(id)}`)).toEqual([failed]);
    const again = await api.expect(200, settle(failed.id, { to: 'PROVIDER' }));
    expect(again).toMatchObject({ status: 'FAILED', attempt: 2 });
    const reference = 'Agreed by phone';
    const replaced = await api.expect(200, settle(failed.id, { to: 'BALANCE', reference }));
    expect(replaced).toMatchObject({ status: 'REPLACED', replacedBy: 'BALANCE', reference });
    expect(await api.expect(200, api.get(`/credit-notes/${String(note.id)}`))).toMatchObject({
      ...{ unsettled: 0, toBalance: 3451, refunds: [{ status: 'REPLACED' }] },
    });
    expect(await balanceOf(customerId)).toBe(3451);
    const [entry] = await list(`/balance-entries?customerId=${String(customerId)}`);
    expect(entry).toMatchObject({ kind: 'REFUND_REPLACED', refundId: failed.id });
  });

  test('in progress at the provider succeeds a day later', async () => {
    const { id } = await paidBy('4000000000007726');
    const { refunds } = await credited(id, { settle: 'REFUND', amount: 100 });
    expect(refunds).toMatchObject([{ status: 'PENDING', settledAt: null }]);
    const path = `/refunds/${String(refunds[0].id)}`;
    const nextDay = '2026-02-01T00:00:00.000Z';
    await api.advanceTo(nextDay);
    expect(await api.expect(200, api.get(path))).toMatchObject({
      ...{ status: 'SUCCEEDED', settledAt: nextDay },
    });
  });
});

describe('a dispute', () => {
  test.each([
    ['4000000000000259', 'fraudulent', 'LOST'],
    ['4000000000002685', 'product_not_received', 'WON'],
  ])('of the card %s opens a day later, and ends 30 days after that', async (card, reason, end) => {
    const other = await (await joinTestSystem()).live.manualSandbox(startsAt);
    const priced = { ...product, trialDays: null, amount: 3451, billingInterval: 'YEARLY' };
    const { id: productId, currency } = await other.expect(201, other.post('/products', priced));
    const customer = await other.expect(
      201,
      other.post('/customers', { email: 'a@b.co', currency }),
    );
    const body = { customerId: customer.id, productId, authorizedTransactionId: `txn_${card}` };
    const { latestInvoiceId: id } = await other.subscribe(body);
    const disputes = async () => (await other.expect(200, other.get('/disputes'))).data;
    expect(await disputes()).toEqual([]);
    await other.advanceTo('2026-02-01T00:00:00.000Z');
    const [dispute] = await disputes();
    expect(dispute).toMatchObject({
      ...{ invoiceId: id, customerId: customer.id, amount: 3451, currency, reason },
      ...{ status: 'OPEN', provider: 'sandbox', openedAt: '2026-02-01T00:00:00.000Z' },
      ...{ evidenceDueBy: '2026-03-03T00:00:00.000Z', closedAt: null },
    });
    const note = { invoiceId: id, reason: 'OTHER', settle: 'REFUND' };
    expect(await other.expect(409, other.post('/credit-notes', note))).toEqual({
      error: 'More than what can be refunded',
    });
    const { payments } = await other.expect(200, other.get(`/invoices/${String(id)}`));
    expect(payments).toMatchObject([{ disputeId: dispute.id }]);
    await other.advanceTo('2026-03-03T00:00:00.000Z');
    const path = `/disputes/${String(dispute.id)}`;
    expect(await other.expect(200, other.get(path))).toMatchObject({
      ...{ status: end, closedAt: '2026-03-03T00:00:00.000Z' },
    });
    expect((await other.post('/credit-notes', note)).status).toBe(end === 'WON' ? 201 : 409);
  });
});
