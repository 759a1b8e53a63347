import { countOf } from './find-invoices';

test.each([
  ['inv-000042', 42],
  ['inv000042', 42],
  ['000042', 42],
  ['acme-000042', 42],
  // The beginning of an id, which is looked up as well.
  ['0190a000-1234', 1234],
  // Another document with its own count.
  ['cn-000042', undefined],
  ['cn000042', undefined],
  ['ada', undefined],
  ['0', undefined],
  ['1234567890', undefined],
])('the typed word %s says the number %s', (word, number) => {
  expect(countOf(word)).toBe(number);
});
