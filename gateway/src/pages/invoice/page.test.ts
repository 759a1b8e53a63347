import { Invoice, InvoiceStatus } from '@billing/proto/billing/checkout/v1/checkout';
import { statusText } from './page';
import { english } from '@billing/documents/testing/english';

test.each([
  [29n, 'Payment received on'],
  [0n, 'Settled on'],
])('a paid invoice with payments of %s says: %s', (amountPaid, words) => {
  const paidAt = new Date('2026-01-02T00:00:00.000Z');
  const status = InvoiceStatus.INVOICE_STATUS_PAID;
  const text = statusText(Invoice.fromPartial({ status, amountPaid, paidAt }));
  expect(english(text)).toContain(`Thank you. This invoice is paid. ${words} `);
});
