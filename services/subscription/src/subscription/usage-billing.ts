import type { BillingPeriod } from '@billing/kernel/billing-period';
import { nothingOverLimit, type OverLimitState } from './over-limit-state';
import type { SubscriptionDiscount } from './subscription';

/** The state of the billing of a subscription's usage. */
export interface UsageBilling extends OverLimitState {
  /** Oldest first; periods that no late event can reach any more are left out. */
  readonly rates: readonly PeriodRates[];
  /**
   * Number of the bill that was created last: the index of its period; the bill of the end has one
   * more, bills of late usage two and more.
   */
  readonly lastBill: number | null;
  /** Credit for usage that earlier bills charged too much, to be deducted from the next bill. */
  readonly refunds: readonly Refund[];
  /**
   * Time after which no event is accepted, and late usage after the end is billed; null: never, or
   * already billed.
   */
  readonly lateBillAt: Date | null;
  /** The last round of late usage that was ordered; absent: none was, or by an earlier release. */
  readonly lateRound?: number;
}

/**
 * Consecutive billed periods, `from` to `through`, with one set of meter prices of each item's
 * product: the one in force when each period began.
 */
export interface PeriodRates {
  readonly from: number;
  readonly through: number;
  /** The number of the set of the main item's product. */
  readonly set: number;
  /** Sets of the products of other items; absent: there are none. */
  readonly others?: readonly ProductSet[];
}

/** Number of a set of meter prices of a product. */
interface ProductSet {
  readonly productId: string;
  readonly set: number;
}

/** The sets of meter prices by which a period is billed. */
export type PeriodSets = Pick<PeriodRates, 'set' | 'others'>;

/** The item whose product prices a meter; absent: the main item, or not known. */
export interface UsageItem {
  readonly itemId?: string | undefined;
  readonly productId?: string | undefined;
}

/** Credit for overcharged usage that could not be deducted yet. */
export interface Refund extends UsageItem {
  readonly description: string;
  readonly meterId: string;
  /** Id of the meter price. */
  readonly priceId: string;
  readonly period: BillingPeriod;
  /** Negative. */
  readonly amount: bigint;
}

/**
 * The bill of the usage of a cycle's last period, where a new cycle or a pause follows. Its invoice
 * is created only if there is something to bill.
 */
export interface CycleEndBill {
  readonly periodIndex: number;
  readonly invoiceId: string;
  /** Discount of the period; null: none. */
  readonly discount: SubscriptionDiscount | null;
  /** True: the usage is billed, or there was none. */
  readonly isBilled: boolean;
  /** Next retry, where its amount is over the limit; null: none. */
  readonly retryAt: Date | null;
}

/** Before the first bill. */
export const noUsageBilling: UsageBilling = {
  rates: [],
  lastBill: null,
  refunds: [],
  lateBillAt: null,
  ...nothingOverLimit,
};

/** True once the bill of a period was created. */
export function isBilled(
  { usage: { lastBill } }: { readonly usage: UsageBilling },
  bill: number,
): boolean {
  return lastBill !== null && lastBill >= bill;
}
