/** The part of a subscription's state that concerns bills over the largest invoice amount. */
export interface OverLimitState {
  /**
   * Bills over the largest invoice amount, and the bills behind them; null: all ordered bills are
   * created.
   */
  readonly overLimit: OverLimitBills | null;
  /** Settlements of bills over the limit: no invoice bills their usage. */
  readonly unbilled: readonly UnbilledSettlements[];
}

/** Bills that are still owed: one over the largest invoice amount, and all that follow it. */
export interface OverLimitBills {
  /** Number of the first one, counted as `lastBill`. */
  readonly bill: number;
  /** Time of the next automatic retry; null: no event can change the amount any more. */
  readonly retryAt: Date | null;
  /** Number of retries before then that changes of the subscription may trigger. */
  readonly retriesLeft: number;
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

export const nothingOverLimit: OverLimitState = { overLimit: null, unbilled: [] };
