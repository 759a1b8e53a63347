import type { CallContext } from '@billing/chassis/call-context';
import { customerPeriods } from '../peer/usage-periods';
import { noUsage, type WindowUsage } from '../span/read-usage';
import type { UsageReader } from '../span/read-in-time';
import type { MeasuredSeries, Span } from '../usage/hour';
import { claimedSpans, type SubscriptionPeriod } from '../usage/subscription-period';
import { type CreditAccount, grantsFor } from './account';
import { closeCredits, type ClosingDependencies } from './close-credits';
import { readWindows, type WindowReader } from './read-windows';
import {
  afterPeriod,
  type BurningPeriod,
  completePeriods,
  isFinal,
  isFullyClaimed,
  isMonth,
  unclaimedMonths,
  unsettledPeriods,
} from './unsettled-usage';
import type { BurnableWindow } from './usage-window';

export interface AccountDependencies extends ClosingDependencies {
  readonly usageOf: (context: Pick<CallContext, 'tenant' | 'signal'>) => UsageReader;
}

/** An account and the series whose usage burns its credits. */
export interface BurningAccount {
  readonly account: CreditAccount;
  readonly series: MeasuredSeries;
}

/** A period and its usage. */
export interface UsedPeriod {
  readonly period: BurningPeriod;
  readonly usage: WindowUsage;
}

/**
 * Periods whose usage burns credits without being settled, or was settled before all of it had
 * arrived, except one.
 */
export function otherPeriods(
  { account, series }: BurningAccount,
  {
    key,
    lived,
    now,
  }: {
    readonly key: string;
    readonly lived: readonly SubscriptionPeriod[];
    readonly now: Date;
  },
): BurningPeriod[] {
  if (account.grants.length === 0) return [];
  const taken = claimedSpans(null, lived, series.meterId);
  const months = unclaimedMonths(account, { taken, now });
  const complete = completePeriods(account, now);
  return [...complete, ...unsettledPeriods(account, lived, series.meterId), ...months]
    .filter((period) => period.key !== key)
    .toSorted((a, b) => a.window.start.getTime() - b.window.start.getTime());
}

/**
 * Returns the account after other periods, as if all unsettled usage were settled. Unclaimed months
 * that are final and complete periods are stored: they are read only once, and their grants can be
 * closed. As in a settlement, unclaimed months burn before a period that they do not follow.
 */
export async function afterOtherUsage(
  { account, series }: BurningAccount,
  used: readonly UsedPeriod[],
  context: CallContext,
  dependencies: AccountDependencies,
): Promise<CreditAccount> {
  const { now } = context;
  let after = account;
  for (const { period, usage } of used) after = afterPeriod(after, period, { usage, series, now });
  const completeUntil = Math.max(
    ...used.map(({ period }) => (period.isComplete === true ? period.window.end.getTime() : 0)),
  );
  const isStored = ({ period }: UsedPeriod) => {
    if (period.isComplete === true) return true;
    const { window } = period;
    return isMonth(period) && (isFinal(window, now) || window.start.getTime() < completeUntil);
  };
  const final = used.filter(isStored);
  if (final.length > 0) await storePeriods({ account, series }, final, context, dependencies);
  return after;
}

/**
 * Reads the unclaimed usage before a settlement whose credits the settlement must leave alone. The
 * spans to be settled count as claimed, even if the subscription service does not report them yet.
 */
export async function readUnclaimedUsage(
  { account, series }: BurningAccount,
  { settled, reader }: { readonly settled: readonly Span[]; readonly reader: WindowReader },
  context: CallContext,
  { peers }: Pick<AccountDependencies, 'peers'>,
): Promise<UsedPeriod[]> {
  const { now } = context;
  const until = new Date(Math.max(...settled.map(({ end }) => end.getTime())));
  const [first] = unclaimedMonths(account, { taken: [], now, until });
  if (first === undefined) return [];
  const { customerId, meterId } = series;
  const since = first.window.start;
  const { lived } = await customerPeriods(peers, { customerId, since }, context);
  const taken = [...claimedSpans(null, lived, meterId), ...settled];
  const months = unclaimedMonths(account, { taken, now, until });
  const windows = months.map((period) => burnableWindow(period, account));
  return usedPeriods(months, await readWindows(reader, series, windows));
}

/** Periods with their usage, in the same order. */
export function usedPeriods(
  periods: readonly BurningPeriod[],
  usages: readonly WindowUsage[],
): UsedPeriod[] {
  return periods.map((period, index) => ({ period, usage: usages[index] ?? noUsage }));
}

/** The window of a period, with the grants whose boundaries split it. */
export function burnableWindow(
  { key, window }: BurningPeriod,
  account: CreditAccount,
): BurnableWindow {
  // The usual case: a customer with a subscription has claimed nearly all months.
  return { window, grants: isFullyClaimed(window) ? [] : grantsFor(account, key) };
}

/** Returns an account after months of unclaimed usage and complete periods. */
export function afterPeriods(
  before: CreditAccount,
  used: readonly UsedPeriod[],
  { burning: { account, series }, now }: { readonly burning: BurningAccount; readonly now: Date },
): CreditAccount {
  const grantIds = new Set(account.grants.map(({ id }) => id));
  let after = before;
  for (const { period, usage } of used) {
    const isDecidedFinally = isFinal(period.window, now);
    after = afterPeriod(after, period, { usage, series, now, grantIds, isDecidedFinally });
  }
  return after;
}

/**
 * Stores the whole consumption of each month or complete period, not a difference: a retry or a
 * concurrent call gives the same result. A final one may allow grants to be closed.
 */
export async function storePeriods(
  burning: BurningAccount,
  used: readonly UsedPeriod[],
  context: CallContext,
  dependencies: AccountDependencies,
): Promise<CreditAccount> {
  const { id } = burning.account;
  const { now } = context;
  const { state } = await dependencies.accounts.within(context).mutate(id, (before) => ({
    state: afterPeriods(before, used, { burning, now }),
    events: [],
    commands: [],
  }));
  const hasFinal = used.some(({ period }) => isFinal(period.window, now));
  return hasFinal ? closeCredits(state, context, dependencies) : state;
}
