import { announcedEvents, exampleEvent } from '@billing/chassis/testing/announced-events';
import { announcedProducts } from './events';
import { changeProduct, createProduct } from './product';

const now = new Date('2026-01-01T00:00:00.000Z');
const at = new Date('2026-02-01T00:00:00.000Z');
const priceIdOf = (number: number) => `0197a000-0000-7000-8000-00000000001${String(number)}`;
const creation = {
  ...{ id: '0197a000-0000-7000-8000-000000000005', priceIdOf, now, metadataProblems: [] },
};
const product = createProduct(
  {
    ...{ name: 'Team', description: 'For teams', lookupKey: 'team', metadata: { seats: 5 } },
    ...{ type: 'FLAT', currency: 'USD', amount: 2900n, billingInterval: 'MONTHLY' },
  },
  creation,
);
const changed = (changes: Parameters<typeof changeProduct>[1]) =>
  changeProduct(product, changes, { ...creation, now: at });
const service = 'catalog';
const meterPrices = {
  number: 1,
  since: at,
  prices: [
    {
      ...{ id: '0197a000-0000-7000-8000-000000000021', type: 'PER_UNIT' as const },
      ...{ meterId: '0197a000-0000-7000-8000-000000000007', unitAmount: '0.25', tiers: null },
      ...{ includedUnits: '1000', packageSize: null, minimumAmount: null, maximumAmount: null },
      ...{ metadata: {}, createdAt: at },
    },
  ],
};

test.each([
  ['product-created', { service, transition: { state: product, events: [] } }],
  [
    'product-updated',
    {
      ...{ service, before: product, at, sequence: 2 },
      transition: changed({ amount: 3900n, description: null }),
    },
  ],
  [
    'meter-prices-replaced',
    {
      ...{ service, before: product, at, sequence: 3 },
      transition: { state: { ...product, meterPrices }, events: [] },
    },
  ],
])('the event of %s.json is announced as the file has it', (name, write) => {
  expect(announcedEvents(announcedProducts, write)).toEqual([exampleEvent(name)]);
});

test('a change that changes nothing announces nothing', () => {
  const transition = changed({ name: 'Team' });
  expect(announcedEvents(announcedProducts, { service, before: product, transition })).toEqual([]);
});

test('meter prices are numbered by their set, and the product goes on without a gap', () => {
  const subjectSequences = { meter_price_set: 2 };
  const { state } = changed({ name: 'Teams' });
  const transition = { state: { ...state, meterPrices }, events: [] };
  const write = { service, before: product, transition, sequence: 6, subjectSequences };
  const events = announcedEvents(announcedProducts, write) as Record<string, unknown>[];
  expect(
    events.map(({ type, subject, sequence }) => [type, subject === product.id, sequence]),
  ).toEqual([
    ['billing.product.updated', true, 4],
    ['billing.meter_prices.replaced', false, 3],
  ]);
});
