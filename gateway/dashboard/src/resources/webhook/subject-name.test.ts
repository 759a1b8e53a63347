import { subjectList, subjectName } from './subject-name';

test.each([
  ['an invoice', { number: 'INV-000001' }, 'INV-000001'],
  ['a draft', { number: null }, null],
  ['a product', { name: 'Pro' }, 'Pro'],
  ['a customer without a name', { name: null, email: 'ada@example.com' }, 'ada@example.com'],
  ['an unknown resource', null, null],
  ['a resource that is not read yet', undefined, null],
])('the name of %s is its number, name or email address', (_kind, resource, name) => {
  expect(subjectName(resource)).toBe(name);
});

test('resources without a name are not looked up', () => {
  expect(subjectList('subscription')).toBeUndefined();
  expect(subjectList('invoice')).toBe('/v1/invoices');
});
