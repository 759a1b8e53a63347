import { SHIPPED_RATES } from '@billing/kernel/tax/shipped-rates';
import { FormValues } from '../../parts/form/form-values';
import { dayText } from '../../parts/text/time-text';
import { originText, publicationOf, typedTax, typedTaxRate } from './tax-values';

function valuesOf(fields: Readonly<Record<string, string>>): FormValues {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  return new FormValues(form);
}

test('registrations are separated by commas or spaces', () => {
  const fields = { 'tax.prices': 'EXCLUDE_TAX', 'tax.registrations': ' de, EU  ch,' };
  expect(typedTax(valuesOf(fields))).toEqual({
    prices: 'EXCLUDE_TAX',
    registrations: ['DE', 'EU', 'CH'],
  });
  expect(typedTax(valuesOf({ ...fields, 'tax.prices': 'OFF' }))).toBeNull();
});

test('empty fields of a rate are open', () => {
  const fields = { country: 'de', percent: ' 7 ', name: 'VAT', category: 'ebook', state: '' };
  expect(typedTaxRate(valuesOf(fields))).toEqual({
    ...{ country: 'DE', percent: '7', name: 'VAT', category: 'ebook' },
    ...{ state: null, validFrom: null, validTo: null },
  });
});

test('a shipped rate says whether a person has compared it with its source', () => {
  expect(originText({ source: 'OWN', country: 'DE' })).toBe('Your own');
  expect(publicationOf({ source: 'OWN', country: 'DE' })).toBeUndefined();
  for (const { country, checkedOn, source } of SHIPPED_RATES) {
    const expected = checkedOn === null ? 'not checked' : `checked on ${dayText(checkedOn)}`;
    expect(originText({ source: 'SHIPPED', country })).toBe(`Shipped, ${expected}`);
    expect(publicationOf({ source: 'SHIPPED', country })).toBe(source);
  }
});
