import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import { type CallContext } from '@billing/chassis/call-context';
import { derivedId } from '@billing/chassis/ids';
import { Decimal } from '@billing/kernel/decimal';
import { notFound } from '@billing/kernel/domain-error';
import type { UsageState as ProtoUsageState } from '@billing/proto/billing/metering/v1/metering';
import { consumedIn, type CreditAccount, grantsFor } from './credit-account';
import type { Meter } from './meter';
import { findCustomer, type Peers, runningPeriods, type RunningPeriod } from './peers';
import { burnWindow, type BurntUsage, readWindow } from './usage-burning';
import type { Span } from './usage-hour';
import { monthOf, usageState, type UsageTerms } from './usage-state';
import type { UsageStore } from './usage-store';

/** What usage is added up from. */
export interface UsageParts {
  readonly meters: AggregateCollection<Meter>;
  readonly accounts: AggregateCollection<CreditAccount>;
  readonly usageOf: (context: Pick<CallContext, 'tenant'>) => UsageStore;
  readonly peers: Peers;
}

/** The running period of one meter, and what of it credits cover. */
export interface RunningUsage {
  readonly meter: Meter;
  readonly account: CreditAccount | undefined;
  readonly period: Span;
  readonly terms: UsageTerms | undefined;
  readonly burnt: BurntUsage;
  /** Of each grant, after settled periods and the running one. */
  readonly remaining: ReadonlyMap<string, Decimal>;
}

const none = Decimal.of(0n);
// A customer uses a few meters; each is read by a few queries.
const metersAtOnce = 8;
const accountsMax = 500;

/** The id of the account of a customer for a meter. */
export function accountId(
  { tenant }: Pick<CallContext, 'tenant'>,
  { customerId, meterId }: { customerId: string; meterId: string },
): string {
  return derivedId(tenant.environmentId, 'credit-account', customerId, meterId);
}

/** Refuses a customer whom their owner does not know. */
export async function requireCustomer(
  peers: Pick<Peers, 'customer'>,
  id: string,
  context: CallContext,
): Promise<void> {
  const found = await findCustomer(peers, id, context);
  if (found === undefined) throw notFound('Customer');
}

/** All accounts of a customer. */
export async function accountsOf(
  { accounts }: Pick<UsageParts, 'accounts'>,
  customerId: string,
  context: CallContext,
): Promise<CreditAccount[]> {
  const { data } = await accounts
    .within(context)
    .list({ filter: { customerId }, page: 1, perPage: accountsMax });
  return data.map(({ state }) => state);
}

/** What a customer has used and has left, for each meter with usage, credits or a price. */
export async function usageStates(
  customerId: string,
  context: CallContext,
  parts: UsageParts,
): Promise<ProtoUsageState[]> {
  await requireCustomer(parts.peers, customerId, context);
  const [periods, accounts, used] = await Promise.all([
    runningPeriods(parts.peers, customerId, context),
    accountsOf(parts, customerId, context),
    parts.usageOf(context).metersUsed(customerId),
  ]);
  const priced = periods.flatMap(({ prices }) => [...prices.keys()]);
  const ids = [...new Set([...priced, ...accounts.map(({ meterId }) => meterId), ...used])];
  const running = await runningUsages(
    { customerId, meterIds: ids, periods, accounts },
    context,
    parts,
  );
  return running
    .filter(({ burnt, account, terms }) => {
      const hasCredits = (account?.grants.length ?? 0) > 0;
      return burnt.events > 0 || hasCredits || terms !== undefined;
    })
    .map((one) => toProtoUsageState(one, context.now));
}

/** The running periods of some meters of a customer, in the order of their ids. */
export async function runningUsages(
  {
    customerId,
    meterIds,
    periods,
    accounts,
  }: {
    customerId: string;
    meterIds: readonly string[];
    periods: readonly RunningPeriod[];
    accounts: readonly CreditAccount[];
  },
  context: CallContext,
  parts: UsageParts,
): Promise<RunningUsage[]> {
  const waiting = meterIds.toSorted();
  const found: RunningUsage[] = [];
  const readNext = async (): Promise<void> => {
    for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
      const meterId = id;
      const meter = await parts.meters.within(context).find(meterId);
      if (meter === undefined) continue;
      const account = accounts.find((one) => one.meterId === meterId);
      const period = periods.find(({ prices }) => prices.has(meterId)) ?? periods[0];
      const scope = { customerId, meter: meter.state, account, period };
      found.push(await runningUsage(scope, context, parts));
    }
  };
  await Promise.all(Array.from({ length: metersAtOnce }, readNext));
  return found.toSorted((a, b) => (a.meter.id < b.meter.id ? -1 : 1));
}

async function runningUsage(
  {
    customerId,
    meter,
    account,
    period,
  }: {
    customerId: string;
    meter: Meter;
    account: CreditAccount | undefined;
    period: RunningPeriod | undefined;
  },
  context: CallContext,
  { usageOf }: UsageParts,
): Promise<RunningUsage> {
  const { id: meterId, aggregation, uniqueProperty } = meter;
  const terms = termsOf(period, meterId);
  const { start, end } = period?.span ?? monthOf(context.now);
  const window = { start, end, taken: [] };
  const grants = account === undefined ? [] : grantsFor(account, undefined);
  const series = { customerId, meterId, aggregation, uniqueProperty };
  const usage = await readWindow(usageOf(context), series, { window, grants });
  // A trial's usage is free: it needs no credits.
  const burnable = terms?.isTrial === true ? [] : grants;
  const includedUnits = terms === undefined ? none : Decimal.parse(terms.price.includedUnits);
  const burnt = burnWindow(usage, series, { window, grants: burnable, includedUnits });
  const burning = new Map(burnt.uses.map(({ grantId, quantity }) => [grantId, quantity]));
  const remaining = new Map(
    grants.map(({ id, available }) => [id, available.subtract(burning.get(id) ?? none)]),
  );
  return { meter, account, period: { start, end }, terms, burnt, remaining };
}

function termsOf(period: RunningPeriod | undefined, meterId: string): UsageTerms | undefined {
  const price = period?.prices.get(meterId);
  if (period === undefined || price === undefined) return undefined;
  const { subscriptionId, isTrial, entitled, currency } = period;
  return { subscriptionId, isTrial, entitled, currency, price };
}

/** A state in the form in which the service tells it. */
export function toProtoUsageState(
  { meter, account, period, terms, burnt, remaining }: RunningUsage,
  now: Date,
): ProtoUsageState {
  const state = usageState(burnt, { period, now, account, remaining, terms });
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

/** Units of each grant that are gone, the running period included. */
export function consumedOf({ account, burnt }: RunningUsage): Map<string, Decimal> {
  const consumed = consumedIn(account?.consumptions ?? []);
  for (const { grantId, quantity } of burnt.uses) {
    consumed.set(grantId, (consumed.get(grantId) ?? none).add(quantity));
  }
  return consumed;
}
