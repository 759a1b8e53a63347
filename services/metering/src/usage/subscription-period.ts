import type { UsagePrice } from '@billing/kernel/usage-pricing';
import type { Span } from './hour';

/** A period of a subscription, ending early if the subscription ended. */
export interface SubscriptionPeriod {
  readonly subscriptionId: string;
  /** Null: a trial, whose usage is free. */
  readonly index: number | null;
  readonly span: Span;
  /** True if the customer has access to the product. */
  readonly entitled: boolean;
  readonly currency: string;
  /** Usage prices of the period, by meter id: those of its last stretch if it has several. */
  readonly prices: ReadonlyMap<string, UsagePrice>;
  /** Parts of the period whose products stay, oldest first. Absent: one set of prices holds. */
  readonly stretches?: readonly PeriodStretch[];
}

/** Part of a period with the usage prices of its products, by meter id. */
interface PeriodStretch {
  readonly span: Span;
  readonly prices: ReadonlyMap<string, UsagePrice>;
}

/** A meter in a period that prices it, at least for a part of it. */
export interface PricedMeter {
  /** From the first to the last instant at which the meter is priced. */
  readonly span: Span;
  /** Parts of the span without a price. */
  readonly gaps: readonly Span[];
  /** The prices in their order, at least one. A price that begins with the next ends there. */
  readonly stretches: readonly [PricedStretch, ...PricedStretch[]];
}

/** Part of a period in which one price of a meter holds. */
interface PricedStretch {
  readonly end: Date;
  readonly price: UsagePrice;
}

/** Subscription periods of a customer; usage belongs to them. */
export interface CustomerPeriods {
  /**
   * Running periods, ordered by creation of the subscription: if two price the same meter, the
   * first claims its usage.
   */
  readonly running: readonly SubscriptionPeriod[];
  /** Recent and running periods, ordered by creation of the subscription, then by time. */
  readonly lived: readonly SubscriptionPeriod[];
}

/**
 * Spans in which other subscriptions claim the usage of a meter: those created before this one.
 * `subscriptionId` null: all subscriptions, for unclaimed usage.
 */
export function claimedSpans(
  subscriptionId: string | null,
  lived: readonly SubscriptionPeriod[],
  meterId: string,
): Span[] {
  const own = lived.findIndex((period) => period.subscriptionId === subscriptionId);
  const earlier = own < 0 ? lived : lived.slice(0, own);
  return earlier.flatMap((period) =>
    stretchesOf(period)
      .filter(({ prices }) => prices.has(meterId))
      .map(({ span }) => span),
  );
}

/** A meter in a period; undefined if no stretch of the period prices it. */
export function pricedMeter(
  period: Pick<SubscriptionPeriod, 'span' | 'prices' | 'stretches'>,
  meterId: string,
): PricedMeter | undefined {
  const priced = stretchesOf(period).flatMap(({ span, prices }) => {
    const price = prices.get(meterId);
    return price === undefined ? [] : [{ span, price }];
  });
  const [first, ...others] = priced;
  if (first === undefined) return undefined;
  const last = others.at(-1) ?? first;
  const gaps = others
    .map(({ span: { start } }, index) => ({ start: priced[index]?.span.end ?? start, end: start }))
    .filter(({ start, end }) => start < end);
  // Usage of a gap is left out, so a stretch may as well end where the next begins.
  const endOf = (index: number) => priced[index + 1]?.span.start ?? last.span.end;
  const stretchAt = ({ price }: { readonly price: UsagePrice }, index: number) => ({
    end: endOf(index),
    price,
  });
  return {
    span: { start: first.span.start, end: last.span.end },
    gaps,
    stretches: [stretchAt(first, 0), ...others.map((one, index) => stretchAt(one, index + 1))],
  };
}

function stretchesOf({
  span,
  prices,
  stretches,
}: Pick<SubscriptionPeriod, 'span' | 'prices' | 'stretches'>): readonly PeriodStretch[] {
  return stretches ?? [{ span, prices }];
}
