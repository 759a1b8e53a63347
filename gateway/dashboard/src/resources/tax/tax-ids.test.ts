import { FormValues } from '../../parts/form/form-values';
import { taxIdField, typedTaxIds } from './tax-ids';

test('tax ids are read row by row', () => {
  const form = new FormData();
  const rows = [
    ['EU_VAT', ' DE136695976 '],
    ['OTHER', '7'],
  ] as const;
  rows.forEach(([type, value], index) => {
    form.set(taxIdField(index, 'type'), type);
    form.set(taxIdField(index, 'value'), value);
  });
  expect(typedTaxIds(new FormValues(form))).toEqual([
    { type: 'EU_VAT', value: 'DE136695976' },
    { type: 'OTHER', value: '7' },
  ]);
  expect(typedTaxIds(new FormValues(new FormData()))).toEqual([]);
});
