import { meterPriceText, priceText, tierSpanText } from './product';

const monthly = { currency: 'USD', billingInterval: 'MONTHLY', intervalCount: 1 } as const;
const tier = (upTo: string | null) => ({ upTo, unitAmount: '50', flatAmount: '0' });

test.each([
  [{ ...monthly, type: 'FLAT', amount: 2_900, tiers: null }, '$29.00 / month'],
  [
    { ...monthly, type: 'PER_UNIT', amount: 500, tiers: null, intervalCount: 2 },
    '$5.00 / unit / 2 months',
  ],
  [
    { ...monthly, type: 'FLAT', amount: 9_900, tiers: null, billingInterval: 'ONE_TIME' },
    '$99.00 once',
  ],
  [
    { ...monthly, type: 'TIERED', amount: 0, tiers: [tier('10'), tier(null)] },
    'From $0.50 / unit / month (2 graduated tiers)',
  ],
  [
    {
      ...monthly,
      type: 'VOLUME',
      amount: 0,
      tiers: [{ ...tier('10'), flatAmount: '900' }, tier(null)],
    },
    '2 volume tiers / month',
  ],
] as const)('the price of %j reads “%s”', (product, text) => {
  expect(priceText({ ...product, tiers: product.tiers === null ? null : [...product.tiers] })).toBe(
    text,
  );
});

test('a usage price shows fractions of the smallest unit', () => {
  const price = { type: 'PER_UNIT', unitAmount: '0.25', packageSize: null, tiers: [] } as const;
  expect(meterPriceText({ ...price, tiers: null }, 'USD')).toBe('$0.0025 / unit');
  expect(
    meterPriceText({ ...price, tiers: null, type: 'PACKAGE', packageSize: '100' }, 'USD'),
  ).toBe('$0.0025 / package of 100 units');
});

test('a tier shows its lower and upper bound', () => {
  const [first, second, last] = [tier('100'), tier('1000'), tier(null)];
  expect(tierSpanText(first, undefined)).toBe('Up to 100');
  expect(tierSpanText(second, first)).toBe('Over 100, up to 1,000');
  expect(tierSpanText(last, second)).toBe('Over 1,000');
  expect(tierSpanText(last, undefined)).toBe('Any quantity');
});
