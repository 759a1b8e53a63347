import { eventually } from '@billing/chassis/testing';
import type { ApiClient } from '../support/api-client';
import { card, Payer } from '../support/payer';
import { joinTestSystem, type TestSystem } from '../support/shared-system';
import {
  aCustomer,
  aProduct,
  aTaxedShop,
  invoicesOf,
  renewedAt,
  seller,
  setSeller,
  startsAt,
} from './taxed-shop';

let system: TestSystem;

beforeAll(async () => {
  system = await joinTestSystem();
});

const aShop = (changes?: object) => aTaxedShop(system, changes);

/** The invoice of a new subscription. */
async function subscribed(api: ApiClient, customer: object = {}, product?: string): Promise<any> {
  const customerId = await aCustomer(api, customer);
  const productId = product ?? (await aProduct(api));
  await api.subscribe({ customerId, productId });
  return (await invoicesOf(api, customerId))[0];
}

const amountsOf = ({ subtotal, discountAmount, tax, total }: any) => [
  ...[subtotal, discountAmount, tax, total],
];

describe('an invoice of a subscription', () => {
  test('is taxed, and keeps its seller and its buyer (T1)', async () => {
    const api = await aShop();
    const invoice = await subscribed(api, { netDays: 5, buyerReference: 'PO 9' });
    expect(amountsOf(invoice)).toEqual([2900, 0, 551, 3451]);
    expect(invoice).toMatchObject({
      ...{ status: 'OPEN', number: 'RE-2026-000001', amountDue: 3451, finalizedAt: startsAt },
      ...{ dueDate: '2026-03-06T00:00:00.000Z', taxStatus: 'FINAL', pricesIncludeTax: false },
      seller: { legalName: 'Ada GmbH', taxIds: seller.taxIds, version: 1, footer: null },
      buyer: { name: 'Bob', address: { country: 'DE' }, buyerReference: 'PO 9' },
      taxEvidence: [{ kind: 'ADDRESS', value: 'DE', at: startsAt }],
      lineItems: [
        {
          ...{ amount: 2900, pricedAmount: 2900, discountAmount: 0, total: 3451 },
          ...{ taxCategory: 'standard', taxReason: 'STANDARD', taxPercent: '19', taxAmount: 551 },
        },
      ],
    });
    expect(invoice.taxes).toEqual([
      {
        ...{ reason: 'STANDARD', name: 'VAT', country: 'DE', state: null, percent: '19' },
        ...{ base: 2900, amount: 551, legalText: null },
      },
    ]);
    expect(Object.keys(invoice.seller)).not.toContain('invoicePrefix');
  });

  test('stays as it was when seller, rates and customer change; the renewal follows them', async () => {
    const api = await aShop();
    const first = await subscribed(api);
    const { customerId } = first;
    await setSeller(api, { legalName: 'Ada AG', invoicePrefix: 'B-' });
    const rate = { country: 'FR', percent: '5.5', name: 'TVA' };
    await api.expect(201, api.post('/tax-rates', rate));
    const moved = { body: { address: { country: 'FR' } } };
    await api.expect(200, api.request('PATCH', `/customers/${customerId}`, moved));
    await api.advanceTo(renewedAt);
    const [renewal, before] = await invoicesOf(api, customerId);
    expect({ ...before, updatedAt: first.updatedAt }).toEqual(first);
    expect(renewal).toMatchObject({
      ...{ number: 'B-000002', tax: 160, total: 3060 },
      ...{ seller: { legalName: 'Ada AG', version: 2 }, buyer: { address: { country: 'FR' } } },
      taxes: [{ country: 'FR', name: 'TVA', percent: '5.5' }],
    });
  });

  test.each<[customer: object, tax: number, row: object]>([
    [{ address: { country: 'FR' } }, 580, { reason: 'STANDARD', country: 'FR', percent: '20' }],
    [
      {
        address: { country: 'FR' },
        taxIds: [{ type: 'EU_VAT', value: 'FR40303265045' }],
      },
      0,
      {
        ...{ reason: 'REVERSE_CHARGE', country: 'FR', name: null },
        legalText: 'Reverse charge, Art. 196 Directive 2006/112/EC',
      },
    ],
    [{ address: null }, 551, { reason: 'STANDARD', country: 'DE' }],
    [{ address: { country: 'US' } }, 0, { reason: 'OUT_OF_SCOPE', country: 'US' }],
    [{ taxExempt: 'EXEMPT' }, 0, { reason: 'EXEMPT', legalText: 'Exempt from tax' }],
  ])('of the customer %j has the tax %i', async (customer, tax, row) => {
    const invoice = await subscribed(await aShop(), customer);
    expect(invoice).toMatchObject({ tax, total: 2900 + tax, taxes: [row] });
  });

  test('has the rate of the tax category of its product, in renewals too (T9)', async () => {
    const api = await aShop();
    const rate = { country: 'DE', category: 'ebook', percent: '7', name: 'VAT' };
    await api.expect(201, api.post('/tax-rates', rate));
    const productId = await aProduct(api, 555, { taxCategory: 'ebook' });
    const invoice = await subscribed(api, {}, productId);
    const [line] = invoice.lineItems;
    expect([invoice.tax, line.taxCategory, line.taxPercent]).toEqual([39, 'ebook', '7']);
    const exempt = { body: { taxCategory: 'exempt' } };
    await api.expect(200, api.request('PATCH', `/products/${productId}`, exempt));
    await api.advanceTo(renewedAt);
    const [renewal] = await invoicesOf(api, invoice.customerId);
    expect([renewal.tax, renewal.taxes[0].reason]).toEqual([0, 'EXEMPT']);
  });

  test('must not exceed the maximum amount with its tax: nothing is stored', async () => {
    const api = await aShop();
    const customerId = await aCustomer(api);
    const most = 84_033_613_444;
    const buy = async (amount: number, taxed = customerId) =>
      api.post('/subscriptions', { customerId: taxed, productId: await aProduct(api, amount) });
    const error = { quantity: ['The total with tax exceeds the maximum amount'] };
    expect(await buy(most + 1)).toMatchObject({ status: 400, body: { error } });
    expect((await api.get('/subscriptions')).body.data).toEqual([]);
    expect(await invoicesOf(api, customerId)).toEqual([]);
    expect((await api.complete(() => buy(most))).status).toBe(201);
    expect(await invoicesOf(api, customerId)).toMatchObject([{ total: 99_999_999_998 }]);
    // Nothing is taxed there.
    expect((await buy(most + 1, await aCustomer(api, { address: { country: 'US' } }))).status).toBe(
      201,
    );
  });

  test('of prices with tax costs its price', async () => {
    const api = await aShop({ tax: { ...seller.tax, prices: 'INCLUDE_TAX' } });
    const invoice = await subscribed(api, {}, await aProduct(api, 999));
    expect(amountsOf(invoice)).toEqual([839, 0, 160, 999]);
    expect(invoice.lineItems[0]).toMatchObject({ pricedAmount: 999, amount: 839, total: 999 });
  });

  test('is paid with its tax, in parts and beyond (M1, M2)', async () => {
    const api = await aShop();
    const { id, customerId } = await subscribed(api);
    const transfer = { method: 'BANK_TRANSFER', amount: 2000 };
    const pay = () => api.expect(201, api.post(`/invoices/${id}/payments`, transfer));
    await pay();
    expect(await api.expect(200, api.get(`/invoices/${id}`))).toMatchObject({ amountDue: 1451 });
    expect(await pay()).toMatchObject({ overpayment: 549 });
    const paid = await api.expect(200, api.get(`/invoices/${id}`));
    expect(paid).toMatchObject({ status: 'PAID', amountPaid: 3451 });
    await api.advanceTo(renewedAt);
    const [next] = await invoicesOf(api, customerId);
    expect(next).toMatchObject({ total: 3451, balanceApplied: 549, amountDue: 2902 });
  });

  test('is paid by a balance above its total (M3), which its void returns (M7)', async () => {
    const api = await aShop();
    const first = await subscribed(api);
    const { customerId } = first;
    const entry = { customerId, amount: 549, description: 'Gift' };
    await api.expect(201, api.post('/balance-entries', { ...entry, amount: 5000 }));
    await api.advanceTo(renewedAt);
    const [renewal] = await invoicesOf(api, customerId);
    expect(renewal).toMatchObject({ status: 'PAID', balanceApplied: 3451, payments: [] });
    const balance = () => api.expect(200, api.get(`/balances?customerId=${customerId}`));
    expect((await balance()).data).toMatchObject([{ balance: 1549 }]);
    await api.expect(201, api.post('/balance-entries', { ...entry, amount: -1000 }));
    await api.advanceTo('2026-05-01T00:00:00.000Z');
    const [open] = await invoicesOf(api, customerId);
    expect(open).toMatchObject({ status: 'OPEN', balanceApplied: 549, amountDue: 2902 });
    await api.expect(200, api.post(`/invoices/${open.id}/void`, {}));
    expect((await balance()).data).toMatchObject([{ balance: 549 }]);
  });

  test('shows its taxes, seller and buyer on its page', async () => {
    const { hostedUrl } = await subscribed(await aShop({ footer: 'Thank you' }));
    const { text: page } = await new Payer(system.gatewayUrl).open(hostedUrl);
    for (const text of [
      'VAT 19% on €29.00',
      '€5.51',
      '€34.51',
      'Ada GmbH',
      'Tax id: DE136695976',
    ]) {
      expect(page).toContain(text);
    }
    for (const text of ['IBAN: DE89 3704 0044 0532 0130 00', 'RE-2026-000001', 'Thank you']) {
      expect(page).toContain(text);
    }
  });
});

test('a page that shows another amount than is due charges nothing', async () => {
  const api = await aShop();
  const { id, hostedUrl } = await subscribed(api);
  const payer = new Payer(system.gatewayUrl);
  const page = await payer.open(hostedUrl);
  const transfer = { method: 'BANK_TRANSFER', amount: 1000 };
  await api.expect(201, api.post(`/invoices/${id}/payments`, transfer));
  const changed = await api.complete(() => payer.submit(page, card()));
  expect(changed.status).toBe(200);
  expect(changed.text).toContain('The total has changed.');
  expect(changed.text).toContain('Pay €24.51');
  const read = () => api.expect(200, api.get(`/invoices/${id}`));
  expect(await read()).toMatchObject({ status: 'OPEN', amountPaid: 1000, amountDue: 2451 });
  await api.complete(() => payer.submit(changed, card()));
  expect(await read()).toMatchObject({ status: 'PAID', amountPaid: 3451 });
});

describe('without a seller', () => {
  test('an invoice has off values', async () => {
    const invoice = await subscribed(await system.live.manualSandbox(startsAt));
    expect(amountsOf(invoice)).toEqual([2900, 0, 0, 2900]);
    expect(invoice).toMatchObject({
      ...{ number: 'INV-000001', seller: null, buyer: null, finalizedAt: startsAt, taxes: [] },
      ...{ taxStatus: 'NONE', pricesIncludeTax: false, taxEvidence: [] },
      dueDate: '2026-03-31T00:00:00.000Z',
      lineItems: [
        {
          ...{ pricedAmount: 2900, taxCategory: null, taxReason: null, taxPercent: null },
          ...{ taxAmount: 0, total: 2900 },
        },
      ],
    });
  });
});

describe('a one-off invoice', () => {
  const lines = [
    { description: 'Setup', amount: 1000 },
    { description: 'Book', amount: 555, taxCategory: 'ebook' },
  ];

  test('is estimated as a draft, and taxed when it is finalized (T9)', async () => {
    const api = await aShop();
    const customerId = await aCustomer(api);
    const drafted = await api.expect(201, api.post('/invoices', { customerId, lines }));
    expect(drafted).toMatchObject({ tax: 295, taxStatus: 'ESTIMATED', finalizedAt: null });
    const rate = { country: 'DE', category: 'ebook', percent: '7', name: 'VAT' };
    await api.expect(201, api.post('/tax-rates', rate));
    expect((await api.expect(200, api.get(`/invoices/${drafted.id}`))).tax).toBe(295);
    const opened = await api.expect(200, api.post(`/invoices/${drafted.id}/finalize`, {}));
    expect(amountsOf(opened)).toEqual([1555, 0, 229, 1784]);
    expect(opened).toMatchObject({
      ...{ status: 'OPEN', taxStatus: 'FINAL', finalizedAt: startsAt },
      dueDate: '2026-03-15T00:00:00.000Z',
      taxes: [{ amount: 190 }, { amount: 39 }],
    });
  });

  test('is estimated again by each change of its draft', async () => {
    const api = await aShop();
    const customerId = await aCustomer(api);
    const { id } = await api.expect(201, api.post('/invoices', { customerId, lines }));
    const body = { lines: [{ description: 'Other', amount: 100 }] };
    const changed = await api.expect(200, api.request('PATCH', `/invoices/${id}`, { body }));
    expect(amountsOf(changed)).toEqual([100, 0, 19, 119]);
    await setSeller(api, { tax: null });
    const plain = await api.expect(200, api.post(`/invoices/${id}/finalize`, {}));
    expect(amountsOf(plain)).toEqual([100, 0, 0, 100]);
    expect(plain).toMatchObject({
      taxStatus: 'NONE',
      taxes: [],
      seller: { legalName: 'Ada GmbH' },
    });
  });
});

describe('a past due subscription', () => {
  /** A subscription that a card has begun. */
  async function begunWith(api: ApiClient, number: string): Promise<any> {
    const customerId = await aCustomer(api, { collectionMethod: 'CHARGE_AUTOMATICALLY' });
    const body = { customerId, productId: await aProduct(api), successUrl: 'https://a.test/' };
    const { checkoutUrl } = await api.expect(201, api.post('/checkout', body));
    const payer = new Payer(system.gatewayUrl);
    const page = await payer.open(checkoutUrl);
    await api.complete(() => payer.submit(page, card(number)));
    return (await invoicesOf(api, customerId))[0];
  }

  test('is charged what a part payment just before the retry has left (M12)', async () => {
    const api = await aShop();
    const { customerId } = await begunWith(api, '4000000000005126');
    await api.advanceTo('2026-04-07T23:59:59.999Z');
    const due = async () => (await invoicesOf(api, customerId))[0];
    const { id } = await due();
    const transfer = { method: 'BANK_TRANSFER', amount: 1000 };
    await api.expect(201, api.post(`/invoices/${String(id)}/payments`, transfer));
    expect(await due()).toMatchObject({ status: 'OPEN', amountDue: 2451 });
    await api.advanceTo('2026-04-08T00:00:00.000Z');
    expect(await due()).toMatchObject({
      ...{ id, status: 'PAID', total: 3451, amountPaid: 3451, amountDue: 0 },
      payments: [
        { status: 'FAILED', amount: 3451 },
        { status: 'FAILED', amount: 3451 },
        { status: 'SUCCEEDED', amount: 1000, method: 'BANK_TRANSFER' },
        { status: 'SUCCEEDED', amount: 2451, method: 'CARD' },
      ],
    });
  });

  test('recovers by a bank transfer of its invoice with tax (M10)', async () => {
    const api = await aShop();
    const { customerId, subscriptionId } = await begunWith(api, '4000000000000341');
    await api.advanceTo(renewedAt);
    const statusOf = async () =>
      (await api.expect(200, api.get(`/subscriptions/${String(subscriptionId)}`))).status;
    expect(await statusOf()).toBe('PAST_DUE');
    const [due] = await invoicesOf(api, customerId);
    expect(due).toMatchObject({ status: 'OPEN', amountDue: 3451 });
    expect(due.payments.map(({ status }: any) => status)).toEqual(['FAILED']);

    const { newest } = await api.expect(200, api.get('/webhook-events'));
    const transfer = { method: 'BANK_TRANSFER', amount: 3451 };
    await api.expect(201, api.post(`/invoices/${String(due.id)}/payments`, transfer));
    const [paid] = await invoicesOf(api, customerId);
    expect(paid).toMatchObject({ status: 'PAID', amountPaid: 3451, amountDue: 0 });
    const events = await eventually(async () => {
      const feed = await api.expect(200, api.get(`/webhook-events?after=${String(newest)}`));
      const found = feed.data.filter(({ event }: any) => event.type.startsWith('subscription.'));
      expect(found).toHaveLength(2);
      return found.map(({ event }: any) => event);
    });
    expect(await statusOf()).toBe('ACTIVE');
    expect(events.map(({ type }: any) => type)).toEqual([
      'subscription.payment_succeeded',
      'subscription.updated',
    ]);
    expect(events[0].data).toMatchObject({ attempt: 2 });
  });
});

describe('an upgrade at half time', () => {
  test.each([
    ['M13', 'EXCLUDE_TAX', 11_900, 1900, 11_900],
    ['M14', 'INCLUDE_TAX', 10_000, 1597, 10_000],
  ])('%s: under %s, after %i was paid, has the tax %i and the total %i', async (...example) => {
    const [, prices, before, tax, total] = example;
    const api = await aShop({ tax: { ...seller.tax, prices } });
    const customerId = await aCustomer(api, { collectionMethod: 'CHARGE_AUTOMATICALLY' });
    const body = { customerId, productId: await aProduct(api, 10_000) };
    const { checkoutUrl } = await api.expect(201, api.post('/checkout', body));
    const payer = new Payer(system.gatewayUrl);
    const page = await payer.open(checkoutUrl);
    await api.complete(() => payer.submit(page, card()));
    const [{ subscriptionId, ...first }] = await invoicesOf(api, customerId);
    expect(first).toMatchObject({ status: 'PAID', total: before });
    await api.advanceTo('2026-03-16T12:00:00.000Z');
    const change = { productId: await aProduct(api, 30_000), at: 'NOW' };
    await api.expect(201, api.post(`/subscriptions/${String(subscriptionId)}/changes`, change));
    const [invoice] = await invoicesOf(api, customerId);
    expect(invoice).toMatchObject({ status: 'PAID', tax, total, amountPaid: total });
    expect(invoice.lineItems.map(({ pricedAmount }: any) => pricedAmount)).toEqual([-5000, 15_000]);
  });

  test('that would give more tax back than it charges is refused, and nothing changes', async () => {
    const api = await aShop();
    const customerId = await aCustomer(api, { address: { country: 'FR' } });
    const productId = await aProduct(api, 10_000);
    const body = { customerId, productId };
    const { id } = await api.subscribe(body);
    const [first] = await invoicesOf(api, customerId);
    await api.expect(201, api.post(`/invoices/${String(first.id)}/payments`, { method: 'CASH' }));
    await api.advanceTo('2026-03-16T12:00:00.000Z');
    const change = { productId: await aProduct(api, 11_000), at: 'NOW' };
    const asked = { kind: 'CHANGE', subscriptionId: id, change };
    const { token: previewToken } = await api.expect(200, api.post('/previews', asked));
    const taxIds = [{ type: 'EU_VAT', value: 'FR40303265045' }];
    const becomesBusiness = api.request('PATCH', `/customers/${customerId}`, { body: { taxIds } });
    await api.expect(200, becomesBusiness);
    const used = api.post(`/subscriptions/${String(id)}/changes`, { ...change, previewToken });
    expect(await api.expect(409, used)).toEqual({ error: 'Preview is stale: tax' });
    for (const [path, body] of [
      [`/subscriptions/${String(id)}/changes`, change],
      ['/previews', asked],
    ] as const) {
      const refused = await api.post(path, body);
      expect([refused.status, refused.body]).toEqual([
        409,
        {
          error:
            'The change gives more tax back than it charges; ask for it at the end of the period',
        },
      ]);
    }
    const after = await api.expect(200, api.get(`/subscriptions/${String(id)}`));
    expect(after).toMatchObject({ productId, pendingChange: null });
    // The subscription is billed as before.
    await api.advanceTo(renewedAt);
    expect(await invoicesOf(api, customerId)).toMatchObject([{ total: 10_000 }, { total: 12_000 }]);
  });
});
