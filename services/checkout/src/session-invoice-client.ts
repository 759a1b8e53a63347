import type { Stored } from '@billing/chassis/aggregate';
import type { CallContext } from '@billing/chassis/call-context';
import type { Currency } from '@billing/kernel/currency';
import type { DiscountOnInvoice } from './invoice-discount';
import type { CollectionMethod, Invoice, InvoiceRecord, LineItem } from './invoice';
import type { PaidPeriod } from './paid-period';

type Context = Pick<CallContext, 'tenant' | 'now'>;

/** What a session's invoice is made from. */
export interface NewSessionInvoice {
  /** Derived from the session; a repeat finds the invoice. */
  readonly invoiceId: string;
  readonly sessionId: string;
  readonly customerId: string;
  readonly currency: Currency;
  /** The customer's, for show: a session's invoice is paid by its payer alone. */
  readonly collectionMethod: CollectionMethod;
  /** Ids, periods and discounts of the lines are set here. */
  readonly lineItems: readonly Omit<
    LineItem,
    'id' | 'periodStart' | 'periodEnd' | 'discountAmount'
  >[];
  readonly discount: DiscountOnInvoice | undefined;
  /** Set in the write that makes it PAID; undefined for ONE_TIME. */
  readonly subscriptionId: string | undefined;
  readonly paidPeriod: PaidPeriod;
}

/** How a session pays. */
export interface SessionCharge {
  readonly invoiceId: string;
  /** The same key is the same attempt, however often it is asked for: kept by the session before it pays. */
  readonly paymentKey: string;
  readonly paymentMethodId: string;
  /** Where the payer comes back to from the provider's own page. */
  readonly returnUrl: string;
}

/** Where a payment stands after it was looked at. */
export type SessionPayment = { readonly invoice: Stored<Invoice> } & (
  | { readonly kind: 'PAID' }
  | { readonly kind: 'FAILED'; readonly failureCode: string; readonly at: Date }
  /** The payer must answer; without `redirectUrl` we show the challenge. */
  | { readonly kind: 'WAITING'; readonly attempt: number; readonly redirectUrl: string | undefined }
  /** Another attempt holds the slot, or the provider's answer is not known yet: the invoice's worker takes it up within 30 s. */
  | { readonly kind: 'IN_PROGRESS' }
  /** VOID: nothing was charged. */
  | { readonly kind: 'NOT_OPEN' }
);

/** A session's invoice. No attempt at it comes by itself, and its subscription gets no results. Everything may be repeated. */
export interface SessionInvoices {
  /**
   * Makes it numbered and OPEN, also when nothing is due. Its number is taken first, so it must come to be: this is repeated until it does,
   * also for a session that has ended meanwhile, whose invoice is voided only then. What stands under the id is returned.
   */
  open(invoice: NewSessionInvoice, context: Context): Promise<Stored<InvoiceRecord>>;
  /**
   * One attempt with the payer present, through the slot that all attempts go through. Where nothing is due it verifies the method. A
   * challenge that waits for another key is cancelled
   * first; should that one have succeeded already, the answer is PAID. Goes on although the caller goes away.
   */
  pay(charge: SessionCharge, context: Context): Promise<SessionPayment>;
  /** Goes on with the attempt that waits; another one, or none, is left as it stands, and the answer tells how. */
  answerChallenge(
    answer: {
      readonly invoiceId: string;
      readonly attempt: number;
      readonly approved: boolean | undefined;
    },
    context: Context,
  ): Promise<SessionPayment>;
  /**
   * Settles it with a payment that is recorded as failed, if the provider says that it has succeeded; the session is held for that. FAILED
   * where it has not.
   */
  settleLate(
    late: { readonly invoiceId: string; readonly number: number },
    context: Context,
  ): Promise<SessionPayment>;
  /** How the invoice stands; changes nothing. */
  read(invoiceId: string, context: Context): Promise<SessionPayment>;
  /** Cancels an attempt that waits for its payer, e.g. before the session expires; PAID where it had succeeded already. */
  cancelChallenge(invoiceId: string, context: Context): Promise<Stored<InvoiceRecord>>;
  /** Pays an invoice of which nothing is due, by the payer's word alone. Something due is a bug. */
  settle(invoiceId: string, context: Context): Promise<SessionPayment>;
  /**
   * Voids it, or puts a tombstone in its place. A challenge is cancelled first. PAID stays PAID and is returned so; while an attempt is
   * under way failed_precondition PAYMENT_IN_PROGRESS.
   */
  void(
    holder: {
      readonly invoiceId: string;
      readonly sessionId: string;
      readonly customerId: string;
      readonly currency: Currency;
    },
    context: Context,
  ): Promise<Stored<InvoiceRecord>>;
}

/**
 * What the session is told, by a command of the invoice, whenever an attempt at it has ended or it was settled, whoever ended it: the
 * payer, the resuming worker, or the provider's own announcement. Repeated until it resolves; the invoice is to be read.
 */
export interface SessionListener {
  invoiceChanged(
    news: { readonly sessionId: string; readonly invoiceId: string },
    context: CallContext,
  ): Promise<void>;
}
