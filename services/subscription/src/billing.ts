import type { BillingPeriod } from '@billing/kernel/billing-period';
import { type RecurringCharge, recurringCharge } from '@billing/kernel/pricing';
import type { Command } from '@billing/kernel/transition';
import { takeDiscount } from './discount';
import { openInvoice } from './open-invoices';
import { periodOf, type Subscription } from './subscription';

/** The reason why an invoice was created. */
export type BillingReason = 'SUBSCRIPTION_CREATE' | 'SUBSCRIPTION_CYCLE' | 'SUBSCRIPTION_CANCEL';

/** Derives the id of a period's invoice; the same period always has the same id. */
export type InvoiceIdOf = (periodIndex: number) => string;

/** Inputs of a decision that come from outside. */
export interface Decision {
  /** Environment time. */
  readonly now: Date;
  readonly invoiceIdOf: InvoiceIdOf;
}

/** Orders the invoice of a period; ignored once the subscription is CANCELED. */
export interface BillPeriod extends Command {
  readonly type: 'billPeriod';
  readonly payload: {
    readonly periodIndex: number;
    readonly invoiceId: string;
    readonly reason: BillingReason;
    /** Captured by the first attempt; null: the customer's saved method is charged. */
    readonly authorizedTransactionId: string | null;
    /** True when the subscription's discount is deducted. */
    readonly isDiscounted: boolean;
  };
}

/**
 * Voids the invoice of the period in which the subscription was canceled, and bills the usage so
 * far.
 */
export interface Close extends Command {
  readonly type: 'close';
  readonly payload: {
    readonly invoiceId: string;
    readonly periodIndex: number;
    /** The invoice was not finished, so its usage must be billed by another one. */
    readonly isOwed: boolean;
  };
}

/** Retries the bill that was over the limit, and all bills that wait behind it. */
export interface BillOwed extends Command {
  readonly type: 'billOwed';
  readonly payload: Record<string, never>;
}

/** Bills the usage of the period in which the subscription ended. */
export interface BillEnd extends Command {
  readonly type: 'billEnd';
  readonly payload: Record<string, never>;
}

/** Bills late usage once no event can be accepted any more. */
export interface BillLate extends Command {
  readonly type: 'billLate';
  readonly payload: Record<string, never>;
}

/** Ends the retries of invoices whose subscription has ended. */
export interface EndCollection extends Command {
  readonly type: 'endCollection';
  readonly payload: {
    readonly invoiceIds: readonly string[];
    /** True: the invoices are written off. False: they stay payable. */
    readonly writeOff: boolean;
  };
}

/** Confirms the redemption that was reserved for the subscription. */
export interface ConfirmRedemption extends Command {
  readonly type: 'confirmRedemption';
  readonly payload: { readonly discountId: string };
}

/** Releases the redemption of a subscription that ended before its start. */
export interface ReleaseRedemption extends Command {
  readonly type: 'releaseRedemption';
  readonly payload: { readonly discountId: string };
}

/** Saves the payment method of an authorization that no invoice captures soon. */
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

/** How a period's invoice was ordered. */
export interface PeriodBilling {
  readonly reason: BillingReason;
  readonly authorizedTransactionId: string | null;
  readonly invoiceIdOf: InvoiceIdOf;
}

/**
 * Enters a period that is billed. The write that orders its invoice also records it as open, so a
 * result for an invoice that is not open can only belong to a finished invoice.
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

/**
 * Orders the bill of an ended subscription's usage; before its first billed period there is no
 * usage to bill.
 */
export function billEnd({ periodIndex }: Subscription): BillEnd[] {
  return periodIndex === null ? [] : [{ type: 'billEnd', payload: {} }];
}

/** One charge on an invoice, with the figures that it was computed from. */
export interface PeriodLine extends RecurringCharge {
  readonly description: string;
  readonly priceId: string;
  readonly period: BillingPeriod;
}

/** Computes the recurring charge of a period. */
export function periodLine(subscription: Subscription, periodIndex: number): PeriodLine {
  const { productName, price, quantity } = subscription;
  return {
    description: productName,
    priceId: price.id,
    ...recurringCharge({ ...price, quantity }),
    period: periodOf(subscription, periodIndex),
  };
}
