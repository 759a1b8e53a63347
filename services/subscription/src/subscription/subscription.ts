import {
  type BillingInterval,
  type BillingPeriod,
  type Recurrence,
} from '@billing/kernel/billing-period';
import type { DiscountSpan } from '@billing/kernel/discount-validity';
import type { DiscountType } from '@billing/kernel/discounting';
import type { PricingType } from '@billing/kernel/pricing';
import type { Tier } from '@billing/kernel/tiers';
import { type BillingCycle, firstCycleIndexAt, periodOf } from './billing-cycle';
import type { SubscriptionChange, SubscriptionChanges } from './subscription-change';
import type { CycleEndBill, UsageBilling } from './usage-billing';
import type { UsageStretch } from './usage-stretch';

export type SubscriptionStatus = 'ACTIVE' | 'PAST_DUE' | 'CANCELED';
export type SubscriptionPhase = 'SCHEDULED' | 'TRIAL' | 'REGULAR' | 'PAUSED' | 'ENDED';
export type CancelReason = 'REQUESTED' | 'PAYMENT_FAILED';
export type CollectionMethod = 'CHARGE_AUTOMATICALLY' | 'SEND_INVOICE';

/** A price version of an item; later versions do not change it. */
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

/** The payer, as known when the newest invoice was created. */
export interface CustomerSnapshot {
  readonly id: string;
  readonly email: string;
  readonly name: string | null;
}

/**
 * The deduction of a discount at the time of its redemption; later changes do not affect the
 * subscription.
 */
export interface DiscountSnapshot extends DiscountSpan {
  /** Products that it is for, empty for all; null: not known, stored by an earlier release. */
  readonly productIds: readonly string[] | null;
  readonly id: string;
  readonly name: string;
  readonly type: DiscountType;
  /** Decimal string: percent, or a whole number in the currency's smallest unit. */
  readonly value: string;
}

/** The one discount of a subscription, where it began, and who holds its redemption. */
export interface SubscriptionDiscount extends DiscountSnapshot {
  /** Holder of the redemption that a change has reserved; null: the subscription or its session. */
  readonly holderId: string | null;
  /** Start of the first discounted period; null: none so far. */
  readonly firstPeriodStart: Date | null;
  /** The first discounted period; absent: the only one with that start. */
  readonly firstPeriod?: number;
}

/**
 * An invoice that may still change the subscription, or was written off and may still be paid. A
 * finished invoice is removed; its absence means that it is finished.
 */
export interface OpenInvoice {
  readonly invoiceId: string;
  readonly periodIndex: number;
  /** Number of applied collection results; only the next one is accepted. */
  readonly lastResult: number;
  /**
   * An automatic charge of it has failed, or its due date has passed: while one such invoice is
   * open the subscription is PAST_DUE.
   */
  readonly isPastDue: boolean;
  /**
   * True until it is created and its first charge, if one follows immediately, is applied. The
   * answer to a creation waits for that.
   */
  readonly isSettling: boolean;
  /** True for the invoice of a change; absent: false. */
  readonly isOfChange?: boolean;
  /** True for the invoice of usage before a new cycle or a pause; absent: false. */
  readonly isOfCycleEnd?: boolean;
  /** True once a caller has written it off, until it is paid; absent: false. */
  readonly isWrittenOff?: boolean;
}

/** The newest invoice that was created. */
export interface LatestInvoice {
  readonly id: string;
  /** Null: it is the trial's, older than that of any period. */
  readonly periodIndex: number | null;
}

/** A price version and a quantity that the subscription bills each period. */
export interface SubscriptionItem {
  /** Sorts by the real time of creation. A change of price or quantity keeps it. */
  readonly id: string;
  readonly productId: string;
  /** The name when the product was bought, shown on invoice lines. */
  readonly productName: string;
  readonly price: PriceSnapshot;
  readonly quantity: number;
}

/** The items of a subscription, the main one first: 1-20 of different products. */
export type SubscriptionItems = readonly [SubscriptionItem, ...SubscriptionItem[]];

/** A customer's running purchase of a product. */
export interface Subscription {
  readonly isTombstone: false;
  readonly id: string;
  /** Tells a retried creation with the same input from a different one. */
  readonly fingerprint: string;
  readonly customer: CustomerSnapshot;
  readonly collectionMethod: CollectionMethod;
  readonly items: SubscriptionItems;
  readonly discount: SubscriptionDiscount | null;
  readonly authorizedTransactionId: string | null;
  /**
   * The authorization is being turned into a saved method, because no invoice captures it soon. The
   * answer to a creation waits for that.
   */
  readonly isAuthorizing: boolean;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly status: SubscriptionStatus;
  readonly phase: SubscriptionPhase;
  readonly startAt: Date;
  readonly trialStart: Date | null;
  readonly trialEnd: Date | null;
  /** Start of period 0: the trial's end, or `startAt` without a trial. */
  readonly anchor: Date;
  /** Oldest first; empty while all periods count from `anchor`. */
  readonly cycles: readonly BillingCycle[];
  /** The billed period that runs, or in which the subscription ended; null before period 0. */
  readonly periodIndex: number | null;
  /** Beginning of the pause that runs, or in which it ended; null: none. */
  readonly pausedAt: Date | null;
  /** Planned end of the pause that runs; null: none. */
  readonly resumeAt: Date | null;
  readonly cancelAtPeriodEnd: boolean;
  /** Time of the latest cancellation request. */
  readonly canceledAt: Date | null;
  readonly endedAt: Date | null;
  /**
   * True when it ended before its trial or first period began, or at the same instant: its
   * redemption is released.
   */
  readonly endedBeforeStart: boolean;
  readonly cancelReason: CancelReason | null;
  /** Oldest first. */
  readonly openInvoices: readonly OpenInvoice[];
  readonly latestInvoice: LatestInvoice | null;
  /**
   * End of the trial or period whose warning was announced or dropped; null: of none so far. Each
   * trial and period is warned of at most once.
   */
  readonly warnedOf: Date | null;
  readonly usage: UsageBilling;
  /** Products that priced meters before those of today; absent: there were none. */
  readonly stretches?: readonly UsageStretch[] | undefined;
  /** Bills of ends of cycles, oldest first, while late usage may follow; absent: none. */
  readonly cycleEndBills?: readonly CycleEndBill[] | undefined;
  readonly changes: SubscriptionChanges;
  /** First invoice, for which the creation has reserved the balance; absent: it has not. */
  readonly reservedInvoiceId?: string | undefined;
  /**
   * A deleted customer as it was, as encoded for checkout; absent: the customer is there, or
   * nothing is owed.
   */
  readonly formerBuyer?: string | undefined;
  /** Time of the latest write that let it renew again after it was parked; absent: none so far. */
  readonly unparkedAt?: Date | undefined;
}

/** The first item: product, price and quantity of the subscription are its. */
export function mainItem({ items }: Pick<Subscription, 'items'>): SubscriptionItem {
  return items[0];
}

/** ISO 4217 code of all items, upper case. */
export function currencyOf(subscription: Pick<Subscription, 'items'>): string {
  return mainItem(subscription).price.currency;
}

/**
 * The running trial or billed period; before the start the first one to come, which is the trial if
 * there is one. An ended subscription keeps the one it ended in.
 */
export function currentPeriod(subscription: Subscription): BillingPeriod {
  const { periodIndex, trialStart, trialEnd } = subscription;
  if (periodIndex === null && trialStart !== null && trialEnd !== null) {
    return { start: trialStart, end: trialEnd };
  }
  return periodOf(subscription, periodIndex ?? 0);
}

/**
 * True when the subscription ended before the period did: that period is not owed. A completed
 * period is owed, regardless of how late its bill is.
 */
export function endedWithin(subscription: Subscription, periodIndex: number): boolean {
  const { status, endedAt } = subscription;
  if (status !== 'CANCELED' || endedAt === null) return false;
  return endedAt < periodOf(subscription, periodIndex).end;
}

/**
 * The change that takes effect at the end of the running period; null: none. A change that waits
 * for an instant after that stays pending through the next period.
 */
export function nextChange(subscription: Subscription): SubscriptionChange | null {
  const { waiting } = subscription.changes;
  if (waiting?.notBefore === undefined) return waiting;
  return waiting.notBefore <= currentPeriod(subscription).end ? waiting : null;
}

/** Time when the next period is billed; null: none will be. */
export function nextInvoiceAt(subscription: Subscription): Date | null {
  const { status, phase, cancelAtPeriodEnd, periodIndex, anchor } = subscription;
  if (status === 'CANCELED' || cancelAtPeriodEnd) return null;
  if (phase === 'PAUSED') return subscription.resumeAt;
  const next = nextChange(subscription);
  if (next?.kind === 'PAUSE') return next.resumeAt;
  return periodIndex === null ? anchor : periodOf(subscription, periodIndex).end;
}

/**
 * The first billed period: the one in which the subscription was created, where it started earlier.
 */
export function firstBilledPeriod(
  subscription: Subscription,
  { createdAt }: { readonly createdAt: Date },
): number {
  return createdAt <= subscription.anchor ? 0 : firstCycleIndexAt(subscription, createdAt);
}
