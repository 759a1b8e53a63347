import { isSameData } from '@billing/kernel/equality';
import type { GrantUse } from './credit-account';
import type { UsageWindow } from './usage-burning';

/** One meter in a period that is to be settled: a closed period, or an earlier one for which events may still have come. */
export interface SettlementWindow extends UsageWindow {
  readonly periodIndex: number;
  readonly includedUnits: string;
}

/** What is to be settled of a meter, oldest first. */
export interface MeterWindows {
  readonly meterId: string;
  readonly windows: readonly SettlementWindow[];
}

/** A quantity, and what credits cover of it. */
export interface SettledQuantity {
  readonly quantity: string;
  readonly uses: readonly GrantUse[];
}

/** What is known of one meter in one period. */
export interface SettledUsage {
  readonly periodIndex: number;
  readonly meterId: string;
  readonly current: SettledQuantity;
  /** As the last settlement knew it; null: never settled. */
  readonly previous: SettledQuantity | null;
}

/** What an invoice bills of a subscription's usage, decided once. */
export interface Settlement {
  readonly subscriptionId: string;
  readonly key: string;
  /** 1, 2, 3 … of the subscription. */
  readonly number: number;
  readonly usages: readonly SettledUsage[];
}

/** One meter in one period. */
export type MeterPeriod = Pick<SettledUsage, 'periodIndex' | 'meterId'>;

/** Tells what settlements of a subscription knew last of a meter in a period; null where none did. */
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

/** The usages that belong into a settlement: all that was never settled, and what has changed since. */
export function changedUsages(usages: readonly SettledUsage[]): SettledUsage[] {
  return usages.filter(({ current, previous }) => !isSameData(current, previous));
}
