import { Decimal } from '@billing/kernel/decimal';
import type { UsagePrice } from '@billing/kernel/usage-pricing';
import { type CreditAccount, grantsFor, periodKey, setConsumption, usesOf } from './credit-account';
import { burnWindow, type UsageWindow, type WindowUsage } from './usage-burning';
import type { MeasuredSeries, Span } from './usage-hour';

/** A period of a subscription, cut off where that ended. */
export interface SubscriptionPeriod {
  readonly subscriptionId: string;
  /** Null: a trial, whose usage is free. */
  readonly index: number | null;
  readonly span: Span;
  /** Whether the customer may use the product. */
  readonly entitled: boolean;
  readonly currency: string;
  /** By which usage of the period is billed, by meter. */
  readonly prices: ReadonlyMap<string, UsagePrice>;
}

/** A period whose usage has burnt credits, or will as soon as it is settled. */
export interface BurningPeriod {
  readonly key: string;
  readonly window: UsageWindow;
  readonly includedUnits: Decimal;
}

/** When somebody else than a subscription takes the usage of a meter: one that was created before it. `subscriptionId` is null for nobody's usage. */
export function takenFrom(
  subscriptionId: string | null,
  lived: readonly SubscriptionPeriod[],
  meterId: string,
): Span[] {
  const own = lived.findIndex((period) => period.subscriptionId === subscriptionId);
  const earlier = own < 0 ? lived : lived.slice(0, own);
  return earlier.filter(({ prices }) => prices.has(meterId)).map(({ span }) => span);
}

/**
 * The periods of subscriptions whose usage of a meter burns credits and that no settlement has decided yet: just ended ones whose bill is on its
 * way, and running ones.
 */
export function unsettledPeriods(
  { consumptions }: Pick<CreditAccount, 'consumptions'>,
  lived: readonly SubscriptionPeriod[],
  meterId: string,
): BurningPeriod[] {
  const settled = new Set(consumptions.map(({ period }) => period));
  return lived.flatMap(({ subscriptionId, index, span, prices }) => {
    const price = prices.get(meterId);
    if (index === null || price === undefined) return [];
    const key = periodKey(subscriptionId, index);
    if (settled.has(key)) return [];
    const window = { ...span, taken: takenFrom(subscriptionId, lived, meterId) };
    return [{ key, window, includedUnits: Decimal.parse(price.includedUnits) }];
  });
}

/** The account as it will be once a period is settled that has been used so much. */
export function afterPeriod(
  account: CreditAccount,
  { key: period, window, includedUnits }: BurningPeriod,
  {
    usage,
    series,
    now,
  }: {
    readonly usage: WindowUsage;
    readonly series: Pick<MeasuredSeries, 'aggregation'>;
    readonly now: Date;
  },
): CreditAccount {
  const grants = grantsFor(account, period).filter(({ createdAt }) => createdAt < window.end);
  const burnt = burnWindow(usage, series, { window, grants, includedUnits });
  const quantity = burnt.quantity.toString();
  const consumption = { period, settlement: 'unsettled', quantity, uses: usesOf(burnt) };
  return setConsumption(account, consumption, now);
}
