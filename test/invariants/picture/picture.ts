import type { AnnouncedResource } from './announced-resource';
import type { ReceivedWebhook } from '../../support/webhook-receiver';
import type { MailPicture } from './mail-picture';

/** Amounts are integers of the smallest unit, times ISO 8601 texts, as in REST. */
export interface InvoicePicture {
  readonly id: string;
  readonly organizationId: string;
  readonly customerId: string;
  readonly subscriptionId: string | null;
  readonly number: string | null;
  readonly status: 'DRAFT' | 'OPEN' | 'PAID' | 'VOID' | 'UNCOLLECTIBLE';
  readonly billingReason: string;
  readonly subtotal: number;
  readonly discountAmount: number;
  readonly tax: number;
  readonly total: number;
  readonly amountPaid: number;
  readonly amountDue: number;
  readonly balanceApplied: number;
  readonly amountReduced: number;
  readonly amountCredited: number;
  readonly creditNoteIds: readonly string[];
  readonly finalizedAt?: string | null;
  readonly paidAt: string | null;
  readonly createdAt: string;
  readonly periodStart: string | null;
  readonly periodEnd: string | null;
  readonly discounts: readonly { readonly amount: number }[];
  /** One row for each group of lines with equal tax terms; none without tax. */
  readonly taxes: readonly TaxRowPicture[];
  readonly pricesIncludeTax?: boolean;
  readonly lineItems: readonly LinePicture[];
  readonly payments: readonly PaymentPicture[];
}

export interface TaxRowPicture {
  readonly base: number;
  readonly amount: number;
  readonly reason?: string;
  /** A decimal text. */
  readonly percent?: string;
}

export interface LinePicture {
  readonly id: string;
  readonly amount: number;
  readonly discountAmount: number;
  /** Price before discount, with tax where prices include it. */
  readonly pricedAmount: number;
  readonly taxAmount: number;
  /** Null without tax. */
  readonly taxReason?: string | null;
  readonly taxPercent?: string | null;
  readonly total: number;
  /** Only in lines for usage. */
  readonly meterId: string | null;
  /** A decimal text. */
  readonly quantity: string | null;
  /** Absent: a one-off charge. */
  readonly kind?: string | null;
  readonly itemId?: string | null;
  readonly productId?: string | null;
  readonly priceId?: string | null;
  readonly periodStart: string | null;
  readonly periodEnd: string | null;
  readonly details: {
    readonly exactAmount: string;
    readonly tiers: readonly { readonly amount: string }[];
    readonly creditsUsed: readonly { readonly grantId: string; readonly quantity: string }[];
    /** Milliseconds, and the amount that they multiply, as a decimal text. */
    readonly proration?: {
      readonly numerator: number;
      readonly denominator: number;
      readonly of: string;
    };
  } | null;
}

/**
 * The current price; it takes effect with the next period of a subscription, so an earlier one may
 * apply.
 */
export interface MeterPricePicture {
  readonly productId: string;
  readonly meterId: string;
  readonly minimumAmount: number | null;
  readonly maximumAmount: number | null;
  readonly createdAt: string;
}

export interface UsageEventPicture {
  readonly id: string;
  readonly eventId: string;
  readonly customerId: string;
  readonly meterId: string;
  readonly quantity: string;
  readonly timestamp: string;
  readonly receivedAt: string;
  readonly properties?: Readonly<Record<string, unknown>> | null;
}

/** Usage of a meter in the running period of a customer, as a decimal text. */
export interface UsageStatePicture {
  readonly customerId: string;
  readonly meterId: string;
  readonly periodStart: string;
  readonly periodEnd: string;
  readonly usage: string;
}

/** A meter that is not deleted. */
export interface MeterPicture {
  readonly id: string;
  readonly aggregation: string;
}

/** Units as decimal texts. */
export interface GrantPicture {
  readonly id: string;
  readonly customerId: string;
  readonly meterId: string;
  readonly amount: string;
  readonly consumed: string;
  readonly remaining: string;
}

/** Sums of the closed grants of one customer and meter. Units as decimal texts. */
export interface ClosedCreditsPicture {
  readonly customerId: string;
  readonly meterId: string;
  /** Grants that are not closed. */
  readonly openGrantIds: readonly string[];
  readonly count: number;
  readonly granted: string;
  readonly consumed: string;
  readonly expired: string;
}

export interface BalancePicture {
  readonly customerId: string;
  readonly currency: string;
  readonly balance: number;
}

export interface BalanceEntryPicture {
  readonly id: string;
  readonly customerId: string;
  readonly currency: string;
  readonly amount: number;
  readonly balanceAfter: number;
  readonly sequence: number;
  readonly kind: string;
  readonly invoiceId: string | null;
  readonly creditNoteId: string | null;
}

/** A document that lowers its invoice. Amounts of lines are with tax. */
export interface CreditNotePicture {
  readonly id: string;
  readonly invoiceId: string;
  /** CHANGE: not by hand. Absent in tests alone: CHANGE. */
  readonly reason?: string;
  readonly number: string | null;
  readonly tax: number;
  readonly total: number;
  readonly reduced: number;
  readonly toBalance: number;
  readonly refunded: number;
  readonly external: number;
  readonly unsettled: number;
  readonly lines: readonly {
    readonly lineItemId: string;
    readonly taxAmount: number;
    readonly total: number;
  }[];
  readonly refunds: readonly RefundPicture[];
}

export interface RefundPicture {
  readonly id: string;
  readonly creditNoteId: string | null;
  readonly paymentId: string;
  readonly amount: number;
  readonly status: 'PENDING' | 'SUCCEEDED' | 'FAILED' | 'REPLACED';
  readonly providerRefundId: string | null;
  readonly createdAt: string;
}

/** Result of counting stored usage again. */
export interface StoredUsagePicture {
  /** Number of hours that were compared with their events, and of spans with their hours. */
  readonly compared: number;
  /** A description of each hour and span that differs. */
  readonly mismatches: readonly string[];
  /** Number of events of complete epochs. */
  readonly searchedEvents: number;
  /** A description of each hour with events that are in no total. */
  readonly uncounted: readonly string[];
}

export interface PaymentPicture {
  readonly id: string;
  readonly amount: number;
  readonly overpayment: number;
  readonly amountRefunded: number;
  /** `external` or `balance` for recorded payments. */
  readonly provider: string;
  readonly status: 'PENDING' | 'REQUIRES_ACTION' | 'SUCCEEDED' | 'FAILED';
  readonly providerPaymentId: string | null;
}

export interface SubscriptionPicture {
  readonly id: string;
  readonly organizationId: string;
  readonly customerId: string;
  readonly productId: string;
  readonly items: readonly ItemPicture[];
  readonly status: 'ACTIVE' | 'PAST_DUE' | 'CANCELED';
  readonly phase: 'SCHEDULED' | 'TRIAL' | 'REGULAR' | 'PAUSED' | 'ENDED';
  readonly startAt: string;
  readonly trialEnd: string | null;
  readonly currentPeriodStart: string;
  readonly currentPeriodEnd: string;
  readonly cancelAtPeriodEnd: boolean;
  readonly endedAt: string | null;
  readonly discountId: string | null;
  readonly createdAt: string;
  readonly customer?: { readonly email: string | null; readonly name: string | null };
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly price: {
    readonly billingInterval: string;
    readonly intervalCount: number;
  };
}

export interface SessionPicture {
  readonly id: string;
  /** Null until a payer of a link is known. */
  readonly customerId: string | null;
  /** True if it has metadata, or the name or an address of its customer. */
  readonly isPersonal: boolean;
  readonly status: 'OPEN' | 'COMPLETE' | 'EXPIRED';
  readonly discountId: string | null;
  readonly invoiceId: string | null;
  readonly subscriptionId: string | null;
  /** From the product's price; a ONE_TIME product creates no subscription. */
  readonly isOneTime: boolean;
  /** True if it has reserved or confirmed a redemption of its discount. */
  readonly hasRedemption: boolean;
  /** A step is in progress, so its parts may still disagree. */
  readonly isChanging: boolean;
}

export interface DiscountPicture {
  readonly id: string;
  readonly organizationId: string;
  readonly maxRedemptions: number | null;
  readonly redemptionCount: number;
}

/** A change of a subscription. */
export interface ChangePicture {
  readonly id: string;
  readonly subscriptionId: string;
  readonly kind: 'UPDATE' | 'PAUSE' | 'RESUME';
  readonly status: 'PENDING' | 'PAYING' | 'APPLIED' | 'FAILED' | 'CANCELED';
  /** The lines of NEXT_INVOICE may be on the invoice of another change. */
  readonly collect: 'NOW' | 'NEXT_INVOICE';
  readonly from: ChangeSidePicture;
  readonly to: ChangeSidePicture;
  readonly invoiceId: string | null;
  readonly creditNoteIds?: readonly string[];
  readonly failure?: { readonly code: string } | null;
  readonly effectiveAt: string;
  readonly createdAt: string;
}

/** Credit that a change has reserved on an invoice. */
export interface ReservedPicture {
  readonly invoiceId: string;
  readonly isReserved: boolean;
  /** What is neither credited nor reserved of the invoice. */
  readonly left: number;
}

/** A subscription before or after a change. */
interface ChangeSidePicture {
  readonly items: readonly ItemPicture[];
  readonly discountId: string | null;
  readonly currentPeriodStart?: string;
}

export interface ItemPicture {
  readonly productId: string;
  readonly priceId: string;
  readonly quantity: number;
}

export interface EndpointPicture {
  readonly id: string;
  readonly url: string;
  readonly events: readonly string[];
  readonly active: boolean;
  /** Real time; events logged before it may have been sent elsewhere, or not at all. */
  readonly updatedAt: string;
  /** The received webhooks; undefined if none were recorded. */
  readonly received: readonly Pick<ReceivedWebhook, 'headers' | 'text'>[] | undefined;
  /** Deliveries of the last 30 days, each once; undefined if they were not read. */
  readonly deliveries: readonly DeliveryPicture[] | undefined;
}

/** A delivery as the API shows it. */
export interface DeliveryPicture {
  readonly id: string;
  readonly messageId: string;
  readonly type: string;
  /** Null for a test. */
  readonly subjectId: string | null;
  readonly sequence: number | null;
  readonly status: 'PENDING' | 'DELIVERED' | 'FAILED' | 'PAUSED';
  /** The last ten. */
  readonly attempts: readonly { readonly responseStatus: number | null }[];
}

/** An event of the feed as the API shows it. */
export interface FeedEntryPicture {
  readonly position: number;
  readonly subject: { readonly type: string; readonly id: string };
  readonly event: {
    readonly id: string;
    readonly sequence: number;
    /** Absent in bodies of releases before 0.2.0. */
    readonly restoreCode?: string | null;
  } | null;
}

/** The feed of an environment, read until nothing follows. */
export interface FeedPicture {
  readonly entries: readonly FeedEntryPicture[];
  readonly oldest: number | undefined;
  readonly newest: number;
}

/** An exported resource, and the objects that its list shows. */
export interface ExportPicture {
  readonly resource: AnnouncedResource;
  readonly rows: readonly { readonly id: string }[];
  /** Position of the feed before the first row was read. */
  readonly position: number;
  readonly present: readonly { readonly id: string }[];
}

/** A decoded entry of a service's event log. */
export interface EventPicture {
  readonly service: string;
  readonly id: string;
  /** Sorts by real time of insertion. */
  readonly position: string;
  readonly insertedAt: Date;
  readonly environmentId: string;
  readonly organizationId: string;
  readonly aggregateId: string;
  readonly sequence: number;
  /** The webhook's type: `subscription.renewed`. */
  readonly type: string;
  /** Customers that its data names; none once it is blanked. */
  readonly customerIds: readonly string[];
  /** The event's subscription in its REST form; undefined in other events. */
  readonly subscription: Pick<SubscriptionPicture, FieldAnnounced> | undefined;
}

/** A customer that was deleted. */
interface ErasedCustomerPicture {
  readonly id: string;
  /** Real time of the deletion. */
  readonly erasedAt: Date;
}

/** The fields whose every change is announced. */
export type FieldAnnounced =
  | 'id'
  | 'status'
  | 'phase'
  | 'currentPeriodStart'
  | 'currentPeriodEnd'
  | 'cancelAtPeriodEnd'
  | 'endedAt';

/**
 * A write that was acknowledged with an address, and the result of reading that address afterwards.
 */
interface AcknowledgedWrite {
  readonly path: string;
  readonly id: string;
  readonly wasDeleted: boolean;
  readonly readStatus: number;
  readonly readId: string | undefined;
}

/** The response to a key of another environment for a resource of this one. */
export interface ForeignRead {
  readonly path: string;
  readonly status: number;
}

/**
 * One environment as its callers, its services' logs and its webhook receivers see it, taken while
 * no work is in flight. Facts that could not be read are undefined, and an invariant that needs
 * them reports so instead of passing.
 */
export interface Picture {
  readonly environmentId: string | undefined;
  readonly organizationId: string | undefined;
  /** The environment's time. */
  readonly now: Date;
  /** Real time. */
  readonly takenAt: Date;
  /** True if `now` stands still while the picture is taken. */
  readonly isManual: boolean;
  /** Codes of the restores of the installation, each with a series of numbers. */
  readonly restoreCodes?: readonly string[];
  readonly subscriptions: readonly SubscriptionPicture[];
  readonly invoices: readonly InvoicePicture[];
  readonly balances: readonly BalancePicture[];
  readonly balanceEntries: readonly BalanceEntryPicture[];
  readonly creditNotes: readonly CreditNotePicture[];
  readonly refunds: readonly RefundPicture[];
  readonly discounts: readonly DiscountPicture[];
  /** Oldest first within each subscription. */
  readonly changes: readonly ChangePicture[];
  /** Of invoices of changed subscriptions; undefined without access to the services. */
  readonly reserved: readonly ReservedPicture[] | undefined;
  readonly meterPrices: readonly MeterPricePicture[];
  readonly meters: readonly MeterPicture[];
  readonly usageEvents: readonly UsageEventPicture[];
  readonly usageStates: readonly UsageStatePicture[];
  readonly grants: readonly GrantPicture[];
  readonly closedCredits: readonly ClosedCreditsPicture[] | undefined;
  readonly storedUsage: StoredUsagePicture | undefined;
  readonly endpoints: readonly EndpointPicture[];
  readonly feed: FeedPicture | undefined;
  /** Undefined if the key or the release has no mails. */
  readonly mail: MailPicture | undefined;
  /** Undefined if the key or the release has no exports. */
  readonly exports: readonly ExportPicture[] | undefined;
  readonly sessions: readonly SessionPicture[] | undefined;
  readonly events: readonly EventPicture[] | undefined;
  readonly erasedCustomers: readonly ErasedCustomerPicture[] | undefined;
  /** False if old events of the environment may have been deleted. */
  readonly areEventsWhole: boolean | undefined;
  /** Number of documents with a non-empty outbox, a step in progress or due work, by service. */
  readonly pending: Readonly<Record<string, number>> | undefined;
  readonly acknowledged: readonly AcknowledgedWrite[] | undefined;
  /** Ids of usage events that were acknowledged to the caller; undefined if none are known. */
  readonly acknowledgedEvents: readonly string[] | undefined;
  readonly foreignReads: readonly ForeignRead[] | undefined;
  /** Ids that lists show to a key of another environment. */
  readonly foreignIds: ReadonlySet<string> | undefined;
}
