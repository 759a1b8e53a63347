import type { CallContext } from '@billing/chassis/call-context';
import type { Clock } from '@billing/chassis/clock';
import { DomainError, notFound } from '@billing/kernel/domain-error';
import { keepNobodysUsage } from './burning-rpc';
import { type CreditAccount, decidedBy, periodKey } from './credit-account';
import type { Meter } from './meter';
import {
  changedUsages,
  lastSettled,
  type MeterPeriod,
  type MeterWindows,
  type SettledQuantity,
  type Settlement,
} from './settlement';
import {
  type Decider,
  decideWindows,
  hoursTouched,
  type KnownWindow,
  knownWindows,
  nextStep,
  settledGrants,
  undecided,
} from './settlement-decision';
import type { SettlementRuns } from './settlement-runs';
import type { SettlementStore } from './settlement-store';
import { readWindows } from './usage-burning';
import type { UsageStorage } from './usage-hour';
import { accountId, type UsageDependencies } from './usage-rpc';

/** What settlements are made of. */
export interface SettlementDependencies extends UsageDependencies {
  readonly settlementsOf: (context: Pick<CallContext, 'tenant'>) => SettlementStore;
  readonly runs: SettlementRuns<Settlement>;
  readonly clock: Clock;
}

/** What is to be settled. */
export interface SettlementRequest {
  readonly subscriptionId: string;
  readonly customerId: string;
  readonly key: string;
  /** In the order in which the settlement holds them. */
  readonly asked: readonly MeterPeriod[];
  /** The same, meter by meter. */
  readonly meters: readonly MeterWindows[];
  readonly unbilledKeys: readonly string[];
}

/** A settlement being made: for whom, by what, and until when. */
interface Run {
  readonly request: SettlementRequest;
  readonly context: CallContext;
  readonly dependencies: SettlementDependencies;
  /** Aborts when nothing more is to be begun; what was decided by then is kept. */
  readonly signal: AbortSignal;
}

// As the store repeats a change that lost its race.
const attemptsMax = 8;
// Each is read by a cursor of its own.
const metersAtOnce = 8;

/** Settles once for each key; a repeat gets the same, and goes on where one that was cut short had come to. */
export function settle(
  request: SettlementRequest,
  context: CallContext,
  dependencies: SettlementDependencies,
): Promise<Settlement> {
  const { subscriptionId, key } = request;
  const name = JSON.stringify([context.tenant.environmentId, subscriptionId, key]);
  return dependencies.runs.join(name, context.signal, (signal) => {
    // Not the caller's time, which may be over before anybody else is asked.
    const deadline = new Date(
      dependencies.clock.now().getTime() + dependencies.runs.options.runMsMax,
    );
    return settleAll({ request, context: { ...context, deadline, signal }, dependencies, signal });
  });
}

async function settleAll(run: Run): Promise<Settlement> {
  const { subscriptionId, key, asked, unbilledKeys: exceptKeys } = run.request;
  const store = run.dependencies.settlementsOf(run.context);
  const periodIndexes = new Set(asked.map(({ periodIndex }) => periodIndex));
  for (let attempt = 1; attempt <= attemptsMax; attempt += 1) {
    const done = await store.find(subscriptionId, key);
    if (done !== undefined) return done;
    // First: of whoever settles meanwhile the number is taken.
    const number = (await store.lastNumber(subscriptionId)) + 1;
    const currentOf = await decideAll(run);
    const billed = await store.ofPeriods(subscriptionId, { periodIndexes, exceptKeys });
    const previousOf = lastSettled(billed);
    const usages = changedUsages(
      asked.map((one) => ({ ...one, current: currentOf(one), previous: previousOf(one) })),
    );
    const settlement = { subscriptionId, key, number, usages };
    if (await store.insert(settlement)) return settlement;
  }
  throw new DomainError('unavailable', 'TOO_MANY_WRITERS', 'Service unavailable');
}

/** Has the accounts decide all windows, those of some meters side by side. */
async function decideAll(run: Run): Promise<(one: MeterPeriod) => SettledQuantity> {
  const { meters, subscriptionId, key: settlement } = run.request;
  // What is asked for side by side goes to the database together.
  const opened = await Promise.all(meters.map((one) => openMeter(one, run)));
  const waiting = opened.toReversed();
  const accounts = new Map<string, CreditAccount>();
  const decideNext = async (): Promise<void> => {
    for (let one = waiting.pop(); one !== undefined; one = waiting.pop()) {
      accounts.set(one.meterId, await decideMeter(one, run));
    }
  };
  try {
    await Promise.all(Array.from({ length: metersAtOnce }, decideNext));
  } finally {
    waiting.length = 0;
  }
  return ({ periodIndex, meterId }) => {
    const account = accounts.get(meterId);
    const period = periodKey(subscriptionId, periodIndex);
    const decided = account && decidedBy(account, { period, settlement });
    if (decided === undefined) throw new Error('The account did not decide');
    return { quantity: decided.quantity, uses: decided.uses };
  };
}

/** What a meter is decided with. */
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

/** The account that decides, made where there is none: without one, who comes after the first grant would decide otherwise than who came before. */
async function openAccount(
  { customerId, meterId }: { customerId: string; meterId: string },
  { context, dependencies }: Run,
): Promise<CreditAccount> {
  const accounts = dependencies.accounts.within(context);
  const id = accountId(context, { customerId, meterId });
  const known = await accounts.find(id);
  if (known !== undefined) return known.state;
  const fresh = { id, customerId, meterId, grants: [], consumptions: [], burns: [] };
  const { stored } = await accounts.insert({ state: fresh, events: [], commands: [] });
  return stored.state;
}

/** Has an account decide the windows of its meter, step by step: each is kept before more is read. Nothing is read of what is decided. */
async function decideMeter(opened: OpenMeter, run: Run): Promise<CreditAccount> {
  const { meterId, meter, windows } = opened;
  const { subscriptionId, customerId, key: settlement } = run.request;
  const { aggregation, uniqueProperty } = meter;
  const series = { customerId, meterId, aggregation, uniqueProperty };
  const decider = { subscriptionId, settlement, series };
  let { account } = opened;
  const asked = windows.map((window) => ({ window }));
  if (undecided(account, asked, decider).length === 0) return account;
  account = await keepNobodysUsage({ account, series }, windows, run.context, run.dependencies);
  const known = await knowWindows(opened, decider, run);
  // An account that changes in between may undo a step.
  for (let step = 1; step <= windows.length + attemptsMax; step += 1) {
    const left = undecided(account, known, decider);
    if (left.length === 0) return account;
    if (run.signal.aborted) throw new DomainError('unavailable', 'SETTLING', 'Service unavailable');
    account = await decideStep(account, left, { decider, run });
  }
  throw new DomainError('unavailable', 'TOO_MANY_WRITERS', 'Service unavailable');
}

async function knowWindows(
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
    rawOf(dependencies.usageOf(context)),
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

/** The same events without the totals of sealed hours: what is billed is counted anew. */
function rawOf(storage: UsageStorage): UsageStorage {
  const raw = Object.create(storage) as UsageStorage;
  raw.sealedUntil = () => Promise.resolve(null);
  return raw;
}
