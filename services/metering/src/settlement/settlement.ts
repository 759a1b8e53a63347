import { isSameData } from '@billing/kernel/equality';
import type { MarkedQuantity } from '../credit/account';
import type { UsageWindow } from '../credit/usage-window';
import type { NamedSet } from '../span/named-set';

/**
 * One meter in a period to be settled: a closed period, or an earlier one that may still receive
 * events.
 */
export interface SettlementWindow extends UsageWindow {
  readonly periodIndex: number;
  /** Included units, if no stretches. */
  readonly includedUnits: string;
}

/** The windows of one meter to be settled, oldest first. */
export interface MeterWindows {
  readonly meterId: string;
  readonly windows: readonly SettlementWindow[];
}

/** A quantity and the credits that cover part of it. */
export interface SettledQuantity extends MarkedQuantity {
  /** The same up to the end of each stretch but the last; absent: the window has none. */
  readonly marks?: readonly MarkedQuantity[];
}

/** Usage of one meter in one period. */
export interface SettledUsage {
  readonly periodIndex: number;
  readonly meterId: string;
  readonly current: SettledQuantity;
  /** Value of the last settlement; null: never settled. */
  readonly previous: SettledQuantity | null;
  /** Names the events that `current` counts. Absent in settlements of earlier versions. */
  readonly set?: NamedSet;
}

/** Usage that one invoice of a subscription bills. Decided once. */
export interface Settlement {
  readonly subscriptionId: string;
  readonly key: string;
  /** Sequence number within the subscription, from 1. */
  readonly number: number;
  readonly usages: readonly SettledUsage[];
}

/** One meter in one period. */
export type MeterPeriod = Pick<SettledUsage, 'periodIndex' | 'meterId'>;

/** Returns a lookup for the last settled value of a meter in a period; null if there is none. */
export function lastSettled(
  settlements: readonly Settlement[],
): (one: MeterPeriod) => SettledQuantity | null {
  const nameOf = ({ periodIndex, meterId }: MeterPeriod) => `${String(periodIndex)} ${meterId}`;
  const known = new Map<string, SettledQuantity>();
  for (const { usages } of settlements.toSorted((a, b) => a.number - b.number)) {
    for (const usage of usages) known.set(nameOf(usage), usage.current);
  }
  return (one) => known.get(nameOf(one)) ?? null;
}

/** Usages to include in a settlement: never settled, or changed since the last one. */
export function changedUsages(usages: readonly SettledUsage[]): SettledUsage[] {
  return usages.filter(({ current, previous }) => !isSameData(current, previous));
}
