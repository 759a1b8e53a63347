import type { CallContext } from '@billing/chassis/call-context';
import type { Clock } from '@billing/chassis/clock';
import { DomainError, notFound } from '@billing/kernel/domain-error';
import { type CreditAccount, decidedBy, emptyAccount, periodKey } from '../credit/account';
import { accountId } from '../credit/account-store';
import { storeUnclaimedUsage } from '../credit/burn-unsettled-usage';
import { closeCredits } from '../credit/close-credits';
import type { UsageDependencies } from '../credit/read-running-usage';
import { readWindows } from '../credit/usage-window';
import type { Meter } from '../meter/meter';
import type { UsageStorage } from '../usage/hour';
import {
  type Decider,
  decideWindows,
  hoursTouched,
  type KnownWindow,
  knownWindows,
  nextStep,
  settledGrants,
  undecided,
} from './decision';
import type { SettlementRuns } from './runs';
import {
  changedUsages,
  lastSettled,
  type MeterPeriod,
  type MeterWindows,
  type SettledQuantity,
  type Settlement,
} from './settlement';
import type { SettlementStore } from './store';

export interface SettlementDependencies extends UsageDependencies {
  readonly settlementsOf: (context: Pick<CallContext, 'tenant'>) => SettlementStore;
  readonly runs: SettlementRuns<Settlement>;
  readonly clock: Clock;
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
  /** Aborts the run: no new step is started, and decided steps stay stored. */
  readonly signal: AbortSignal;
}

// Same limit as the store's compare-and-set retries.
const attemptsMax = 8;
// Concurrent meters; each is read with its own cursor.
const concurrentMeters = 8;

/**
 * Settles once per key. A retry gets the same result and continues where an interrupted run
 * stopped.
 */
export function settle(
  request: SettlementRequest,
  context: CallContext,
  dependencies: SettlementDependencies,
): Promise<Settlement> {
  const { subscriptionId, key } = request;
  const name = JSON.stringify([context.tenant.environmentId, subscriptionId, key]);
  return dependencies.runs.join(name, context.signal, (signal) => {
    // A deadline of its own: the caller's may expire before the peers are called.
    const deadline = new Date(
      dependencies.clock.now().getTime() + dependencies.runs.options.runMsMax,
    );
    return settleAll({ request, context: { ...context, deadline, signal }, dependencies, signal });
  });
}

async function settleAll(run: Run): Promise<Settlement> {
  const { subscriptionId, key, requested, unbilledKeys: exceptKeys } = run.request;
  const store = run.dependencies.settlementsOf(run.context);
  const periodIndexes = new Set(requested.map(({ periodIndex }) => periodIndex));
  for (let attempt = 1; attempt <= attemptsMax; attempt += 1) {
    const done = await store.find(subscriptionId, key);
    if (done !== undefined) return done;
    // Read first, so that a concurrent settlement makes the insert fail on the number.
    const number = (await store.lastNumber(subscriptionId)) + 1;
    const { accounts, currentOf } = await decideAll(run);
    const billed = await store.ofPeriods(subscriptionId, { periodIndexes, exceptKeys });
    const previousOf = lastSettled(billed);
    const usages = changedUsages(
      requested.map((one) => ({ ...one, current: currentOf(one), previous: previousOf(one) })),
    );
    const settlement = { subscriptionId, key, number, usages };
    if (!(await store.insert(settlement))) continue;
    for (const account of accounts) await closeCredits(account, run.context, run.dependencies);
    return settlement;
  }
  throw new DomainError('unavailable', 'TOO_MANY_WRITERS', 'Service unavailable');
}

/** Lets the accounts decide all windows, several meters in parallel. */
async function decideAll(run: Run): Promise<{
  readonly accounts: readonly CreditAccount[];
  readonly currentOf: (one: MeterPeriod) => SettledQuantity;
}> {
  const { meters } = run.request;
  // Requested in parallel, so that they reach the database in one batch.
  const opened = await Promise.all(meters.map((one) => openMeter(one, run)));
  const waiting = opened.toReversed();
  const accounts = new Map<string, CreditAccount>();
  const decideNext = async (): Promise<void> => {
    for (let one = waiting.pop(); one !== undefined; one = waiting.pop()) {
      accounts.set(one.meterId, await decideMeter(one, run));
    }
  };
  try {
    await Promise.all(Array.from({ length: concurrentMeters }, decideNext));
  } finally {
    waiting.length = 0;
  }
  const all = [...accounts.values()];
  return { accounts: all, currentOf: await decisionsIn(all, run) };
}

/** Returns a lookup for the decisions of the settlement, with the uses of closed grants. */
async function decisionsIn(
  accounts: readonly CreditAccount[],
  { request: { requested, subscriptionId, key: settlement }, context, dependencies }: Run,
): Promise<(one: MeterPeriod) => SettledQuantity> {
  const decisions = new Map<string, SettledQuantity>();
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
      const { period, quantity, uses } = decision;
      decisions.set(nameOf(one), { quantity, uses: closed.get(period) ?? uses });
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
  const { customerId } = run.request;
  return {
    meterId,
    windows,
    meter: meter.state,
    account: await openAccount({ customerId, meterId }, run),
  };
}

/**
 * The account that decides, created if missing. Without a stored account, calls before and after
 * the first grant could decide differently.
 */
async function openAccount(
  { customerId, meterId }: { customerId: string; meterId: string },
  { context, dependencies }: Run,
): Promise<CreditAccount> {
  const accounts = dependencies.accounts.within(context);
  const id = accountId(context, { customerId, meterId });
  const known = await accounts.find(id);
  if (known !== undefined) return known.state;
  const fresh = emptyAccount({ id, customerId, meterId });
  const { stored } = await accounts.insert({ state: fresh, events: [], commands: [] });
  return stored.state;
}

/**
 * Decides the windows of a meter step by step; each step is stored before the next is read. Decided
 * windows are not read again.
 */
async function decideMeter(opened: OpenMeter, run: Run): Promise<CreditAccount> {
  const { meterId, meter, windows } = opened;
  const { subscriptionId, customerId, key: settlement } = run.request;
  const { aggregation, uniqueProperty } = meter;
  const series = { customerId, meterId, aggregation, uniqueProperty };
  const decider = { subscriptionId, settlement, series };
  let { account } = opened;
  const requested = windows.map((window) => ({ window }));
  if (undecided(account, requested, decider).length === 0) return account;
  account = await storeUnclaimedUsage({ account, series }, windows, run.context, run.dependencies);
  const known = await loadWindows(opened, decider, run);
  // A concurrent change of the account may invalidate a step.
  for (let step = 1; step <= windows.length + attemptsMax; step += 1) {
    const left = undecided(account, known, decider);
    if (left.length === 0) return account;
    if (run.signal.aborted) throw new DomainError('unavailable', 'SETTLING', 'Service unavailable');
    account = await decideStep(account, left, { decider, run });
  }
  throw new DomainError('unavailable', 'TOO_MANY_WRITERS', 'Service unavailable');
}

async function loadWindows(
  { account, windows }: OpenMeter,
  decider: Decider,
  { context, dependencies }: Run,
): Promise<KnownWindow[]> {
  const now = dependencies.clock.now();
  const hours = await dependencies
    .usageOf(context)
    .hourVersions(decider.series, hoursTouched(windows));
  const isManual = context.tenant.manualClock;
  return knownWindows(account, windows, { decider, hours, isManual, now });
}

async function decideStep(
  account: CreditAccount,
  left: readonly KnownWindow[],
  { decider, run: { context, dependencies } }: { decider: Decider; run: Run },
): Promise<CreditAccount> {
  const step = nextStep(account, left, decider);
  const toRead = step.filter(({ isRead }) => isRead).map(({ known: { window } }) => window);
  const read = await readWindows(
    withoutTotals(dependencies.usageOf(context)),
    decider.series,
    toRead.map((window) => ({ window, grants: settledGrants(account, window, decider) })),
  );
  const usages = new Map(toRead.map((window, index) => [window, read[index]]));
  const windows = step.map(({ known }) => ({ ...known, usage: usages.get(known.window) }));
  const grantIds = new Set(account.grants.map(({ id }) => id));
  const { state } = await dependencies.accounts.within(context).mutate(account.id, (before) => ({
    state: decideWindows(before, windows, { decider, grantIds, now: context.now }),
    events: [],
    commands: [],
  }));
  return state;
}

/** Hides the totals of sealed hours, so that billed usage is always counted from events. */
function withoutTotals(storage: UsageStorage): UsageStorage {
  const raw = Object.create(storage) as UsageStorage;
  raw.sealedUntil = () => Promise.resolve(null);
  return raw;
}
