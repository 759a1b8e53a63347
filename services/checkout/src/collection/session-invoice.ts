import type { Currency } from '@billing/kernel/currency';
import type { CollectionMethod, LineItem } from '../invoice/invoice';
import type { DiscountOnInvoice } from '../invoice/invoice-discount';
import type { PaidPeriod } from '../invoice/paid-period';
import type { InvoiceTerms } from '../tax/invoice-terms';

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
    'id' | 'periodStart' | 'periodEnd' | 'discountAmount' | 'tax'
  >[];
  /** Absent: the invoice is not taxed and names no seller. */
  readonly terms?: InvoiceTerms | undefined;
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
  /** Amount that the payer was shown; undefined: not compared. */
  readonly expectedAmount?: bigint | undefined;
}
