import { z } from 'zod';
import { testContext } from '@billing/chassis/testing';
import type { Peers } from '../../peer/peers';
import { refusesUnknownFields } from '../input/ignored-fields';
import { frozen } from '../input/patch';
import type { ApiRequest } from '../input/request';
import type { Route, RouteTools } from './route';
import { routes } from '../routes';

// Each field of each body breaks a rule of format or bounds, in the right shape where the rule
// allows one: the services check the same rules, one call later.

const now = new Date('2026-01-05T12:00:00.000Z');
// A refused body is never sent to a service.
const noPeers = {} as Peers;
const noTools = {} as RouteTools;

const lines = 'two\nlines';
const long = 'x'.repeat(10_001);
const past = '1969-12-31T23:59:59Z';
const late = '2031-01-05T12:00:00.001Z';
const metadata = { $x: 1 };
const address = { line1: lines, country: 'XX' };
const taxIds = [{ type: 'EU_VAT', value: 'x' }];

const customer = {
  ...{ email: 'x', name: lines, phone: lines, buyerReference: lines, address },
  ...{ currency: 'XXX', collectionMethod: 'X', taxIds, taxExempt: 'X', netDays: 366 },
  ...{ locale: 'x_y', metadata },
};
const product = {
  ...{ name: '', description: long, active: 1, metadata, lookupKey: 'A', taxCategory: 'A' },
  ...{ amount: -1, tiers: [{ upTo: '0', unitAmount: '-1' }] },
};
const link = {
  ...{ label: lines, successUrl: 'x', returnUrl: 'ftp://x', active: 1, metadata },
  ...{ quantity: { min: 2, max: 1 }, collect: ['X'], allowDiscountCodes: 1 },
};
const purchase = {
  ...{ productId: 1, priceId: 1, discountId: 1, quantity: 0, items: [{ quantity: 0 }] },
};
const change = {
  ...{ kind: 'PAUSE', productId: 'a', priceId: 'b', quantity: 1, discountId: null },
  ...{ items: [{ productId: 'a', priceId: 'b' }, {}], at: '2026-01-05T12:00:00Z' },
  ...{ proration: 'FULL_AND_RESET', collect: 'NOW', requirePayment: true, resumeAt: late },
  metadata,
};
const invoice = {
  ...{ collectionMethod: 'X', lines: [{ description: lines }], netDays: 366 },
  ...{ memo: long, purchaseOrder: lines, metadata },
};
const meter = {
  name: lines,
  aggregation: 'X',
  uniqueProperty: 1,
  unit: lines,
  active: 1,
  metadata,
};
const endpoint = {
  ...{ url: 'x', events: ['x'], description: lines, headerPrefix: '-', active: 1 },
};
const urls = { supportUrl: 'x', termsUrl: 'x', privacyUrl: 'x' };

const bodies: readonly (readonly [string, Readonly<Record<string, unknown>>])[] = [
  ['POST /customers', { ...customer, externalId: lines }],
  ['PATCH /customers/:id', customer],
  [
    'POST /customers/:id/meter-credits',
    {
      ...{ meterId: 1, amount: '0', priority: 256, source: 'X', name: lines, metadata },
      ...{ effectiveAt: late, expiresAt: past, customerId: 'ignored' },
    },
  ],
  [
    'POST /products',
    {
      ...{ ...product, type: 'X', currency: 'XXX', billingInterval: 'X' },
      ...{ intervalCount: 366, trialDays: 731 },
    },
  ],
  ['PATCH /products/:id', product],
  ['PATCH /products/:id/meter-prices', { prices: [{ meterId: 'x', unitAmount: '-1' }] }],
  [
    'POST /checkout',
    {
      ...{ ...purchase, customerId: 'x', priceId: 'x', productId: 'x', checkoutLinkId: 1 },
      ...{ successUrl: 'x', cancelUrl: 'x', allowDiscountCodes: 1, locale: 'x_y', metadata },
      previewToken: long,
    },
  ],
  ['POST /checkout-links', { ...link, productIds: [], discountId: 1 }],
  ['PATCH /checkout-links/:id', { ...link, productIds: [], discountId: 1 }],
  [
    'POST /discounts',
    {
      ...{ name: lines, code: '?', type: 'PERCENTAGE', value: 101, currency: 'USD' },
      ...{ duration: 'ONCE', durationInMonths: 1, maxRedemptions: 0, metadata, active: 1 },
      ...{ startsAt: 'x', endsAt: 'x', productIds: 1 },
    },
  ],
  ['POST /discounts/validate', { code: 1, productId: 1 }],
  ['PATCH /discounts/:id', { name: lines, active: null, endsAt: 'x', maxRedemptions: 0, metadata }],
  [
    'POST /subscriptions',
    {
      ...{ ...purchase, customerId: 1, startAt: late, authorizedTransactionId: lines },
      ...{ metadata, previewToken: long },
    },
  ],
  ['PATCH /subscriptions/:id', { metadata }],
  [
    'POST /subscriptions/:id/cancel',
    { atPeriodEnd: true, proration: 'PRORATE', previewToken: long },
  ],
  ['POST /subscriptions/:id/uncancel', {}],
  ['POST /subscriptions/:id/changes', { ...change, previewToken: long }],
  ['POST /previews', { kind: 'PURCHASE', customerId: 1, ...purchase, startAt: late }],
  [
    'POST /previews',
    {
      ...{ kind: 'PURCHASE', via: 'CHECKOUT', customerId: 'x', productId: 'x', priceId: 'x' },
      ...{ quantity: 0, items: [{ productId: 'x' }], startAt: '2026-01-05T12:00:00Z' },
      discountId: 1,
    },
  ],
  ['POST /previews', { kind: 'CHANGE', subscriptionId: 1, change }],
  [
    'POST /previews',
    { kind: 'CANCEL', subscriptionId: 1, atPeriodEnd: true, proration: 'PRORATE' },
  ],
  ['POST /previews', { kind: 'NEXT_INVOICE', subscriptionId: 1 }],
  [
    'POST /price-migrations',
    { fromPriceId: 1, toPriceId: 1, at: '2026-01-05T12:00:00Z', dryRun: 1, metadata },
  ],
  ['POST /price-migrations/:id/cancel', {}],
  ['POST /invoices', { ...invoice, customerId: 1, currency: 'XXX', finalize: 1 }],
  ['PATCH /invoices/:id', invoice],
  ['POST /invoices/:id/finalize', {}],
  ['POST /invoices/:id/pay', { authorizedTransactionId: lines }],
  [
    'POST /invoices/:id/payments',
    {
      ...{ amount: 0, method: 'CARD', reference: lines, metadata },
      receivedAt: '2026-01-05T12:00:00.001Z',
    },
  ],
  ['POST /invoices/:id/void', {}],
  ['POST /invoices/:id/mark-uncollectible', {}],
  [
    'POST /credit-notes',
    {
      ...{ invoiceId: 1, lines: [{ lineItemId: 'x', amount: 0 }], amount: 0, reason: 'X' },
      ...{ settle: 'X', memo: long, metadata },
    },
  ],
  ['POST /refunds/:id/settle', { to: 'X', reference: lines }],
  [
    'POST /balance-entries',
    { customerId: 1, currency: 'XXX', amount: 0, description: lines, metadata },
  ],
  [
    'PATCH /seller',
    {
      ...{ legalName: lines, contactName: lines, email: 'x', phone: lines, address, taxIds },
      ...{ registrationNumber: lines, registrationText: '\t\u0000', footer: '\u0000' },
      ...{ bankAccount: { holder: '', iban: 'x' }, logo: 'x', invoicePrefix: 'x', netDays: 366 },
      tax: { prices: 'EXCLUDE_TAX', registrations: ['XX'] },
    },
  ],
  [
    'PATCH /branding',
    {
      ...{ displayName: lines, accentColor: 'x', supportEmail: 'x', defaultLocale: 'x_y' },
      ...urls,
    },
  ],
  [
    'POST /tax-rates',
    {
      ...{ country: 'XX', state: lines, category: 'A', percent: '101', name: lines },
      ...{ validFrom: '2026-02-30', validTo: 'x' },
    },
  ],
  ['PATCH /tax-rates/:id', { name: lines, validTo: 'x' }],
  ['POST /meters', meter],
  ['PATCH /meters/:id', { ...meter, uniqueProperty: 1 }],
  ['POST /portal/sessions', { customerId: 1, returnUrl: 'ftp://x', sendEmail: 1 }],
  ['PATCH /portal/settings', { products: 1, quantity: 1 }],
  ['POST /webhook-endpoints', endpoint],
  ['PATCH /webhook-endpoints/:id', endpoint],
  ['POST /webhook-endpoints', { url: 'http://10.0.0.1/', events: ['x'] }],
  ['PATCH /webhook-endpoints/:id', { url: 'http://10.0.0.1/', events: ['x'] }],
  ['POST /webhook-endpoints/:id/replay', { since: 'x', all: 1 }],
  ['POST /emails/:id/bounce', { type: 'X' }],
  [
    'PATCH /email-settings',
    { fromName: lines, fromAddress: 'x', replyTo: 'x', kinds: { RECEIPT: { enabled: 1 } } },
  ],
  ['PATCH /email-templates/:kind/:language', { subject: lines, body: '{{unknown}}' }],
  [
    'POST /email-templates/preview',
    {
      ...{ kind: 'RECEIPT', language: 'x', subject: lines, body: '{{unknown}}' },
      ...{ customerId: 1, invoiceId: 1, subscriptionId: 1 },
    },
  ],
  ['POST /sandboxes', { name: lines, clock: 'MANUAL', startsAt: past }],
  ['POST /sandboxes/clock/advance', { to: past }],
  ['PATCH /sandboxes/:id', { name: lines }],
  ['POST /api-keys', { name: lines, scopes: ['x'], expiresAt: past }],
];

/** Fields whose value decides about other fields, or that are ignored. */
const accepted: Readonly<Record<string, readonly string[]>> = {
  'POST /customers/:id/meter-credits': ['customerId', 'effectiveAt'],
  'POST /discounts': ['type', 'duration'],
  'POST /subscriptions/:id/cancel': ['atPeriodEnd'],
  'POST /subscriptions/:id/changes': ['kind'],
  'POST /previews': ['kind', 'via', 'atPeriodEnd'],
  'POST /email-templates/preview': ['kind'],
  'POST /sandboxes': ['clock'],
};
/** Only the owning service reads the body of events, and reports all of its problems at once. */
const readElsewhere = ['POST /events/ingest'];

function routeOf(call: string): Route {
  const [method, path] = call.split(' ');
  const route = routes.find((one) => one.method === method && one.path === path);
  if (route === undefined) throw new Error(`No route ${call}`);
  return route;
}

/** The fields that the bodies of a route may have; empty if the route reads no body. */
function fieldsOf(route: Route): ReadonlySet<string> {
  const { body } = route.operation;
  const schemas = body instanceof z.ZodDiscriminatedUnion ? body.options : [body];
  const shapes = schemas.map((one) => (one instanceof z.ZodObject ? one.shape : {}));
  const fields = shapes.flatMap((shape) => Object.entries<unknown>(shape));
  return new Set(fields.filter(([, field]) => field !== frozen).map(([name]) => name));
}

function requestOf(body: object, query = {}): ApiRequest {
  const params = { id: 'id', kind: 'RECEIPT', language: 'en' };
  return { params, query, body, context: testContext({ now }) } as unknown as ApiRequest;
}

async function refusedNames(
  call: string,
  body: object,
  query?: object,
): Promise<readonly string[]> {
  const answer = routeOf(call).handle(requestOf(body, query), noPeers, noTools);
  const error: unknown = await answer.then(
    () => undefined,
    (caught: unknown) => caught,
  );
  return Object.keys((error as { fields?: object } | undefined)?.fields ?? {}).sort();
}

test.each(bodies)('%s names all fields of a wrong body at once (%#)', async (call, body) => {
  const expected = Object.keys(body).filter((name) => accepted[call]?.includes(name) !== true);
  expect(await refusedNames(call, body)).toEqual(expected.sort());
});

// Routes whose bodies refuse unknown fields.
const strict = bodies.filter(([call]) => {
  const { body } = routeOf(call).operation;
  return body !== undefined && refusesUnknownFields(body);
});

test('irreversible actions refuse unknown fields', () => {
  expect([...new Set(strict.map(([call]) => call))].sort()).toEqual([
    'POST /balance-entries',
    'POST /credit-notes',
    'POST /emails/:id/bounce',
    'POST /invoices/:id/finalize',
    'POST /invoices/:id/mark-uncollectible',
    'POST /invoices/:id/pay',
    'POST /invoices/:id/payments',
    'POST /invoices/:id/void',
    'POST /previews',
    'POST /price-migrations',
    'POST /price-migrations/:id/cancel',
    'POST /refunds/:id/settle',
    'POST /sandboxes/clock/advance',
    'POST /subscriptions/:id/cancel',
    'POST /subscriptions/:id/changes',
    'POST /subscriptions/:id/uncancel',
  ]);
});

test.each(strict)(
  '%s names a query parameter that it does not know with all fields of a wrong body (%#)',
  async (call, body) => {
    const expected = Object.keys(body).filter((name) => accepted[call]?.includes(name) !== true);
    const names = await refusedNames(call, body, { at_period_end: 'true' });
    expect(names).toEqual([...expected, 'at_period_end'].sort());
  },
);

test.each(['POST /webhook-endpoints', 'PATCH /webhook-endpoints/:id'])(
  '%s names an address that a live environment must not have with all other fields',
  async (call) => {
    for (const host of ['127.0.0.1', '[::1]', 'localhost', '10.0.0.1']) {
      const body = { url: `http://${host}/`, events: ['x'], description: 1 };
      const request = { ...requestOf(body), context: testContext({ now, tenant: { live: true } }) };
      const error: unknown = await routeOf(call)
        .handle(request, noPeers, noTools)
        .catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ fields: { url: ['Must be a public address'] } });
      const { fields } = error as { fields: object };
      expect(Object.keys(fields).sort()).toEqual(['description', 'events', 'url']);
    }
  },
);

// The first call may have succeeded before the instant passed, and its retry gets that answer.
test.each([
  ['POST /subscriptions/:id/changes', { quantity: 2, at: '2026-01-05T12:00:00Z' }],
  ['POST /price-migrations', { fromPriceId: 'a', toPriceId: 'b', at: '2026-01-05T12:00:00Z' }],
])(
  '%s leaves an instant that has passed to the service if nothing else is wrong',
  async (call, body) => {
    const called = jest.fn().mockRejectedValue(new Error('reached'));
    const peers = {
      change: { createChange: called },
      priceMigration: { createPriceMigration: called },
    };
    await expect(
      routeOf(call).handle(requestOf(body), peers as unknown as Peers, noTools),
    ).rejects.toThrow('reached');
  },
);

test.each(
  routes
    .filter(({ method, operation: { body } }) => method === 'PATCH' && body instanceof z.ZodObject)
    .filter((route) => fieldsOf(route).has('active'))
    .map(({ path }) => `PATCH ${path}`),
)('%s refuses null for active', async (call) => {
  expect(await refusedNames(call, { active: null })).toEqual(['active']);
});

test('each field of each body is sent once with a wrong value', () => {
  const written = routes.filter(({ method }) => method === 'POST' || method === 'PATCH');
  const unsent = written.flatMap((route) => {
    const call = `${route.method} ${route.path}`;
    const sent = bodies.filter(([of]) => of === call).flatMap(([, body]) => Object.keys(body));
    const names = [...fieldsOf(route)].filter((name) => !sent.includes(name));
    return readElsewhere.includes(call) ? [] : names.map((name) => `${call} ${name}`);
  });
  expect(unsent).toEqual([]);
});
