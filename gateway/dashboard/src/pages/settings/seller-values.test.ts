import { FormValues } from '../../parts/form/form-values';
import { typedSeller } from './seller-values';

function valuesOf(fields: Readonly<Record<string, string>>): FormValues {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  return new FormValues(form);
}

test('an empty form clears the seller and keeps the logo', () => {
  expect(typedSeller(valuesOf({ legalName: ' ' }), undefined)).toEqual({
    ...{ legalName: null, contactName: null, email: null, phone: null, address: null },
    ...{ registrationNumber: null, registrationText: null, footer: null, bankAccount: null },
    ...{ taxIds: [], invoicePrefix: null, netDays: null },
  });
});

test('parts of objects are sent together', () => {
  const fields = {
    ...{ legalName: 'Ada GmbH', 'address.country': 'DE', netDays: '14', invoicePrefix: 'A-' },
    ...{ 'bankAccount.iban': 'DE89370400440532013000' },
    ...{ 'taxIds.0.type': 'EU_VAT', 'taxIds.0.value': 'DE136695976' },
  };
  expect(typedSeller(valuesOf(fields), null)).toMatchObject({
    ...{ legalName: 'Ada GmbH', netDays: 14, invoicePrefix: 'A-', logo: null },
    address: { country: 'DE', city: null },
    bankAccount: { holder: '', iban: 'DE89370400440532013000', bic: null },
    taxIds: [{ type: 'EU_VAT', value: 'DE136695976' }],
  });
});

test('days that are no number stay as typed, so that the server reports them', () => {
  expect(typedSeller(valuesOf({ netDays: 'x' }), undefined)).toMatchObject({ netDays: 'x' });
});
