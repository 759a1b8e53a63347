import { Decimal } from '@billing/kernel/decimal';
import { isSameData } from '@billing/kernel/equality';
import type { MeasuredSeries, Span } from '../usage/hour';
import { claimedSpans, pricedMeter, type SubscriptionPeriod } from '../usage/subscription-period';
import {
  type CreditAccount,
  finalizeConsumption,
  finalPeriods,
  finalSettlement,
  grantsFor,
  indexOf,
  marksOf,
  periodKey,
  setConsumption,
  staysAdopted,
  subscriptionOf,
  usesOf,
} from './account';
import {
  type BurningUsage,
  burnWindow,
  fromDecidedWindow,
  type UsageWindow,
  windowOf,
} from './usage-window';

const none = Decimal.of(0n);
// Stored in place of a settlement key.
const unsettled = 'unsettled';
// An event may arrive 35 days late; one more day covers clock differences and events in flight.
const lateForMs = 36 * 86_400_000;

/** A period whose usage burns credits. */
export interface BurningPeriod {
  readonly key: string;
  readonly window: UsageWindow;
  /** Included units, if no stretches. */
  readonly includedUnits: Decimal;
  /** True if a settlement has decided the period, and no event can enter it any more. */
  readonly isComplete?: boolean;
}

/**
 * Periods that a settlement has decided before all their events had arrived, as none can arrive any
 * more. In order of time by subscription. A period after one that cannot be decided yet is left
 * out: a final period makes all earlier ones of its subscription final.
 */
export function completePeriods(account: CreditAccount, now: Date): BurningPeriod[] {
  const isOver = finalPeriods(account);
  const ordered = account.consumptions
    .filter(({ period }) => !Number.isNaN(indexOf(period)) && !isOver(period))
    .toSorted((a, b) => indexOf(a.period) - indexOf(b.period));
  const open = new Set<string>();
  return ordered.flatMap(({ period: key, window }): BurningPeriod[] => {
    const subscription = subscriptionOf(key);
    if (window === undefined || !isFinal(window, now)) open.add(subscription);
    if (window === undefined || open.has(subscription)) return [];
    const includedUnits = Decimal.parse(window.includedUnits);
    return [{ key, window: fromDecidedWindow(window), includedUnits, isComplete: true }];
  });
}

/**
 * Periods of subscriptions whose usage of a meter burns credits and has no settlement yet: running
 * periods, and closed ones that are about to be billed.
 */
export function unsettledPeriods(
  { consumptions }: Pick<CreditAccount, 'consumptions'>,
  lived: readonly SubscriptionPeriod[],
  meterId: string,
): BurningPeriod[] {
  const settled = new Set(consumptions.map(({ period }) => period));
  return lived.flatMap((period) => {
    const { subscriptionId, index } = period;
    const priced = pricedMeter(period, meterId);
    if (index === null || priced === undefined) return [];
    const key = periodKey(subscriptionId, index);
    if (settled.has(key)) return [];
    const window = windowOf(priced, claimedSpans(subscriptionId, lived, meterId));
    const [{ price }] = priced.stretches;
    return [{ key, window, includedUnits: Decimal.parse(price.includedUnits) }];
  });
}

/**
 * Calendar months with unclaimed usage of a meter, except months stored as final. Without `until`
 * they include the running month; otherwise they end at `until`.
 */
export function unclaimedMonths(
  account: CreditAccount,
  {
    taken,
    now,
    until = monthOf(now).end,
  }: {
    /** Spans in which subscriptions claim the usage. */
    readonly taken: readonly Span[];
    readonly now: Date;
    readonly until?: Date;
  },
): BurningPeriod[] {
  const known = new Map(account.consumptions.map((one) => [one.period, one]));
  const months: BurningPeriod[] = [];
  let month = monthOf(firstUse(account) ?? until);
  for (; month.start < until; month = monthOf(month.end)) {
    const key = unclaimedKey(month);
    if (known.get(key)?.settlement === finalSettlement || !mayBurn(account, { key, ...month }))
      continue;
    // A past month counts in full.
    const end = month.end <= now || month.end < until ? month.end : until;
    months.push({ key, window: { start: month.start, end, taken }, includedUnits: none });
  }
  return months;
}

/** True if other subscriptions claim the whole window. */
export function isFullyClaimed({ start, end, taken }: UsageWindow): boolean {
  let until = start;
  for (const span of taken.toSorted((a, b) => a.start.getTime() - b.start.getTime())) {
    if (span.start > until) return false;
    if (span.end > until) until = span.end;
  }
  return until >= end;
}

/** True if no event of the period can arrive any more. */
export function isFinal({ end }: Pick<Span, 'end'>, now: Date): boolean {
  return end.getTime() + lateForMs <= now.getTime();
}

/** Key of a month's unclaimed usage. */
export function unclaimedKey({ start }: Span): string {
  return `${start.toISOString().slice(0, 'YYYY-MM'.length)}:nobody`;
}

/** True for a month of unclaimed usage. */
export function isMonth({ key, window }: BurningPeriod): boolean {
  return key === unclaimedKey(window);
}

/** The UTC calendar month of an instant. */
export function monthOf(now: Date): Span {
  const [year, month] = [now.getUTCFullYear(), now.getUTCMonth()];
  return { start: new Date(Date.UTC(year, month)), end: new Date(Date.UTC(year, month + 1)) };
}

/**
 * Earliest instant at which a grant could burn. A grant does not cover periods that ended before it
 * was created.
 */
export function firstUse({ grants }: Pick<CreditAccount, 'grants'>): Date | undefined {
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

/**
 * Returns the account after a period with the given usage. The decision about a complete period
 * becomes final; it keeps the key of its settlement.
 */
export function afterPeriod(
  account: CreditAccount,
  { key: period, window, includedUnits, isComplete = false }: BurningPeriod,
  {
    usage,
    series,
    now,
    grantIds,
    isDecidedFinally = false,
  }: {
    readonly usage: BurningUsage;
    readonly series: Pick<MeasuredSeries, 'aggregation'>;
    readonly now: Date;
    /** Grants whose boundaries the usage was read with; absent: all. */
    readonly grantIds?: ReadonlySet<string>;
    /** The usage was read when no more events of the period could arrive. */
    readonly isDecidedFinally?: boolean;
  },
): CreditAccount {
  if (finalPeriods(account)(period)) return account;
  const grants = grantsFor(account, period).filter(
    ({ id, createdAt }) => createdAt < window.end && grantIds?.has(id) !== false,
  );
  const burnt = burnWindow(usage, series, { window, grants, includedUnits });
  const quantity = burnt.quantity.toString();
  const known = account.consumptions.find((one) => one.period === period);
  if (isComplete) {
    // A settlement of nothing is dropped by the next one.
    if (known === undefined) return account;
    if (staysAdopted(known, burnt)) {
      const { window: _window, ...kept } = known;
      return finalizeConsumption(account, kept, now);
    }
    const { settlement } = known;
    const decided = { period, settlement, quantity, uses: usesOf(burnt), ...marksOf(burnt.marks) };
    return finalizeConsumption(account, { ...decided, set: usage.set }, now);
  }
  const settlement = isDecidedFinally ? finalSettlement : unsettled;
  const consumption = { period, settlement, quantity, uses: usesOf(burnt) };
  return isSameData(known, consumption) ? account : setConsumption(account, consumption, now);
}
