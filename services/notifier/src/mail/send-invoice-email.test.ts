import { invoiceMailKind } from './send-invoice-email';

test.each([
  ['PAID', 'CHECKOUT', 'RECEIPT'],
  ['PAID', 'MANUAL', 'RECEIPT'],
  ['OPEN', 'MANUAL', 'INVOICE_ISSUED'],
  ['OPEN', 'CHECKOUT', undefined],
  ['DRAFT', 'MANUAL', undefined],
  ['VOID', 'MANUAL', undefined],
  ['UNCOLLECTIBLE', 'MANUAL', undefined],
])('an invoice that is %s and of reason %s is sent as %s', (status, billingReason, kind) => {
  expect(invoiceMailKind({ status, billingReason })).toBe(kind);
});
