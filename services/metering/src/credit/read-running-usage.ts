import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import type { CallContext } from '@billing/chassis/call-context';
import { Semaphore } from '@billing/chassis/semaphore';
import { Decimal } from '@billing/kernel/decimal';
import type { Meter } from '../meter/meter';
import { customerPeriods } from '../peer/usage-periods';
import type { Peers } from '../peer/peers';
import { noUsage } from '../span/read-usage';
import type { UsageReader } from '../span/read-in-time';
import { claimedSpans, type CustomerPeriods, pricedMeter } from '../usage/subscription-period';
import { type CreditAccount, grantsFor, setConsumption, usesOf } from './account';
import { afterOtherUsage, burnableWindow, otherPeriods, usedPeriods } from './burn-unsettled-usage';
import type { ClosingDependencies } from './close-credits';
import { type RunningUsage, termsOf } from './running-usage';
import { monthOf, unclaimedKey, unclaimedMonths } from './unsettled-usage';
import { readWindows } from './read-windows';
import { allSpans, burnWindow, windowOf } from './usage-window';

export interface UsageDependencies extends ClosingDependencies {
  readonly meters: AggregateCollection<Meter>;
  readonly usageOf: (context: Pick<CallContext, 'tenant' | 'signal'>) => UsageReader;
  readonly peers: Peers;
}

/** Meters of a customer, with the periods and accounts of the customer. */
interface RunningScope {
  readonly customerId: string;
  readonly meterIds: readonly string[];
  readonly periods: CustomerPeriods;
  readonly accounts: readonly CreditAccount[];
}

const none = Decimal.of(0n);
// A customer uses a few meters; each takes a few queries.
const concurrentMeters = 8;

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

/** Running periods of some meters, with the customer's periods that the accounts need. */
export async function usagesOf(
  scope: Omit<RunningScope, 'periods'>,
  context: CallContext,
  dependencies: UsageDependencies,
): Promise<RunningUsage[]> {
  const periods = await periodsFor(scope, context, dependencies);
  return runningUsages({ ...scope, periods }, context, dependencies);
}

/** Running periods of some meters of a customer, in the order of the ids. */
export async function runningUsages(
  { customerId, meterIds, periods, accounts }: RunningScope,
  context: CallContext,
  dependencies: UsageDependencies,
): Promise<RunningUsage[]> {
  const reading = new Semaphore(concurrentMeters);
  const readOne = async (meterId: string): Promise<RunningUsage | undefined> => {
    const meter = await dependencies.meters.within(context).find(meterId);
    if (meter === undefined) return undefined;
    const account = accounts.find((one) => one.meterId === meterId);
    const scope = { customerId, meter: meter.state, account, periods };
    return runningUsage(scope, context, dependencies);
  };
  const found = await Promise.all(
    meterIds.toSorted().map((meterId) => reading.run(() => readOne(meterId))),
  );
  return found.filter((one) => one !== undefined);
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
  const claimed = claimedSpans(terms?.subscriptionId ?? null, lived, meterId);
  const priced = shown && pricedMeter(shown, meterId);
  const key = terms?.key ?? unclaimedKey(period);
  const burning = account && { account, series };
  const others = burning ? otherPeriods(burning, { key, lived, now: context.now }) : [];
  const window = priced ? windowOf(priced, claimed) : { ...period, taken: claimed };
  const windows = [
    { window, grants: account === undefined ? [] : grantsFor(account, key) },
    ...(account === undefined ? [] : others.map((other) => burnableWindow(other, account))),
  ];
  const reader = dependencies.usageOf(context);
  const usages = await readWindows(reader, series, windows, [allSpans({ ...window, ...period })]);
  const own = usages[0] ?? noUsage;
  const used = usages.at(-1) ?? noUsage;
  const usedBefore = usedPeriods(others, usages.slice(1));
  const before = burning && (await afterOtherUsage(burning, usedBefore, context, dependencies));
  // Usage of a trial is free and needs no credits.
  const grants = before === undefined || terms?.isTrial === true ? [] : grantsFor(before, key);
  const includedUnits = terms === undefined ? none : Decimal.parse(terms.price.includedUnits);
  const burnt = burnWindow(own, series, { window, grants, includedUnits });
  const quantity = burnt.quantity.toString();
  const consumption = { period: key, settlement: 'running', quantity, uses: usesOf(burnt) };
  const after = before && setConsumption(before, consumption, context.now);
  return { meter, account: after, period, terms, burnt, used };
}
