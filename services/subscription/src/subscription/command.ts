import type { Command } from '@billing/kernel/transition';

/** The reason why an invoice was created. */
export type BillingReason =
  'SUBSCRIPTION_CREATE' | 'SUBSCRIPTION_CYCLE' | 'SUBSCRIPTION_CANCEL' | 'SUBSCRIPTION_CHANGE';

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
    /** Facts that the order has read already; absent: they are read when the invoice is created. */
    readonly facts?: InvoiceFacts;
  };
}

/** Tax categories of the products of a subscription; null: `standard`. */
export interface TaxCategories {
  /** That of the main item. */
  readonly taxCategory: string | null;
  /** Those of the other items by product; absent: there are none. */
  readonly otherTaxCategories?: Readonly<Record<string, string | null>>;
}

/** Tax categories of a main item, and those of other products. */
export function taxCategoriesOf(
  taxCategory: string | null,
  others: readonly (readonly [productId: string, category: string | null])[],
): TaxCategories {
  if (others.length === 0) return { taxCategory };
  return { taxCategory, otherTaxCategories: Object.fromEntries(others) };
}

/** Tax category of a product: that of the main item unless it is another one's. */
export function taxCategoryOf(
  { productId }: { readonly productId: string },
  { taxCategory, otherTaxCategories = {} }: TaxCategories,
): string | null {
  const other = otherTaxCategories[productId];
  return other === undefined ? taxCategory : other;
}

/** Facts about customer and products that decide the taxes of an invoice. */
export interface InvoiceFacts extends TaxCategories {
  /** As encoded for checkout. */
  readonly buyer: string;
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

/** Bills the usage of a cycle's last period, where a new cycle or a pause follows. */
export interface BillCycleEnd extends Command {
  readonly type: 'billCycleEnd';
  readonly payload: { readonly periodIndex: number };
}

/** Bills late usage: once no event can be accepted any more, or when the customer is deleted. */
export interface BillLate extends Command {
  readonly type: 'billLate';
  readonly payload: {
    /** Absent in commands of earlier releases: 1. */
    readonly round?: number;
    /** Facts of a deleted customer for invoices, encoded. */
    readonly buyer?: string;
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
  readonly payload: {
    readonly discountId: string;
    /** Absent: the subscription. */
    readonly holderId?: string;
  };
}

/** Saves the payment method of an authorization that no invoice captures soon. */
export interface ResolveAuthorization extends Command {
  readonly type: 'resolveAuthorization';
  readonly payload: { readonly authorizedTransactionId: string };
}

/** Creates the invoice of a change, which the change's own record describes. */
export interface InvoiceChange extends Command {
  readonly type: 'invoiceChange';
  readonly payload: { readonly changeId: string };
}

/** Issues the credit notes of a change that is in force. */
export interface CreditChange extends Command {
  readonly type: 'creditChange';
  readonly payload: { readonly changeId: string };
}

/** Issues credit notes of the end of a subscription, on some of their invoices. */
export interface CreditCancellation extends Command {
  readonly type: 'creditCancellation';
  readonly payload: { readonly invoiceIds: readonly string[] };
}

/** Voids or credits the invoice of a change that has failed, and frees what it has reserved. */
export interface UndoChange extends Command {
  readonly type: 'undoChange';
  readonly payload: { readonly changeId: string };
}

/** Moves finished changes from the subscription to the records of changes. */
export interface RecordChanges extends Command {
  readonly type: 'recordChanges';
  readonly payload: Record<string, never>;
}

/** Voids unpaid invoices of changes, because the subscription ends in their period. */
export interface VoidChangeInvoices extends Command {
  readonly type: 'voidChangeInvoices';
  readonly payload: { readonly invoiceIds: readonly string[] };
}

export type BillingCommand =
  | BillPeriod
  | BillOwed
  | BillEnd
  | BillLate
  | BillCycleEnd
  | Close
  | EndCollection
  | ConfirmRedemption
  | ReleaseRedemption
  | ResolveAuthorization
  | InvoiceChange
  | CreditChange
  | CreditCancellation
  | UndoChange
  | RecordChanges
  | VoidChangeInvoices;
