import { Decimal } from '@billing/kernel/decimal';
import { isSameData } from '@billing/kernel/equality';
import type { UsagePrice } from '@billing/kernel/usage-pricing';
import { type CreditAccount, grantsFor, periodKey, setConsumption, usesOf } from './credit-account';
import { burnWindow, type UsageWindow, type WindowUsage } from './usage-burning';
import type { MeasuredSeries, Span } from './usage-hour';

const none = Decimal.of(0n);
// What stand in the place of a settlement.
const unsettled = 'unsettled';
const forGood = 'for good';
// An event may come 35 days late; a day more is for clocks and for what is under way.
const lateForMs = 36 * 86_400_000;

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

/** A period whose usage burns credits. */
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

/**
 * The calendar months whose usage of a meter nobody takes, but for those of which an account knows for good what they burnt: no event of them
 * can come any more. Without `until` the running month is in them, else what is later is left out.
 */
export function nobodysMonths(
  account: CreditAccount,
  {
    taken,
    now,
    until = monthOf(now).end,
  }: {
    /** When subscriptions take the usage. */
    readonly taken: readonly Span[];
    readonly now: Date;
    readonly until?: Date;
  },
): BurningPeriod[] {
  const known = new Map(account.consumptions.map((one) => [one.period, one]));
  const months: BurningPeriod[] = [];
  let month = monthOf(firstUse(account) ?? until);
  for (; month.start < until; month = monthOf(month.end)) {
    const key = nobodysKey(month);
    if (known.get(key)?.settlement === forGood || !mayBurn(account, { key, ...month })) continue;
    // A month that is over counts whole.
    const end = month.end <= now || month.end < until ? month.end : until;
    months.push({ key, window: { start: month.start, end, taken }, includedUnits: none });
  }
  return months;
}

/** Whether all of a window is taken by others. */
export function isTakenWhole({ start, end, taken }: UsageWindow): boolean {
  let until = start;
  for (const span of taken.toSorted((a, b) => a.start.getTime() - b.start.getTime())) {
    if (span.start > until) return false;
    if (span.end > until) until = span.end;
  }
  return until >= end;
}

/** Whether no event of a month can come any more. */
export function isFinal({ end }: Span, now: Date): boolean {
  return end.getTime() + lateForMs <= now.getTime();
}

/** Names what nobody takes of the usage of a month. */
export function nobodysKey({ start }: Span): string {
  return `${start.toISOString().slice(0, 'YYYY-MM'.length)}:nobody`;
}

/** The calendar month in UTC that an instant lies in. */
export function monthOf(now: Date): Span {
  const [year, month] = [now.getUTCFullYear(), now.getUTCMonth()];
  return { start: new Date(Date.UTC(year, month)), end: new Date(Date.UTC(year, month + 1)) };
}

/** When the first grant could burn first; what had ended when a grant was made is out of its reach. */
function firstUse({ grants }: Pick<CreditAccount, 'grants'>): Date | undefined {
  if (grants.length === 0) return undefined;
  const times = grants.map(({ createdAt, effectiveAt }) =>
    Math.max(createdAt.getTime(), effectiveAt.getTime()),
  );
  return new Date(Math.min(...times));
}

function mayBurn(account: CreditAccount, { key, start, end }: Span & { key: string }): boolean {
  return grantsFor(account, key).some(
    ({ createdAt, effectiveAt, expiresAt, available }) =>
      createdAt < end &&
      effectiveAt < end &&
      (expiresAt === null || expiresAt > start) &&
      available.compare(none) > 0,
  );
}

/** The account after a period that has been used so much. */
export function afterPeriod(
  account: CreditAccount,
  { key: period, window, includedUnits }: BurningPeriod,
  {
    usage,
    series,
    now,
    grantIds,
    isForGood = false,
  }: {
    readonly usage: WindowUsage;
    readonly series: Pick<MeasuredSeries, 'aggregation'>;
    readonly now: Date;
    /** By whose bounds the usage was read; absent: all. */
    readonly grantIds?: ReadonlySet<string>;
    /** The usage was read when no event of it could come any more. */
    readonly isForGood?: boolean;
  },
): CreditAccount {
  const grants = grantsFor(account, period).filter(
    ({ id, createdAt }) => createdAt < window.end && grantIds?.has(id) !== false,
  );
  const burnt = burnWindow(usage, series, { window, grants, includedUnits });
  const quantity = burnt.quantity.toString();
  const settlement = isForGood ? forGood : unsettled;
  const consumption = { period, settlement, quantity, uses: usesOf(burnt) };
  const known = account.consumptions.find((one) => one.period === period);
  return isSameData(known, consumption) ? account : setConsumption(account, consumption, now);
}
