import { eventually } from '@billing/chassis/testing';
import { numbersFrom } from '../support/rounds';
import type { ApiClient } from '../support/api-client';
import { joinTestSystem, type TestSystem } from '../support/shared-system';
import { aCustomer, aProduct, aTaxedShop, setSeller, startsAt } from './taxed-shop';

let system: TestSystem;

beforeAll(async () => {
  system = await joinTestSystem();
});

const later = (minutes: number) => new Date(Date.parse(startsAt) + minutes * 60_000).toISOString();

const preview = (api: ApiClient, purchase: object): Promise<any> =>
  api.expect(200, api.post('/previews', { kind: 'PURCHASE', ...purchase }));

const buy = (api: ApiClient, purchase: object, previewToken: string) =>
  api.post('/subscriptions', { ...purchase, previewToken });

async function credited(api: ApiClient, customerId: string, amount: number): Promise<void> {
  const entry = { customerId, amount, description: 'Goodwill' };
  await api.expect(201, api.post('/balance-entries', entry));
}

async function balanceOf(api: ApiClient, customerId: string): Promise<number> {
  const { data } = await api.expect(200, api.get(`/balances?customerId=${customerId}`));
  return data[0]?.balance ?? 0;
}

const redemptionsOf = async (api: ApiClient, discountId: string): Promise<number> =>
  (await api.expect(200, api.get(`/discounts/${discountId}`))).redemptionCount;

const countOf = async (api: ApiClient, path: string): Promise<number> =>
  (await api.expect(200, api.get(path))).data.length;

/** The fields of an invoice that a preview promises. */
function promisedOf(invoice: any, shown: any) {
  const fields = Object.keys(shown);
  const picked = Object.fromEntries(fields.map((field) => [field, invoice[field]]));
  const lineItems = invoice.lineItems.map((line: any) => {
    const { id: _id, invoiceId: _invoiceId, ...rest } = line;
    return { ...rest, itemId: null };
  });
  return { ...picked, lineItems };
}

/** A change of something that a preview was made from, by the name that a refusal gives it. */
type Move = [name: string, move: (api: ApiClient, bought: any) => Promise<unknown>];

const moves: readonly Move[] = [
  ['time', (api) => api.advanceTo(later(16))],
  [
    'price',
    (api, { productId }) =>
      api.request('PATCH', `/products/${productId as string}`, { body: { amount: 3000 } }),
  ],
  [
    'discount',
    (api, { discountId }) =>
      api.request('PATCH', `/discounts/${discountId as string}`, { body: { active: false } }),
  ],
  [
    'customer',
    (api, { customerId }) =>
      api.request('PATCH', `/customers/${customerId as string}`, {
        body: { collectionMethod: 'CHARGE_AUTOMATICALLY' },
      }),
  ],
  ['tax', (api) => setSeller(api, { tax: null })],
];

interface Catalog {
  readonly products: readonly string[];
  readonly trial: string;
  readonly discounts: readonly string[];
}

async function aCatalog(api: ApiClient): Promise<Catalog> {
  const tiers = [
    { upTo: 3, unitAmount: '101.5' },
    { upTo: null, unitAmount: '33.3' },
  ];
  const tiered = { type: 'TIERED', tiers };
  const discount = async (body: object) =>
    (await api.expect(201, api.post('/discounts', { name: 'Off', ...body }))).id;
  return {
    products: [
      await aProduct(api, 2900),
      await aProduct(api, 333, { type: 'PER_UNIT', taxCategory: 'ebook' }),
      await aProduct(api, 100, tiered),
    ],
    trial: await aProduct(api, 4900, { trialDays: 14 }),
    discounts: [
      await discount({ type: 'PERCENTAGE', value: 33.33, duration: 'ONCE' }),
      await discount({ type: 'FIXED', value: 150, currency: 'EUR', duration: 'FOREVER' }),
    ],
  };
}

/** A purchase of a new customer by chance. */
async function aPurchase(api: ApiClient, catalog: Catalog, next: () => number): Promise<any> {
  const pick = <T>(from: readonly T[]): T => from[Math.floor(next() * from.length)] as T;
  const country = pick(['DE', 'FR', 'US']);
  const customerId = await aCustomer(api, { address: { country } });
  const balance = pick([0, 0, 100, 5000]);
  if (balance > 0) await credited(api, customerId, balance);
  const quantity = 1 + Math.floor(next() * 7);
  const isTrial = next() < 0.15;
  const count = 1 + Math.floor(next() * catalog.products.length);
  const items = catalog.products.slice(0, count).map((productId) => ({ productId, quantity }));
  const bought = count === 1 ? { productId: pick(catalog.products), quantity } : { items };
  const discountId = pick([undefined, ...catalog.discounts]);
  const startAt = pick([undefined, undefined, undefined, later(60 * 24), later(-60 * 24 * 3)]);
  return {
    ...{ customerId, discountId, startAt },
    ...(isTrial ? { productId: catalog.trial } : bought),
  };
}

describe('a previewed purchase', () => {
  test('bills what was shown, for each kind of purchase', async () => {
    const api = await aTaxedShop(system, {
      tax: { prices: 'EXCLUDE_TAX', registrations: ['DE', 'EU'] },
    });
    const catalog = await aCatalog(api);
    const next = numbersFrom(20);
    const made: [shown: any, subscription: any][] = [];
    for (let index = 0; index < 24; index += 1) {
      if (index === 12)
        await setSeller(api, { tax: { prices: 'INCLUDE_TAX', registrations: ['DE', 'EU'] } });
      const purchase = await aPurchase(api, catalog, next);
      const shown = await preview(api, purchase);
      const again = await preview(api, purchase);
      expect({ ...again, token: '' }).toEqual({ ...shown, token: '' });
      made.push([shown, await api.subscribe({ ...purchase, previewToken: shown.token })]);
    }
    for (const [shown, { id, customerId, latestInvoiceId, nextInvoiceAt }] of made) {
      const { data } = await api.expect(200, api.get(`/invoices?customerId=${customerId}`));
      if (shown.invoice === null) {
        expect([data, shown.dueNow, shown.monthlyAmountAfter]).toEqual([[], 0, 0]);
        expect(shown.nextInvoice.periodStart).toBe(nextInvoiceAt);
        continue;
      }
      expect(data).toMatchObject([{ id: latestInvoiceId, subscriptionId: id }]);
      expect(promisedOf(data[0], shown.invoice)).toEqual(shown.invoice);
      // A bank transfer is not due at once.
      expect(shown.dueNow).toBe(0);
    }
    expect(made.some(([{ invoice }]) => invoice === null)).toBe(true);
    expect(made.some(([{ invoice }]) => invoice?.balanceApplied > 0)).toBe(true);
    expect(made.some(([{ invoice }]) => invoice?.discountAmount > 0)).toBe(true);
  });

  test('starts at the instant of the preview, and takes the balance that was shown', async () => {
    const api = await aTaxedShop(system);
    const customerId = await aCustomer(api);
    const purchase = { customerId, productId: await aProduct(api) };
    const none = await preview(api, purchase);
    expect(none).toMatchObject({
      ...{ at: startsAt, validUntil: later(15), effectiveAt: startsAt, linesPutOff: [] },
      ...{ creditNotes: [], usageInvoice: null, monthlyAmountBefore: 0, monthlyAmountAfter: 2900 },
      invoice: { billingReason: 'SUBSCRIPTION_CREATE', total: 3451, balanceApplied: 0 },
      nextInvoice: { total: 3451, periodStart: '2026-04-01T00:00:00.000Z', estimated: false },
    });
    await credited(api, customerId, 1000);
    await api.advanceTo(later(10));
    const subscription = await api.expect(201, buy(api, purchase, none.token));
    expect(subscription).toMatchObject({ startAt: startsAt, currentPeriodStart: startsAt });
    // More than the balance that was shown is left alone.
    expect(await balanceOf(api, customerId)).toBe(1000);
    const second = await preview(api, purchase);
    expect(second.invoice).toMatchObject({ balanceApplied: 1000, amountDue: 2451 });
    await api.expect(201, buy(api, purchase, second.token));
    expect(await balanceOf(api, customerId)).toBe(0);
    // What a token has promised of the balance is gone.
    const { error } = await api.expect(409, buy(api, purchase, second.token));
    expect(error).toBe('Preview is stale: balance');
  });

  test.each<Move>([
    ...moves,
    [
      'price',
      (api, { productId }) =>
        api.request('PATCH', `/products/${productId as string}`, { body: { active: false } }),
    ],
    ['balance', (api, { customerId }) => credited(api, customerId, -1)],
    ['tax', (api) => setSeller(api, { tax: { prices: 'INCLUDE_TAX', registrations: ['DE'] } })],
  ])('is refused by name when it has moved: %s', async (names, move) => {
    const api = await aTaxedShop(system);
    const customerId = await aCustomer(api);
    await credited(api, customerId, 1000);
    const half = { name: 'Half', type: 'PERCENTAGE', value: 50, duration: 'ONCE' };
    const { id: discountId } = await api.expect(201, api.post('/discounts', half));
    const purchase = { customerId, productId: await aProduct(api), discountId };
    const { token } = await preview(api, purchase);
    await move(api, purchase);
    const balance = await balanceOf(api, customerId);
    const { error } = await api.expect(409, buy(api, purchase, token));
    expect(error).toBe(`Preview is stale: ${names}`);
    await eventually(async () => {
      expect(await balanceOf(api, customerId)).toBe(balance);
      expect(await redemptionsOf(api, discountId)).toBe(0);
    });
    expect(await countOf(api, '/subscriptions')).toBe(0);
    expect(await countOf(api, '/invoices')).toBe(0);
  });

  test('is for this request and this environment', async () => {
    const api = await aTaxedShop(system);
    const other = await aTaxedShop(system);
    const customerId = await aCustomer(api);
    const productId = await aProduct(api);
    const purchase = { customerId, productId };
    const { token } = await preview(api, purchase);
    const refused = async (body: object, used = token) =>
      (await api.expect(400, buy(api, body, used))).error.previewToken;
    const another = ['Preview is for another request'];
    expect(await refused({ ...purchase, quantity: 2 })).toEqual(another);
    expect(await refused({ ...purchase, startAt: startsAt })).toEqual(another);
    expect(await refused({ ...purchase, customerId: await aCustomer(api) })).toEqual(another);
    const invalid = ['Preview token is not valid'];
    expect(await refused(purchase, `${token as string}x`)).toEqual(invalid);
    expect(await refused(purchase, 'x.y')).toEqual(invalid);
    const foreign = { customerId: await aCustomer(other), productId: await aProduct(other) };
    expect(await refused(purchase, (await preview(other, foreign)).token)).toEqual(invalid);
    const session = { ...purchase, previewToken: token };
    expect(await api.expect(400, api.post('/checkout', session))).toEqual({
      error: { previewToken: another },
    });
    const { token: ofSession } = await preview(api, { ...purchase, via: 'CHECKOUT' });
    expect(await refused(purchase, ofSession)).toEqual(another);
    // A price in place of its product is another request.
    const { priceId } = await api.expect(200, api.get(`/products/${productId}`));
    expect(await refused({ customerId, priceId })).toEqual(another);
    // The same purchase in other words.
    const items = [{ productId, quantity: 1 }];
    const metadata = { team: 'research' };
    await api.expect(201, buy(api, { customerId, items, metadata }, token));
  });

  test('names the current price in place of its product', async () => {
    const api = await aTaxedShop(system);
    const customerId = await aCustomer(api);
    const productId = await aProduct(api);
    const { priceId } = await api.expect(200, api.get(`/products/${productId}`));
    const purchase = { customerId, priceId, quantity: 1 };
    const shown = await preview(api, purchase);
    expect(shown.invoice).toMatchObject({ total: 3451 });
    const bought = await api.expect(
      201,
      buy(api, { customerId, items: [{ priceId }] }, shown.token),
    );
    expect(bought).toMatchObject({ productId, items: [{ priceId }] });
    await api.expect(201, api.post('/subscriptions', { ...purchase, productId }));
    const twice = { ...purchase, items: [{ priceId }] };
    for (const path of ['/subscriptions', '/checkout']) {
      expect((await api.expect(400, api.post(path, twice))).error).toEqual({
        items: ['Not together with productId, priceId or quantity'],
      });
    }
    await api.request('PATCH', `/products/${productId}`, { body: { amount: 3000 } });
    await api.expect(404, api.post('/subscriptions', purchase));
    const once = await aProduct(api, 500, { billingInterval: 'ONE_TIME' });
    const sold = await api.expect(200, api.get(`/products/${once}`));
    const oneTime = { customerId, priceId: sold.priceId };
    const refused = await api.expect(400, api.post('/subscriptions', oneTime));
    expect(Object.keys(refused.error)).toEqual(['priceId']);
  });

  test('without a customer has no token; errors are those of the creation', async () => {
    const api = await aTaxedShop(system);
    const productId = await aProduct(api);
    expect(await preview(api, { productId })).toMatchObject({
      ...{ token: null, dueNow: 3451 },
      invoice: { total: 3451, currency: 'EUR' },
    });
    const asked = { kind: 'PURCHASE', customerId: 'x', productId: 'x' };
    expect(await api.expect(404, api.post('/previews', asked))).toMatchObject({
      error: 'Customer not found',
    });
    const wrong = { kind: 'PURCHASE', productId, quantity: 0, colour: 'red' };
    const { error } = await api.expect(400, api.post('/previews', wrong));
    expect(Object.keys(error).sort()).toEqual(['colour', 'quantity']);
  });
});

describe('a previewed checkout session', () => {
  const ofSession = (api: ApiClient, purchase: object) =>
    preview(api, { ...purchase, via: 'CHECKOUT' });
  const open = (api: ApiClient, purchase: object, previewToken: string) =>
    api.post('/checkout', { ...purchase, previewToken });

  test('has the invoice that was shown, without the balance; a trial is free', async () => {
    const api = await aTaxedShop(system, {
      tax: { prices: 'EXCLUDE_TAX', registrations: ['DE', 'EU'] },
    });
    const { products, trial, discounts } = await aCatalog(api);
    const once = await aProduct(api, 500, { billingInterval: 'ONE_TIME' });
    const customerId = await aCustomer(api);
    await credited(api, customerId, 1000);
    const [first = '', second = ''] = products;
    const [half] = discounts;
    for (const bought of [
      { productId: first },
      { productId: second, quantity: 3, discountId: half },
      { items: [{ productId: first }, { productId: second, quantity: 2 }], discountId: half },
      { productId: trial, discountId: half },
      { productId: once, quantity: 2 },
    ]) {
      const purchase = { customerId, ...bought };
      const shown = await ofSession(api, purchase);
      expect(shown.invoice).toMatchObject({
        ...{ billingReason: 'CHECKOUT', balanceApplied: 0, periodStart: null, periodEnd: null },
      });
      const isTrial = 'productId' in bought && bought.productId === trial;
      expect(shown.invoice.total > 0).toBe(!isTrial);
      expect(shown.nextInvoice === null).toBe('productId' in bought && bought.productId === once);
      const { invoice } = await api.expect(201, open(api, purchase, shown.token));
      expect(promisedOf(invoice, shown.invoice)).toEqual(shown.invoice);
    }
    expect(await balanceOf(api, customerId)).toBe(1000);
    // For any customer there is no token.
    expect(await ofSession(api, { productId: first })).toMatchObject({ token: null });
  });

  test.each<Move>([...moves])('is refused by name when it has moved: %s', async (names, move) => {
    const api = await aTaxedShop(system);
    const half = { name: 'Half', type: 'PERCENTAGE', value: 50, duration: 'ONCE' };
    const { id: discountId } = await api.expect(201, api.post('/discounts', half));
    const customerId = await aCustomer(api);
    const purchase = { customerId, productId: await aProduct(api), discountId };
    const { token } = await ofSession(api, purchase);
    await move(api, purchase);
    const { error } = await api.expect(409, open(api, purchase, token));
    expect(error).toBe(`Preview is stale: ${names}`);
    expect(await countOf(api, '/invoices')).toBe(0);
    await eventually(async () => {
      expect(await redemptionsOf(api, discountId)).toBe(0);
    });
  });

  test('is for this request; what does not count may differ', async () => {
    const api = await aTaxedShop(system);
    const customerId = await aCustomer(api);
    const productId = await aProduct(api);
    const purchase = { customerId, productId };
    const { token } = await ofSession(api, purchase);
    const refused = async (body: object, used = token) =>
      (await api.expect(400, open(api, body, used))).error.previewToken;
    expect(await refused({ ...purchase, quantity: 2 })).toEqual(['Preview is for another request']);
    expect(await refused(purchase, `${token as string}x`)).toEqual(['Preview token is not valid']);
    const startsLater = { kind: 'PURCHASE', ...purchase, via: 'CHECKOUT', startAt: later(60) };
    expect((await api.expect(400, api.post('/previews', startsLater))).error).toEqual({
      startAt: ['Not with a checkout session'],
    });
    const metadata = { team: 'research' };
    const successUrl = 'https://example.com/done';
    await api.expect(201, open(api, { ...purchase, metadata, successUrl }, token));
  });
});
