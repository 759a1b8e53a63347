import { Invoice, LineItem, LineItemKind } from '@billing/proto/billing/checkout/v1/checkout';
import { InvoiceTax, TaxReason } from '@billing/proto/billing/checkout/v1/invoice_tax';
import { discountOf, shownAmount, sumRows } from './tax-text';
import { english } from './testing/english';

const line = LineItem.fromPartial({
  ...{ amount: 839n, pricedAmount: 999n, discountAmount: 84n, taxAmount: 144n, total: 899n },
});
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

describe('two discounts, the second of a part of a period that was put off', () => {
  const both = [
    { discountId: 'discount', name: 'Launch', amount: 840n },
    { discountId: 'former', name: 'Former', amount: 2101n },
  ];
  const lineItems = [
    LineItem.fromPartial({
      ...{ kind: LineItemKind.LINE_ITEM_KIND_RECURRING, pricedAmount: 10000n },
      ...{ amount: 8403n, discountAmount: 840n, taxAmount: 1437n, total: 9000n },
    }),
    LineItem.fromPartial({
      ...{ kind: LineItemKind.LINE_ITEM_KIND_REMAINING_TIME, pricedAmount: 5000n },
      ...{ amount: 4202n, discountAmount: 2101n, taxAmount: 399n, total: 2500n },
    }),
  ];
  const sums = { subtotal: 12605n, discountAmount: 2941n, tax: 1836n, total: 11500n };
  const taxes = [{ ...vat, base: 9664n, amount: 1836n }];
  const invoice = anInvoice({ lineItems, discounts: both, taxes, ...sums, amountDue: 11500n });

  test('have a row each, which lessens the prices with tax to the total', () => {
    const included = { ...invoice, pricesIncludeTax: true };
    expect(lineItems.map((one) => shownAmount(one, included))).toEqual([10000n, 5000n]);
    expect(english(sumRows(included))).toEqual([
      ['Discount: Launch', -1000n],
      ['Discount: Former', -2500n],
      ['Total', 11500n],
      ['Includes VAT 19% on €96.64', 1836n],
    ]);
  });

  test('have their amounts where prices are without tax', () => {
    expect(english(sumRows(invoice).slice(1, 3))).toEqual([
      ['Discount: Launch', -840n],
      ['Discount: Former', -2101n],
    ]);
  });

  test('are each of the lines that they lessen', () => {
    const names = lineItems.map((one) => discountOf(one, invoice)?.name);
    expect(names).toEqual(['Launch', 'Former']);
    const former = { ...invoice, discounts: both.slice(1) };
    expect(lineItems.map((one) => discountOf(one, former)?.name)).toEqual(['Former', 'Former']);
    expect(discountOf(line, anInvoice({ discounts: [] }))).toBeUndefined();
  });
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
