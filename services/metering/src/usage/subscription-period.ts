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
  /** Usage prices of the period, by meter id. */
  readonly prices: ReadonlyMap<string, UsagePrice>;
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
  return earlier.filter(({ prices }) => prices.has(meterId)).map(({ span }) => span);
}
