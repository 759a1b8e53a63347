import { FormValues } from '../../parts/form/form-values';
import type { Seller } from '../../resources/seller';
import { changedSeller } from './seller-values';

const seller = {
  ...{ legalName: 'Ada GmbH', contactName: null, email: 'ada@example.com', phone: null },
  ...{ registrationNumber: null, registrationText: null, footer: null, logo: null },
  address: { line1: null, line2: null, city: 'Bonn', state: null, postalCode: null, country: 'DE' },
  taxIds: [{ type: 'EU_VAT', value: 'DE136695976' }],
  bankAccount: { holder: 'Ada GmbH', iban: 'DE89370400440532013000', bic: null },
  ...{ invoicePrefix: 'INV-', netDays: 30, version: 3 },
} as unknown as Seller;

/** Fields of the form for that seller. */
const fields = {
  ...{ legalName: 'Ada GmbH', email: 'ada@example.com', invoicePrefix: 'INV-', netDays: '30' },
  ...{ 'address.city': 'Bonn', 'address.country': 'DE' },
  ...{ 'taxIds.0.type': 'EU_VAT', 'taxIds.0.value': 'DE136695976' },
  ...{ 'bankAccount.holder': 'Ada GmbH', 'bankAccount.iban': 'DE89370400440532013000' },
};

function valuesOf(fields: Readonly<Record<string, string>>): FormValues {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  return new FormValues(form);
}

test('a form sends only what was changed in it', () => {
  const change = (more: object) =>
    changedSeller(valuesOf({ ...fields, ...more }), undefined, seller);
  expect(change({})).toEqual({});
  expect(change({ footer: 'Thank you' })).toEqual({ footer: 'Thank you' });
  expect(change({ 'address.city': 'Ulm' })).toEqual({
    address: { ...seller.address, city: 'Ulm' },
  });
  expect(change({ 'taxIds.0.value': 'DE2' })).toEqual({
    taxIds: [{ type: 'EU_VAT', value: 'DE2' }],
  });
  expect(change({ netDays: '14', invoicePrefix: '' })).toEqual({
    netDays: 14,
    invoicePrefix: null,
  });
});

test('an empty form clears the seller and keeps the logo', () => {
  expect(changedSeller(valuesOf({ legalName: ' ' }), undefined, seller)).toEqual({
    ...{ legalName: null, email: null, address: null, bankAccount: null },
    ...{ taxIds: [], invoicePrefix: null, netDays: null },
  });
});

test('parts of objects are sent together', () => {
  const changed = { ...fields, 'bankAccount.holder': '', 'address.city': '' };
  expect(changedSeller(valuesOf(changed), null, seller)).toEqual({
    logo: null,
    address: { ...seller.address, city: null },
    bankAccount: { holder: '', iban: 'DE89370400440532013000', bic: null },
  });
});

test('days that are no number stay as typed, so that the server reports them', () => {
  const changed = { ...fields, netDays: 'x' };
  expect(changedSeller(valuesOf(changed), undefined, seller)).toEqual({ netDays: 'x' });
});
