import type { Customer } from '../../resources/customer';
import { changedCustomer, newCustomer } from './customer-changes';

const filledIn = (entries: Readonly<Record<string, string>>) => ({
  text: (name: string) => entries[name] ?? '',
  optional: (name: string) => (entries[name] === '' ? undefined : entries[name]),
  has: (name: string) => name in entries,
});

const customer = {
  email: 'ada@example.com',
  name: 'Ada',
  phone: null,
  buyerReference: null,
  currency: 'USD',
  collectionMethod: 'CHARGE_AUTOMATICALLY',
  netDays: 14,
  locale: 'de-CH',
  taxIds: [{ type: 'EU_VAT', value: 'DE136695976' }],
  taxExempt: 'REVERSE',
  address: {
    line1: 'Main 1',
    line2: null,
    city: 'Ulm',
    state: null,
    postalCode: null,
    country: 'DE',
  },
} as Customer;

const unchanged = {
  email: 'ada@example.com',
  name: 'Ada',
  phone: '',
  buyerReference: '',
  currency: 'USD',
  collectionMethod: 'CHARGE_AUTOMATICALLY',
  netDays: '14',
  locale: 'de-CH',
  'taxIds.0.type': 'EU_VAT',
  'taxIds.0.value': 'DE136695976',
  taxExempt: 'REVERSE',
  'address.line1': 'Main 1',
  'address.city': 'Ulm',
  'address.country': 'DE',
};

test('a new customer has the values of the form', () => {
  const typed = {
    email: ' ada@example.com ',
    collectionMethod: 'SEND_INVOICE',
    netDays: '0',
    locale: 'de-CH',
    'taxIds.0.type': 'CH_VAT',
    'taxIds.0.value': ' CHE-116.281.710 ',
    taxExempt: 'EXEMPT',
    'address.city': 'Ulm',
  };
  expect(newCustomer(filledIn(typed))).toEqual({
    email: 'ada@example.com',
    externalId: null,
    name: null,
    phone: null,
    buyerReference: null,
    currency: null,
    collectionMethod: 'SEND_INVOICE',
    netDays: 0,
    locale: 'de-CH',
    taxIds: [{ type: 'CH_VAT', value: 'CHE-116.281.710' }],
    taxExempt: 'EXEMPT',
    address: {
      line1: null,
      line2: null,
      city: 'Ulm',
      state: null,
      postalCode: null,
      country: null,
    },
  });
  expect(newCustomer(filledIn({ email: 'a@example.com', taxExempt: 'NONE' }))).toMatchObject({
    address: null,
    netDays: null,
    locale: null,
    taxIds: [],
    taxExempt: 'NONE',
  });
});

test('a change contains only the fields that were edited', () => {
  expect(changedCustomer(filledIn(unchanged), customer)).toEqual({});
  const changed = { ...unchanged, name: 'Ada King', phone: '+1 555', currency: 'usd' };
  expect(changedCustomer(filledIn(changed), customer)).toEqual({
    name: 'Ada King',
    phone: '+1 555',
  });
  const terms = { ...unchanged, netDays: '30', locale: 'fr', taxExempt: 'NONE' };
  expect(changedCustomer(filledIn({ ...terms, 'taxIds.0.type': 'OTHER' }), customer)).toEqual({
    netDays: 30,
    locale: 'fr',
    taxIds: [{ type: 'OTHER', value: 'DE136695976' }],
    taxExempt: 'NONE',
  });
});

test('an emptied field is cleared', () => {
  const { email, currency, collectionMethod, taxExempt } = unchanged;
  const left = { email, currency, collectionMethod, taxExempt };
  expect(changedCustomer(filledIn(left), customer)).toEqual({
    name: null,
    netDays: null,
    locale: null,
    taxIds: [],
    address: null,
  });
});
