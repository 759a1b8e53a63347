import type { Currency } from '@billing/kernel/currency';
import type { ChargeReference } from './payment-provider';

/** Reference to a refund of an earlier charge. */
export interface RefundReference {
  /** Idempotency key: refunded at most once, and always answered with that refund. */
  readonly key: string;
  readonly charge: ChargeReference;
  /** Environment time, on which refunds of the sandbox depend. */
  readonly now: Date;
}

/** Request for a refund; it can be rebuilt completely from the invoice. */
export interface RefundRequest extends RefundReference {
  /** In the smallest unit of `currency`. */
  readonly amount: bigint;
  readonly currency: Currency;
}

/**
 * State of a refund. An unknown outcome is an exception, and the refund is retried with its key.
 */
export type RefundOutcome =
  | { readonly status: 'SUCCEEDED' | 'PENDING'; readonly providerRefundId: string }
  | {
      readonly status: 'FAILED';
      readonly failureCode: string;
      /** Undefined if the provider never created a refund. */
      readonly providerRefundId: string | undefined;
    };

/** A refund in the provider's list. */
export interface ProviderRefund {
  /** Undefined for a refund that was made at the provider. */
  readonly key: string | undefined;
  readonly providerRefundId: string;
  /** In the smallest unit of the charge's currency. */
  readonly amount: bigint;
  readonly outcome: RefundOutcome;
}

/** A dispute at the provider. */
export interface ProviderDispute {
  readonly providerDisputeId: string;
  readonly providerPaymentId: string;
  /** In the smallest unit of the charge's currency. */
  readonly amount: bigint;
  readonly reason: string;
  readonly status: 'OPEN' | 'WON' | 'LOST';
  readonly evidenceDueBy: Date | undefined;
}

/** Failure code of a refund that a provider refuses without a reason of its own. */
export const refundDeclined = 'refund_declined';
