import { lineAmounts, type TaxTerms, vatEngine } from '@billing/kernel/tax/tax';
import type { LineItem } from '@billing/proto/billing/checkout/v1/checkout';

/** Rates of a seller. */
export interface PlayedRates {
  /** True: prices contain the tax. */
  readonly isIncluded: boolean;
  /** Percentages by tax category. */
  readonly percents: ReadonlyMap<string, string>;
}

/**
 * Adds the taxes of lines, by the rate of each line's category. `correctedAt` has the rates of the
 * lines that others correct, by the ids of the latter.
 */
export function taxedLines(
  lines: readonly LineItem[],
  { isIncluded, percents }: PlayedRates,
  correctedAt: ReadonlyMap<string, string>,
): LineItem[] {
  const prices = isIncluded ? 'INCLUDE_TAX' : 'EXCLUDE_TAX';
  const place = { country: 'DE', state: null };
  const priced = lines.map((line) => ({
    ...{ id: line.id, pricedAmount: line.amount, discount: line.discountAmount },
    taxCategory: line.taxCategory ?? '',
    taxedAs: termsOf(correctedAt.get(line.id) ?? percents.get(line.taxCategory ?? '')),
  }));
  const { lines: taxes } = vatEngine.calculate({
    ...{ at: new Date(0), currency: 'USD', prices, taxExempt: 'NONE', lines: priced },
    seller: { ...place, registrations: [], ownRates: [] },
    buyer: { address: place, taxIds: [] },
  });
  return lines.map((line, index) => {
    const [one, tax] = [priced[index], taxes[index]];
    if (one === undefined || tax === undefined) throw new Error('A line has no tax');
    const { percent: taxPercent, taxAmount } = tax;
    const { pricedAmount } = one;
    return { ...line, pricedAmount, taxPercent, taxAmount, ...lineAmounts(one, tax, prices) };
  });
}

function termsOf(percent: string | undefined): TaxTerms {
  if (percent === undefined) throw new Error('A line has a category without a rate');
  return { reason: 'STANDARD', name: 'VAT', country: 'DE', state: null, percent };
}
