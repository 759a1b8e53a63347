import { amountText, quantityText, rateText } from './amount-text';
import { english } from './testing/english';

test.each([
  [2900n, 'USD', '$29.00'],
  [2900n, 'EUR', '€29.00'],
  [2900n, 'JPY', '¥2,900'],
  [2900n, 'KWD', 'KWD 2.900'],
  // Intl would show no decimals; ISO 4217 has two.
  [123456n, 'HUF', 'HUF 1,234.56'],
  [123n, 'UGX', 'UGX 123'],
  [-1250n, 'USD', '−$12.50'],
  [0n, 'USD', '$0.00'],
  [99_999_999_999n, 'USD', '$999,999,999.99'],
])('%s of %s is shown as %s', (amount, currency, text) => {
  expect(String(english(amountText(amount, currency))).replaceAll('\u00A0', ' ')).toBe(text);
});

test.each([
  ['0.25', 'USD', '$0.0025'],
  ['2900', 'USD', '$29.00'],
  ['150', 'USD', '$1.50'],
  ['0.000000000001', 'USD', '$0.00000000000001'],
  ['0.5', 'JPY', '¥0.5'],
])('a rate of %s of %s is shown as %s', (rate, currency, text) => {
  expect(english(rateText(rate, currency))).toBe(text);
});

test.each([
  ['1', '1'],
  ['1000000', '1,000,000'],
  ['12.5', '12.5'],
  ['1000000000000000.000000000001', '1,000,000,000,000,000.000000000001'],
])('a quantity of %s is shown as %s', (quantity, text) => {
  expect(english(quantityText(quantity))).toBe(text);
});
