import type { Decimal } from '@billing/kernel/decimal';
import type { UsagePrice } from '@billing/kernel/usage-pricing';
import type { Meter } from '../meter/meter';
import type { Span } from '../usage/hour';
import { pricedMeter, type SubscriptionPeriod } from '../usage/subscription-period';
import { consumedIn, type CreditAccount, periodKey } from './account';
import type { BurntUsage } from './usage-window';

/** A price and the subscription that claims usage by it. */
export interface UsageTerms {
  readonly subscriptionId: string;
  /** Usage is free. */
  readonly isTrial: boolean;
  readonly entitled: boolean;
  readonly currency: string;
  readonly price: UsagePrice;
  /** Prices of the period in their order, `price` the last; absent: no other one held before. */
  readonly stretchPrices?: readonly UsagePrice[];
}

/** Usage of one meter in its running period, and the credits that cover it. */
export interface RunningUsage {
  readonly meter: Meter;
  /** The account after all usage, settled or not. */
  readonly account: CreditAccount | undefined;
  readonly period: Span;
  readonly terms: UsageTerms | undefined;
  /** Usage without the spans that other subscriptions claim. */
  readonly burnt: BurntUsage;
  /** All usage of the period. */
  readonly used: Pick<BurntUsage, 'events' | 'quantity'>;
}

// Key that no settlement uses: a trial burns no credits.
const trialPeriodKey = 'trial';

/** Terms of a meter in a period; undefined if the period does not price the meter. */
export function termsOf(
  period: SubscriptionPeriod | undefined,
  meterId: string,
): (UsageTerms & { readonly key: string }) | undefined {
  const price = period?.prices.get(meterId);
  if (period === undefined || price === undefined) return undefined;
  const { subscriptionId, index, entitled, currency } = period;
  const key = index === null ? trialPeriodKey : periodKey(subscriptionId, index);
  const stretches = pricedMeter(period, meterId)?.stretches ?? [];
  const stretchPrices = stretches.map((stretch) => stretch.price);
  return {
    ...{ subscriptionId, isTrial: index === null, entitled, currency, price, key },
    ...(stretchPrices.length > 1 && { stretchPrices }),
  };
}

/** Consumed units by grant, the running period included. */
export function consumedOf({ account }: RunningUsage): Map<string, Decimal> {
  return consumedIn(account?.consumptions ?? []);
}
