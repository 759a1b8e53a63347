import type { DiscountType } from '@billing/kernel/discounting';
import type { ChargeDetails } from '@billing/kernel/charge';
import type { ItemCharge } from '@billing/kernel/proration/prorated-change';
import type { TaxCategories } from './command';
import type { PriceExchange } from './price-exchange';
import type { SubscriptionDiscount, SubscriptionItem, SubscriptionItems } from './subscription';
import type { PeriodSets } from './usage-billing';

export type ChangeStatus = 'PENDING' | 'PAYING' | 'APPLIED' | 'FAILED' | 'CANCELED';

/**
 * Time at which a change takes effect; an instant ahead is PERIOD_END with `notBefore`. AUTO is
 * resolved when the change is asked for.
 */
export type ChangeAt = 'NOW' | 'PERIOD_END';

/** Kind of a change: it changes items or discount, pauses the subscription, or ends a pause. */
export type ChangeKind = 'UPDATE' | 'PAUSE' | 'RESUME';

/** Rule for charges and credits of a change for the rest of its period. */
export type ChangeProration = 'PRORATE' | 'FULL_AND_RESET' | 'NONE';

/** When the invoice of a change is made: at once, or with the subscription's next one. */
export type ChangeCollect = 'NOW' | 'NEXT_INVOICE';

/** An item after the main one, as a caller asks for it. */
export interface WantedItem {
  /** Id of an item that the subscription has, or that of a new one. */
  readonly id: string;
  /** Product and price version, pinned when the change is asked for; null: those of the item. */
  readonly product: WantedProduct | null;
  /** Null: that of the item; 1 for a new one. */
  readonly quantity: number | null;
}

/** A product and its price version. */
export type WantedProduct = Pick<SubscriptionItem, 'productId' | 'productName' | 'price'>;

/** Changes as a caller asks for it: what is null stays as it is when the change takes effect. */
export interface WantedChange {
  /** Product and price version of the main item, pinned when the change is asked for. */
  readonly product: WantedProduct | null;
  readonly quantity: number | null;
  /** All items after the main one; absent: they stay. */
  readonly otherItems?: readonly WantedItem[];
  /** Discount whose redemption the change holds; `next` is null to remove the present one. */
  readonly discount: { readonly next: SubscriptionDiscount | null } | null;
  /** Absent: none; only price migrations have one. */
  readonly exchange?: PriceExchange;
}

/** A subscription before or after a change. */
export interface ChangeSide {
  readonly items: SubscriptionItems;
  readonly discountId: string | null;
  readonly currentPeriodStart: Date;
  readonly currentPeriodEnd: Date;
}

/** A line of a change's invoice; the amount of unused time is below 0. */
export interface ChangeLine {
  readonly kind: 'UNUSED_TIME' | 'REMAINING_TIME' | 'RECURRING';
  readonly itemId: string;
  readonly productId: string;
  readonly priceId: string;
  readonly description: string;
  /** Decimal strings. */
  readonly quantity: string;
  readonly exactAmount: string;
  /** In the currency's smallest unit. */
  readonly amount: bigint;
  /** The line's share of the discount. */
  readonly discountAmount: bigint;
  /** Line whose tax an unused time takes back; null: the line is taxed like a new charge. */
  readonly taxedAs: { readonly invoiceId: string; readonly lineItemId: string } | null;
  /**
   * Tax category of a line that is put off, null: `standard`. Absent: the present one of its
   * product, or of the main item where the subscription does not have that product.
   */
  readonly taxCategory?: string | null;
  /**
   * The exact amount is `of`, a decimal string, times `numerator` / `denominator` milliseconds;
   * null: the line charges a whole period.
   */
  readonly proration: {
    readonly numerator: bigint;
    readonly denominator: bigint;
    readonly of: string;
  } | null;
  /** Calculation of a whole period's charge; null: the line charges a part. */
  readonly charge: (ChargeDetails & { readonly unitAmount: string | null }) | null;
  /** Time that it charges; absent: the period of its invoice. */
  readonly period?: { readonly start: Date; readonly end: Date };
}

/** What decides the tax of a line. */
export type TaxTerms = Pick<ChangeLine, 'taxedAs' | 'taxCategory'>;

/** Lines of a change that are put off, and the discount that their shares are of. */
export interface PutOff {
  readonly lines: readonly ChangeLine[];
  /** Null: none. */
  readonly discount: ChangeInvoice['discount'];
}

/** Lines put off until the subscription's next invoice. */
export interface PutOffLines extends PutOff {
  readonly changeId: string;
  /** Number of the bill that takes them; null: none has been ordered yet. */
  readonly bill: number | null;
}

/** Invoice of a change. */
export interface ChangeInvoice extends TaxCategories {
  readonly invoiceId: string;
  readonly periodIndex: number;
  readonly periodStart: Date;
  readonly periodEnd: Date;
  readonly lines: readonly ChangeLine[];
  /** Discount of the remaining time; null: none. */
  readonly discount: {
    readonly id: string;
    readonly name: string;
    readonly type: DiscountType;
    readonly value: string;
  } | null;
  /** Discount of the lines that were put off, if it is another one; absent: `discount`. */
  readonly sharesDiscount?: NonNullable<ChangeInvoice['discount']>;
  /** Facts of the customer for the invoice, encoded; null: the customer is unknown. */
  readonly buyer: string | null;
  /** True: it is charged once, and its failure ends the change. */
  readonly isPaidFirst: boolean;
  /** True: time has ordered it, so its facts about customer and product are not read yet. */
  readonly isByTime: boolean;
  /** Round of the reservation of the customer's balance; null: none. */
  readonly balanceRound: number | null;
}

/** A credit note that a change issues on an invoice of its period. */
export interface ChangeCreditNote {
  readonly id: string;
  readonly invoiceId: string;
  /** With tax, in the currency's smallest unit. */
  readonly amount: bigint;
  /** An unpaid invoice is lessened; what was paid goes to the customer's balance. */
  readonly settledBy: 'AMOUNT_DUE' | 'BALANCE';
  readonly lines: readonly { readonly lineItemId: string; readonly priced: bigint }[];
}

export interface ChangeFailure {
  readonly code: string;
  readonly message: string;
}

/** A change of a subscription's items or discount, as asked for and as it went. */
export interface SubscriptionChange {
  readonly id: string;
  readonly kind: ChangeKind;
  readonly status: ChangeStatus;
  readonly at: ChangeAt;
  /**
   * Instant that the caller asked for: a change that waits takes effect at the first period start
   * at or after it. Absent: at the end of the running period.
   */
  readonly notBefore?: Date;
  /** Time at which it takes effect; for a waiting change the expected one. */
  readonly effectiveAt: Date;
  readonly requirePayment: boolean;
  readonly proration: ChangeProration;
  readonly collect: ChangeCollect;
  /** Planned end of the pause (PAUSE); null: none. */
  readonly resumeAt: Date | null;
  /** True: a cycle of periods begins with it, and its invoice is that of the first one. */
  readonly beginsCycle: boolean;
  /** Sets of meter prices of the first period of its cycle; absent: there are none. */
  readonly sets?: PeriodSets;
  /** Invoice of the usage of the period that it ends; absent: it ends none that may have usage. */
  readonly usageInvoiceId?: string;
  readonly wanted: WantedChange;
  readonly from: ChangeSide;
  readonly to: ChangeSide;
  /** Recurring revenue a month, in the currency's smallest unit. */
  readonly monthlyAmountBefore: bigint;
  readonly monthlyAmountAfter: bigint;
  /** Null: nothing is charged. */
  readonly invoice: ChangeInvoice | null;
  /** Issued once the change is APPLIED. */
  readonly creditNotes: readonly ChangeCreditNote[];
  /** Round of its reservation of credits and balance; null: nothing is reserved. */
  readonly reservedRound: number | null;
  /** Charges of the running period from the change on. */
  readonly charges: readonly ItemCharge[];
  /** Lines that the next invoice bills; null: none. */
  readonly putOff: PutOff | null;
  /** Changes whose lines were put off, and which this change has billed or given back. */
  readonly takenChangeIds: readonly string[];
  /** Invoice that has billed the lines that were put off; null: none so far. */
  readonly billedOn: string | null;
  readonly failure: ChangeFailure | null;
  /** Id of the change that took its place; null: none. */
  readonly replacedBy: string | null;
  /** Price migration that has asked for it; absent: a caller has. */
  readonly migrationId?: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** Result of a change. */
export type ChangePlan = Pick<
  SubscriptionChange,
  | 'from'
  | 'to'
  | 'monthlyAmountBefore'
  | 'monthlyAmountAfter'
  | 'invoice'
  | 'creditNotes'
  | 'charges'
  | 'putOff'
  | 'takenChangeIds'
  | 'beginsCycle'
>;

/** A change that neither puts lines off nor takes some along. */
export const keepsPutOff: Pick<ChangePlan, 'putOff' | 'takenChangeIds'> = {
  putOff: null,
  takenChangeIds: [],
};

/** Charges of the running period after changes in it. */
export interface ChangedPeriod {
  readonly periodIndex: number;
  /** Changes that were applied in the period. */
  readonly applied: number;
  readonly charges: readonly ItemCharge[];
  /** Discount of the period. Absent: that of the subscription; stored by an earlier release. */
  readonly discount?: SubscriptionDiscount | null;
  /** The invoices of the period, oldest first: its own, then those of changes. */
  readonly invoiceIds: readonly string[];
}

/** Part of a change's revenue, for the report. */
export interface RevenueStep {
  readonly at: Date;
  readonly kind: ChangeKind;
  /** In the currency's smallest unit a month. */
  readonly before: bigint;
  readonly after: bigint;
}

/** A round of a change's reservation that was never stored. */
interface RefusedRound {
  readonly changeId: string;
  readonly round: number;
  /** Real or environment time after which no call of the round can be in flight. */
  readonly until: Date;
}

/** Unused time that the end of a subscription gives back. */
export interface CancellationCredit {
  /** Id of the call that ended the subscription. */
  readonly id: string;
  /** Round of its reservation of the credits; null: they are on invoices that the end voids. */
  readonly reservedRound: number | null;
  readonly creditNotes: readonly ChangeCreditNote[];
}

/** The changes of a subscription that its document decides. */
export interface SubscriptionChanges {
  /** PENDING. */
  readonly waiting: SubscriptionChange | null;
  /** PAYING. */
  readonly paying: SubscriptionChange | null;
  /** Finished changes that are not recorded yet, oldest first. */
  readonly finished: readonly SubscriptionChange[];
  /** Null: no change was applied in the running period. */
  readonly period: ChangedPeriod | null;
  /** Rounds that checkout was told not to exist; a change in one of them is refused. */
  readonly refused: readonly RefusedRound[];
  /** Ids of the latest changes, oldest first, for retries of the calls that asked for them. */
  readonly recentIds: readonly string[];
  /** Recurring amount a month at the start; null: the present one. */
  readonly startedAmount: bigint | null;
  /** Discount of the creation, once a change has replaced it; null: it stays, or there was none. */
  readonly startedDiscountId: string | null;
  readonly revenue: readonly RevenueStep[];
  /** Null: the subscription has not ended, or its end gives nothing back. */
  readonly cancellation: CancellationCredit | null;
  /** Oldest first. */
  readonly putOff: readonly PutOffLines[];
}

/** Before the first change. */
export const noChanges: SubscriptionChanges = {
  waiting: null,
  paying: null,
  finished: [],
  period: null,
  refused: [],
  recentIds: [],
  startedAmount: null,
  startedDiscountId: null,
  revenue: [],
  cancellation: null,
  putOff: [],
};

/** The change that waits or is being paid: the one being paid first. */
export function pendingChange({ waiting, paying }: SubscriptionChanges): SubscriptionChange | null {
  return paying ?? waiting;
}

/** Finds a change in the subscription's document; undefined: it is recorded, or unknown. */
export function findChange(
  { waiting, paying, finished }: SubscriptionChanges,
  id: string,
): SubscriptionChange | undefined {
  return [waiting, paying, ...finished].find((change) => change?.id === id) ?? undefined;
}
