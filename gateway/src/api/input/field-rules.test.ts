import { DomainError } from '@billing/kernel/domain-error';
import { checkoutLinkRoutes } from '../routes/checkout-links';
import { customerRoutes } from '../routes/customers';
import { customerUsageRoutes } from '../routes/customer-usage';
import { discountRoutes } from '../routes/discounts';
import { meterPriceRoutes } from '../routes/meter-prices';
import { meterRoutes } from '../routes/meters';
import { productRoutes } from '../routes/products';
import type { ApiRequest } from './request';
import type { Route, RouteTools } from '../routes/route';
import type { Peers } from '../../peer/peers';

const routes = [
  ...customerRoutes,
  ...productRoutes,
  ...meterPriceRoutes,
  ...discountRoutes,
  ...meterRoutes,
  ...customerUsageRoutes,
  ...checkoutLinkRoutes,
];

const noTools = {} as RouteTools;

/** Problems of a body, found without any service: a call of one would fail here. */
async function problemsOf(operation: string, body: unknown) {
  const [method, path] = operation.split(' ');
  const route = routes.find((one) => one.method === method && one.path === path) as Route;
  const context = { now: new Date('2026-01-31T00:00:00Z') };
  const request = { body, params: { id: 'x' }, query: {}, context } as unknown as ApiRequest;
  const error: unknown = await route
    .handle(request, {} as Peers, noTools)
    .catch((caught: unknown) => caught);
  if (!(error instanceof DomainError)) throw error;
  return error.fields;
}

const product = { name: 'Pro', currency: 'USD', amount: 1, billingInterval: 'MONTHLY' };
const discount = { name: 'S', type: 'PERCENTAGE', value: 10, duration: 'ONCE' };

test.each<[string, unknown, Record<string, string[]>]>([
  [
    'POST /customers',
    { email: 'x', name: 1 },
    { email: ['Invalid email'], name: ['Must be a string'] },
  ],
  [
    'POST /customers',
    { currency: 'XXX', phone: 'a\u0000b', address: { line1: 1, country: 'ZZ' } },
    {
      email: ['Required'],
      currency: ['Invalid currency'],
      phone: ['Must not contain control characters'],
      address: ['line1: Must be a string', 'country: Invalid country'],
    },
  ],
  [
    'PATCH /customers/:id',
    { email: 'x', name: 1, externalId: 'y', phone: null },
    { email: ['Invalid email'], name: ['Must be a string'], externalId: ['Cannot be changed'] },
  ],
  [
    'POST /products',
    { ...product, type: 'TIERED', name: '', lookupKey: 'A', intervalCount: 37, amount: '1' },
    {
      name: ['Required'],
      lookupKey: ['Must be 1 to 100 characters of a-z, 0-9, ., _ and -'],
      intervalCount: ['Must be a whole number from 1 to 36'],
      amount: ['Must be a number'],
    },
  ],
  [
    'POST /products',
    { ...product, type: 'X', tiers: [{ upTo: '1', unitAmount: 'a' }], active: 1 },
    {
      type: ['Must be one of FLAT, PER_UNIT, TIERED, VOLUME'],
      tiers: ['0.upTo: The last tier must have no upper bound', '0.unitAmount: Invalid decimal'],
      active: ['Must be true or false'],
    },
  ],
  [
    'PATCH /products/:id',
    { name: '', amount: -1, tiers: [{ upTo: null, unitAmount: '-1' }] },
    {
      name: ['Required'],
      amount: ['Must be at least 0'],
      tiers: ['0.unitAmount: Must be between 0 and 99999999999'],
    },
  ],
  [
    'PATCH /products/:id/meter-prices',
    {
      prices: [
        { meterId: 1, unitAmount: 'a' },
        { meterId: 'm', type: 'PACKAGE', unitAmount: 1 },
      ],
    },
    {
      prices: [
        '0.meterId: Must be a string',
        '0.unitAmount: Invalid decimal',
        '1.packageSize: Required',
      ],
    },
  ],
  [
    'POST /discounts',
    { ...discount, name: 'a\nb', value: 100.5, duration: 'REPEATING', active: 'yes' },
    {
      name: ['Must not contain control characters'],
      value: ['Must be above 0 and at most 100'],
      durationInMonths: ['Required'],
      active: ['Must be true or false'],
    },
  ],
  [
    'POST /discounts',
    { ...discount, type: 'X', value: 0.001, startsAt: 'now', endsAt: '2026-01-01T00:00:00Z' },
    { type: ['Must be one of PERCENTAGE, FIXED'], startsAt: ['Invalid datetime'] },
  ],
  [
    'POST /meters',
    { name: ' ', aggregation: 'UNIQUE_COUNT', unit: 1 },
    { name: ['Required'], uniqueProperty: ['Required'], unit: ['Must be a string'] },
  ],
  [
    'POST /meters',
    { name: 'a', aggregation: 'X', uniqueProperty: 'user' },
    { aggregation: ['Must be one of SUM, COUNT, MAX, LATEST, UNIQUE_COUNT'] },
  ],
  [
    'PATCH /meters/:id',
    { name: 1, unit: 'a\tb' },
    {
      name: ['Must be a string'],
      unit: ['Must not contain control characters'],
    },
  ],
  [
    'POST /customers/:id/meter-credits',
    { meterId: 1, amount: '0', expiresAt: '2026-01-30T00:00:00Z', priority: 'x' },
    {
      meterId: ['Must be a string'],
      amount: ['Must be above 0'],
      expiresAt: ['Must be after effectiveAt'],
      priority: ['Must be a number'],
    },
  ],
  [
    'POST /checkout-links',
    {
      ...{ label: 'a\r\nb', productIds: [1], successUrl: 'ftp://x' },
      ...{ quantity: { min: 0, max: 1.5 }, collect: ['PHONE'] },
    },
    {
      label: ['Must not contain control characters'],
      productIds: ['0: Must be a string'],
      successUrl: ['Must be an absolute http or https URL'],
      quantity: [
        'min: Must be a whole number from 1 to 1000000',
        'max: Must be a whole number from 1 to 1000000',
      ],
      collect: ['0: Must be one of NAME, ADDRESS'],
    },
  ],
])('%s of %j reports all problems together', async (operation, body, expected) => {
  expect(await problemsOf(operation, body)).toEqual(expected);
});
