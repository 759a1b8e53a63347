/** What the price of a unit follows from, as in the API or in a call. */
interface PricedLine {
  /** Absent or null for a line without one price. */
  readonly unitAmount?: string | null | undefined;
  readonly details?:
    { readonly tiers: readonly { readonly unitAmount: string }[] } | null | undefined;
}

/**
 * Price of each unit of a line, a rate; undefined if units have several prices, or none. All units
 * of a volume price have the price of one tier.
 */
export function unitPriceOf({ unitAmount, details }: PricedLine): string | undefined {
  if (typeof unitAmount === 'string') return unitAmount;
  const [tier, ...others] = details?.tiers ?? [];
  return others.length === 0 ? tier?.unitAmount : undefined;
}
