import fc from 'fast-check';
import { Decimal } from '../decimal';
import { anyDecimal, anyTiers, aUsagePrice } from '../testing/prices';
import { usageCharge, type UsagePrice } from './usage-pricing';
import {
  isSameRates,
  stretchCharges,
  stretchChargeBeyond,
  type UsageStretch,
} from './usage-stretches';

const basic = aUsagePrice({ type: 'PER_UNIT', unitAmount: '2', includedUnits: '1000' });
const pro = aUsagePrice({ type: 'PER_UNIT', unitAmount: '1', includedUnits: '10000' });
const perUnit = (unitAmount: string, parts: Partial<UsagePrice> = {}) =>
  aUsagePrice({ type: 'PER_UNIT', unitAmount, ...parts });
const tiered = aUsagePrice({
  type: 'TIERED',
  tiers: [
    { upTo: '1000', unitAmount: '3', flatAmount: '0' },
    { upTo: null, unitAmount: '1', flatAmount: '0' },
  ],
});
const packages = (unitAmount: string) =>
  aUsagePrice({ type: 'PACKAGE', unitAmount, packageSize: '100' });

/** Stretches by price, usage to its end, and credits burned to its end. */
function stretchesOf(all: readonly (readonly [UsagePrice, string, string?])[]): UsageStretch[] {
  return all.map(([price, quantity, creditedUnits]) => ({
    price,
    usage: { quantity, creditedUnits },
  }));
}

/** Parses a decimal of any length, as exact amounts have. */
function exactly(text: string): Decimal {
  const [integer = '', decimals = ''] = text.split('.');
  return Decimal.of(BigInt(integer + decimals), decimals.length);
}

const amountsOf = (stretches: readonly UsageStretch[]) =>
  stretchCharges(stretches).map(({ amount }) => amount);

test.each<[string, [UsagePrice, string, string?][], bigint[]]>([
  [
    'an upgrade within the included units costs nothing',
    [
      [basic, '900'],
      [pro, '1500'],
    ],
    [0n, 0n],
  ],
  [
    'usage before an upgrade counts by the rates before, usage after by those after',
    [
      [basic, '5000'],
      [pro, '12000'],
    ],
    [8000n, 2000n],
  ],
  [
    'a downgrade charges usage after it alone, beyond included units that are used up',
    [
      [pro, '5000'],
      [basic, '6000'],
    ],
    [0n, 2000n],
  ],
  [
    'tiers are entered from the quantity at the change',
    [
      [perUnit('4'), '800'],
      [tiered, '1500'],
    ],
    [3200n, 1100n],
  ],
  [
    'a maximum that grows is charged by the difference',
    [
      [perUnit('100'), '100'],
      [perUnit('80'), '120'],
    ],
    [10000n, 1600n],
  ],
  [
    'a minimum is due once',
    [
      [perUnit('2', { minimumAmount: 5000n }), '1000'],
      [perUnit('3', { minimumAmount: 4000n }), '3000'],
    ],
    [5000n, 5000n],
  ],
  [
    'a maximum amount that is reached charges nothing more',
    [
      [perUnit('2', { maximumAmount: 1000n }), '900'],
      [perUnit('3', { maximumAmount: 2000n }), '5000'],
    ],
    [1000n, 0n],
  ],
  [
    'a started package is charged once',
    [
      [packages('500'), '150'],
      [packages('400'), '250'],
    ],
    [1000n, 400n],
  ],
  [
    'usage that credits cover costs nothing on either side',
    [
      [perUnit('2'), '100', '100'],
      [perUnit('3'), '300', '250'],
    ],
    [0n, 150n],
  ],
  [
    'a value that falls costs nothing by other rates',
    [
      [perUnit('2'), '100'],
      [perUnit('3'), '40'],
    ],
    [200n, 0n],
  ],
  [
    'a value that falls by equal rates lowers the charge before',
    [
      [perUnit('2'), '100'],
      [perUnit('2'), '40'],
    ],
    [80n, 0n],
  ],
  [
    'a third stretch counts from the second',
    [
      [basic, '2000'],
      [pro, '3000'],
      [basic, '4000'],
    ],
    [2000n, 0n, 2000n],
  ],
])('%s', (_name, stretches, amounts) => {
  expect(amountsOf(stretchesOf(stretches))).toEqual(amounts);
});

test('a charge has the quantity of its stretch, and its calculation', () => {
  const [first, second] = stretchCharges(
    stretchesOf([
      [basic, '5000'],
      [pro, '12000'],
    ]),
  );
  expect(first).toEqual(usageCharge(basic, { quantity: '5000' }));
  expect(second).toEqual({
    quantity: '7000',
    unitAmount: '1',
    amount: 2000n,
    details: { tiers: [], includedUnits: '10000', billedQuantity: '2000', exactAmount: '2000' },
  });
});

test('late usage of a stretch is a difference from what was billed for the stretch', () => {
  const billed = stretchCharges(
    stretchesOf([
      [perUnit('4'), '800'],
      [tiered, '1500'],
    ]),
  );
  const now = stretchCharges(
    stretchesOf([
      [perUnit('4'), '900'],
      [tiered, '1600'],
    ]),
  );
  const differences = now.flatMap((charge, index) => {
    const before = billed[index];
    return before === undefined ? [] : [stretchChargeBeyond(charge, before)];
  });
  expect(differences.map(({ quantity, amount }) => [quantity, amount])).toEqual([
    ['100', 400n],
    // 100 units by the second tier in place of the first.
    ['0', -200n],
  ]);
});

test('rates are compared without ids', () => {
  expect(isSameRates(basic, { ...basic, ...{ id: 'other' } })).toBe(true);
  expect(isSameRates(basic, { ...basic, includedUnits: '1001' })).toBe(false);
});

describe('for any prices and usage', () => {
  const bound = fc.option(fc.bigInt({ min: 0n, max: 10_000n }), { nil: null });
  const price: fc.Arbitrary<UsagePrice> = fc
    .tuple(
      fc.oneof(
        anyDecimal.map((rate) => perUnit(rate.toString())),
        fc
          .tuple(anyDecimal, fc.constantFrom('0.5', '7', '100'))
          .map(([rate, packageSize]) =>
            aUsagePrice({ type: 'PACKAGE', unitAmount: rate.toString(), packageSize }),
          ),
        fc
          .tuple(fc.constantFrom('TIERED' as const, 'VOLUME' as const), anyTiers)
          .map(([type, tiers]) => aUsagePrice({ type, tiers })),
      ),
      anyDecimal,
      bound,
      bound,
    )
    .map(([given, included, minimumAmount, above]) => ({
      ...given,
      includedUnits: included.toString(),
      minimumAmount,
      maximumAmount: above === null ? null : above + (minimumAmount ?? 0n),
    }));
  const usage = fc
    .record({ quantity: anyDecimal, creditedUnits: anyDecimal })
    .map(({ quantity, creditedUnits }) => ({
      quantity: quantity.toString(),
      creditedUnits: creditedUnits.toString(),
    }));
  const usages = fc.array(usage, { minLength: 1, maxLength: 5 });

  test('equal rates cost what one stretch to the end costs', () => {
    fc.assert(
      fc.property(price, usages, (one, all) => {
        const charges = stretchCharges(all.map((each) => ({ price: one, usage: each })));
        const sum = charges.reduce((total, charge) => total + charge.amount, 0n);
        expect(sum).toBe(usageCharge(one, all.at(-1) ?? { quantity: '0' }).amount);
      }),
    );
  });

  test('no stretch costs less than 0, and the first costs at most its usage', () => {
    const any = fc.array(fc.record({ price, usage }), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(any, (stretches) => {
        const amounts = amountsOf(stretches);
        expect(amounts.every((one) => one >= 0n)).toBe(true);
        for (const { amount, details } of stretchCharges(stretches)) {
          expect(exactly(details.exactAmount).roundHalfUp()).toBe(amount);
        }
        const [first] = stretches;
        if (first === undefined) return;
        expect(amounts[0]).toBeLessThanOrEqual(usageCharge(first.price, first.usage).amount);
      }),
    );
  });

  test('a split of a stretch by the same rates changes no sum', () => {
    fc.assert(
      fc.property(price, price, usage, usage, usage, (a, b, first, second, third) => {
        const before = { price: a, usage: first };
        const whole = amountsOf([before, { price: b, usage: third }]);
        const split = amountsOf([before, { price: b, usage: second }, { price: b, usage: third }]);
        const sum = (amounts: bigint[]) => amounts.reduce((total, one) => total + one, 0n);
        fc.pre(!isSameRates(a, b));
        expect(sum(split)).toBe(sum(whole));
      }),
    );
  });
});
