import type { CallContext } from '@billing/chassis/call-context';
import { customerPeriods } from '../peer/usage-periods';
import type { MeasuredSeries, Span } from '../usage/hour';
import type { UsageStore } from '../usage/store';
import { claimedSpans, type SubscriptionPeriod } from '../usage/subscription-period';
import { type CreditAccount, grantsFor } from './account';
import { closeCredits, type ClosingDependencies } from './close-credits';
import {
  afterPeriod,
  type BurningPeriod,
  isFinal,
  isFullyClaimed,
  unclaimedMonths,
  unsettledPeriods,
} from './unsettled-usage';
import { readWindow, type WindowUsage } from './usage-window';

export interface AccountDependencies extends ClosingDependencies {
  readonly usageOf: (context: Pick<CallContext, 'tenant'>) => UsageStore;
}

/** An account and the series whose usage burns its credits. */
export interface BurningAccount {
  readonly account: CreditAccount;
  readonly series: MeasuredSeries;
}

interface UsedPeriod {
  readonly period: BurningPeriod;
  readonly usage: WindowUsage;
}

/**
 * Returns the account after all usage that burns credits, except one period's, as if all unsettled
 * usage were settled. Unclaimed months that are final are stored, so that they are read only once.
 */
export async function afterOtherUsage(
  { account, series }: BurningAccount,
  { key, lived }: { readonly key: string; readonly lived: readonly SubscriptionPeriod[] },
  context: CallContext,
  dependencies: AccountDependencies,
): Promise<CreditAccount> {
  if (account.grants.length === 0) return account;
  const { now } = context;
  const taken = claimedSpans(null, lived, series.meterId);
  const months = unclaimedMonths(account, { taken, now });
  const periods = [...unsettledPeriods(account, lived, series.meterId), ...months]
    .filter((period) => period.key !== key)
    .toSorted((a, b) => a.window.start.getTime() - b.window.start.getTime());
  let after = account;
  const final: UsedPeriod[] = [];
  for (const period of periods) {
    const used = {
      period,
      usage: await usageOf(period, { account: after, series }, context, dependencies),
    };
    after = afterPeriod(after, period, { usage: used.usage, series, now });
    if (months.includes(period) && isFinal(period.window, now)) final.push(used);
  }
  if (final.length > 0) await storeMonths(final, { account, series }, context, dependencies);
  return after;
}

/**
 * Stores the credits burnt by unclaimed usage before a settlement, so that the settlement leaves
 * them alone. The spans to be settled count as claimed, even if the subscription service does not
 * report them yet.
 */
export async function storeUnclaimedUsage(
  { account, series }: BurningAccount,
  settled: readonly Span[],
  context: CallContext,
  dependencies: AccountDependencies,
): Promise<CreditAccount> {
  const { now } = context;
  const until = new Date(Math.max(...settled.map(({ end }) => end.getTime())));
  const [first] = unclaimedMonths(account, { taken: [], now, until });
  if (first === undefined) return account;
  const { customerId, meterId } = series;
  const since = first.window.start;
  const { lived } = await customerPeriods(dependencies.peers, { customerId, since }, context);
  const taken = [...claimedSpans(null, lived, meterId), ...settled];
  const used: UsedPeriod[] = [];
  for (const period of unclaimedMonths(account, { taken, now, until })) {
    used.push({ period, usage: await usageOf(period, { account, series }, context, dependencies) });
  }
  return storeMonths(used, { account, series }, context, dependencies);
}

function usageOf(
  { key, window }: BurningPeriod,
  { account, series }: BurningAccount,
  context: CallContext,
  dependencies: AccountDependencies,
): Promise<WindowUsage> {
  // The usual case: a customer with a subscription has claimed nearly all months.
  if (isFullyClaimed(window)) return Promise.resolve({ spans: [] });
  const grants = grantsFor(account, key);
  return readWindow(dependencies.usageOf(context), series, { window, grants });
}

/**
 * Stores the whole consumption of each month, not a difference: a retry or a concurrent call gives
 * the same result. A month that is final may allow grants to be closed.
 */
async function storeMonths(
  used: readonly UsedPeriod[],
  { account, series }: BurningAccount,
  context: CallContext,
  dependencies: AccountDependencies,
): Promise<CreditAccount> {
  const grantIds = new Set(account.grants.map(({ id }) => id));
  const { now } = context;
  const { state } = await dependencies.accounts.within(context).mutate(account.id, (before) => {
    let after = before;
    for (const { period, usage } of used) {
      const isDecidedFinally = isFinal(period.window, now);
      after = afterPeriod(after, period, { usage, series, now, grantIds, isDecidedFinally });
    }
    return { state: after, events: [], commands: [] };
  });
  const hasFinal = used.some(({ period }) => isFinal(period.window, now));
  return hasFinal ? closeCredits(state, context, dependencies) : state;
}
