import type { Currency } from '@billing/kernel/currency';

/** What a charge is made to. */
export type ChargeSource =
  /** A payment that was authorised at the provider before; a charge captures it. */
  | { readonly kind: 'AUTHORIZATION'; readonly authorizedTransactionId: string }
  /** One of our saved payment methods. */
  | { readonly kind: 'METHOD'; readonly paymentMethodId: string }
  /** Nothing: the customer has no method, and the attempt fails for that. */
  | { readonly kind: 'NONE' };

/** What came of a charge: known for certain. An unknown outcome is an exception, and the charge is asked for again by its key. */
export type ChargeOutcome =
  | { readonly status: 'SUCCEEDED'; readonly providerPaymentId: string }
  | {
      readonly status: 'FAILED';
      readonly failureCode: string;
      /** Absent where the provider never made a payment of it. */
      readonly providerPaymentId: string | undefined;
    };

/** A charge without the payer present. */
export interface ChargeRequest {
  /** The same key is charged at most once, and always answered with the first outcome. */
  readonly key: string;
  /** In the smallest unit of `currency`. */
  readonly amount: bigint;
  readonly currency: Currency;
  readonly customerId: string;
  readonly source: ProviderSource;
}

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

/** Who moves the money, for one environment. */
export interface PaymentProvider {
  /** As shown on payments. */
  readonly name: string;
  charge(request: ChargeRequest): Promise<ChargeOutcome>;
  /** What came of the charge with this key; undefined if there was none. */
  findCharge(key: string): Promise<ChargeOutcome | undefined>;
  /** The payment method behind an authorisation; undefined if the provider knows none. Charges nothing. */
  resolveAuthorization(authorization: {
    readonly authorizedTransactionId: string;
    readonly customerId: string;
  }): Promise<ProviderMethod | undefined>;
}
