import { formatInvoiceNumber, nextInvoiceNumber } from './invoice-number';

test('the first invoice number is 1', () => {
  expect(nextInvoiceNumber(undefined)).toBe(1);
});

test.each([
  [1, 2],
  [999_999, 1_000_000],
])('the invoice number after %s is %s', (highest, next) => {
  expect(nextInvoiceNumber(highest)).toBe(next);
});

test.each([
  [1, 'INV-000001'],
  [999_999, 'INV-999999'],
  [1_000_000, 'INV-1000000'],
])('the invoice number %s is shown as %s', (number, text) => {
  expect(formatInvoiceNumber(number)).toBe(text);
});

test.each([0, -1, 1.5])('an invoice number of %s is refused', (number) => {
  expect(() => formatInvoiceNumber(number)).toThrow('whole number from 1');
});

test.each([
  [1, {}, 'INV-WH5C2-000001'],
  [1_000_000, { prefix: 'CN-' }, 'CN-WH5C2-1000000'],
])('after a restore the number %s in %j is shown as %s', (number, style, text) => {
  expect(formatInvoiceNumber(number, { ...style, series: 'WH5C2' })).toBe(text);
});
