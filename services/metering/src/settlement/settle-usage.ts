import type { CallContext } from '@billing/chassis/call-context';
import { sleep } from '@billing/chassis/clock';
import { DeadlineExceededError } from '@billing/chassis/grpc-status';
import { Semaphore } from '@billing/chassis/semaphore';
import { DomainError, notFound } from '@billing/kernel/domain-error';
import { type CreditAccount, decidedBy, emptyAccount, periodKey } from '../credit/account';
import { accountId } from '../credit/account-store';
import { storeUnclaimedUsage } from '../credit/burn-unsettled-usage';
import { closeCredits } from '../credit/close-credits';
import type { UsageDependencies } from '../credit/read-running-usage';
import { readWindows } from '../credit/read-windows';
import type { Meter } from '../meter/meter';
import { noUsage } from '../span/read-usage';
import {
  type Decider,
  decideWindows,
  isDecided,
  openWindows,
  type ReadWindow,
  settledGrants,
} from './decision';
import type { RunningSettlements } from './running-settlements';
import {
  changedUsages,
  lastSettled,
  type MeterPeriod,
  type MeterWindows,
  type SettledUsage,
  type Settlement,
  type SettlementWindow,
} from './settlement';
import type { SettlementStore } from './store';

export interface SettlementDependencies extends UsageDependencies {
  readonly settlementsOf: (context: Pick<CallContext, 'tenant'>) => SettlementStore;
  readonly running: RunningSettlements;
}

/** Input of a settlement. */
export interface SettlementRequest {
  readonly subscriptionId: string;
  readonly customerId: string;
  readonly key: string;
  /** In the order of the settlement's usages. */
  readonly requested: readonly MeterPeriod[];
  /** The same, grouped by meter. */
  readonly meters: readonly MeterWindows[];
  readonly unbilledKeys: readonly string[];
}

/** A settlement in progress. */
interface Run {
  readonly request: SettlementRequest;
  readonly context: CallContext;
  readonly dependencies: SettlementDependencies;
}

// Flushes that a stored set names.
const flushesMax = 2_000;
const rereadAfterMs = 500;
// Same limit as the store's compare-and-set retries.
const attemptsMax = 8;
// Meters that are read and decided at the same time.
const concurrentMeters = 8;

/**
 * Settles once per key. A retry gets the same result. Decisions are stored meter by meter; a retry
 * after a failure continues there.
 */
export function settle(
  request: SettlementRequest,
  context: CallContext,
  dependencies: SettlementDependencies,
): Promise<Settlement> {
  return dependencies.running.run(() => settleAll({ request, context, dependencies }));
}

async function settleAll(run: Run): Promise<Settlement> {
  const { request, context, dependencies } = run;
  const { subscriptionId, key, requested, meters, unbilledKeys: exceptKeys } = request;
  const store = dependencies.settlementsOf(context);
  const periodIndexes = new Set(requested.map(({ periodIndex }) => periodIndex));
  for (let attempt = 1; attempt <= attemptsMax; attempt += 1) {
    const done = await store.find(subscriptionId, key);
    if (done !== undefined) {
      // The closing after it may have failed.
      await closeAll(await Promise.all(meters.map((one) => openAccount(one, run))), run);
      return done;
    }
    // Read first, so that a concurrent settlement makes the insert fail on the number.
    const number = (await store.lastNumber(subscriptionId)) + 1;
    const { accounts, decisionOf } = await decideAll(run);
    const billed = await store.ofPeriods(subscriptionId, { periodIndexes, exceptKeys });
    const previousOf = lastSettled(billed);
    const usages = changedUsages(
      requested.map((one) => ({ ...one, ...decisionOf(one), previous: previousOf(one) })),
    );
    const settlement = { subscriptionId, key, number, usages };
    if (!(await store.insert(settlement))) continue;
    await closeAll(accounts, run);
    return settlement;
  }
  throw new DomainError('unavailable', 'TOO_MANY_WRITERS', 'Service unavailable');
}

async function closeAll(accounts: readonly CreditAccount[], run: Run): Promise<void> {
  for (const account of accounts) await closeCredits(account, run.context, run.dependencies);
}

/** Lets the accounts decide all windows, several meters in parallel. */
async function decideAll(run: Run): Promise<{
  readonly accounts: readonly CreditAccount[];
  readonly decisionOf: (one: MeterPeriod) => Decision;
}> {
  const { meters } = run.request;
  // Requested in parallel, so that they reach the database in one batch.
  const opened = await Promise.all(meters.map((one) => openMeter(one, run)));
  const deciding = new Semaphore(concurrentMeters);
  const ended = new AbortController();
  const decide = (one: OpenMeter) => deciding.run(() => decideMeter(one, run), ended.signal);
  // After a failure, no other meter is started.
  const accounts = await Promise.all(opened.map(decide)).finally(() => {
    ended.abort();
  });
  return { accounts, decisionOf: await decisionsIn(accounts, run) };
}

/** Usage that was decided, and the name of its events. */
type Decision = Pick<SettledUsage, 'current' | 'set'>;

/** Returns a lookup for the decisions of the settlement, with the uses of closed grants. */
async function decisionsIn(
  accounts: readonly CreditAccount[],
  { request: { requested, subscriptionId, key: settlement }, context, dependencies }: Run,
): Promise<(one: MeterPeriod) => Decision> {
  const decisions = new Map<string, Decision>();
  const nameOf = ({ meterId, periodIndex }: MeterPeriod) => `${meterId} ${String(periodIndex)}`;
  for (const account of accounts) {
    const decided = requested
      .filter(({ meterId }) => meterId === account.meterId)
      .map((one) => {
        const period = periodKey(subscriptionId, one.periodIndex);
        const decision = decidedBy(account, { period, settlement });
        if (decision === undefined) throw new Error('The account did not decide');
        return { one, decision };
      });
    const closed = await dependencies.closedCreditsOf(context).usesOf(
      account,
      decided.flatMap(({ decision: { period, isClosed } }) => (isClosed ? [period] : [])),
    );
    for (const { one, decision } of decided) {
      const { period, quantity, uses, set } = decision;
      const current = { quantity, uses: closed.get(period) ?? uses };
      decisions.set(nameOf(one), { current, ...(set !== undefined && { set }) });
    }
  }
  return (one) => {
    const decision = decisions.get(nameOf(one));
    if (decision === undefined) throw new Error('The account did not decide');
    return decision;
  };
}

/** A meter with all inputs of its decisions. */
interface OpenMeter extends MeterWindows {
  readonly meter: Meter;
  readonly account: CreditAccount;
}

async function openMeter({ meterId, windows }: MeterWindows, run: Run): Promise<OpenMeter> {
  const { context, dependencies } = run;
  const meter = await dependencies.meters.within(context).find(meterId);
  if (meter === undefined) throw notFound('Meter');
  return {
    meterId,
    windows,
    meter: meter.state,
    account: await openAccount({ meterId }, run),
  };
}

/**
 * The account that decides, created if missing. Without a stored account, calls before and after
 * the first grant could decide differently.
 */
async function openAccount(
  { meterId }: Pick<MeterWindows, 'meterId'>,
  { request: { customerId }, context, dependencies }: Run,
): Promise<CreditAccount> {
  const accounts = dependencies.accounts.within(context);
  const id = accountId(context, { customerId, meterId });
  const known = await accounts.find(id);
  if (known !== undefined) return known.state;
  const fresh = emptyAccount({ id, customerId, meterId });
  const { stored } = await accounts.insert({ state: fresh, events: [], commands: [] });
  return stored.state;
}

/** Decides all windows of a meter, with one read of its usage. */
async function decideMeter(
  { meterId, meter, windows, account: opened }: OpenMeter,
  { request, context, dependencies }: Run,
): Promise<CreditAccount> {
  const { subscriptionId, customerId, key: settlement } = request;
  const { aggregation, uniqueProperty } = meter;
  const series = { customerId, meterId, aggregation, uniqueProperty };
  const decider = { subscriptionId, settlement, series };
  if (isDecided(opened, windows, decider)) return opened;
  const burning = { account: opened, series };
  const account = await storeUnclaimedUsage(burning, windows, context, dependencies);
  const read = await readOpenWindows({ account, windows, decider }, context, dependencies);
  const grantIds = new Set(account.grants.map(({ id }) => id));
  const { state } = await dependencies.accounts.within(context).mutate(account.id, (before) => ({
    state: decideWindows(before, { windows, read, decider, grantIds, now: context.now }),
    events: [],
    commands: [],
  }));
  return state;
}

/** Reads windows, all with one set of events that is small enough to be stored. */
async function readOpenWindows(
  {
    account,
    windows,
    decider,
  }: {
    readonly account: CreditAccount;
    readonly windows: readonly SettlementWindow[];
    readonly decider: Decider;
  },
  context: CallContext,
  { usageOf }: SettlementDependencies,
): Promise<ReadWindow[]> {
  const open = openWindows(account, windows, decider);
  const burnable = open.map((window) => ({
    window,
    grants: settledGrants(account, window, decider),
  }));
  for (;;) {
    const usages = await readWindows(usageOf(context), decider.series, burnable);
    if (usages.every(({ set }) => set.flushes.length <= flushesMax)) {
      return open.map((window, index) => ({ window, usage: usages[index] ?? noUsage }));
    }
    // Epochs end every two seconds; flushes of complete ones need no names.
    if (context.signal.aborted) throw new DeadlineExceededError();
    await sleep(rereadAfterMs);
  }
}
