import type { Stored } from '@billing/chassis/aggregate';
import type { CallContext } from '@billing/chassis/call-context';
import type { Currency } from '@billing/kernel/currency';
import type { DiscountOnInvoice } from '../invoice/invoice-discount';
import type {
  CollectionMethod,
  Invoice,
  InvoiceRecord,
  LineItem,
  Payment,
} from '../invoice/invoice';
import type { PaidPeriod } from '../invoice/paid-period';

type Context = Pick<CallContext, 'tenant' | 'now'>;

/** Input of a session's invoice. */
export interface NewSessionInvoice {
  /** Derived from the session; a retry finds the invoice. */
  readonly invoiceId: string;
  readonly sessionId: string;
  readonly customerId: string;
  readonly currency: Currency;
  /**
   * Collection method of the customer, for display: a session's invoice is paid by its payer alone.
   */
  readonly collectionMethod: CollectionMethod;
  /** Ids, periods and discounts of the lines are set here. */
  readonly lineItems: readonly Omit<
    LineItem,
    'id' | 'periodStart' | 'periodEnd' | 'discountAmount'
  >[];
  readonly discount: DiscountOnInvoice | undefined;
  /** Applied in the write that makes the invoice PAID; undefined for ONE_TIME. */
  readonly subscriptionId: string | undefined;
  readonly paidPeriod: PaidPeriod;
}

/** Payment of a session. */
export interface SessionCharge {
  readonly invoiceId: string;
  /** Idempotency key: the same key is the same attempt. The session stores it before it pays. */
  readonly paymentKey: string;
  readonly paymentMethodId: string;
  /** Address to which the payer returns from the provider's own page. */
  readonly returnUrl: string;
}

/** State of a payment. */
export type SessionPayment = { readonly invoice: Stored<Invoice> } & (
  | { readonly kind: 'PAID' }
  | { readonly kind: 'FAILED'; readonly failureCode: string; readonly at: Date }
  /** The payer must answer; without `redirectUrl` we show the challenge. */
  | { readonly kind: 'WAITING'; readonly attempt: number; readonly redirectUrl: string | undefined }
  /** Another attempt runs, or the provider's answer is unknown: the worker resumes within 30 s. */
  | { readonly kind: 'IN_PROGRESS' }
  /** VOID: nothing was charged. */
  | { readonly kind: 'NOT_OPEN' }
);

/**
 * Invoices of sessions. They have no automatic attempts, and their subscriptions get no results.
 * Every call can be retried.
 */
export interface SessionInvoices {
  /**
   * Creates the invoice, numbered and OPEN, also if nothing is due. Its number is taken first, so
   * the invoice must follow: the call is retried until it does, even for a session that has ended
   * since, whose invoice is voided only then. Returns the record under the id.
   */
  open(invoice: NewSessionInvoice, context: Context): Promise<Stored<InvoiceRecord>>;
  /**
   * Makes one attempt with the payer present, in the invoice's slot. If nothing is due, it verifies
   * the method. A waiting challenge of another key is canceled first; if it had already succeeded,
   * the answer is PAID. Continues when the caller disconnects.
   */
  pay(charge: SessionCharge, context: Context): Promise<SessionPayment>;
  /**
   * Continues the attempt that waits; a different attempt stays as it is, and its state is
   * returned.
   */
  answerChallenge(
    answer: {
      readonly invoiceId: string;
      readonly attempt: number;
      readonly approved: boolean | undefined;
    },
    context: Context,
  ): Promise<SessionPayment>;
  /**
   * Settles the invoice with a payment that is recorded as failed, if the provider says that it has
   * succeeded; the session is held for that. FAILED if it has not succeeded.
   */
  settleLate(
    late: { readonly invoiceId: string; readonly number: number },
    context: Context,
  ): Promise<SessionPayment>;
  /** State of the invoice's payment; changes nothing. */
  read(invoiceId: string, context: Context): Promise<SessionPayment>;
  /**
   * Cancels an attempt that waits for its payer, e.g. before the session expires; PAID if it had
   * already succeeded.
   */
  cancelChallenge(invoiceId: string, context: Context): Promise<Stored<InvoiceRecord>>;
  /**
   * Pays an invoice with nothing due, on the payer's confirmation alone. An amount due is a bug.
   */
  settle(invoiceId: string, context: Context): Promise<SessionPayment>;
  /**
   * Voids the invoice, or inserts a tombstone in its place. A challenge is canceled first. A PAID
   * invoice is returned unchanged; a running attempt throws failed_precondition
   * PAYMENT_IN_PROGRESS.
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

/** Sessions, as invoices notify them. */
export interface SessionListener {
  /**
   * Notification of a session by a command of its invoice, whenever an attempt has ended or the
   * invoice was settled, by the payer, the resuming worker, or a provider's event. Retried until it
   * resolves; the receiver reads the invoice.
   */
  invoiceChanged(
    news: { readonly sessionId: string; readonly invoiceId: string },
    context: CallContext,
  ): Promise<void>;
  /**
   * Keeps a session from ending while its invoice is settled with a payment that is recorded as
   * failed; returns false if the session has ended. Throws PAYMENT_IN_PROGRESS while another
   * payment runs. A worker that resumes the hold settles the invoice, so the session is held until
   * the settlement has an outcome.
   */
  holdForLatePayment(
    held: { readonly sessionId: string; readonly payment: Payment },
    context: Context,
  ): Promise<boolean>;
}
