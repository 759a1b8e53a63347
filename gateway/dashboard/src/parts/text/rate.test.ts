import fc from 'fast-check';
import { rateToType, typedRate } from './rate';

test.each([
  ['5', 'USD', '500'],
  ['5.00', 'USD', '500'],
  ['0.005', 'USD', '0.5'],
  ['0.0025', 'USD', '0.25'],
  ['12.5', 'JPY', '12.5'],
  ['1.2345', 'KWD', '1234.5'],
  [' 0 ', 'USD', '0'],
  ['1290,50', 'EUR', '129050'],
  ['1,000', 'EUR', '1,000'],
  ['', 'USD', ''],
  ['-1', 'USD', '-1'],
])('%s in %s is sent as %s', (typed, currency, rate) => {
  expect(typedRate(typed, currency)).toBe(rate);
});

test.each([
  ['500', 'USD', '5.00'],
  ['0.5', 'USD', '0.005'],
  ['7', 'USD', '0.07'],
  ['12.5', 'JPY', '12.5'],
  ['3', 'JPY', '3'],
])('%s of %s is edited as %s', (rate, currency, typed) => {
  expect(rateToType(rate, currency)).toBe(typed);
});

test('every rate that is formatted for editing parses to the same rate', () => {
  const rates = fc.tuple(fc.bigInt(0n, 10n ** 12n), fc.stringMatching(/^(|\d{0,11}[1-9])$/));
  fc.assert(
    fc.property(rates, fc.constantFrom('USD', 'JPY', 'KWD'), ([whole, fraction], currency) => {
      const rate = fraction === '' ? String(whole) : `${String(whole)}.${fraction}`;
      expect(typedRate(rateToType(rate, currency), currency)).toBe(rate);
    }),
  );
});
