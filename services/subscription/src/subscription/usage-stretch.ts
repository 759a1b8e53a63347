import { periodOf } from './billing-cycle';
import type { Subscription, SubscriptionItem, SubscriptionItems } from './subscription';
import type { PeriodRates, PeriodSets } from './usage-billing';

/** An item as far as it prices meters. */
export type MeteredItem = Pick<SubscriptionItem, 'id' | 'productId' | 'productName'>;

/** An item of a stretch, and which meter prices of its product hold: a set, or those in force. */
export type StretchItem = MeteredItem &
  (
    | { readonly set: number; readonly pricedAt?: undefined }
    | { readonly pricedAt: Date; readonly set?: undefined }
  );

/**
 * Part of the periods `from` to `through` whose products stay, where they are not those of today.
 * Stored outside of `usage`: earlier releases rewrite that without fields that they do not know.
 */
export interface UsageStretch {
  readonly from: number;
  readonly through: number;
  /** Null: from the beginning of each period. */
  readonly start: Date | null;
  readonly items: readonly StretchItem[];
  /** The change that begins it is paid first; absent: it is in force. */
  readonly paidBy?: ChangePayment;
}

/** A change that is paid first, and its invoice. */
export interface ChangePayment {
  readonly changeId: string;
  readonly invoiceId: string;
}

/**
 * Number of a set that no product has. It stands in the rates of periods with stretches: an earlier
 * release does not know the stretches, and its bill of such a period waits until this set is found.
 */
export const movedSet = 2_147_483_647;

/** True if a set has metered prices in a period. */
export function isMetered({ set, others = [] }: PeriodSets): boolean {
  return set > 0 || others.some((other) => other.set > 0);
}

/** The stretches of a period, oldest first; empty: the products of today hold. */
export function stretchesOf(
  subscription: Subscription,
  periodIndex: number,
): readonly UsageStretch[] {
  const { stretches = [] } = subscription;
  const found = stretches.filter(
    ({ from, through }) => from <= periodIndex && periodIndex <= through,
  );
  const last = found.at(-1);
  // The change that begins it is still being paid. Earlier versions have not stored which one.
  const isPlanned =
    last !== undefined &&
    last.start !== null &&
    // Nothing that changes products is paid first in a pause.
    subscription.pausedAt === null &&
    periodIndex === subscription.periodIndex &&
    !isSameProducts(last.items, subscription.items);
  const held = isPlanned ? found.slice(0, -1) : found;
  return held.filter((stretch) => isApplied(stretch, subscription));
}

/**
 * True if the change that begins a stretch is applied. A release that does not know stretches may
 * have applied or failed it: then the invoices of the period tell.
 */
function isApplied({ paidBy, through, items }: UsageStretch, subscription: Subscription): boolean {
  if (paidBy === undefined) return true;
  const { paying, finished, period } = subscription.changes;
  if (paying?.id === paidBy.changeId) return false;
  const change = finished.find(({ id }) => id === paidBy.changeId);
  if (change !== undefined) return change.status === 'APPLIED';
  if (period?.periodIndex === through) return period.invoiceIds.includes(paidBy.invoiceId);
  return through !== subscription.periodIndex && isSameProducts(items, subscription.items);
}

/** Records which stretches are in force, while the subscription still knows their changes. */
export function decideStretches(subscription: Subscription): Subscription {
  const { stretches = [], changes } = subscription;
  if (stretches.every(({ paidBy }) => paidBy === undefined)) return subscription;
  const decided = stretches.flatMap((stretch) => {
    const { paidBy, ...inForce } = stretch;
    if (paidBy === undefined || changes.paying?.id === paidBy.changeId) return [stretch];
    return isApplied(stretch, subscription) ? [inForce] : [];
  });
  return { ...subscription, stretches: decided };
}

/**
 * Keeps the products that price the periods so far, before others take their place. Periods without
 * metered prices need none.
 */
export function keepStretches(subscription: Subscription): Subscription {
  const { usage, items } = subscription;
  const moved = usage.rates.filter(isOfToday);
  if (moved.length === 0) return subscription;
  const kept = moved.map((rates) => ({
    ...{ from: rates.from, through: rates.through, start: null },
    items: items.map((item) => ({ ...meteredItem(item), set: setOf(rates, { item, items }) })),
  }));
  return withStretches(subscription, kept);
}

function isOfToday(rates: PeriodRates): boolean {
  return isMetered(rates) && rates.set !== movedSet;
}

/** True if a stretch of the running period begins after an instant: none may begin there. */
export function isBeforeStretch(subscription: Subscription, at: Date): boolean {
  const { periodIndex } = subscription;
  const newest = periodIndex === null ? undefined : stretchesOf(subscription, periodIndex).at(-1);
  const start = newest?.start ?? null;
  return start !== null && at < start;
}

/**
 * Begins a stretch of the running period with other items, which the caller puts in place: now, or
 * once they are paid.
 */
export function beginStretch(
  subscription: Subscription,
  {
    at,
    items,
    paidBy,
  }: {
    readonly at: Date;
    readonly items: SubscriptionItems;
    /** Absent: the items are in place at once. */
    readonly paidBy?: ChangePayment | undefined;
  },
): Subscription {
  const { periodIndex } = subscription;
  if (periodIndex === null) return subscription;
  const current = keepRunning(keepStretches(withoutPlanned(subscription)), periodIndex);
  const before = stretchesOf(current, periodIndex).at(-1)?.items ?? [];
  const after = items.map((item): StretchItem => {
    const kept = before.find(({ productId }) => productId === item.productId);
    return kept === undefined
      ? { ...meteredItem(item), pricedAt: at }
      : { ...kept, ...meteredItem(item) };
  });
  const begun: UsageStretch = {
    ...{ from: periodIndex, through: periodIndex, start: at, items: after },
    ...(paidBy !== undefined && { paidBy }),
  };
  return withStretches(current, [begun]);
}

/**
 * Keeps the products that price the periods so far, the running one included, before a change that
 * ends it puts others in their place.
 */
export function keepAllStretches(subscription: Subscription): Subscription {
  const { periodIndex } = subscription;
  const kept = keepStretches(subscription);
  return periodIndex === null ? kept : keepRunning(kept, periodIndex);
}

/** The running period has a stretch from its beginning, also where nothing was metered so far. */
function keepRunning(subscription: Subscription, periodIndex: number): Subscription {
  if (stretchesOf(subscription, periodIndex).length > 0) return subscription;
  const { usage, items } = subscription;
  const rates = usage.rates.find(
    ({ from, through }) => from <= periodIndex && periodIndex <= through,
  );
  const { start: pricedAt } = periodOf(subscription, periodIndex);
  const kept = items.map((item): StretchItem => {
    const metered = meteredItem(item);
    if (rates === undefined) return { ...metered, pricedAt };
    return { ...metered, set: setOf(rates, { item, items }) };
  });
  const begun = { from: periodIndex, through: periodIndex, start: null, items: kept };
  return withStretches(subscription, [begun]);
}

/** Drops stretches of the running period whose changes were not paid. */
export function withoutPlanned(subscription: Subscription): Subscription {
  const { periodIndex, stretches = [] } = subscription;
  if (periodIndex === null || stretches.length === 0) return subscription;
  const held = stretchesOf(subscription, periodIndex);
  const kept = stretches.filter(
    (stretch) => stretch.through !== periodIndex || held.includes(stretch),
  );
  return kept.length === stretches.length ? subscription : { ...subscription, stretches: kept };
}

function withStretches(subscription: Subscription, added: readonly UsageStretch[]): Subscription {
  const { usage, stretches = [] } = subscription;
  const isIn = ({ from, through }: PeriodRates) =>
    added.some((stretch) => from <= stretch.through && stretch.from <= through);
  const rates = usage.rates.flatMap((one) => (isIn(one) ? markMoved(one, added) : [one]));
  return { ...subscription, usage: { ...usage, rates }, stretches: [...stretches, ...added] };
}

/** The rates of periods with stretches, apart from those of the periods before. */
function markMoved(rates: PeriodRates, added: readonly UsageStretch[]): PeriodRates[] {
  const from = Math.max(rates.from, Math.min(...added.map((stretch) => stretch.from)));
  const moved = { from, through: rates.through, set: movedSet };
  return from === rates.from ? [moved] : [{ ...rates, through: from - 1 }, moved];
}

function setOf(
  { set, others = [] }: PeriodSets,
  { item, items: [main] }: { readonly item: SubscriptionItem; readonly items: SubscriptionItems },
): number {
  if (item.id === main.id) return set;
  return others.find(({ productId }) => productId === item.productId)?.set ?? 0;
}

function meteredItem({ id, productId, productName }: MeteredItem): MeteredItem {
  return { id, productId, productName };
}

/** True if items are of the same products, in the same order. */
export function isSameProducts(a: readonly MeteredItem[], b: readonly MeteredItem[]): boolean {
  const [left, right] = [a, b].map((items) => items.map(({ productId }) => productId).join());
  return left === right;
}
