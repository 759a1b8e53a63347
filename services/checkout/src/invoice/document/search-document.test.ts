import { invoiceSearch } from './search-document';

test.each([
  ['inv-000042', '42'],
  ['inv000042', '42'],
  ['000042', '42'],
  ['acme-000042', '42'],
  // The beginning of an id, which is looked up as well.
  ['0190a000-1234', '1234'],
  // Another document with its own count.
  ['cn-000042', undefined],
  ['cn000042', undefined],
  ['ada', undefined],
])('the typed word %s also looks for %s', (word, other) => {
  expect(invoiceSearch.otherFormOf?.(word)).toBe(other);
});
