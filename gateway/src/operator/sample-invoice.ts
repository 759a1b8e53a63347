import { sumOf } from '@billing/kernel/money';
import { isInEu } from '@billing/kernel/tax/european-union';
import { lineAmounts, taxRows, vatEngine } from '@billing/kernel/tax/tax';
import { STANDARD_CATEGORY } from '@billing/kernel/tax/tax-rate';
import { Invoice, InvoiceStatus, LineItem } from '@billing/proto/billing/checkout/v1/checkout';
import {
  InvoiceBuyer,
  InvoiceTax,
  TaxStatus,
} from '@billing/proto/billing/checkout/v1/invoice_tax';
import type { Seller, TaxRate } from '@billing/proto/billing/checkout/v1/seller';
import { CollectionMethod } from '@billing/proto/billing/customer/v1/customer';
import { taxPrices, taxReasons } from '@billing/proto/values/checkout';

const dayMs = 24 * 60 * 60 * 1_000;
const sampleLines = [
  { description: 'Sample plan', quantity: '1', unitAmount: '10000', pricedAmount: 10_000n },
  { description: 'Sample usage', quantity: '250', unitAmount: '10', pricedAmount: 2_500n },
] as const;

interface Sample {
  readonly seller: Seller;
  readonly ownRates: readonly TaxRate[];
  /** Environment time. */
  readonly now: Date;
}

/**
 * Invoice that shows how a seller's invoices look: to a buyer in the country of the seller, paid by
 * bank transfer, taxed by the settings and rates of now.
 */
export function sampleInvoice({ seller, ownRates, now }: Sample): Invoice {
  const { legalName, address, invoicePrefix, netDays } = seller;
  const currency = isInEu(address?.country ?? '') ? 'EUR' : 'USD';
  const { lineItems, taxes } = taxed({ seller, ownRates, now }, currency);
  const subtotal = sumOf(lineItems.map(({ amount }) => amount));
  const tax = sumOf(lineItems.map(({ taxAmount }) => taxAmount));
  const country = address?.country;
  return Invoice.fromPartial({
    ...{ number: `${invoicePrefix}000000`, currency, createdAt: now, lineItems, taxes },
    status: InvoiceStatus.INVOICE_STATUS_OPEN,
    collectionMethod: CollectionMethod.COLLECTION_METHOD_SEND_INVOICE,
    dueDate: new Date(now.getTime() + netDays * dayMs),
    ...{ subtotal, tax, total: subtotal + tax, amountDue: subtotal + tax },
    taxStatus: TaxStatus.TAX_STATUS_FINAL,
    pricesIncludeTax: pricesOf(seller) === 'INCLUDE_TAX',
    // Without a legal name, invoices name no seller.
    ...(legalName !== undefined && { seller: { ...seller, legalName } }),
    buyer: InvoiceBuyer.fromPartial({
      name: 'Sample customer',
      email: 'customer@example.com',
      ...(country !== undefined && { address: { country } }),
    }),
  });
}

function taxed({ seller, ownRates, now }: Sample, currency: 'EUR' | 'USD') {
  const { tax, address } = seller;
  const prices = pricesOf(seller);
  const country = address?.country;
  if (tax === undefined || prices === undefined || country === undefined) {
    const lineItems = sampleLines.map((line) =>
      LineItem.fromPartial({ ...line, amount: line.pricedAmount }),
    );
    return { lineItems, taxes: [] };
  }
  const place = { country, state: address?.state ?? null };
  const lines = sampleLines.map(({ pricedAmount }, index) => ({
    ...{ id: String(index), pricedAmount, discount: 0n, taxCategory: STANDARD_CATEGORY },
  }));
  const answer = vatEngine.calculate({
    ...{ at: now, currency, prices, taxExempt: 'NONE', lines },
    seller: { ...place, registrations: tax.registrations, ownRates: ownRates.map(toRate) },
    buyer: { address: place, taxIds: [] },
  });
  const amounts = answer.lines.map((line, index) => {
    const { pricedAmount } = sampleLines[index] ?? { pricedAmount: 0n };
    return { ...line, ...lineAmounts({ pricedAmount, discount: 0n }, line, prices) };
  });
  return {
    lineItems: amounts.map(({ amount, taxAmount, total }, index) =>
      LineItem.fromPartial({ ...sampleLines[index], amount, taxAmount, total }),
    ),
    taxes: taxRows(amounts, place).map(({ reason, name, state, legalText, ...row }) =>
      InvoiceTax.fromPartial({
        ...row,
        reason: taxReasons.valueOf(reason),
        ...(name !== null && { name }),
        ...(state !== null && { state }),
        ...(legalText !== null && { legalText }),
      }),
    ),
  };
}

function pricesOf({ tax }: Seller) {
  return tax === undefined ? undefined : taxPrices.nameOf(tax.prices);
}

function toRate({ country, state, category, percent, name, validFrom, validTo }: TaxRate) {
  return {
    ...{ country, category, percent, name, state: state ?? null },
    ...{ validFrom: validFrom ?? null, validTo: validTo ?? null },
  };
}
