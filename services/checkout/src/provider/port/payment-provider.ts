import type { Currency } from '@billing/kernel/currency';
import type {
  ProviderDispute,
  ProviderRefund,
  RefundOutcome,
  RefundReference,
  RefundRequest,
} from './refund';

/** Source of the money of a charge. */
export type ChargeSource =
  /** A payment that was authorized at the provider before; the charge captures it. */
  | { readonly kind: 'AUTHORIZATION'; readonly authorizedTransactionId: string }
  /** One of our saved payment methods. */
  | { readonly kind: 'METHOD'; readonly paymentMethodId: string }
  /** Nothing: the customer has no method, and the attempt fails for that. */
  | { readonly kind: 'NONE' };

/**
 * Decline kinds: the same method may work later (SOFT) or never will (HARD); PROVIDER: the provider
 * cannot take the charge with any method, and the customer is not at fault.
 */
export type DeclineKind = 'SOFT' | 'HARD' | 'PROVIDER';

/** Final outcome of a charge. */
export type FinalOutcome =
  | {
      readonly status: 'SUCCEEDED';
      /** For a verification without a payment at the provider: the method's id. */
      readonly providerPaymentId: string;
      /**
       * Amount that the provider took, in the smallest unit of the charge's currency. After a
       * restore it may differ from what is outstanding. Absent: the amount that was requested.
       */
      readonly amount?: bigint;
    }
  | {
      readonly status: 'FAILED';
      readonly failureCode: string;
      readonly decline: DeclineKind;
      /** Absent if the provider never created a payment. */
      readonly providerPaymentId: string | undefined;
    };

/** A charge that waits for its payer to answer a challenge. */
export interface ActionRequired {
  readonly status: 'REQUIRES_ACTION';
  readonly providerPaymentId: string;
  /** Page of the provider; undefined if we show the challenge and pass the answer on. */
  readonly redirectUrl: string | undefined;
}

/**
 * Outcome of a charge. An unknown outcome is an exception, and the charge is retried with its key.
 */
export type ChargeOutcome = FinalOutcome | ActionRequired;

/** Request for a charge; it can be rebuilt completely from the invoice. */
export interface ChargeRequest {
  /** Idempotency key: charged at most once, and always answered with the outcome of that charge. */
  readonly key: string;
  /**
   * In the smallest unit of `currency`. 0 moves no money: it verifies that the method can be
   * charged later, with its payer present.
   */
  readonly amount: bigint;
  readonly currency: Currency;
  readonly customerId: string;
  /** Reference by which the provider's events are matched to the charge. */
  readonly invoiceId: string;
  readonly source: ProviderSource;
  /** Environment time of the attempt, on which disputes of the sandbox depend. */
  readonly startedAt: Date;
  /**
   * Address to which a payer who is present returns; undefined if no payer is present, and then a
   * charge that needs one is FAILED.
   */
  readonly returnUrl: string | undefined;
}

/** Reference to an earlier charge. */
export type ChargeReference = Pick<ChargeRequest, 'key' | 'customerId'>;

/** Source of a charge in the provider's own terms. */
export type ProviderSource =
  | { readonly kind: 'AUTHORIZATION'; readonly authorizedTransactionId: string }
  | { readonly kind: 'METHOD'; readonly providerMethodId: string };

/** Last month in which a card is valid. */
export interface CardExpiry {
  /** 1-12. */
  readonly month: number;
  /** Four digits. */
  readonly year: number;
}

/** A payment method as stored by the provider. */
export interface ProviderMethod {
  readonly providerMethodId: string;
  /** `visa`, `mastercard` … */
  readonly brand: string;
  readonly last4: string;
  /** Undefined if the provider does not know it. */
  readonly expiry: CardExpiry | undefined;
  /** Country of the card's bank, as in `DE`; absent if the provider does not know it. */
  readonly country?: string | undefined;
}

/** A card as its payer typed it. Exists in memory only, and never in a log. */
export interface TypedCard {
  readonly number: string;
  /** MM/YY or MM/YYYY. */
  readonly expiry: string;
  readonly code: string;
}

/** Entry of cards: in our own form, or on a page of the provider. */
export type CardEntry =
  | {
      readonly kind: 'FORM';
      /**
       * Throws invalid_input naming `number`, `expiry` or `code`. The same key saves the same
       * method again.
       */
      save(entry: {
        readonly key: string;
        readonly customerId: string;
        readonly card: TypedCard;
        /** The environment's time, for the expiry check. */
        readonly now: Date;
      }): Promise<ProviderMethod>;
    }
  | {
      readonly kind: 'REDIRECT';
      /**
       * Returns the page's address. The page sends the payer back to `returnUrl`, in which
       * `{SETUP_ID}` is replaced.
       */
      begin(entry: { readonly customerId: string; readonly returnUrl: string }): Promise<string>;
      /** Returns the method that the payer gave; undefined if they have not given one yet. */
      finish(entry: {
        readonly customerId: string;
        readonly setupId: string;
      }): Promise<ProviderMethod | undefined>;
    }
  /** No card can be entered. */
  | { readonly kind: 'NONE' };

/** Port to the service that moves the money of one environment. */
export interface PaymentProvider {
  /** Name shown on payments. */
  readonly name: string;
  readonly cardEntry: CardEntry;
  charge(request: ChargeRequest): Promise<ChargeOutcome>;
  /** Outcome of the charge with this key; undefined if there was none. */
  findCharge(reference: ChargeReference): Promise<ChargeOutcome | undefined>;
  /**
   * Continues a charge that waited for its payer. `approved` is the payer's answer if we showed the
   * challenge.
   */
  continueCharge(
    answer: ChargeReference & { readonly approved: boolean | undefined },
  ): Promise<ChargeOutcome>;
  /**
   * Ends a charge that waits for its payer. A success before the cancellation stands and is
   * returned.
   */
  cancelCharge(reference: ChargeReference): Promise<FinalOutcome>;
  /**
   * Returns the payment method behind an authorization; undefined if the provider knows none.
   * Charges nothing.
   */
  resolveAuthorization(authorization: {
    readonly authorizedTransactionId: string;
    readonly customerId: string;
  }): Promise<ProviderMethod | undefined>;
  /** Expiry of a saved card; undefined if the provider does not know it, or has no such card. */
  expiryOf(providerMethodId: string): Promise<CardExpiry | undefined>;
  /** Detaches a saved card: it cannot be charged any more. A detached or unknown one stays so. */
  detach(providerMethodId: string): Promise<void>;
  /** Refunds a part of a successful charge. The same key refunds at most once. */
  refund(refund: RefundRequest): Promise<RefundOutcome>;
  /** Outcome of the refund with this key; undefined if there was none. */
  findRefund(refund: RefundReference): Promise<RefundOutcome | undefined>;
  /** All refunds of a successful charge, also those that were made at the provider. */
  listRefunds(charge: ChargeReference & Pick<RefundReference, 'now'>): Promise<ProviderRefund[]>;
  /** Undefined if the provider has no dispute with the id. */
  findDispute(dispute: {
    readonly providerDisputeId: string;
    readonly now: Date;
  }): Promise<ProviderDispute | undefined>;
}
