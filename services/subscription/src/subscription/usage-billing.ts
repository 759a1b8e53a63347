import type { BillingPeriod } from '@billing/kernel/billing-period';

/** The state of the billing of a subscription's usage. */
export interface UsageBilling {
  /** Oldest first; periods that no late event can reach any more are left out. */
  readonly rates: readonly PeriodRates[];
  /**
   * Number of the bill that was created last: the index of its period; the bill of the end has one
   * more, the bill of late usage two more.
   */
  readonly lastBill: number | null;
  /** Credit for usage that earlier bills charged too much, to be deducted from the next bill. */
  readonly refunds: readonly Refund[];
  /**
   * Time after which no event is accepted, and late usage after the end is billed; null: never, or
   * already billed.
   */
  readonly lateBillAt: Date | null;
  /**
   * Bills over the largest invoice amount, and the bills behind them; null: all ordered bills are
   * created.
   */
  readonly held: OverLimitBills | null;
  /** Settlements of bills over the limit: no invoice bills their usage. */
  readonly unbilled: readonly UnbilledSettlements[];
}

/**
 * Consecutive billed periods, `from` to `through`, with one set of the product's meter prices: the
 * one in force when each period began.
 */
export interface PeriodRates {
  readonly from: number;
  readonly through: number;
  /** The number of the set. */
  readonly set: number;
}

/** Bills that are still owed: one over the largest invoice amount, and all that follow it. */
export interface OverLimitBills {
  /** Number of the first one, counted as `lastBill`. */
  readonly bill: number;
  /** Time of the next automatic retry; null: no event can change the amount any more. */
  readonly retryAt: Date | null;
  /** Number of retries before then that changes of the subscription may trigger. */
  readonly triesLeft: number;
  /** Set once the bill of the end has been ordered, too. */
  readonly closing: Closing | null;
}

/** Facts about the end of the subscription that its last bill needs. */
export interface Closing {
  /**
   * The invoice of the running period, voided or never created: its usage is billed with the end;
   * null: there is none.
   */
  readonly voidedInvoiceId: string | null;
}

/** Settlements made for one bill, one per attempt. */
export interface UnbilledSettlements {
  /** Key of the first one; the others append their number. */
  readonly key: string;
  /** The last period of the settlements. */
  readonly through: number;
  readonly tries: number;
}

/** Credit for overcharged usage that could not be deducted yet. */
export interface Refund {
  readonly description: string;
  readonly meterId: string;
  /** Id of the meter price. */
  readonly priceId: string;
  readonly period: BillingPeriod;
  /** Negative. */
  readonly amount: bigint;
}

/** Before the first bill. */
export const noUsageBilling: UsageBilling = {
  rates: [],
  lastBill: null,
  refunds: [],
  lateBillAt: null,
  held: null,
  unbilled: [],
};

/** True once the bill of a period was created. */
export function isBilled(
  { usage: { lastBill } }: { readonly usage: UsageBilling },
  bill: number,
): boolean {
  return lastBill !== null && lastBill >= bill;
}
