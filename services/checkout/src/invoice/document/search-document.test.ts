import { invoiceSearch } from './search-document';

test.each([
  ['inv-000042', '42'],
  ['inv000042', '42'],
  ['000042', '42'],
  ['acme-000042', '42'],
  // Another document with its own count.
  ['cn-000042', 'cn-000042'],
  ['cn000042', 'cn000042'],
  ['ada', 'ada'],
])('the typed word %s looks for %s', (word, stored) => {
  expect(invoiceSearch.toStoredWord?.(word)).toBe(stored);
});
