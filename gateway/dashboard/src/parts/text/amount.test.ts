import fc from 'fast-check';
import { amountToType, exportedMoney, largestFirst, typedAmount, typedCount } from './amount';

test.each([
  ['29', 'USD', 2_900],
  ['29.9', 'USD', 2_990],
  ['29,90', 'USD', 2_990],
  [' 29.99 ', 'USD', 2_999],
  ['0', 'USD', 0],
  ['2900', 'JPY', 2_900],
  ['1.234', 'KWD', 1_234],
])('the input %s in %s is %s in the smallest unit', (typed, currency, amount) => {
  expect(typedAmount(typed, currency)).toBe(amount);
});

test.each([
  ['29.999', 'USD'],
  ['29.9', 'JPY'],
  ['-1', 'USD'],
  ['1,000', 'USD'],
  ['1,000', 'KWD'],
  ['', 'USD'],
  ['99999999999999999', 'USD'],
])('the invalid input %j in %s stays as typed', (typed, currency) => {
  expect(typedAmount(typed, currency)).toBe(typed);
});

test('an amount that is formatted for editing parses to the same amount', () => {
  const currencies = fc.constantFrom('USD', 'JPY', 'KWD');
  fc.assert(
    fc.property(fc.nat({ max: 99_999_999_999 }), currencies, (amount, currency) => {
      expect(typedAmount(amountToType(amount, currency), currency)).toBe(amount);
    }),
  );
});

test('a count is a whole number, undefined, or the invalid input', () => {
  expect(typedCount('12')).toBe(12);
  expect(typedCount(undefined)).toBeUndefined();
  expect(typedCount('twelve')).toBe('twelve');
  expect(typedCount('1.5')).toBe('1.5');
});

test.each([
  [2_900, 'USD', '29.00 USD'],
  [500, 'JPY', '500 JPY'],
  [-5, 'USD', '-0.05 USD'],
  ['90071992547409931', 'EUR', '900719925474099.31 EUR'],
])('the amount %s in %s is exported as %s', (amount, currency, exported) => {
  expect(exportedMoney(amount, currency)).toBe(exported);
});

test('the currency with the most whole units comes first, and equal amounts keep their order', () => {
  const all = [
    { currency: 'AUD', amount: 0 },
    { currency: 'BRL', amount: 0 },
    { currency: 'JPY', amount: 20 },
    { currency: 'USD', amount: '2900' },
  ];
  const sorted = largestFirst(all, ({ amount }) => amount);
  expect(sorted.map(({ currency }) => currency)).toEqual(['USD', 'JPY', 'AUD', 'BRL']);
});
