import type { EInvoiceTax, VatCategory } from '@billing/presentation/e-invoice';
import { type InvoiceTax, TaxReason } from '@billing/proto/billing/checkout/v1/invoice_tax';

type Reasons = readonly Pick<InvoiceTax, 'reason'>[];

/**
 * VAT category of a tax. Category O may not stand with another one on a document: where a line
 * corrects a taxed one, the lines that are not subject to tax are written as exempt, with their
 * text as the reason.
 */
export function categoryOf(reason: TaxReason, all: Reasons): VatCategory {
  switch (reason) {
    case TaxReason.TAX_REASON_STANDARD:
      return 'S';
    case TaxReason.TAX_REASON_ZERO:
    case TaxReason.TAX_REASON_NO_RATE:
      return 'Z';
    case TaxReason.TAX_REASON_EXEMPT:
      return 'E';
    case TaxReason.TAX_REASON_REVERSE_CHARGE:
      return 'AE';
    case TaxReason.TAX_REASON_OUT_OF_SCOPE:
      return all.every((one) => one.reason === reason) ? 'O' : 'E';
    case TaxReason.TAX_REASON_UNSPECIFIED:
    case TaxReason.UNRECOGNIZED:
      throw new Error(`A taxed document has the tax reason ${String(reason)}`);
  }
}

/** Rate of a line; absent where no VAT applies. */
export function percentOf(category: VatCategory, percent: string): string | undefined {
  return category === 'O' ? undefined : percent;
}

/**
 * One group for each category and rate, in the order of the rows. Rows that differ in country,
 * state or name alone are one group, because EN 16931 does not know these.
 */
export function taxGroups(rows: readonly InvoiceTax[]): EInvoiceTax[] {
  const groups = Map.groupBy(rows, ({ reason, percent }) =>
    [categoryOf(reason, rows), percent].join(' '),
  );
  return [...groups.values()].map((group) => {
    const [{ reason, percent }] = group as [InvoiceTax];
    const category = categoryOf(reason, rows);
    const texts = new Set(group.flatMap(({ legalText = '' }) => legalText || []));
    return {
      category,
      percent,
      base: group.reduce((sum, { base }) => sum + base, 0n),
      amount: group.reduce((sum, { amount }) => sum + amount, 0n),
      exemption: texts.size === 0 ? undefined : [...texts].join('; '),
    };
  });
}
