import { ApiClient } from '../support/api-client';
import { newAddress, OperatorClient } from '../support/operator-client';
import { card, Payer } from '../support/payer';
import { cards } from '../scenario/scenario';
import { joinTestSystem, type TestSystem } from '../support/shared-system';

const startMs = 600_000;
const noOverview = {
  firstCallMade: false,
  mrr: [],
  subscriptions: { trialing: 0, active: 0, pastDue: 0 },
  renewalsToday: 0,
  failedWebhooks: 0,
  failedWebhooksIsMore: false,
};

let system: TestSystem;
let client: ApiClient;
let operator: OperatorClient;

beforeAll(async () => {
  system = await joinTestSystem();
  const input = { name: 'figures', clock: 'MANUAL', startsAt: '2026-01-31T00:00:00.000Z' };
  const sandbox = await system.live.expect(201, system.live.post('/sandboxes', input));
  client = new ApiClient(system.gatewayUrl, sandbox.key as string);
  const owner = await OperatorClient.owner(system, newAddress());
  operator = (await owner.colleague('VIEWER')).in(sandbox.id as string);
}, startMs);

const report = async (path: string): Promise<any> => {
  const { status, body } = await operator.api('GET', `/reports/${path}`);
  expect([path, status]).toEqual([path, 200]);
  return body;
};
const made = (path: string, input: object) => client.expect(201, client.post(path, input));
const advanceTo = (day: string) => client.advanceTo(`${day}T00:00:00.000Z`);

async function product(input: object): Promise<string> {
  const plan = { type: 'FLAT', currency: 'USD', billingInterval: 'MONTHLY', ...input };
  return (await made('/products', { name: 'Pro', ...plan })).id as string;
}

async function customer(): Promise<string> {
  return (await made('/customers', { email: 'ada@example.com' })).id as string;
}

async function subscribe(
  productId: string,
  { paidBy = cards.good, ...input }: { paidBy?: string; startAt?: string } = {},
): Promise<any> {
  const customerId = await customer();
  const authorizedTransactionId = `${paidBy}_${customerId}`;
  const order = { customerId, productId, authorizedTransactionId, ...input };
  const { id } = await made('/subscriptions', order);
  await client.untilIdle();
  return client.expect(200, client.get(`/subscriptions/${String(id)}`));
}

// Computes the figures of the overview from the public API.
async function recount() {
  const all = await client.all('/subscriptions');
  const running = all.filter(({ phase }) => phase === 'REGULAR');
  return {
    trialing: all.filter(({ phase }) => phase === 'TRIAL').length,
    active: running.filter(({ status }) => status === 'ACTIVE').length,
    pastDue: running.filter(({ status }) => status === 'PAST_DUE').length,
  };
}

async function expectRecounted(): Promise<any> {
  const overview = await report('overview');
  expect(overview.subscriptions).toEqual(await recount());
  return overview;
}

const mrrOf = ({ mrr }: any) => mrr.map(({ currency, amount }: any) => [currency, amount]);

test('reports follow subscriptions from their trial to their end, month by month', async () => {
  expect(await report('overview')).toEqual({ now: '2026-01-31T00:00:00.000Z', ...noOverview });
  expect(await report('revenue?months=3')).toEqual({ data: [] });

  const monthly = await product({ amount: 2999 });
  const yearly = await product({ currency: 'EUR', amount: 10_000, billingInterval: 'YEARLY' });
  const trial = await product({ amount: 700, billingInterval: 'WEEKLY', trialDays: 14 });
  const kept = await subscribe(monthly);
  await subscribe(yearly, { startAt: '2026-02-10T00:00:00.000Z' });
  await subscribe(trial);
  await subscribe(monthly, { paidBy: cards.failsTwice });
  await subscribe(monthly, { paidBy: cards.failsWhenSaved });
  expect(await expectRecounted()).toMatchObject({
    firstCallMade: true,
    mrr: [{ currency: 'USD', amount: 3 * 2999 }],
    subscriptions: { trialing: 1, active: 3, pastDue: 0 },
  });

  await advanceTo('2026-02-10');
  const begun = await expectRecounted();
  // A twelfth of 100.00 a year.
  expect(mrrOf(begun)).toEqual([
    ['EUR', 833],
    ['USD', 3 * 2999],
  ]);
  await advanceTo('2026-02-14');
  // 52 weeks of 7.00 in a year.
  expect(mrrOf(await expectRecounted())).toContainEqual(['USD', 3 * 2999 + 3033]);
  expect(await report('overview')).toMatchObject({ renewalsToday: 0 });

  await advanceTo('2026-02-27');
  expect(await report('overview')).toMatchObject({ renewalsToday: 0 });
  await advanceTo('2026-02-28');
  expect((await expectRecounted()).subscriptions).toEqual({ trialing: 0, active: 3, pastDue: 2 });
  await advanceTo('2026-03-14');
  expect((await expectRecounted()).subscriptions).toEqual({ trialing: 0, active: 4, pastDue: 0 });
  await client.expect(
    200,
    client.post(`/subscriptions/${kept.id as string}/cancel`, { atPeriodEnd: true }),
  );
  await advanceTo('2026-04-01');
  expect((await expectRecounted()).subscriptions).toEqual({ trialing: 0, active: 3, pastDue: 0 });

  const { data } = await report('revenue?months=4');
  const still = { expansion: 0, contraction: 0, reactivation: 0 };
  const none = { ...still, new: 0, churned: 0, started: 0, ended: 0 };
  expect(data).toEqual([
    {
      currency: 'EUR',
      months: [
        { month: '2026-01', ...none, mrr: 0 },
        { month: '2026-02', ...none, new: 833, mrr: 833, started: 1 },
        { month: '2026-03', ...none, mrr: 833 },
        { month: '2026-04', ...none, mrr: 833 },
      ],
    },
    {
      currency: 'USD',
      months: [
        { month: '2026-01', ...none, new: 8997, mrr: 8997, started: 3 },
        { month: '2026-02', ...none, new: 3033, mrr: 12_030, started: 1 },
        { month: '2026-03', ...none, churned: 5998, mrr: 6032, ended: 2 },
        { month: '2026-04', ...none, mrr: 6032 },
      ],
    },
  ]);
});

test('dunning reports the result of each failure', async () => {
  const none = { first: 0, second: 0, third: 0, later: 0, otherwise: 0 };
  expect(await report('dunning?days=90')).toEqual({
    failed: 2,
    recovered: { ...none, second: 1 },
    open: 0,
    uncollectible: 1,
    voided: 0,
    amounts: [
      {
        currency: 'USD',
        failed: 5998,
        recovered: { ...none, second: 2999 },
        open: 0,
        uncollectible: 2999,
        voided: 0,
      },
    ],
  });
});

test("the funnel reports the results of a day's sessions", async () => {
  const productId = await product({ amount: 500 });
  const session = async () => made('/checkout', { customerId: await customer(), productId });
  const [paid] = [await session(), await session()];
  const payer = new Payer(system.gatewayUrl);
  await payer.submit(await payer.open(paid.checkoutUrl as string), card());
  await client.untilIdle();
  const today = { day: '2026-04-01', created: 2, completed: 1, expired: 0 };
  expect(await report('checkout?days=1')).toEqual({
    days: [today],
    created: 2,
    completed: 1,
    expired: 0,
    open: 1,
  });
  await advanceTo('2026-04-03');
  const { days, ...sums } = await report('checkout?days=3');
  const nothing = { created: 0, completed: 0, expired: 0 };
  expect(days).toEqual([
    { ...today, expired: 1 },
    { day: '2026-04-02', ...nothing },
    { day: '2026-04-03', ...nothing },
  ]);
  expect(sums).toEqual({ created: 2, completed: 1, expired: 1, open: 0 });
  expect((await expectRecounted()).subscriptions.active).toBe(4);

  const { body } = await operator.api('GET', `/checkout-sessions?productId=${productId}`);
  const common = { product: { id: productId, name: 'Pro' }, total: 500, currency: 'USD' };
  expect([body.total, body.data]).toMatchObject([
    2,
    [
      {
        ...common,
        status: 'EXPIRED',
        endReason: 'EXPIRED',
        customer: { email: 'ada@example.com' },
      },
      { ...common, status: 'COMPLETE', endReason: null, id: paid.sessionId },
    ],
  ]);
});

test('checkout sessions are listed by status and link, with the reason of their end', async () => {
  const productId = await product({ amount: 700 });
  const link = await made('/checkout-links', { label: 'Spring', productIds: [productId] });
  const input = { customerId: await customer(), productId };
  const withdrawn = await made('/checkout', { ...input, checkoutLinkId: link.id });
  const other = await made('/checkout', { ...input, productId: await product({ amount: 800 }) });
  await client.expect(
    200,
    client.request('PATCH', `/products/${productId}`, { body: { active: false } }),
  );
  await client.expect(200, client.get(`/checkout/${withdrawn.sessionId as string}`));
  await client.untilIdle();
  const listed = async (query: string) => {
    const { status, body } = await operator.api('GET', `/checkout-sessions?${query}`);
    return status === 200 ? body.data : [status, body.error];
  };
  expect(await listed(`checkoutLinkId=${link.id as string}`)).toMatchObject([
    { id: withdrawn.sessionId, status: 'EXPIRED', endReason: 'WITHDRAWN' },
  ]);
  expect(await listed('status=OPEN')).toMatchObject([{ id: other.sessionId, endReason: null }]);
  expect((await listed('order=asc&perPage=1'))[0].id).not.toBe(other.sessionId);
  expect(await listed('checkoutLinkId=unknown')).toEqual([]);
  expect(await listed('status=PAID')).toEqual([
    400,
    { status: ['Must be one of OPEN, COMPLETE, EXPIRED'] },
  ]);
});

test('invoices at risk have their failures and next charge until they are paid or voided', async () => {
  const productId = await product({ amount: 4200, billingInterval: 'YEARLY' });
  const failed = await subscribe(productId, { paidBy: cards.declined });
  const sent = await made('/customers', { email: 'a@b.co', collectionMethod: 'SEND_INVOICE' });
  await made('/subscriptions', { customerId: sent.id, productId });
  await client.untilIdle();
  const atRisk = async (query = ''): Promise<any> =>
    (await operator.api('GET', `/invoices-at-risk${query}`)).body;
  const entry = {
    id: failed.latestInvoiceId,
    invoice: { amountDue: 4200, lastPaymentError: { code: 'card_declined' } },
    failures: 1,
    nextAttemptAt: '2026-04-06T00:00:00.000Z',
    laterAttempts: 2,
    firstFailedAt: '2026-04-03T00:00:00.000Z',
    awaitsProvider: false,
  };
  expect(await atRisk()).toMatchObject({ total: 1, data: [entry] });
  const one = await operator.api('GET', `/invoices/${failed.latestInvoiceId}/collection`);
  expect(one.body).toMatchObject(entry);
  expect(await atRisk('?kind=OVERDUE')).toMatchObject({ total: 0, data: [] });

  await advanceTo('2026-05-04');
  expect(await atRisk()).toMatchObject({
    total: 1,
    data: [{ invoice: { customerId: sent.id }, failures: 0, nextAttemptAt: null }],
  });
  const [{ id }] = (await atRisk('?kind=OVERDUE')).data;
  await client.expect(200, client.post(`/invoices/${id as string}/void`, {}));
  expect(await atRisk()).toMatchObject({ total: 0 });
  expect((await operator.api('GET', '/invoices/unknown/collection')).status).toBe(404);
});

test('a report refuses too long a span, an unknown environment, and a caller who is not signed in', async () => {
  for (const path of [
    'revenue?months=121',
    'revenue?months=x',
    'checkout?days=0',
    'dunning?days=401',
  ]) {
    const { status, body } = await operator.api('GET', `/reports/${path}`);
    expect([path, status, Object.keys(body.error)]).toEqual([
      path,
      400,
      [path.startsWith('revenue') ? 'months' : 'days'],
    ]);
  }
  const stranger = new OperatorClient(system.gatewayUrl, operator.environmentId);
  expect((await stranger.api('GET', '/reports/overview')).status).toBe(401);
  const elsewhere = operator.in('01900000-0000-7000-8000-000000000000');
  expect((await elsewhere.api('GET', '/reports/overview')).status).toBe(404);
});
