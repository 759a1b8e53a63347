import { isSameData } from '@billing/kernel/equality';
import type { GrantUse } from './credit-account';
import type { UsageWindow } from './usage-burning';

/** What is to be settled: a closed period and earlier ones for which events may still have come. */
export interface SettlementWindow extends UsageWindow {
  readonly periodIndex: number;
  readonly meters: readonly WindowMeter[];
}

/** A meter of a window; where an earlier subscription takes the usage differs from meter to meter. */
export interface WindowMeter {
  readonly meterId: string;
  readonly includedUnits: string;
  readonly taken: UsageWindow['taken'];
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

/** What the settlements of a subscription knew last of a meter in a period; null where none did. */
export function lastSettled(
  settlements: readonly Settlement[],
  { periodIndex, meterId }: Pick<SettledUsage, 'periodIndex' | 'meterId'>,
): SettledQuantity | null {
  const newestFirst = settlements.toSorted((a, b) => b.number - a.number);
  for (const { usages } of newestFirst) {
    const known = usages.find((one) => one.periodIndex === periodIndex && one.meterId === meterId);
    if (known !== undefined) return known.current;
  }
  return null;
}

/** The usages that belong into a settlement: all that was never settled, and what has changed since. */
export function changedUsages(usages: readonly SettledUsage[]): SettledUsage[] {
  return usages.filter(({ current, previous }) => !isSameData(current, previous));
}
