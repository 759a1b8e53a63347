import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import { type CallContext } from '@billing/chassis/call-context';
import { derivedId } from '@billing/chassis/ids';
import { Decimal } from '@billing/kernel/decimal';
import type { UsageState as ProtoUsageState } from '@billing/proto/billing/metering/v1/metering';
import { afterOtherUsage } from './burning-rpc';
import {
  consumedIn,
  type CreditAccount,
  grantsFor,
  periodKey,
  setConsumption,
  usesOf,
} from './credit-account';
import type { Meter } from './meter';
import { requireCustomer } from './peer/customers';
import { customerPeriods } from './peer/usage-periods';
import type { Peers } from './peers';
import { claimedSpans, type CustomerPeriods, type SubscriptionPeriod } from './subscription-period';
import { monthOf, unclaimedKey, unclaimedMonths } from './unsettled-usage';
import { burnWindow, type BurntUsage, readWindow, type UsageWindow } from './usage-burning';
import type { Span } from './usage-hour';
import { usageState, type UsageTerms } from './usage-state';
import type { UsageStore } from './usage-store';

export interface UsageDependencies {
  readonly meters: AggregateCollection<Meter>;
  readonly accounts: AggregateCollection<CreditAccount>;
  readonly usageOf: (context: Pick<CallContext, 'tenant'>) => UsageStore;
  readonly peers: Peers;
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

const none = Decimal.of(0n);
// A customer uses a few meters; each takes a few queries.
const concurrentMeters = 8;
const accountsPerPage = 500;
// Key that no settlement uses: a trial burns no credits.
const trialPeriodKey = 'trial';

/** Id of the account of a customer for a meter. */
export function accountId(
  { tenant }: Pick<CallContext, 'tenant'>,
  { customerId, meterId }: { customerId: string; meterId: string },
): string {
  return derivedId(tenant.environmentId, 'credit-account', customerId, meterId);
}

/** All accounts of a customer. */
export async function accountsOf(
  { accounts }: Pick<UsageDependencies, 'accounts'>,
  customerId: string,
  context: CallContext,
): Promise<CreditAccount[]> {
  const store = accounts.within(context);
  const found = new Map<string, CreditAccount>();
  for (let page = 1; ; page += 1) {
    const { data } = await store.list({ filter: { customerId }, page, perPage: accountsPerPage });
    // An account created between two pages shifts the rest: some accounts occur twice.
    for (const { state } of data) found.set(state.id, state);
    if (data.length < accountsPerPage) return [...found.values()];
  }
}

/** Usage states of a customer, for each meter with usage, credits or a price. */
export async function usageStates(
  customerId: string,
  context: CallContext,
  dependencies: UsageDependencies,
): Promise<ProtoUsageState[]> {
  await requireCustomer(dependencies.peers, customerId, context);
  const [accounts, used] = await Promise.all([
    accountsOf(dependencies, customerId, context),
    dependencies.usageOf(context).metersUsed(customerId),
  ]);
  const periods = await periodsFor({ customerId, accounts }, context, dependencies);
  const priced = periods.running.flatMap(({ prices }) => [...prices.keys()]);
  const ids = [...new Set([...priced, ...accounts.map(({ meterId }) => meterId), ...used])];
  const running = await runningUsages(
    { customerId, meterIds: ids, periods, accounts },
    context,
    dependencies,
  );
  return running
    .filter(({ used: { events }, account, terms }) => {
      const hasCredits = (account?.grants.length ?? 0) > 0;
      return events > 0 || hasCredits || terms !== undefined;
    })
    .map((one) => toProtoUsageState(one, context.now));
}

/**
 * Periods of the customer's subscriptions, back to the first month whose unclaimed usage is not
 * stored as final in one of the accounts.
 */
export function periodsFor(
  { customerId, accounts }: { customerId: string; accounts: readonly CreditAccount[] },
  context: CallContext,
  { peers }: Pick<UsageDependencies, 'peers'>,
): Promise<CustomerPeriods> {
  const { now } = context;
  const open = accounts.flatMap((account) => unclaimedMonths(account, { taken: [], now }));
  const starts = open.map(({ window: { start } }) => start.getTime());
  const since = starts.length === 0 ? undefined : new Date(Math.min(...starts));
  return customerPeriods(peers, { customerId, since }, context);
}

/** Running periods of some meters of a customer, in the order of the ids. */
export async function runningUsages(
  {
    customerId,
    meterIds,
    periods,
    accounts,
  }: {
    customerId: string;
    meterIds: readonly string[];
    periods: CustomerPeriods;
    accounts: readonly CreditAccount[];
  },
  context: CallContext,
  dependencies: UsageDependencies,
): Promise<RunningUsage[]> {
  const waiting = meterIds.toSorted();
  const found: RunningUsage[] = [];
  const readNext = async (): Promise<void> => {
    for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
      const meterId = id;
      const meter = await dependencies.meters.within(context).find(meterId);
      if (meter === undefined) continue;
      const account = accounts.find((one) => one.meterId === meterId);
      const scope = { customerId, meter: meter.state, account, periods };
      found.push(await runningUsage(scope, context, dependencies));
    }
  };
  await Promise.all(Array.from({ length: concurrentMeters }, readNext));
  return found.toSorted((a, b) => (a.meter.id < b.meter.id ? -1 : 1));
}

async function runningUsage(
  {
    customerId,
    meter,
    account,
    periods: { running, lived },
  }: {
    customerId: string;
    meter: Meter;
    account: CreditAccount | undefined;
    periods: CustomerPeriods;
  },
  context: CallContext,
  dependencies: UsageDependencies,
): Promise<RunningUsage> {
  const { id: meterId, aggregation, uniqueProperty } = meter;
  const series = { customerId, meterId, aggregation, uniqueProperty };
  const shown = running.find(({ prices }) => prices.has(meterId));
  const period = shown?.span ?? monthOf(context.now);
  const terms = termsOf(shown, meterId);
  const taken = claimedSpans(terms?.subscriptionId ?? null, lived, meterId);
  const key = terms?.key ?? unclaimedKey(period);
  const before =
    account && (await afterOtherUsage({ account, series }, { key, lived }, context, dependencies));
  const grants = before === undefined ? [] : grantsFor(before, key);
  // Usage of a trial is free and needs no credits.
  const burnable = terms?.isTrial === true ? [] : grants;
  const includedUnits = terms === undefined ? none : Decimal.parse(terms.price.includedUnits);
  const burn = async (window: UsageWindow) => {
    const usage = await readWindow(dependencies.usageOf(context), series, { window, grants });
    return burnWindow(usage, series, { window, grants: burnable, includedUnits });
  };
  const burnt = await burn({ ...period, taken });
  const used = taken.length === 0 ? burnt : await burn({ ...period, taken: [] });
  const quantity = burnt.quantity.toString();
  const consumption = { period: key, settlement: 'running', quantity, uses: usesOf(burnt) };
  const after = before && setConsumption(before, consumption, context.now);
  return { meter, account: after, period, terms, burnt, used };
}

function termsOf(
  period: SubscriptionPeriod | undefined,
  meterId: string,
): (UsageTerms & { readonly key: string }) | undefined {
  const price = period?.prices.get(meterId);
  if (period === undefined || price === undefined) return undefined;
  const { subscriptionId, index, entitled, currency } = period;
  const key = index === null ? trialPeriodKey : periodKey(subscriptionId, index);
  return { subscriptionId, isTrial: index === null, entitled, currency, price, key };
}

export function toProtoUsageState(
  { meter, account, period, terms, burnt, used: { quantity: used } }: RunningUsage,
  now: Date,
): ProtoUsageState {
  const state = usageState(burnt, { period, now, account, terms, used });
  return {
    meterId: meter.id,
    meterName: meter.name,
    unit: meter.unit ?? undefined,
    subscriptionId: terms?.subscriptionId,
    periodStart: period.start,
    periodEnd: period.end,
    usage: state.usage.toString(),
    includedUnits: state.includedUnits.toString(),
    creditsGranted: state.creditsGranted.toString(),
    creditsRemaining: state.creditsRemaining.toString(),
    balance: state.balance.toString(),
    overage: state.overage.toString(),
    estimatedAmount: state.estimatedAmount,
    currency: terms?.currency,
    entitled: state.entitled,
    asOf: now,
  };
}

/** Consumed units by grant, the running period included. */
export function consumedOf({ account }: RunningUsage): Map<string, Decimal> {
  return consumedIn(account?.consumptions ?? []);
}
