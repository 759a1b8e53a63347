import { DomainError } from '@billing/kernel/domain-error';
import { parseUnits } from '@billing/kernel/units';
import {
  type CreditAccount,
  decidedBy,
  grantsFor,
  marksOf,
  periodKey,
  type PeriodConsumption,
  setConsumption,
  staysAdopted,
  usesOf,
} from '../credit/account';
import type { BurnableGrant } from '../credit/burning';
import { isFinal } from '../credit/unsettled-usage';
import { burnWindow, toDecidedWindow } from '../credit/usage-window';
import type { WindowUsage } from '../span/read-usage';
import type { MeasuredSeries } from '../usage/hour';
import type { SettlementWindow } from './settlement';

/** The settlement and the series of a decision. */
export interface Decider {
  readonly subscriptionId: string;
  /** Key of the settlement. */
  readonly settlement: string;
  readonly series: MeasuredSeries;
}

/** A window whose usage was read. */
export interface ReadWindow {
  readonly window: SettlementWindow;
  readonly usage: WindowUsage;
}

/** True if the settlement has decided all windows. */
export function isDecided(
  account: CreditAccount,
  windows: readonly SettlementWindow[],
  { subscriptionId, settlement }: Decider,
): boolean {
  return windows.every(({ periodIndex }) => {
    const period = periodKey(subscriptionId, periodIndex);
    return decidedBy(account, { period, settlement }) !== undefined;
  });
}

/** Windows whose usage a settlement must read: those without a final decision. */
export function openWindows(
  account: CreditAccount,
  windows: readonly SettlementWindow[],
  { subscriptionId }: Decider,
): SettlementWindow[] {
  const final = new Set(account.consumptions.filter(isLast).map(({ period }) => period));
  return windows.filter(({ periodIndex }) => !final.has(periodKey(subscriptionId, periodIndex)));
}

/**
 * Decides windows in order and records the settlement of each decision. A retry after a crash, or a
 * concurrent call, bills the same; usage that arrives later is a difference in the next settlement.
 */
export function decideWindows(
  account: CreditAccount,
  {
    windows,
    read,
    decider,
    grantIds,
    now,
  }: {
    readonly windows: readonly SettlementWindow[];
    /** The open windows. */
    readonly read: readonly ReadWindow[];
    readonly decider: Decider;
    /**
     * Grants whose boundaries the usage was read with; a grant created since then has boundaries of
     * its own.
     */
    readonly grantIds: ReadonlySet<string>;
    readonly now: Date;
  },
): CreditAccount {
  const { subscriptionId, settlement, series } = decider;
  const usages = new Map(read.map(({ window, usage }) => [window.periodIndex, usage]));
  let after = account;
  for (const window of windows) {
    const period = periodKey(subscriptionId, window.periodIndex);
    if (decidedBy(after, { period, settlement }) !== undefined) continue;
    // Reads the account as it was: a decision of nothing is dropped with the first new one.
    const current = account.consumptions.find((one) => one.period === period);
    let consumption: PeriodConsumption;
    if (current !== undefined && isLast(current)) consumption = { ...current, settlement };
    else {
      const usage = usages.get(window.periodIndex);
      // A concurrent settlement has dropped a final decision of nothing.
      if (usage === undefined) {
        throw new DomainError('unavailable', 'TOO_MANY_WRITERS', 'Service unavailable');
      }
      const grants = settledGrants(after, window, decider).filter(({ id }) => grantIds.has(id));
      const includedUnits = parseUnits(window.includedUnits, 'includedUnits');
      const burnt = burnWindow(usage, series, { window, grants, includedUnits });
      const quantity = burnt.quantity.toString();
      const marked = { uses: usesOf(burnt), ...marksOf(burnt.marks) };
      const again = isFinal(window, now) ? {} : { window: toDecidedWindow(window, includedUnits) };
      consumption = staysAdopted(current, burnt)
        ? { ...current, settlement }
        : { period, settlement, quantity, ...marked, ...again, set: usage.set };
    }
    const finality = isFinal(window, now) ? { isFinal: true } : {};
    after = setConsumption(after, { ...consumption, ...finality }, now);
  }
  return after;
}

/**
 * True if a decision is not made again: no event can change it, and grants that it used may be
 * closed.
 */
export function isLast({ isFinal: isDecidedFinally, isClosed }: PeriodConsumption): boolean {
  return isDecidedFinally === true || isClosed === true;
}

/**
 * Grants that may burn for a window. Grants created after the end of the period cannot change its
 * invoice.
 */
export function settledGrants(
  account: CreditAccount,
  { periodIndex, end }: SettlementWindow,
  { subscriptionId }: Decider,
): BurnableGrant[] {
  const grants = grantsFor(account, periodKey(subscriptionId, periodIndex));
  return grants.filter(({ createdAt }) => createdAt < end);
}
