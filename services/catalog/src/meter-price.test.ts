import { DomainError } from '@billing/kernel/domain-error';
import type { MeterPriceInput } from '@billing/kernel/input/meter-price';
import { createProduct, type Product, setMeterPrices } from './product';

const now = new Date('2026-02-01T00:00:00.000Z');
const open = { upTo: null, unitAmount: '2' };

const product: Product = createProduct(
  { name: 'Pro', type: 'FLAT', currency: 'USD', amount: 2900n, billingInterval: 'MONTHLY' },
  { id: 'product', now, priceIdOf: String, metadataProblems: [] },
);

function set(prices: readonly Partial<MeterPriceInput>[], before: Product = product, at = now) {
  const inputs = prices.map((price) => ({ meterId: 'm1', type: undefined, ...price }));
  return setMeterPrices(before, inputs, {
    now: at,
    idOf: (number, index) => `${String(number)}-${String(index)}`,
    knownMeterIds: new Set(['m1', 'm2']),
    metadataProblemsOf: (metadata) => (metadata?.['bad'] === true ? ['bad: Refused'] : []),
  });
}

function problemsWith(prices: readonly Partial<MeterPriceInput>[]): readonly string[] {
  try {
    set(prices);
    return [];
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return error.fields?.['prices'] ?? [];
  }
}

test('a price per unit gets defaults for all omitted fields', () => {
  const { state } = set([{ unitAmount: '0.250' }]);
  expect(state.meterPrices).toEqual({
    number: 1,
    since: now,
    prices: [
      {
        id: '1-0',
        meterId: 'm1',
        type: 'PER_UNIT',
        unitAmount: '0.25',
        tiers: null,
        includedUnits: '0',
        packageSize: null,
        minimumAmount: null,
        maximumAmount: null,
        metadata: {},
        createdAt: now,
      },
    ],
  });
});

test.each<Partial<MeterPriceInput>>([
  { type: 'PER_UNIT', unitAmount: '0' },
  { type: 'TIERED', tiers: [{ upTo: '100', unitAmount: '0', flatAmount: '5' }, open] },
  { type: 'VOLUME', tiers: [open], includedUnits: '1000000000000000' },
  { type: 'PACKAGE', unitAmount: '99999999999', packageSize: '0.000000000001' },
  { unitAmount: '1', minimumAmount: 5n, maximumAmount: 5n },
])('a price can be %j', (price) => {
  expect(problemsWith([price])).toEqual([]);
});

const range = 'Must be between 0 and 99999999999';

test.each<[readonly Partial<MeterPriceInput>[], readonly string[]]>([
  [[{ unitAmount: '1', meterId: '' }], ['0.meterId: Required']],
  [[{ unitAmount: '1', meterId: 'm3' }], ['0.meterId: Meter not found']],
  [[{ unitAmount: '1' }, { unitAmount: '2' }], ['1.meterId: The meter already has a price']],
  [[{}], ['0.unitAmount: Required']],
  [[{ type: 'PACKAGE' }], ['0.unitAmount: Required', '0.packageSize: Required']],
  [[{ type: 'PACKAGE', unitAmount: '1', packageSize: '0' }], ['0.packageSize: Must be above 0']],
  [[{ unitAmount: '1', packageSize: '1' }], ['0.packageSize: Only allowed with PACKAGE']],
  [[{ unitAmount: '-1' }], [`0.unitAmount: ${range}`]],
  [
    [{ unitAmount: '1', includedUnits: '-1' }],
    ['0.includedUnits: Must be between 0 and 1000000000000000'],
  ],
  [[{ unitAmount: '1', minimumAmount: -1n }], [`0.minimumAmount: ${range}`]],
  [[{ unitAmount: '1', maximumAmount: 100_000_000_000n }], [`0.maximumAmount: ${range}`]],
  [
    [{ unitAmount: '1', minimumAmount: 2n, maximumAmount: 1n }],
    ['0.minimumAmount: Must be at most maximumAmount'],
  ],
  [[{ type: 'UNKNOWN' }], ['0.type: Invalid pricing type']],
  [[{ type: 'TIERED' }], ['0.tiers: Required']],
  [
    [{ type: 'TIERED', tiers: [open], unitAmount: '1' }],
    ['0.unitAmount: Only allowed with PER_UNIT and PACKAGE'],
  ],
  [[{ unitAmount: '1', tiers: [open] }], ['0.tiers: Only allowed with TIERED and VOLUME']],
  [
    [{ type: 'VOLUME', tiers: [{ upTo: '5', unitAmount: '1' }] }],
    ['0.tiers.0.upTo: The last tier must have no upper bound'],
  ],
  [[{ unitAmount: '1', metadata: { bad: true } }], ['0.metadata: bad: Refused']],
  [[{ unitAmount: '1' }, { meterId: 'm2' }], ['1.unitAmount: Required']],
])('%j is refused', (prices, problems) => {
  expect(problemsWith(prices)).toEqual(problems);
});

test('more prices than the limit are refused with one error', () => {
  const prices = Array.from({ length: 101 }, () => ({ unitAmount: '1' }));
  expect(problemsWith(prices)).toEqual(['Must have at most 100 prices']);
});

test('a different set replaces the whole set and orders it to be stored; an equal one writes nothing', () => {
  const first = set([{ unitAmount: '1' }]).state;
  expect(set([{ unitAmount: '1.0' }], first).state).toBe(first);

  const later = new Date('2026-02-02T00:00:00.000Z');
  const second = set([{ meterId: 'm2', unitAmount: '1' }], first, later);
  expect(second.state.meterPrices).toMatchObject({
    number: 2,
    since: later,
    prices: [{ id: '2-0', meterId: 'm2', createdAt: later }],
  });
  const payload = { productId: 'product', set: first.meterPrices, replacedAt: later };
  expect(second.commands).toEqual([{ type: 'keepMeterPrices', payload }]);

  const cleared = set([], second.state, later);
  expect(cleared.state.meterPrices).toEqual({ number: 3, since: later, prices: [] });
});
