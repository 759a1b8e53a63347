import type { LineItem, LineItemTier } from '@billing/proto/billing/checkout/v1/checkout';
import { quantityText, rateText } from './amount-text';

/**
 * Price of each unit of a line, a rate; undefined if units have several prices. All units of a
 * volume price have the price of one tier.
 */
export function unitPriceOf({ unitAmount, details }: LineItem): string | undefined {
  if (unitAmount !== undefined) return unitAmount;
  const [tier, ...others] = details?.tiers ?? [];
  return others.length === 0 ? tier?.unitAmount : undefined;
}

/** Calculation of a tiered amount, one text for each tier: `10 × $4.00 + $10.00 = $50.00`. */
export function calculationOf({ details }: LineItem, currency: string): string[] {
  return (details?.tiers ?? []).map((tier) => tierText(tier, currency));
}

function tierText(
  { quantity, unitAmount, flatAmount, amount }: LineItemTier,
  currency: string,
): string {
  const flat = flatAmount === '0' ? '' : ` + ${rateText(flatAmount, currency)}`;
  const units = `${quantityText(quantity)} × ${rateText(unitAmount, currency)}`;
  return `${units}${flat} = ${rateText(amount, currency)}`;
}
