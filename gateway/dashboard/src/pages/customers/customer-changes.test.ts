import type { Customer } from '../../resources/customer';
import { changedCustomer, newCustomer } from './customer-changes';

const filledIn = (entries: Readonly<Record<string, string>>) => ({
  text: (name: string) => entries[name] ?? '',
  optional: (name: string) => (entries[name] === '' ? undefined : entries[name]),
});

const customer = {
  email: 'ada@example.com',
  name: 'Ada',
  phone: null,
  buyerReference: null,
  currency: 'USD',
  collectionMethod: 'CHARGE_AUTOMATICALLY',
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
  'address.line1': 'Main 1',
  'address.city': 'Ulm',
  'address.country': 'DE',
};

test('a new customer has the values of the form', () => {
  const typed = {
    email: ' ada@example.com ',
    collectionMethod: 'SEND_INVOICE',
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
    address: {
      line1: null,
      line2: null,
      city: 'Ulm',
      state: null,
      postalCode: null,
      country: null,
    },
  });
  expect(newCustomer(filledIn({ email: 'a@example.com' }))).toMatchObject({ address: null });
});

test('a change contains only the fields that were edited', () => {
  expect(changedCustomer(filledIn(unchanged), customer)).toEqual({});
  const changed = { ...unchanged, name: 'Ada King', phone: '+1 555', currency: 'usd' };
  expect(changedCustomer(filledIn(changed), customer)).toEqual({
    name: 'Ada King',
    phone: '+1 555',
  });
});

test('an emptied field is cleared', () => {
  const { email, currency, collectionMethod } = unchanged;
  expect(changedCustomer(filledIn({ email, currency, collectionMethod }), customer)).toEqual({
    name: null,
    address: null,
  });
});
