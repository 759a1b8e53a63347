import { testContext } from '@billing/chassis/testing';
import type { Peers } from '../../peer/peers';
import type { ApiRequest } from '../input/request';
import type { RouteTools } from './route';
import { routes } from '../routes';

// A refused body is never sent to a service.
const noPeers = {} as Peers;
const noTools = {} as RouteTools;
const id = '01970f3e-8a4b-7c1d-9e2f-3a4b5c6d7e8f';

async function refusedFields(call: string, body: object): Promise<object> {
  const [method, path] = call.split(' ');
  const route = routes.find((one) => one.method === method && one.path === path);
  if (route === undefined) throw new Error(`No route ${call}`);
  const context = testContext({ now: new Date('2026-01-05T12:00:00.000Z') });
  const request = { params: { id: 'id' }, query: {}, body, context } as unknown as ApiRequest;
  const error: unknown = await route.handle(request, noPeers, noTools).then(
    () => undefined,
    (caught: unknown) => caught,
  );
  return (error as { fields?: object } | undefined)?.fields ?? {};
}

// Lists and objects with parts of the wrong type and parts that break a format or a bound.
const mixedTaxIds = [{ type: 'EU_VAT', value: 'DE1' }, { type: 'Q', value: 1 }, 1];
const mixedTaxIdProblems = [
  '0.value: Invalid EU VAT id',
  '1.type: Must be one of EU_VAT, GB_VAT, CH_VAT, NO_VAT, OTHER',
  '1.value: Must be a string',
  '2: Must be an object',
];
const mixedAddress = { line1: 1, line2: 'two\nlines', country: 'XX' };
const mixedAddressProblems = [
  'country: Invalid country',
  'line1: Must be a string',
  'line2: Must not contain control characters',
];
const mixedLines = [
  { description: '', amount: 5 },
  { description: 'a', amount: 'x' },
  { description: 1, quantity: '0', unitAmount: '1', taxCategory: 'A' },
  { description: 'a', unitAmount: true },
  { description: 'a', quantity: {}, amount: 1, unitAmount: 'x' },
  5,
];
const mixedLineProblems = [
  '0.description: Required',
  '1.amount: Must be a number',
  '2.description: Must be a string',
  '2.quantity: Must be above 0',
  '2.taxCategory: Must be 1 to 40 characters of a-z, 0-9, ., _ and -',
  '3.unitAmount: Must be a decimal string or a whole number',
  '4.amount: Either amount or unitAmount',
  '4.quantity: Must be a decimal string',
  '4.unitAmount: Invalid decimal',
  '5: Must be an object',
];
const mixedTiers = [
  { upTo: {}, unitAmount: '-1' },
  { upTo: 'x', unitAmount: true },
  { upTo: null, unitAmount: '1', flatAmount: 'y' },
  { upTo: '5', unitAmount: '1' },
];
const mixedTierProblems = [
  '0.unitAmount: Must be between 0 and 99999999999',
  '0.upTo: Must be a decimal string',
  '1.unitAmount: Must be a decimal string or a whole number',
  '1.upTo: Invalid decimal',
  '2.flatAmount: Invalid decimal',
  '2.upTo: Only the last tier may have no upper bound',
  '3.upTo: The last tier must have no upper bound',
];
const mixedItems = [{ quantity: 0 }, { productId: 1 }, { priceId: 'b', quantity: 'x' }, {}];
const mixedItemProblems = [
  '0.productId: Required',
  '0.quantity: Must be at least 1',
  '1.productId: Must be a string',
  '2.quantity: Must be a number',
  '3.productId: Required',
];
const mixedChange = [
  { quantity: 0 },
  { productId: 'a', priceId: 'b', quantity: 'x' },
  { priceId: 1 },
  {},
];
const mixedChangeProblems = [
  '0.quantity: Must be at least 1',
  '1.priceId: Not together with productId',
  '1.quantity: Must be a number',
  '2.priceId: Must be a string',
  '3.productId: Required',
];

test.each<[string, object, Record<string, string[]>]>([
  [
    'POST /customers',
    { email: 'a@b.example', taxIds: mixedTaxIds, address: mixedAddress },
    { taxIds: mixedTaxIdProblems, address: mixedAddressProblems },
  ],
  ['PATCH /customers/:id', { taxIds: mixedTaxIds }, { taxIds: mixedTaxIdProblems }],
  [
    'PATCH /seller',
    {
      ...{ taxIds: mixedTaxIds, address: mixedAddress },
      ...{ bankAccount: { iban: 'x', bic: 1 }, tax: { prices: 'X', registrations: ['XX', 1] } },
    },
    {
      ...{ taxIds: mixedTaxIdProblems, address: mixedAddressProblems },
      bankAccount: ['bic: Must be a string', 'holder: Required', 'iban: Invalid IBAN'],
      tax: [
        'prices: Must be one of EXCLUDE_TAX, INCLUDE_TAX',
        'registrations.0: Invalid country',
        'registrations.1: Must be a string',
      ],
    },
  ],
  ['POST /invoices', { customerId: 'a', lines: mixedLines }, { lines: mixedLineProblems }],
  ['PATCH /invoices/:id', { lines: mixedLines }, { lines: mixedLineProblems }],
  [
    'POST /credit-notes',
    { invoiceId: 'a', reason: 'OTHER', amount: 1, lines: [{ lineItemId: 1, amount: 0 }, 1] },
    {
      amount: ['Not allowed with lines'],
      lines: [
        '0.amount: Must be at least 1',
        '0.lineItemId: Must be a string',
        '1: Must be an object',
      ],
    },
  ],
  [
    'POST /products',
    {
      ...{ name: 'a', type: 'TIERED', currency: 'USD', amount: 0, billingInterval: 'MONTHLY' },
      tiers: mixedTiers,
    },
    { tiers: mixedTierProblems },
  ],
  ['PATCH /products/:id', { tiers: mixedTiers }, { tiers: mixedTierProblems }],
  [
    'PATCH /products/:id/meter-prices',
    { prices: [{ meterId: 'a', type: 'VOLUME', tiers: mixedTiers }, { meterId: 1 }, 1] },
    {
      prices: [
        ...mixedTierProblems.map((problem) => `0.tiers.${problem}`),
        ...['1.meterId: Must be a string', '1.unitAmount: Required', '2: Must be an object'],
      ],
    },
  ],
  [
    'POST /checkout',
    {
      customerId: id,
      items: [{ quantity: 0 }, { productId: 1 }, { priceId: id, quantity: 'x' }, {}],
    },
    {
      items: [
        ...['0.productId: Required', '0.quantity: Must be at least 1'],
        ...['1.productId: Invalid uuid', '2.quantity: Must be a number', '3.productId: Required'],
      ],
    },
  ],
  [
    'POST /subscriptions',
    { customerId: 'a', productId: 'a', items: mixedItems },
    { items: [...mixedItemProblems, 'Not together with productId, priceId or quantity'] },
  ],
  ['POST /previews', { kind: 'PURCHASE', items: mixedItems }, { items: mixedItemProblems }],
  [
    'POST /subscriptions/:id/changes',
    { productId: 'a', items: mixedChange },
    { items: [...mixedChangeProblems, 'Not together with productId, priceId or quantity'] },
  ],
  [
    'POST /subscriptions/:id/changes',
    { items: [{ quantity: 'x' }] },
    { items: ['0.quantity: Must be a number'] },
  ],
  [
    'POST /previews',
    { kind: 'CHANGE', subscriptionId: 'a', change: { items: mixedChange } },
    { change: mixedChangeProblems.map((problem) => `items.${problem}`) },
  ],
  [
    'POST /webhook-endpoints',
    { url: 'https://a.example', events: ['x', 1, 'invoice.*'] },
    { events: ['0: Unknown event', '1: Must be a string'] },
  ],
  [
    'POST /api-keys',
    { name: 'a', scopes: ['x', 1, 'customers:read'] },
    { scopes: ['0: Invalid scope', '1: Must be a string'] },
  ],
  [
    'POST /checkout-links',
    { label: 'a', productIds: ['a', 1], quantity: { min: 0, max: 'x' } },
    {
      productIds: ['1: Must be a string'],
      quantity: ['max: Must be a number', 'min: Must be a whole number from 1 to 1000000'],
    },
  ],
])(
  '%s names problems of shape and of bounds within one list or object (%#)',
  async (call, body, expected) => {
    const fields = await refusedFields(call, body);
    const sorted = Object.entries(fields).map(([name, all]: [string, string[]]) => {
      return [name, [...all].sort()] as const;
    });
    expect(Object.fromEntries(sorted)).toEqual(expected);
  },
);

// Each list breaks one rule of its length, which is named once.
test.each<[string, object, Record<string, string[]>]>([
  ['POST /invoices', { customerId: 'a', lines: [] }, { lines: ['Must have at least 1 element'] }],
  [
    'PATCH /customers/:id',
    {
      taxIds: Array.from({ length: 6 }, (_, index) => ({
        type: 'OTHER',
        value: `a${String(index)}`,
      })),
    },
    { taxIds: ['Must have at most 5 elements'] },
  ],
  [
    'PATCH /seller',
    { tax: { prices: 'EXCLUDE_TAX', registrations: [] } },
    { tax: ['registrations: Must have at least 1 element'] },
  ],
  [
    'POST /checkout-links',
    { label: 'a', productIds: [] },
    { productIds: ['Must have at least 1 element'] },
  ],
  [
    'POST /discounts',
    {
      ...{ name: 'a', type: 'PERCENTAGE', value: 1, duration: 'ONCE' },
      productIds: Array.from({ length: 51 }, () => 'a'),
    },
    { productIds: ['Must have at most 50 elements'] },
  ],
  ['POST /subscriptions/:id/changes', { items: [] }, { items: ['Must have at least 1 element'] }],
  ['POST /checkout', { customerId: id, items: [] }, { items: ['Must have at least 1 element'] }],
  ['PATCH /products/:id', { tiers: [] }, { tiers: ['Must have 1 to 50 tiers'] }],
])('%s names a wrong length of a list once (%#)', async (call, body, expected) => {
  expect(await refusedFields(call, body)).toEqual(expected);
});
