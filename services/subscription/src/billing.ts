import type { BillingPeriod } from '@billing/kernel/billing-period';
import { type RecurringCharge, recurringCharge } from '@billing/kernel/pricing';
import type { Command } from '@billing/kernel/transition';
import { takeDiscount } from './discount';
import { openInvoice } from './open-invoices';
import { periodOf, type Subscription } from './subscription';

/** What made an invoice. */
export type BillingReason = 'SUBSCRIPTION_CREATE' | 'SUBSCRIPTION_CYCLE' | 'SUBSCRIPTION_CANCEL';

/** The id of the invoice of a period, the same however often it is asked for. */
export type InvoiceIdOf = (periodIndex: number) => string;

/** What every decision is given from outside. */
export interface Decision {
  /** Business time. */
  readonly now: Date;
  readonly invoiceIdOf: InvoiceIdOf;
}

/** Makes the invoice of a period; does nothing once the subscription is CANCELED. */
export interface BillPeriod extends Command {
  readonly type: 'billPeriod';
  readonly payload: {
    readonly periodIndex: number;
    readonly invoiceId: string;
    readonly reason: BillingReason;
    /** Captured by the first attempt; null: the customer's saved method is charged. */
    readonly authorizedTransactionId: string | null;
    /** Whether the subscription's discount is taken off. */
    readonly isDiscounted: boolean;
  };
}

/** Voids the invoice of the period in which the subscription was cancelled, and bills the usage so far. */
export interface Close extends Command {
  readonly type: 'close';
  readonly payload: {
    readonly invoiceId: string;
    readonly periodIndex: number;
    /** The invoice was not finished: the usage that it bills is to be billed by another one. */
    readonly isOwed: boolean;
  };
}

/** Tries again to bill what came to too much, and all that waits behind it. */
export interface BillOwed extends Command {
  readonly type: 'billOwed';
  readonly payload: Record<string, never>;
}

/** Bills the usage of the period in which the subscription ended. */
export interface BillEnd extends Command {
  readonly type: 'billEnd';
  readonly payload: Record<string, never>;
}

/** Bills what came late, once nothing can come any more. */
export interface BillLate extends Command {
  readonly type: 'billLate';
  readonly payload: Record<string, never>;
}

/** Ends the retries of invoices whose subscription has ended. */
export interface EndCollection extends Command {
  readonly type: 'endCollection';
  readonly payload: {
    readonly invoiceIds: readonly string[];
    /** They are given up; else they stay payable. */
    readonly writeOff: boolean;
  };
}

/** Keeps the redemption that was reserved for the subscription. */
export interface ConfirmRedemption extends Command {
  readonly type: 'confirmRedemption';
  readonly payload: { readonly discountId: string };
}

/** Frees the redemption of a subscription that ended before its start. */
export interface ReleaseRedemption extends Command {
  readonly type: 'releaseRedemption';
  readonly payload: { readonly discountId: string };
}

/** Saves the method behind an authorisation that no invoice captures soon. */
export interface ResolveAuthorization extends Command {
  readonly type: 'resolveAuthorization';
  readonly payload: { readonly authorizedTransactionId: string };
}

export type BillingCommand =
  | BillPeriod
  | BillOwed
  | BillEnd
  | BillLate
  | Close
  | EndCollection
  | ConfirmRedemption
  | ReleaseRedemption
  | ResolveAuthorization;

/** How a period's invoice comes to be. */
export interface PeriodBilling {
  readonly reason: BillingReason;
  readonly authorizedTransactionId: string | null;
  readonly invoiceIdOf: InvoiceIdOf;
}

/**
 * Enters a period that is billed. Its invoice is noted as open in the very write that orders it, so that a result for an invoice that is
 * not open can only be one for an invoice that is finished.
 */
export function enterPeriod(
  subscription: Subscription,
  periodIndex: number,
  { reason, authorizedTransactionId, invoiceIdOf }: PeriodBilling,
): { state: Subscription; command: BillPeriod } {
  const invoiceId = invoiceIdOf(periodIndex);
  const entered: Subscription = { ...subscription, phase: 'REGULAR', periodIndex };
  const { state, isDiscounted } = takeDiscount(entered, periodIndex);
  return {
    state: openInvoice(state, { invoiceId, periodIndex }),
    command: {
      type: 'billPeriod',
      payload: { periodIndex, invoiceId, reason, authorizedTransactionId, isDiscounted },
    },
  };
}

/** Orders the bill of an ended subscription's usage; before its first billed period there was none to bill. */
export function billEnd({ periodIndex }: Subscription): BillEnd[] {
  return periodIndex === null ? [] : [{ type: 'billEnd', payload: {} }];
}

/** One charge on an invoice, and how it came about. */
export interface PeriodLine extends RecurringCharge {
  readonly description: string;
  readonly priceId: string;
  readonly period: BillingPeriod;
}

/** What a period costs: the recurring charge. */
export function periodLine(subscription: Subscription, periodIndex: number): PeriodLine {
  const { productName, price, quantity } = subscription;
  return {
    description: productName,
    priceId: price.id,
    ...recurringCharge({ ...price, quantity }),
    period: periodOf(subscription, periodIndex),
  };
}
