import { isUsableIn, misfitOf, redemptionsText, termsText } from './discount';

const off = { currency: null, durationInMonths: null } as const;

test.each([
  [{ ...off, type: 'PERCENTAGE', value: 12.5, duration: 'ONCE' }, '12.5% off once'],
  [
    { ...off, type: 'PERCENTAGE', value: 20, duration: 'REPEATING', durationInMonths: 3 },
    '20% off for 3 months',
  ],
  [
    { ...off, type: 'FIXED', value: 1_000, currency: 'USD', duration: 'FOREVER' },
    '$10.00 off forever',
  ],
  [
    { ...off, type: 'FIXED', value: 1_000, duration: 'REPEATING', durationInMonths: 1 },
    '1,000 minor units off for 1 month',
  ],
] as const)('a discount of %j reads “%s”', (discount, text) => {
  expect(termsText(discount)).toBe(text);
});

test('the number of redemptions shows the limit if there is one', () => {
  expect(redemptionsText({ redemptionCount: 1_200, maxRedemptions: null })).toBe('1,200');
  expect(redemptionsText({ redemptionCount: 3, maxRedemptions: 10 })).toBe('3 of 10');
});

test('an amount in another currency cannot reduce a price', () => {
  const [euros, any] = [{ currency: 'EUR' }, { currency: null }] as const;
  expect(isUsableIn('USD', euros)).toBe(false);
  expect(isUsableIn('EUR', euros)).toBe(true);
  expect(isUsableIn('USD', any)).toBe(true);
  expect(misfitOf(euros, 'USD')).toBe('This discount is in EUR, the price in USD');
  expect(misfitOf(euros, undefined)).toBeUndefined();
  expect(misfitOf(any, 'USD')).toBeUndefined();
});
