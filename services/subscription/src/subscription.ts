import {
  type BillingInterval,
  type BillingPeriod,
  periodAt,
  type Recurrence,
} from '@billing/kernel/billing-period';
import type { DiscountSpan } from '@billing/kernel/discount-validity';
import type { DiscountType } from '@billing/kernel/discounting';
import type { PricingType } from '@billing/kernel/pricing';
import type { Tier } from '@billing/kernel/tiers';
import type { Refund } from './usage-line';

export type SubscriptionStatus = 'ACTIVE' | 'PAST_DUE' | 'CANCELED';
export type SubscriptionPhase = 'SCHEDULED' | 'TRIAL' | 'REGULAR' | 'ENDED';
export type CancelReason = 'REQUESTED' | 'PAYMENT_FAILED';
export type CollectionMethod = 'CHARGE_AUTOMATICALLY' | 'SEND_INVOICE';

/** The price version that a subscription started with, as it was then; later versions do not touch it. */
export interface PriceSnapshot extends Recurrence {
  readonly id: string;
  readonly type: PricingType;
  /** ISO 4217, upper case. */
  readonly currency: string;
  /** In the currency's smallest unit. */
  readonly amount: bigint;
  readonly billingInterval: Exclude<BillingInterval, 'ONE_TIME'>;
  readonly trialDays: number | null;
  /** Null: one open tier at `amount` per unit where the type has tiers. */
  readonly tiers: readonly Tier[] | null;
  readonly active: boolean;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly lookupKey: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** Who pays, as known when the newest invoice was made. */
export interface CustomerSnapshot {
  readonly id: string;
  readonly email: string;
  readonly name: string | null;
}

/** What a discount takes off, as it was when it was redeemed; later changes of it do not touch the subscription. */
export interface DiscountSnapshot extends DiscountSpan {
  readonly id: string;
  readonly name: string;
  readonly type: DiscountType;
  /** Decimal string: percent, or a whole number in the currency's smallest unit. */
  readonly value: string;
}

/** The one discount of a subscription, and where it began. */
export interface SubscriptionDiscount extends DiscountSnapshot {
  /** Start of the first period that it was taken off; null: of none so far. */
  readonly firstPeriodStart: Date | null;
}

/** An invoice that may still change the subscription. One that is finished is forgotten, and thereby known to be so. */
export interface OpenInvoice {
  readonly invoiceId: string;
  readonly periodIndex: number;
  /** How many results of its collection were applied; only the next one is accepted. */
  readonly lastResult: number;
  /** A charge of it has failed by itself, or its due date has passed: while one such is open the subscription is PAST_DUE. */
  readonly isPastDue: boolean;
  /** Until it is made and its first charge, if one follows at once, is applied. The answer to a creation waits for that. */
  readonly isSettling: boolean;
}

/** The newest invoice that was made. */
export interface LatestInvoice {
  readonly id: string;
  /** Null: it is the trial's, older than that of any period. */
  readonly periodIndex: number | null;
}

/** Billed periods in a row, `from` to `through`, that count by one set of the product's meter prices: that in force when each began. */
export interface PeriodRates {
  readonly from: number;
  readonly through: number;
  /** The number of the set. */
  readonly set: number;
}

/** How the usage of the subscription's periods is billed. */
export interface UsageBilling {
  /** Oldest first; periods that no late event can reach any more are left out. */
  readonly rates: readonly PeriodRates[];
  /** The bill that was made last: the index of its period, for what came with the end one more, for what came late after it two more. */
  readonly lastBill: number | null;
  /** What earlier bills took too much, to be taken off the next one. */
  readonly refunds: readonly Refund[];
  /** When no event can come any more, and what came after the end is billed; null: never, or it was. */
  readonly lateBillAt: Date | null;
  /** What has to wait because it came to more than any invoice may; null: all that was ordered is billed. */
  readonly held: HeldBills | null;
  /** Settlements whose bills came to too much: no invoice bills what they found. */
  readonly unbilled: readonly UnbilledSettlements[];
}

/** Bills that are still owed: one that came to too much, and all that follow it. */
export interface HeldBills {
  /** Number of the first one, counted as `lastBill`. */
  readonly bill: number;
  /** When it is tried again by itself; null: no event can change what it comes to any more. */
  readonly retryAt: Date | null;
  /** How many changes of the subscription may have it tried again before then. */
  readonly triesLeft: number;
  /** Set once the bill of the end has been ordered, too. */
  readonly closing: Closing | null;
}

/** What the bill of the end has to know of how the subscription ended. */
export interface Closing {
  /** The invoice of the running period, voided or never made: the usage that it bills is to be billed with the end's; null: there is none. */
  readonly voidedInvoiceId: string | null;
}

/** Settlements that were made for one bill, a new one for each try. */
export interface UnbilledSettlements {
  /** What the first of them is called; the others carry their number. */
  readonly key: string;
  /** The last period that they are about. */
  readonly through: number;
  readonly tries: number;
}

/** A customer's running purchase of a product. */
export interface Subscription {
  readonly isTombstone: false;
  readonly id: string;
  /** Of its only item; sorts by the real time of creation. */
  readonly itemId: string;
  /** Tells a repeated creation with the same input from one with another. */
  readonly fingerprint: string;
  readonly customer: CustomerSnapshot;
  readonly collectionMethod: CollectionMethod;
  readonly productId: string;
  /** As it was at the start; invoice lines carry it. */
  readonly productName: string;
  readonly price: PriceSnapshot;
  readonly quantity: number;
  readonly discount: SubscriptionDiscount | null;
  readonly authorizedTransactionId: string | null;
  /** The authorisation is being turned into a saved method, as no invoice captures it soon. The answer to a creation waits for that. */
  readonly isAuthorizing: boolean;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly status: SubscriptionStatus;
  readonly phase: SubscriptionPhase;
  readonly startAt: Date;
  readonly trialStart: Date | null;
  readonly trialEnd: Date | null;
  /** Start of period 0: the trial's end, else `startAt`. */
  readonly anchor: Date;
  /** The billed period that runs or in which it ended; null before period 0. */
  readonly periodIndex: number | null;
  readonly cancelAtPeriodEnd: boolean;
  /** When the end was last asked for. */
  readonly canceledAt: Date | null;
  readonly endedAt: Date | null;
  /** It ended before its trial or first period began, at the instant of that at the latest: its redemption is freed. */
  readonly endedBeforeStart: boolean;
  readonly cancelReason: CancelReason | null;
  /** Oldest first. */
  readonly openInvoices: readonly OpenInvoice[];
  readonly latestInvoice: LatestInvoice | null;
  readonly usage: UsageBilling;
}

/**
 * The trial or billed period that runs; before the start the first one to come, which is the trial where there is one. An ended
 * subscription keeps the one it ended in.
 */
export function currentPeriod(subscription: Subscription): BillingPeriod {
  const { periodIndex, trialStart, trialEnd } = subscription;
  if (periodIndex === null && trialStart !== null && trialEnd !== null) {
    return { start: trialStart, end: trialEnd };
  }
  return periodOf(subscription, periodIndex ?? 0);
}

/** Billed period n, from the anchor alone. */
export function periodOf({ anchor, price }: Subscription, periodIndex: number): BillingPeriod {
  return periodAt(anchor, price, periodIndex);
}

/** Whether the subscription ended before the period did: that period is not owed. One that had run its course is, however late its bill. */
export function endedWithin(subscription: Subscription, periodIndex: number): boolean {
  const { status, endedAt } = subscription;
  if (status !== 'CANCELED' || endedAt === null) return false;
  return endedAt < periodOf(subscription, periodIndex).end;
}

/** When the next period is billed; null where none will be. */
export function nextInvoiceAt(subscription: Subscription): Date | null {
  const { status, cancelAtPeriodEnd, periodIndex, anchor } = subscription;
  if (status === 'CANCELED' || cancelAtPeriodEnd) return null;
  return periodIndex === null ? anchor : periodOf(subscription, periodIndex).end;
}
