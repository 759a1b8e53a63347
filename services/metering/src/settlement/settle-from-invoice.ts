import type { CallContext } from '@billing/chassis/call-context';
import { Decimal } from '@billing/kernel/decimal';
import { DomainError } from '@billing/kernel/domain-error';
import { parseUnits } from '@billing/kernel/units';
import {
  type CreditAccount,
  decidedBy,
  type GrantUse,
  type MarkedQuantity,
  periodKey,
  type PeriodConsumption,
  setConsumption,
} from '../credit/account';
import { isFinal } from '../credit/unsettled-usage';
import { toDecidedWindow } from '../credit/usage-window';
import { isLast } from './decision';
import {
  type SettlementDependencies,
  type SettlementRequest,
  storedAccounts,
} from './settle-usage';
import {
  changedUsages,
  lastSettled,
  type MeterPeriod,
  type MeterWindows,
  type SettledQuantity,
  type SettledUsage,
  type Settlement,
  type SettlementWindow,
} from './settlement';

/** Usage of one meter in one period, as an invoice has billed it. */
export interface BilledUsage extends MeterPeriod {
  /** Difference to the settlement before. */
  readonly difference: SettledQuantity;
}

/** A settlement that a restore has lost, and the usage of its invoice. */
interface LostSettlement extends SettlementRequest {
  readonly billed: readonly BilledUsage[];
}

// Same limit as the store's compare-and-set retries.
const attemptsMax = 8;
const none = Decimal.of(0n);
const nothing: SettledQuantity = { quantity: '0', uses: [] };

/**
 * Stores what an invoice has billed as its settlement, so that events that are sent again are not
 * billed twice. Repeatable. Refuses usage that the meter cannot have. Undefined, and nothing is
 * stored, if another settlement has decided the last period already.
 */
export async function adopt(
  request: LostSettlement,
  context: CallContext,
  dependencies: SettlementDependencies,
): Promise<Settlement | undefined> {
  const { subscriptionId, key, requested, meters, unbilledKeys: exceptKeys } = request;
  const store = dependencies.settlementsOf(context);
  const accounts = storedAccounts(request, context, dependencies);
  const periodIndexes = new Set(requested.map(({ periodIndex }) => periodIndex));
  const last = Math.max(...periodIndexes);
  for (let attempt = 1; attempt <= attemptsMax; attempt += 1) {
    const done = await store.find(subscriptionId, key);
    if (done !== undefined) return done;
    const number = (await store.lastNumber(subscriptionId)) + 1;
    const known = await store.ofPeriods(subscriptionId, { periodIndexes, exceptKeys });
    const previousOf = lastSettled(known);
    const opened = await Promise.all(
      meters.map(async ({ meterId, windows }) => ({
        windows,
        account: await accounts.open(meterId),
      })),
    );
    const grantIds = new Map(opened.map(({ account }) => [account.meterId, grantIdsOf(account)]));
    const isKnown = (one: MeterPeriod) => one.periodIndex === last && previousOf(one) !== null;
    if (requested.some(isKnown)) return undefined;
    const currentOf = (one: MeterPeriod) => {
      const isSame = ({ periodIndex, meterId }: MeterPeriod) =>
        periodIndex === one.periodIndex && meterId === one.meterId;
      const billed = request.billed.find(isSame)?.difference ?? nothing;
      const difference = withUsesOf(billed, grantIds.get(one.meterId) ?? new Set());
      return billedQuantity(previousOf(one) ?? nothing, difference, partsOf(meters, one));
    };
    const usages = requested.map((one) => ({
      periodIndex: one.periodIndex,
      meterId: one.meterId,
      current: currentOf(one),
      previous: previousOf(one),
    }));
    // Before anything changes.
    await refuseImpossible(usages, context, dependencies);
    for (const { windows, account } of opened) {
      const decision = { windows, currentOf, subscriptionId, settlement: key, now: context.now };
      await accounts.change(account, (before) => adoptWindows(before, account.meterId, decision));
    }
    const settlement = { subscriptionId, key, number, usages: changedUsages(usages) };
    if (await store.insert(settlement)) return settlement;
  }
  throw new DomainError('unavailable', 'TOO_MANY_WRITERS', 'Service unavailable');
}

/** Decides windows as their invoice did. */
function adoptWindows(
  account: CreditAccount,
  meterId: string,
  {
    windows,
    currentOf,
    subscriptionId,
    settlement,
    now,
  }: {
    readonly windows: readonly SettlementWindow[];
    readonly currentOf: (one: MeterPeriod) => SettledQuantity;
    readonly subscriptionId: string;
    readonly settlement: string;
    readonly now: Date;
  },
): CreditAccount {
  let after = account;
  for (const window of windows) {
    const { periodIndex } = window;
    const period = periodKey(subscriptionId, periodIndex);
    if (decidedBy(after, { period, settlement }) !== undefined) continue;
    const current = account.consumptions.find((one) => one.period === period);
    let consumption: PeriodConsumption;
    if (current !== undefined && isLast(current)) consumption = { ...current, settlement };
    else {
      const billed = currentOf({ periodIndex, meterId });
      const includedUnits = parseUnits(window.includedUnits, 'includedUnits');
      const ending = isFinal(window, now)
        ? { isFinal: true }
        : { window: toDecidedWindow(window, includedUnits) };
      consumption = { period, settlement, ...billed, isAdopted: true, ...ending };
    }
    after = setConsumption(after, consumption, now);
  }
  return after;
}

/** Throws if a quantity or the units of a grant are below 0. Events of SUM may return units. */
async function refuseImpossible(
  usages: readonly SettledUsage[],
  context: CallContext,
  { meters }: Pick<SettlementDependencies, 'meters'>,
): Promise<void> {
  const found = await meters.within(context).findAll(usages.map(({ meterId }) => meterId));
  const sums = found.filter(({ state }) => state.aggregation === 'SUM');
  const sumIds = new Set(sums.map(({ state }) => state.id));
  const isBelow0 = (units: string) => Decimal.parse(units).compare(none) < 0;
  for (const { meterId, periodIndex, current } of usages) {
    for (const { quantity, uses } of [...(current.marks ?? []), current]) {
      const isImpossible =
        (isBelow0(quantity) && !sumIds.has(meterId)) || uses.some((use) => isBelow0(use.quantity));
      if (isImpossible) throw refused(`Below 0 in period ${String(periodIndex)}: ${meterId}`);
    }
  }
}

function refused(message: string): DomainError {
  return new DomainError('invalid_input', 'BILLED_USAGE_INVALID', message);
}

function grantIdsOf({ grants }: CreditAccount): ReadonlySet<string> {
  return new Set(grants.map(({ id }) => id));
}

/**
 * The quantity without the credits of grants that the account does not have: they are lost with
 * their customer's purchase. Were they in the settlement alone, the next one would charge them.
 */
function withUsesOf(
  { marks, ...whole }: SettledQuantity,
  grantIds: ReadonlySet<string>,
): SettledQuantity {
  const kept = ({ quantity, uses }: MarkedQuantity): MarkedQuantity => ({
    quantity,
    uses: uses.filter(({ grantId }) => grantIds.has(grantId)),
  });
  return { ...kept(whole), ...(marks !== undefined && { marks: marks.map(kept) }) };
}

/** Number of stretches of a window. */
function partsOf(meters: readonly MeterWindows[], { meterId, periodIndex }: MeterPeriod): number {
  const windows = meters.find((one) => one.meterId === meterId)?.windows ?? [];
  return windows.find((one) => one.periodIndex === periodIndex)?.stretches?.length ?? 1;
}

/** Usage after a bill; `parts` is the number of stretches of its window. */
function billedQuantity(
  previous: SettledQuantity,
  { marks: changes = [], ...whole }: SettledQuantity,
  parts: number,
): SettledQuantity {
  const isOfOthers = changes.length > 0 && changes.length !== parts - 1;
  if (isOfOthers) throw refused('The billed usage has other stretches');
  const sum = plus(previous, whole);
  if (parts === 1) return sum;
  const before = previous.marks ?? [];
  const marks = Array.from({ length: parts - 1 }, (_, index) =>
    plus(before[index] ?? nothing, changes[index] ?? nothing),
  );
  return { ...sum, marks };
}

function plus(before: MarkedQuantity, difference: MarkedQuantity): MarkedQuantity {
  const uses = new Map<string, Decimal>();
  for (const { grantId, quantity } of [...before.uses, ...difference.uses]) {
    uses.set(grantId, (uses.get(grantId) ?? none).add(Decimal.parse(quantity)));
  }
  const kept = [...uses].flatMap(([grantId, units]): GrantUse[] =>
    units.compare(none) === 0 ? [] : [{ grantId, quantity: units.toString() }],
  );
  const quantity = Decimal.parse(before.quantity).add(Decimal.parse(difference.quantity));
  return { quantity: quantity.toString(), uses: kept };
}
