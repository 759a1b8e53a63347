import { CURRENCY_EXPONENTS } from './currencies';
import { exponentOf, isCurrency, parseCurrency } from './currency';

test('a code is parsed in any case and returned in upper case', () => {
  expect(parseCurrency('eUr')).toBe('EUR');
});

test.each(Object.entries(CURRENCY_EXPONENTS))(
  '%s has three capitals and %i digits',
  (code, digits) => {
    expect(code).toMatch(/^[A-Z]{3}$/);
    expect(exponentOf(parseCurrency(code.toLowerCase()))).toBe(digits);
  },
);

test.each([
  ['a metal', 'XAU'],
  ['a test code', 'XTS'],
  ['no currency', 'XXX'],
  ['special drawing rights', 'XDR'],
  ['a withdrawn code', 'BGN'],
  ['an unknown code', 'ZZZ'],
  ['nothing', ''],
  ['surrounding space', ' USD'],
  ['a longer code', 'USDT'],
  ['a name that every object has', 'toString'],
  ['a long s that upper-cases to S', 'u\u017fd'],
  ['a dotless i that upper-cases to I', '\u0131nr'],
])('%s is refused', (_name, text) => {
  expect(() => parseCurrency(text)).toThrow(
    expect.objectContaining({
      kind: 'invalid_input',
      reason: 'INVALID_REQUEST',
      fields: { currency: ['Invalid currency'] },
    }) as Error,
  );
});

test('the error names the field that was parsed', () => {
  expect(() => parseCurrency('?', 'defaultCurrency')).toThrow(
    expect.objectContaining({ fields: { defaultCurrency: ['Invalid currency'] } }) as Error,
  );
});

test('a stored code must be in upper case', () => {
  expect(isCurrency('USD')).toBe(true);
  expect(isCurrency('usd')).toBe(false);
});
