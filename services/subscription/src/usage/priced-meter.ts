import type { BillingPeriod } from '@billing/kernel/billing-period';

/** A meter price of a product that a subscription has. */
interface MeterPriceOf {
  readonly item: { readonly productId: string };
  readonly price: { readonly meterId: string };
}

/** Meter prices that hold from an instant of a period on. */
export interface PricesFrom<Price extends MeterPriceOf> {
  /** Null: from the beginning of the period. */
  readonly start: Date | null;
  /** At most one for each meter. */
  readonly prices: readonly Price[];
}

/** Meter prices of a stretch of a period. */
interface PricesWithin<Price extends MeterPriceOf> extends BillingPeriod {
  readonly prices: readonly Price[];
}

/** A part of a period in which one product prices a meter. */
export interface MeterPart<Price extends MeterPriceOf> extends BillingPeriod {
  readonly priced: Price;
}

/** A meter in a period, with the parts in which it is priced, oldest first. */
export interface PricedMeter<Price extends MeterPriceOf> {
  readonly meterId: string;
  readonly parts: readonly [MeterPart<Price>, ...MeterPart<Price>[]];
}

/**
 * Bounds the stretches of a period; those without any time are left out. One that starts before the
 * stretch before it takes over from there.
 */
export function boundedStretches<Price extends MeterPriceOf>(
  { start, end }: BillingPeriod,
  stretches: readonly PricesFrom<Price>[],
): PricesWithin<Price>[] {
  let latest = start;
  const starts = stretches.map((stretch) => {
    const at = stretch.start ?? start;
    if (at > latest) latest = at < end ? at : end;
    return latest;
  });
  return stretches
    .map(({ prices }, index) => ({
      ...{ start: starts[index] ?? end, end: starts[index + 1] ?? end },
      prices,
    }))
    .filter((stretch) => stretch.start < stretch.end);
}

/**
 * Lists the meters of a period in the order in which they are first priced. A product that stays
 * has one part: only a change of the product that prices a meter begins another.
 */
export function pricedMeters<Price extends MeterPriceOf>(
  stretches: readonly PricesWithin<Price>[],
): PricedMeter<Price>[] {
  const meters = new Map<string, MeterPart<Price>[]>();
  for (const { start, end, prices } of stretches) {
    for (const priced of prices) {
      const { meterId } = priced.price;
      const parts = meters.get(meterId) ?? [];
      meters.set(meterId, parts);
      const last = parts.at(-1);
      const continues =
        last?.end.getTime() === start.getTime() &&
        last.priced.item.productId === priced.item.productId;
      if (continues) parts.splice(-1, 1, { ...last, end });
      else parts.push({ start, end, priced });
    }
  }
  return [...meters].flatMap(([meterId, [first, ...others]]) =>
    first === undefined ? [] : [{ meterId, parts: [first, ...others] as const }],
  );
}

/** Parts of the time from the first to the last part in which nothing prices the meter. */
export function gapsBetween(parts: readonly BillingPeriod[]): BillingPeriod[] {
  return parts.slice(1).flatMap(({ start: end }, index) => {
    const start = parts[index]?.end ?? end;
    return start < end ? [{ start, end }] : [];
  });
}
