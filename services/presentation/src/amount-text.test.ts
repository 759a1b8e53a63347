import { amountText } from './amount-text';

const nbsp = '\u00A0';

test.each([
  [2900n, 'USD', 'en', '$29.00'],
  [2900n, 'USD', 'ja', '$29.00'],
  [2900n, 'USD', 'de', `29,00${nbsp}$`],
  [2900n, 'USD', 'fr', `29,00${nbsp}$US`],
  [2900n, 'USD', 'it', `29,00${nbsp}USD`],
  [2900n, 'USD', 'pl', `29,00${nbsp}USD`],
  [2900n, 'USD', 'es', `29,00${nbsp}US$`],
  [2900n, 'USD', 'pt', `US$${nbsp}29,00`],
  [2900n, 'USD', 'nl', `US$${nbsp}29,00`],
  [2900n, 'USD', 'zh', 'US$29.00'],
  [123450n, 'EUR', 'de', `1.234,50${nbsp}€`],
  [123450n, 'EUR', 'it', `1234,50${nbsp}€`],
  [123450n, 'EUR', 'es', `1234,50${nbsp}€`],
  [123450n, 'EUR', 'pl', `1234,50${nbsp}€`],
  [123450n, 'EUR', 'fr', `1\u202F234,50${nbsp}€`],
  [2900n, 'JPY', 'de', `2.900${nbsp}¥`],
  [2900n, 'JPY', 'ja', '￥2,900'],
  [-2900n, 'USD', 'en', '−$29.00'],
  [-2900n, 'USD', 'de', `−29,00${nbsp}$`],
  [-2900n, 'USD', 'nl', `US$${nbsp}−29,00`],
])('%s minor units of %s in %s are %s', (amount, currency, locale, text) => {
  expect(amountText(amount, currency, locale)).toBe(text);
});

test('an amount beyond the precision of numbers stays exact', () => {
  expect(amountText(900719925474099301n, 'USD', 'en')).toBe('$9,007,199,254,740,993.01');
});
