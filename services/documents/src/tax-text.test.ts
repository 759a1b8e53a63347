import { Invoice, LineItem } from '@billing/proto/billing/checkout/v1/checkout';
import { InvoiceTax, TaxReason } from '@billing/proto/billing/checkout/v1/invoice_tax';
import { shownAmount, sumRows } from './tax-text';
import { english } from './testing/english';

const line = LineItem.fromPartial({ amount: 839n, pricedAmount: 999n, discountAmount: 84n });
const discounts = [{ discountId: 'discount', name: 'Launch', amount: 84n }];
const vat = InvoiceTax.fromPartial({
  ...{ reason: TaxReason.TAX_REASON_STANDARD, name: 'VAT', country: 'DE', percent: '19' },
  ...{ base: 755n, amount: 144n },
});

function anInvoice(change: Partial<Invoice> = {}): Invoice {
  return Invoice.fromPartial({
    ...{ currency: 'EUR', subtotal: 839n, discountAmount: 84n, tax: 144n, total: 899n },
    ...{ amountDue: 899n, lineItems: [line], discounts, taxes: [vat] },
    ...change,
  });
}

test('prices without tax are summed up to the total', () => {
  const invoice = anInvoice();
  expect(shownAmount(line, invoice)).toBe(839n);
  expect(english(sumRows(invoice))).toEqual([
    ['Subtotal', 839n],
    ['Discount: Launch', -84n],
    ['VAT 19% on €7.55', 144n],
    ['Total', 899n],
  ]);
});

test('prices with tax show what they contain (T4)', () => {
  const invoice = anInvoice({ pricesIncludeTax: true });
  expect(shownAmount(line, invoice)).toBe(999n);
  expect(english(sumRows(invoice))).toEqual([
    ['Discount: Launch', -100n],
    ['Total', 899n],
    ['Includes VAT 19% on €7.55', 144n],
  ]);
});

test.each([
  [{ legalText: 'Reverse charge' }, 'Reverse charge, 0% on €7.55'],
  [{ reason: TaxReason.TAX_REASON_NO_RATE, name: undefined }, 'Tax 0% on €7.55'],
])('a row of %j says %s', (change, expected) => {
  const taxes = [{ ...vat, amount: 0n, ...change }];
  expect(english(sumRows(anInvoice({ taxes, tax: 0n, total: 755n }))[2])).toEqual([expected, 0n]);
});

test('an invoice without taxes has no row for them', () => {
  const amounts = { tax: 0n, total: 755n, amountDue: 755n };
  const invoice = anInvoice({ ...amounts, taxes: [], pricesIncludeTax: true });
  expect(english(sumRows(invoice).map(([label]) => label))).toEqual([
    ...['Subtotal', 'Discount: Launch', 'Total'],
  ]);
  expect(shownAmount(line, invoice)).toBe(839n);
});
