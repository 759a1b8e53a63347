import fc from 'fast-check';
import { Decimal } from '../decimal';
import { anyDecimal, anyTiers, aUsagePrice } from '../testing/prices';
import type { Tier } from './tiers';
import { usageCharge, usageChargeBeyond, type UsagePrice } from './usage-pricing';

const tiers: readonly Tier[] = [
  { upTo: '0.5', unitAmount: '0.4', flatAmount: '0' },
  { upTo: '100', unitAmount: '2', flatAmount: '10' },
  { upTo: null, unitAmount: '1', flatAmount: '5' },
];

const prices: Readonly<Record<UsagePrice['type'], UsagePrice>> = {
  PER_UNIT: aUsagePrice({ type: 'PER_UNIT', unitAmount: '0.25' }),
  TIERED: aUsagePrice({ type: 'TIERED', tiers }),
  VOLUME: aUsagePrice({ type: 'VOLUME', tiers }),
  PACKAGE: aUsagePrice({ type: 'PACKAGE', unitAmount: '500', packageSize: '10' }),
};
const everyType = Object.keys(prices) as UsagePrice['type'][];

/** Parses a decimal of any length, as exact amounts have. */
function exactly(text: string): Decimal {
  const [integer = '', decimals = ''] = text.split('.');
  return Decimal.of(BigInt(integer + decimals), decimals.length);
}

function sum(parts: readonly string[]): Decimal {
  return parts.reduce((left, right) => left.add(exactly(right)), Decimal.of(0n));
}

describe('a usage charge', () => {
  test('covers the units beyond the included and the credited ones', () => {
    const price = { ...prices.PER_UNIT, includedUnits: '100' };
    expect(usageCharge(price, { quantity: '130.50', creditedUnits: '10' })).toEqual({
      quantity: '130.5',
      unitAmount: '0.25',
      amount: 5n,
      details: { tiers: [], includedUnits: '100', billedQuantity: '20.5', exactAmount: '5.125' },
    });
  });

  test('counts tiers from the first billed unit', () => {
    const price = { ...prices.TIERED, includedUnits: '20' };
    expect(usageCharge(price, { quantity: '121' })).toEqual({
      quantity: '121',
      unitAmount: undefined,
      amount: 215n,
      details: {
        tiers: [
          { upTo: '0.5', quantity: '0.5', unitAmount: '0.4', flatAmount: '0', amount: '0.2' },
          { upTo: '100', quantity: '99.5', unitAmount: '2', flatAmount: '10', amount: '209' },
          { upTo: null, quantity: '1', unitAmount: '1', flatAmount: '5', amount: '6' },
        ],
        includedUnits: '20',
        billedQuantity: '101',
        exactAmount: '215.2',
      },
    });
  });

  test('is rounded once, not in each tier', () => {
    const each = { unitAmount: '0.4', flatAmount: '0' };
    const steps = [
      { upTo: '1', ...each },
      { upTo: '2', ...each },
      { upTo: null, ...each },
    ];
    expect(usageCharge({ ...prices.TIERED, tiers: steps }, { quantity: '3' }).amount).toBe(1n);
  });

  test.each([
    ['10', '10'],
    ['10.000000000001', '20'],
  ])('uses the tier that includes %s units', (quantity, rate) => {
    const price: UsagePrice = {
      ...prices.VOLUME,
      tiers: [
        { upTo: '10', unitAmount: '10', flatAmount: '0' },
        { upTo: null, unitAmount: '20', flatAmount: '0' },
      ],
    };
    expect(usageCharge(price, { quantity }).details.tiers).toMatchObject([{ unitAmount: rate }]);
  });

  test.each(everyType)('of %s is 0 for no units and for negative ones', (type) => {
    for (const quantity of ['0', '-0.5', '-100']) {
      expect(usageCharge(prices[type], { quantity })).toMatchObject({
        quantity,
        amount: 0n,
        details: { tiers: [], billedQuantity: '0', exactAmount: '0' },
      });
    }
  });

  test('does not increase with negative credits', () => {
    const charge = usageCharge(prices.PER_UNIT, { quantity: '4', creditedUnits: '-4' });
    expect(charge.details.billedQuantity).toBe('4');
  });
});

describe('a minimum and a maximum', () => {
  const bounded = { ...prices.PER_UNIT, minimumAmount: 10n, maximumAmount: 50n };

  test.each([
    ['-1', 10n],
    ['0', 10n],
    ['39', 10n],
    ['42', 11n],
    ['200', 50n],
    ['1000', 50n],
  ])('limit the charge for %s units to %s', (quantity, amount) => {
    const charge = usageCharge(bounded, { quantity });
    expect(charge.amount).toBe(amount);
    expect(exactly(charge.details.exactAmount).roundHalfUp()).toBe(amount);
  });

  test('may both be 0', () => {
    const free = { ...bounded, minimumAmount: 0n, maximumAmount: 0n };
    expect(usageCharge(free, { quantity: '9' }).amount).toBe(0n);
  });
});

describe('a price that the catalog refuses is refused', () => {
  test.each<[string, UsagePrice, string]>([
    ['without a rate', { ...prices.PER_UNIT, unitAmount: null }, 'has a unitAmount'],
    ['with a negative rate', { ...prices.PER_UNIT, unitAmount: '-1' }, 'Invalid request'],
    ['without a package size', { ...prices.PACKAGE, packageSize: null }, 'has a packageSize'],
    ['with a package of nothing', { ...prices.PACKAGE, packageSize: '0' }, 'above 0'],
    ['without tiers', { ...prices.TIERED, tiers: null }, 'has a tiers'],
    ['graduated without an open tier', { ...prices.TIERED, tiers: tiers.slice(0, 2) }, 'No tier'],
    ['by volume without an open tier', { ...prices.VOLUME, tiers: tiers.slice(0, 2) }, 'No tier'],
    ['with negative included units', { ...prices.VOLUME, includedUnits: '-1' }, 'Invalid request'],
    [
      'with a minimum over its maximum',
      { ...prices.VOLUME, minimumAmount: 2n, maximumAmount: 1n },
      'A minimum of 2 is over 1',
    ],
  ])('%s', (_case, price, message) => {
    expect(() => usageCharge(price, { quantity: '101' })).toThrow(message);
  });
});

const anyPrice = fc
  .record({
    type: fc.constantFrom(...everyType),
    tiers: anyTiers,
    unitAmount: anyDecimal.map(String),
    includedUnits: anyDecimal.map(String),
    packageSize: anyDecimal.map((size) => size.add(Decimal.of(1n)).toString()),
    minimumAmount: fc.option(fc.bigInt({ min: 0n, max: 100n })),
    maximumAmount: fc.option(fc.bigInt({ min: 100n, max: 10n ** 9n })),
  })
  .map(aUsagePrice);

describe('any usage charge', () => {
  test('is its exact amount, rounded, and within its bounds', () => {
    fc.assert(
      fc.property(anyPrice, anyDecimal, (price, quantity) => {
        const { amount, details } = usageCharge(price, { quantity: quantity.toString() });
        expect(exactly(details.exactAmount).roundHalfUp()).toBe(amount);
        expect(amount).toBeGreaterThanOrEqual(price.minimumAmount ?? 0n);
        expect(amount).toBeLessThanOrEqual(price.maximumAmount ?? amount);
      }),
    );
  });

  test('has tiers whose units and amounts sum exactly to its own', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('TIERED' as const, 'VOLUME' as const),
        anyTiers,
        anyDecimal,
        (type, anyOf, quantity) => {
          const price = aUsagePrice({ type, tiers: anyOf });
          const { details } = usageCharge(price, { quantity: quantity.toString() });
          expect(sum(details.tiers.map((tier) => tier.quantity))).toEqual(quantity);
          expect(sum(details.tiers.map((tier) => tier.amount)).toString()).toBe(
            details.exactAmount,
          );
          for (const tier of details.tiers) {
            const units = exactly(tier.quantity).multiply(exactly(tier.unitAmount));
            expect(units.add(exactly(tier.flatAmount)).toString()).toBe(tier.amount);
          }
        },
      ),
    );
  });

  test.each(['PER_UNIT', 'TIERED', 'PACKAGE'] as const)(
    'of %s never decreases when the usage increases',
    (type) => {
      fc.assert(
        fc.property(anyPrice, anyDecimal, anyDecimal, (price, quantity, more) => {
          const cost = (units: Decimal) =>
            usageCharge({ ...price, type }, { quantity: units.toString() });
          const [less, after] = [cost(quantity), cost(quantity.add(more))];
          const exact = [less, after].map(({ details }) => exactly(details.exactAmount));
          expect(after.amount).toBeGreaterThanOrEqual(less.amount);
          expect(exact[0]?.compare(exact[1] ?? Decimal.of(0n))).toBeLessThanOrEqual(0);
        }),
      );
    },
  );

  test('with one open tier equals the charge per unit, both graduated and by volume', () => {
    fc.assert(
      fc.property(anyDecimal, anyDecimal, (rate, quantity) => {
        const unitAmount = rate.toString();
        const tier: Tier = { upTo: null, unitAmount, flatAmount: '0' };
        const amounts = [
          aUsagePrice({ type: 'PER_UNIT', unitAmount }),
          aUsagePrice({ type: 'TIERED', tiers: [tier] }),
          aUsagePrice({ type: 'VOLUME', tiers: [tier] }),
        ].map((price) => usageCharge(price, { quantity: quantity.toString() }).details.exactAmount);
        expect(new Set(amounts).size).toBe(1);
      }),
    );
  });
});

describe('usage reported after a bill', () => {
  test('costs the charge of all usage less the billed amount', () => {
    const price = { ...prices.PER_UNIT, includedUnits: '100' };
    const billed = { quantity: '102' };
    expect(usageChargeBeyond(price, { quantity: '130', creditedUnits: '8' }, billed)).toEqual({
      quantity: '28',
      unitAmount: '0.25',
      amount: 5n,
      details: { tiers: [], includedUnits: '100', billedQuantity: '20', exactAmount: '4.5' },
    });
  });

  test.each(everyType)('completes the whole charge together with that bill: %s', (type) => {
    const usage = anyDecimal.map((units) => ({ quantity: units.toString() }));
    fc.assert(
      fc.property(usage, usage, (billed, all) => {
        const beyond = usageChargeBeyond(prices[type], all, billed);
        const first = usageCharge(prices[type], billed);
        expect(first.amount + beyond.amount).toBe(usageCharge(prices[type], all).amount);
        expect(sum([first.quantity, beyond.quantity])).toEqual(exactly(all.quantity));
      }),
    );
  });
});
