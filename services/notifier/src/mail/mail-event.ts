import type { DescribedLine } from '@billing/presentation/line-text';

/** An event about which payers may get a mail, as the webhook's body tells it. */
export type MailEvent =
  | { readonly kind: 'INVOICE'; readonly type: string; readonly data: InvoiceFacts }
  | { readonly kind: 'CREDIT_NOTE'; readonly type: string; readonly data: CreditNoteFacts }
  | { readonly kind: 'CARD'; readonly type: string; readonly data: CardFacts }
  | { readonly kind: 'PORTAL'; readonly type: string; readonly data: PortalFacts }
  | { readonly kind: 'SUBSCRIPTION'; readonly type: string; readonly data: SubscriptionFacts };

/** The facts of an invoice's event that mails use. Amounts are in the smallest unit. */
export interface InvoiceFacts {
  readonly invoice: {
    readonly id: string;
    readonly customerId: string;
    readonly subscriptionId: string | null;
    readonly number: string | null;
    readonly status: string;
    readonly billingReason: string;
    readonly currency: string;
    readonly total: bigint;
    readonly amountDue: bigint;
    readonly amountPaid: bigint;
    readonly balanceApplied: bigint;
    readonly finalizedAt: Date | null;
    readonly dueDate: Date | null;
    readonly paidAt: Date | null;
    readonly hostedUrl: string | null;
    readonly lineItems: readonly DescribedLine[];
    /** Oldest first. Absent in bodies of releases before payments had cards. */
    readonly payments?: readonly PaymentFacts[] | undefined;
  };
  readonly charging?: boolean | undefined;
  /** The payment that failed. */
  readonly payment?: PaymentFacts | undefined;
  readonly attempt?: number | undefined;
  readonly failureCode?: string | null | undefined;
  readonly initiator?: string | undefined;
  readonly collection?: string | undefined;
  readonly nextAttemptAt?: Date | undefined;
}

/** A payment of an invoice. */
export interface PaymentFacts {
  readonly status: string;
  /** The charged card; absent: none, or unknown. */
  readonly card?: { readonly brand: string; readonly last4: string } | null | undefined;
}

/** The facts of a credit note's event that mails use. Amounts are in the smallest unit. */
export interface CreditNoteFacts {
  readonly creditNote: {
    readonly id: string;
    readonly customerId: string;
    readonly number: string | null;
    readonly currency: string;
    readonly total: bigint;
  };
  readonly invoice: {
    readonly id: string;
    readonly subscriptionId: string | null;
    readonly number: string | null;
    readonly hostedUrl: string | null;
  };
}

/** The facts of a subscription's event that mails use. */
export interface SubscriptionFacts {
  readonly subscription: {
    readonly id: string;
    readonly customerId: string;
    readonly productId: string;
    readonly phase: string;
    readonly trialEnd: Date | null;
    readonly currentPeriodEnd: Date;
    readonly endedAt: Date | null;
  };
  /** True if the event scheduled the end of the subscription. */
  readonly isEndScheduled: boolean;
  /** The next charge; only in warnings. */
  readonly upcoming?:
    { readonly at: Date; readonly amount: bigint; readonly currency: string } | undefined;
}

/** The facts of a payment method's event that mails use. */
export interface CardFacts {
  readonly customerId: string;
  readonly paymentMethod: {
    readonly brand: string;
    readonly last4: string;
    readonly expiryMonth: number | null;
    readonly expiryYear: number | null;
  };
}

/** A sign-in link to the portal, which no event tells. */
interface PortalFacts {
  readonly customerId: string;
  readonly url: string;
}
