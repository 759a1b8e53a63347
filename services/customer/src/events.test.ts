import { announcedEvents, exampleEvent } from '@billing/chassis/testing/announced-events';
import { changeCustomer, createCustomer, fixCurrency } from './customer';
import { eraseCustomer } from './erasure';
import { announcedCustomers } from './events';

const service = 'customer';
const fine = { metadataProblems: [] };
const customer = createCustomer(
  {
    ...{ email: 'ada@example.com', name: 'Ada', externalId: 'u-17', collectionMethod: undefined },
    address: { line1: 'Main Street 1', city: 'Rome', country: 'IT' },
    metadata: { plan: 'pro' },
  },
  { id: '0197a000-0000-7000-8000-000000000003', ...fine },
);
const renamed = changeCustomer(customer, { name: null, email: 'ada@example.org' }, fine);
const erased = eraseCustomer(customer, { realNow: new Date(0), encoded: '' });

test.each([
  ['created', { service, transition: { state: customer, events: [] } }],
  [
    'updated',
    {
      ...{ service, before: customer, sequence: 2, at: new Date('2026-02-01T00:00:00.000Z') },
      transition: { state: renamed, events: [] },
    },
  ],
  [
    'deleted',
    {
      ...{ service, before: customer, sequence: 3, at: new Date('2026-03-01T00:00:00.000Z') },
      transition: { state: erased.state, events: [] },
    },
  ],
])('the event of customer-%s.json is announced as the file has it', (name, write) => {
  expect(announcedEvents(announcedCustomers, write)).toEqual([exampleEvent(`customer-${name}`)]);
});

test('a first invoice in the currency of a customer announces nothing', () => {
  const transition = { state: fixCurrency(customer, customer.currency), events: [] };
  expect(transition.state).not.toEqual(customer);
  expect(announcedEvents(announcedCustomers, { service, before: customer, transition })).toEqual(
    [],
  );
});
