import { type CustomerName, nameKey } from '../peer/customer-directory';
import { BatchCustomers } from './batch-customers';

const by = (customerId?: string, externalCustomerId?: string) => ({
  customerId,
  externalCustomerId,
});

test('each name of a batch is looked up once, and a customer id takes precedence over an external id', async () => {
  const asked: string[] = [];
  const lookUp = async (names: readonly CustomerName[]) => {
    asked.push(...names.map(nameKey));
    return new Map(names.map((name) => [nameKey(name), `of ${nameKey(name)}`]));
  };
  const events = [by('x'), by('x', 'y'), by(undefined, 'x'), by(undefined, 'x')];
  const customers = await BatchCustomers.of(events, lookUp);
  expect(asked.toSorted()).toEqual(['externalId:x', 'id:x']);
  expect(events.map((event) => customers.idOf(event))).toEqual([
    'of id:x',
    'of id:x',
    'of externalId:x',
    'of externalId:x',
  ]);
});

test('an unknown name has no customer', async () => {
  const customers = await BatchCustomers.of([by('x')], async () => new Map());
  expect(customers.idOf(by('x'))).toBeUndefined();
});
