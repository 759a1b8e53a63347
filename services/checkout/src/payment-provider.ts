import type { Currency } from '@billing/kernel/currency';

/** What a charge is made to. */
export type ChargeSource =
  /** A payment that was authorised at the provider before; a charge captures it. */
  | { readonly kind: 'AUTHORIZATION'; readonly authorizedTransactionId: string }
  /** One of our saved payment methods. */
  | { readonly kind: 'METHOD'; readonly paymentMethodId: string }
  /** Nothing: the customer has no method, and the attempt fails for that. */
  | { readonly kind: 'NONE' };

/**
 * Whether the same method may work later (SOFT), or never will (HARD); PROVIDER: the provider cannot take the charge, whatever the method,
 * and the customer is not to blame.
 */
export type DeclineKind = 'SOFT' | 'HARD' | 'PROVIDER';

/** A charge that has come to an end, for certain. */
export type FinalOutcome =
  | {
      readonly status: 'SUCCEEDED';
      /** Of a verification that the provider knows no payment for: the method's id. */
      readonly providerPaymentId: string;
    }
  | {
      readonly status: 'FAILED';
      readonly failureCode: string;
      readonly decline: DeclineKind;
      /** Absent where the provider never made a payment of it. */
      readonly providerPaymentId: string | undefined;
    };

/** A charge that waits for its payer, who answers a challenge. */
export interface ActionRequired {
  readonly status: 'REQUIRES_ACTION';
  readonly providerPaymentId: string;
  /** The provider's own page; undefined where we show the challenge and pass the answer on. */
  readonly redirectUrl: string | undefined;
}

/** What came of a charge. An unknown outcome is an exception, and the charge is asked for again by its key. */
export type ChargeOutcome = FinalOutcome | ActionRequired;

/** A charge as it is asked for; the whole request can be repeated from what the invoice holds. */
export interface ChargeRequest {
  /** The same key is charged at most once, and always answered with what came of that charge. */
  readonly key: string;
  /** In the smallest unit of `currency`. 0 moves nothing: it verifies that the method can be charged later, with its payer present. */
  readonly amount: bigint;
  readonly currency: Currency;
  readonly customerId: string;
  /** Whose payment it is, so that what the provider announces finds its way back. */
  readonly invoiceId: string;
  readonly source: ProviderSource;
  /** Where a payer who is present comes back to; undefined: nobody is present, and a charge that needs the payer is FAILED. */
  readonly returnUrl: string | undefined;
}

/** A charge that was asked for before. */
export type ChargeReference = Pick<ChargeRequest, 'key' | 'customerId'>;

/** A charge's source in the provider's own terms. */
export type ProviderSource =
  | { readonly kind: 'AUTHORIZATION'; readonly authorizedTransactionId: string }
  | { readonly kind: 'METHOD'; readonly providerMethodId: string };

/** A payment method as the provider keeps it. */
export interface ProviderMethod {
  readonly providerMethodId: string;
  /** `visa`, `mastercard` … */
  readonly brand: string;
  readonly last4: string;
}

/** A card as its payer typed it. Lives in memory only, and never in a log. */
export interface TypedCard {
  readonly number: string;
  /** MM/YY or MM/YYYY. */
  readonly expiry: string;
  readonly code: string;
}

/** How payers give their cards: in our own form, or on a page of the provider's. */
export type CardEntry =
  | {
      readonly kind: 'FORM';
      /** Throws invalid_input naming `number`, `expiry` or `code`. The same key saves the same method again. */
      save(entry: {
        readonly key: string;
        readonly customerId: string;
        readonly card: TypedCard;
        /** Real time, for the expiry. */
        readonly now: Date;
      }): Promise<ProviderMethod>;
    }
  | {
      readonly kind: 'REDIRECT';
      /** The page's address; it sends the payer back to `returnUrl`, in which `{SETUP_ID}` is replaced. */
      begin(entry: { readonly customerId: string; readonly returnUrl: string }): Promise<string>;
      /** The method that the payer gave; undefined where they have not (yet). */
      finish(entry: {
        readonly customerId: string;
        readonly setupId: string;
      }): Promise<ProviderMethod | undefined>;
    }
  /** Nobody can give a card here. */
  | { readonly kind: 'NONE' };

/** Who moves the money, for one environment. */
export interface PaymentProvider {
  /** As shown on payments. */
  readonly name: string;
  readonly cardEntry: CardEntry;
  charge(request: ChargeRequest): Promise<ChargeOutcome>;
  /** What came of the charge with this key; undefined if there was none. */
  findCharge(reference: ChargeReference): Promise<ChargeOutcome | undefined>;
  /** Goes on with a charge that waited for its payer. `approved` is the payer's answer where we showed the challenge. */
  continueCharge(
    answer: ChargeReference & { readonly approved: boolean | undefined },
  ): Promise<ChargeOutcome>;
  /** Ends a charge that waits for its payer. What had succeeded already stays so, and is told. */
  cancelCharge(reference: ChargeReference): Promise<FinalOutcome>;
  /** The payment method behind an authorisation; undefined if the provider knows none. Charges nothing. */
  resolveAuthorization(authorization: {
    readonly authorizedTransactionId: string;
    readonly customerId: string;
  }): Promise<ProviderMethod | undefined>;
  /** Gives all of a successful charge back. The same key refunds at most once. */
  refund(refund: { readonly key: string; readonly charge: ChargeReference }): Promise<void>;
}
