import type { CallContext } from '@billing/chassis/call-context';
import { DomainError } from '@billing/kernel/domain-error';
import { type CreditAccount, emptyAccount } from '../credit/account';
import { accountId } from '../credit/account-store';
import { afterPeriods, storePeriods } from '../credit/burn-unsettled-usage';
import { closeCredits } from '../credit/close-credits';
import { type DecidingAccounts, decideUsage, type UsageRequest } from './decide-usage';
import type { RunningSettlements } from './running-settlements';
import {
  changedUsages,
  lastSettled,
  type MeterPeriod,
  type SettledUsage,
  type Settlement,
} from './settlement';
import type { SettlementStore } from './store';
import type { UsageDependencies } from '../credit/read-running-usage';

export interface SettlementDependencies extends UsageDependencies {
  readonly settlementsOf: (context: Pick<CallContext, 'tenant'>) => SettlementStore;
  readonly running: RunningSettlements;
}

/** Input of a settlement. */
export interface SettlementRequest extends UsageRequest {
  readonly key: string;
  readonly unbilledKeys: readonly string[];
}

type Dependencies = Omit<SettlementDependencies, 'running'>;

// Same limit as the store's compare-and-set retries.
const attemptsMax = 8;
// No settlement has this key.
const quoteKey = 'quote';

/**
 * Settles once per key. A retry gets the same result. Decisions are stored meter by meter; a retry
 * after a failure continues there.
 */
export function settle(
  request: SettlementRequest,
  context: CallContext,
  dependencies: SettlementDependencies,
): Promise<Settlement> {
  return dependencies.running.run(() => settleAll(request, context, dependencies));
}

/** Computes what a settlement would return now. Stores nothing, not even a span that was read. */
export async function quote(
  request: Omit<SettlementRequest, 'key'>,
  context: CallContext,
  dependencies: Dependencies,
): Promise<SettledUsage[]> {
  const keyed = { ...request, key: quoteKey };
  const accounts = accountsInMemory(request, context, dependencies);
  const { decisionOf } = await decideUsage({ request: keyed, accounts, context, dependencies });
  return changesIn({ request: keyed, decisionOf }, context, dependencies);
}

async function settleAll(
  request: SettlementRequest,
  context: CallContext,
  dependencies: Dependencies,
): Promise<Settlement> {
  const { subscriptionId, key, meters } = request;
  const store = dependencies.settlementsOf(context);
  const stored = storedAccounts(request, context, dependencies);
  const closeAll = async (accounts: readonly CreditAccount[]) => {
    for (const account of accounts) await closeCredits(account, context, dependencies);
  };
  for (let attempt = 1; attempt <= attemptsMax; attempt += 1) {
    const done = await store.find(subscriptionId, key);
    if (done !== undefined) {
      // The closing after it may have failed.
      await closeAll(await Promise.all(meters.map(({ meterId }) => stored.open(meterId))));
      return done;
    }
    // Read first, so that a concurrent settlement makes the insert fail on the number.
    const number = (await store.lastNumber(subscriptionId)) + 1;
    const run = { request, accounts: stored, context, dependencies };
    const { accounts, decisionOf } = await decideUsage(run);
    const usages = await changesIn({ request, decisionOf }, context, dependencies);
    const settlement = { subscriptionId, key, number, usages };
    if (!(await store.insert(settlement))) continue;
    await closeAll(accounts);
    return settlement;
  }
  throw new DomainError('unavailable', 'TOO_MANY_WRITERS', 'Service unavailable');
}

/** Decided usages that were never settled, or have changed since. */
async function changesIn(
  {
    request: { subscriptionId, requested, unbilledKeys: exceptKeys },
    decisionOf,
  }: {
    readonly request: SettlementRequest;
    readonly decisionOf: (one: MeterPeriod) => Pick<SettledUsage, 'current' | 'set'>;
  },
  context: CallContext,
  { settlementsOf }: Pick<SettlementDependencies, 'settlementsOf'>,
): Promise<SettledUsage[]> {
  const periodIndexes = new Set(requested.map(({ periodIndex }) => periodIndex));
  const store = settlementsOf(context);
  const billed = await store.ofPeriods(subscriptionId, { periodIndexes, exceptKeys });
  const previousOf = lastSettled(billed);
  return changedUsages(
    requested.map((one) => ({ ...one, ...decisionOf(one), previous: previousOf(one) })),
  );
}

/**
 * Accounts that store their decisions. An account is created if missing: without a stored one,
 * calls before and after the first grant could decide differently.
 */
export function storedAccounts(
  { customerId }: Pick<SettlementRequest, 'customerId'>,
  context: CallContext,
  dependencies: Dependencies,
): DecidingAccounts {
  const accounts = dependencies.accounts.within(context);
  return {
    reader: dependencies.usageOf(context),
    open: async (meterId) => {
      const id = accountId(context, { customerId, meterId });
      const known = await accounts.find(id);
      if (known !== undefined) return known.state;
      const fresh = emptyAccount({ id, customerId, meterId });
      const { stored } = await accounts.insert({ state: fresh, events: [], commands: [] });
      return stored.state;
    },
    burnMonths: (burning, used) => storePeriods(burning, used, context, dependencies),
    change: async ({ id }, rule) => {
      const { state } = await accounts.mutate(id, (before) => ({
        state: rule(before),
        events: [],
        commands: [],
      }));
      return state;
    },
  };
}

/** The same accounts as they would be, without storing anything. */
function accountsInMemory(
  { customerId }: Pick<SettlementRequest, 'customerId'>,
  context: CallContext,
  dependencies: Dependencies,
): DecidingAccounts {
  const accounts = dependencies.accounts.within(context);
  const usage = dependencies.usageOf(context);
  const { now } = context;
  return {
    reader: { read: (series, windows) => usage.readOnce(series, windows) },
    open: async (meterId) => {
      const id = accountId(context, { customerId, meterId });
      const known = await accounts.find(id);
      return known === undefined ? emptyAccount({ id, customerId, meterId }) : known.state;
    },
    burnMonths: (burning, used) =>
      Promise.resolve(afterPeriods(burning.account, used, { burning, now })),
    change: (account, rule) => Promise.resolve(rule(account)),
  };
}
