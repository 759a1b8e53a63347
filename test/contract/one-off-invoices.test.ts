import type { ApiClient } from '../support/api-client';
import { unknownId } from '../support/patterns';
import { PersistentClient } from '../support/persistent-client';
import { joinTestSystem } from '../support/shared-system';

const startsAt = '2026-01-31T00:00:00.000Z';
const lines = [
  { description: 'Installation', quantity: '1.5', unitAmount: '333' },
  { description: 'Goodwill', amount: -50, metadata: { 'a.b': 1 } },
];

let api: ApiClient;

beforeAll(async () => {
  api = await (await joinTestSystem()).live.manualSandbox(startsAt);
});

async function aCustomer(customer: object = {}): Promise<string> {
  const body = { email: 'a@b.co', collectionMethod: 'SEND_INVOICE', currency: 'USD', ...customer };
  return (await api.expect(201, api.post('/customers', body))).id;
}

const create = async (body: object = {}): Promise<any> =>
  api.expect(201, api.post('/invoices', { customerId: await aCustomer(), lines, ...body }));
const read = (id: string): Promise<any> => api.expect(200, api.get(`/invoices/${id}`));
const finalize = (id: string, headers?: Record<string, string>) =>
  api.post(`/invoices/${id}/finalize`, {}, headers);
const patch = (id: string, body: object) => api.request('PATCH', `/invoices/${id}`, { body });

describe('a draft', () => {
  test('has no number and no page, and shows its amounts', async () => {
    const customerId = await aCustomer();
    const terms = { netDays: 14, memo: 'Thank you\nfor your order', purchaseOrder: 'PO-7' };
    const body = { customerId, lines, ...terms, metadata: { k: 1 } };
    const answer = await api.post('/invoices', body);
    const { id } = answer.body;
    expect([answer.status, answer.headers.get('location')]).toEqual([201, `/v1/invoices/${id}`]);
    expect(answer.body).toMatchObject({
      ...{ customerId, status: 'DRAFT', number: null, billingReason: 'MANUAL', hostedUrl: null },
      ...{ subscriptionId: null, periodStart: null, currency: 'USD', metadata: { k: 1 } },
      ...{ collectionMethod: 'SEND_INVOICE', subtotal: 450, tax: 0, total: 450, amountDue: 0 },
      ...{ memo: terms.memo, purchaseOrder: 'PO-7', dueDate: null, discounts: [], payments: [] },
      lineItems: [
        { description: 'Installation', quantity: '1.5', unitAmount: '333', amount: 500 },
        { description: 'Goodwill', quantity: '1', unitAmount: null, amount: -50 },
      ],
    });
    expect(answer.body.lineItems[1].metadata).toEqual({ 'a.b': 1 });
    expect(await read(id)).toEqual(answer.body);
    const pdf = await api.get(`/invoices/${id}/pdf`);
    expect([pdf.status, pdf.body]).toEqual([409, { error: 'Invoice is not finalised' }]);
    const { data } = await api.expect(200, api.get(`/invoices?customerId=${customerId}`));
    expect(data).toEqual([answer.body]);
  });

  test('is changed, and its lines are replaced as a whole', async () => {
    const { id } = await create({ memo: 'x' });
    const changes = { lines: [{ description: 'Other', amount: 700 }], memo: null, netDays: 0 };
    const changed = await api.expect(200, patch(id, changes));
    expect(changed).toMatchObject({ total: 700, memo: null, lineItems: [{ amount: 700 }] });
    const opened = await api.expect(200, finalize(id));
    expect(opened).toMatchObject({ status: 'OPEN', dueDate: startsAt });
  });

  test('is deleted without a gap in the numbers', async () => {
    const { id } = await create();
    expect((await api.request('DELETE', `/invoices/${id}`)).status).toBe(204);
    await api.expect(404, api.get(`/invoices/${id}`));
    await api.expect(404, patch(id, { memo: 'x' }));
    await api.expect(404, finalize(id));
    await api.expect(404, api.request('DELETE', `/invoices/${id}`));
    const after = await Promise.all([create({ finalize: true }), create({ finalize: true })]);
    const { data } = await api.expect(200, api.get('/invoices?perPage=100'));
    const numbers = data.flatMap(({ number }: any) => number ?? []).toSorted();
    expect(numbers).toEqual(numbers.map((_: unknown, index: number) => numberAt(index)));
    expect(after.every(({ number }) => numbers.includes(number))).toBe(true);
  });

  test.each<[body: object, error: object]>([
    [{ lines: [] }, { lines: ['Required'] }],
    [{ lines: [{ description: 'x' }] }, { lines: ['0.amount: Either amount or unitAmount'] }],
    [{ lines: [{ description: 'x', amount: -1 }] }, { lines: ['Total must not be negative'] }],
    [{ lines: [{ description: '', amount: 1 }] }, { lines: ['0.description: Required'] }],
    [{ netDays: 366 }, { netDays: [expect.any(String)] }],
    [{ currency: 'XXX' }, { currency: ['Invalid currency'] }],
    [{ memo: 'x'.repeat(501) }, { memo: ['Must be at most 500 characters'] }],
  ])('with %j is refused', async (body, error) => {
    const customerId = await aCustomer();
    const answer = await api.post('/invoices', { customerId, lines, ...body });
    expect([answer.status, Object.keys(answer.body.error)]).toEqual([400, Object.keys(error)]);
    if (!('lines' in body && Array.isArray(body.lines) && body.lines.length === 0)) {
      expect(answer.body).toEqual({ error });
    }
  });

  test('in another currency than that of an earlier invoice is refused', async () => {
    const customerId = await aCustomer();
    await create({ customerId, currency: 'eur' });
    const answer = await api.post('/invoices', { customerId, lines, currency: 'USD' });
    const problem = "Currency USD differs from the customer's, EUR";
    expect([answer.status, answer.body]).toEqual([400, { error: { currency: [problem] } }]);
  });

  test.each([unknownId, 'x'])('of the unknown customer %s is 404', async (customerId) => {
    const answer = await api.post('/invoices', { customerId, lines });
    expect([answer.status, answer.body]).toEqual([404, { error: 'Customer not found' }]);
  });
});

describe('a finalized invoice', () => {
  test('is numbered, and no draft any more', async () => {
    const { id } = await create({ netDays: 14 });
    expect((await finalize(id, { 'If-Match': '"9"' })).status).toBe(412);
    const opened = await api.expect(200, finalize(id));
    expect(opened).toMatchObject({
      ...{ status: 'OPEN', amountDue: 450, dueDate: '2026-02-14T00:00:00.000Z' },
      number: expect.stringMatching(/^INV-\d{6}$/),
      hostedUrl: expect.any(String),
    });
    for (const refused of [
      await finalize(id),
      await patch(id, { memo: 'x' }),
      await api.request('DELETE', `/invoices/${id}`),
    ]) {
      expect([refused.status, refused.body]).toEqual([409, { error: 'Invoice is not a draft' }]);
    }
    const found = async (query: string) =>
      (await api.expect(200, api.get(`/invoices?${query}`))).data.map((one: any) => one.id);
    expect(await found(`number=${opened.number}`)).toEqual([id]);
    expect(await found(`customerId=${opened.customerId}&billingReason=MANUAL`)).toEqual([id]);
    expect(await found(`customerId=${opened.customerId}&billingReason=CHECKOUT`)).toEqual([]);
  });

  test('is created and numbered once for its key', async () => {
    const body = { customerId: await aCustomer(), lines, finalize: true };
    const headers = { 'Idempotency-Key': `one-off-${body.customerId}` };
    const [first, again] = [
      await api.post('/invoices', body, headers),
      await api.post('/invoices', body, headers),
    ];
    expect([first.status, first.body.status]).toEqual([201, 'OPEN']);
    expect(again.body).toEqual(first.body);
    const { total } = await api.expect(200, api.get(`/invoices?customerId=${body.customerId}`));
    expect(total).toBe(1);
  });

  test('takes the balance, and is paid in parts', async () => {
    const customerId = await aCustomer();
    const entry = { customerId, amount: 100, description: 'Goodwill' };
    await api.expect(201, api.post('/balance-entries', entry));
    const { id, amountDue } = await create({ customerId, finalize: true });
    expect(amountDue).toBe(350);
    const pay = (amount: number) => ({ amount, method: 'CASH' });
    await api.expect(201, api.post(`/invoices/${id}/payments`, pay(50)));
    await api.expect(201, api.post(`/invoices/${id}/payments`, pay(300)));
    expect(await read(id)).toMatchObject({ status: 'PAID', balanceApplied: 100, amountPaid: 350 });
  });

  test('of 0 is paid at once', async () => {
    const free = [{ description: 'Free', amount: 0 }];
    expect(await create({ lines: free, finalize: true })).toMatchObject({
      ...{ status: 'PAID', paidAt: startsAt, payments: [] },
    });
  });
});

test('20 finalizations, changes and deletions at once: one of them wins', async () => {
  const { id } = await create();
  const persistent = new PersistentClient(api);
  const outcomes = await Promise.all(
    Array.from({ length: 20 }, (_, index) => {
      const headers = { 'Idempotency-Key': `race-${String(index)}-${String(id)}` };
      return persistent.answer(() =>
        index % 2 === 0
          ? finalize(id, headers)
          : api.request('DELETE', `/invoices/${id}`, { headers }),
      );
    }),
  );
  const won = outcomes.filter(({ status }) => status < 300);
  expect(won).toHaveLength(1);
  expect(outcomes.every(({ status }) => [200, 204, 404, 409].includes(status))).toBe(true);
  const { status } = await api.get(`/invoices/${id}`);
  expect(status).toBe(won[0]?.status === 204 ? 404 : 200);
});

// Last, because it advances the clock.
test('an invoice without a card goes through dunning to UNCOLLECTIBLE, and cash pays it later', async () => {
  const customerId = await aCustomer();
  const collectionMethod = 'CHARGE_AUTOMATICALLY';
  const { id } = await create({ customerId, collectionMethod, finalize: true });
  const draft = await create({ customerId });
  expect(await read(id)).toMatchObject({ status: 'OPEN', dueDate: null, payments: [] });
  await api.advanceTo('2026-02-20T00:00:00.000Z');
  const lost = await read(id);
  expect(lost).toMatchObject({ status: 'UNCOLLECTIBLE', amountDue: 0 });
  expect(lost.payments.map(({ failureCode }: any) => failureCode)).toEqual(
    Array(4).fill('no_payment_method'),
  );
  await api.expect(201, api.post(`/invoices/${id}/payments`, { method: 'CASH' }));
  expect(await read(id)).toMatchObject({ status: 'PAID', amountPaid: 450 });
  expect(await read(draft.id)).toEqual(draft);
});

test('a card that fails at each retry leads to UNCOLLECTIBLE, and cash pays it later', async () => {
  const customerId = await aCustomer({ collectionMethod: 'CHARGE_AUTOMATICALLY' });
  const price = { type: 'FLAT', currency: 'USD', amount: 2900, billingInterval: 'MONTHLY' };
  const product = await api.expect(201, api.post('/products', { name: 'Pro', ...price }));
  const authorizedTransactionId = 'txn_4000000000000341';
  const order = { customerId, productId: product.id as string, authorizedTransactionId };
  await api.expect(201, api.post('/subscriptions', order));
  const { now } = await api.expect(200, api.get('/sandboxes/clock'));
  const { id } = await create({
    ...{ customerId, collectionMethod: 'CHARGE_AUTOMATICALLY', finalize: true },
  });
  const dayAfter = (days: number) =>
    new Date(Date.parse(now as string) + days * 86_400_000).toISOString();
  const attempts = [0, 3, 7, 14].map((days) => ({
    ...{ status: 'FAILED', failureCode: 'card_declined', createdAt: dayAfter(days) },
  }));
  await api.advanceTo(dayAfter(13));
  expect(await read(id)).toMatchObject({ status: 'OPEN', payments: attempts.slice(0, 3) });
  await api.advanceTo(dayAfter(15));
  expect(await read(id)).toMatchObject({ status: 'UNCOLLECTIBLE', payments: attempts });
  await api.expect(201, api.post(`/invoices/${id}/payments`, { method: 'CASH' }));
  expect(await read(id)).toMatchObject({ status: 'PAID', amountPaid: 450 });
});

function numberAt(index: number): string {
  return `INV-${String(index + 1).padStart(6, '0')}`;
}
