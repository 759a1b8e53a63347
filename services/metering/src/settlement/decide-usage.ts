import type { CallContext } from '@billing/chassis/call-context';
import { sleep } from '@billing/chassis/clock';
import { DeadlineExceededError } from '@billing/chassis/grpc-status';
import { Semaphore } from '@billing/chassis/semaphore';
import { notFound } from '@billing/kernel/domain-error';
import { type CreditAccount, decidedBy, periodKey } from '../credit/account';
import {
  type BurningAccount,
  readUnclaimedUsage,
  type UsedPeriod,
} from '../credit/burn-unsettled-usage';
import type { UsageDependencies } from '../credit/read-running-usage';
import { readWindows, type WindowReader } from '../credit/read-windows';
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
import type { MeterPeriod, MeterWindows, SettledUsage, SettlementWindow } from './settlement';

/** The windows of a subscription's meters that are decided. */
export interface UsageRequest {
  readonly subscriptionId: string;
  readonly customerId: string;
  /** In the order of the settlement's usages. */
  readonly requested: readonly MeterPeriod[];
  /** The same, grouped by meter. */
  readonly meters: readonly MeterWindows[];
}

/** Accounts that decide, and how they read usage. */
export interface DecidingAccounts {
  readonly reader: WindowReader;
  readonly open: (meterId: string) => Promise<CreditAccount>;
  /** Burns credits for months of unclaimed usage. */
  readonly burnMonths: (
    burning: BurningAccount,
    used: readonly UsedPeriod[],
  ) => Promise<CreditAccount>;
  readonly change: (
    account: CreditAccount,
    rule: (before: CreditAccount) => CreditAccount,
  ) => Promise<CreditAccount>;
}

/** Decisions in progress. */
interface Run {
  /** `key` is that of the settlement. */
  readonly request: UsageRequest & { readonly key: string };
  readonly accounts: DecidingAccounts;
  readonly context: CallContext;
  readonly dependencies: UsageDependencies;
}

// Flushes that a stored set names.
const flushesMax = 2_000;
const rereadAfterMs = 500;
// Meters that are read and decided at the same time.
const concurrentMeters = 8;

/** Lets the accounts decide all windows, several meters in parallel. */
export async function decideUsage(run: Run): Promise<{
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
      const { period, quantity, uses, marks, set } = decision;
      const current = {
        ...{ quantity, uses: closed.get(period) ?? uses },
        ...(marks !== undefined && { marks }),
      };
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
  const { accounts, context, dependencies } = run;
  const meter = await dependencies.meters.within(context).find(meterId);
  if (meter === undefined) throw notFound('Meter');
  return {
    meterId,
    windows,
    meter: meter.state,
    account: await accounts.open(meterId),
  };
}

/** Decides all windows of a meter, with one read of its usage. */
async function decideMeter(
  { meterId, meter, windows, account: opened }: OpenMeter,
  { request, accounts, context, dependencies }: Run,
): Promise<CreditAccount> {
  const { subscriptionId, customerId, key: settlement } = request;
  const { aggregation, uniqueProperty } = meter;
  const series = { customerId, meterId, aggregation, uniqueProperty };
  const decider = { subscriptionId, settlement, series };
  if (isDecided(opened, windows, decider)) return opened;
  const burning = { account: opened, series };
  const { reader } = accounts;
  const unclaimed = { settled: windows, reader };
  const used = await readUnclaimedUsage(burning, unclaimed, context, dependencies);
  const account = used.length === 0 ? opened : await accounts.burnMonths(burning, used);
  const read = await readOpenWindows({ account, windows, decider }, context, reader);
  const grantIds = new Set(account.grants.map(({ id }) => id));
  const { now } = context;
  return accounts.change(account, (before) =>
    decideWindows(before, { windows, read, decider, grantIds, now }),
  );
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
  reader: WindowReader,
): Promise<ReadWindow[]> {
  const open = openWindows(account, windows, decider);
  const burnable = open.map((window) => ({
    window,
    grants: settledGrants(account, window, decider),
  }));
  for (;;) {
    const usages = await readWindows(reader, decider.series, burnable);
    if (usages.every(({ set }) => set.flushes.length <= flushesMax)) {
      return open.map((window, index) => ({ window, usage: usages[index] ?? noUsage }));
    }
    // Epochs end every two seconds; flushes of complete ones need no names.
    if (context.signal.aborted) throw new DeadlineExceededError();
    await sleep(rereadAfterMs);
  }
}
