import { createCustomer } from './customer';
import { customerDefinition } from './store';

test('a text that a stored customer lacks is null', () => {
  const input = { email: 'ada@example.com', name: 'Ada', phone: '1', collectionMethod: undefined };
  const customer = createCustomer(input, { id: 'c-1', metadataProblems: [] });
  const { phone: _phone, ...stored } = customerDefinition.toDocument(customer);
  expect(customerDefinition.fromDocument({ ...stored, _id: 'c-1' })).toEqual({
    ...customer,
    phone: null,
    buyerReference: null,
  });
});
