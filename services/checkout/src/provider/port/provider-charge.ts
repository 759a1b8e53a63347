import type { Currency } from '@billing/kernel/currency';

/** A charge in the provider's own list. */
export interface ProviderCharge {
  readonly provider: string;
  readonly providerPaymentId: string;
  readonly environmentId: string;
  readonly invoiceId: string;
  /** Key with which it was made; see ChargeRequest. */
  readonly key: string;
  /** In the smallest unit of `currency`. */
  readonly amount: bigint;
  readonly currency: Currency;
  readonly createdAt: Date;
  readonly metadata: Readonly<Record<string, string>>;
  readonly isSuccessful: boolean;
  /**
   * Records that this charge is the one with its key: a later charge with the key finds it, and is
   * not made again. False if another charge, or a refusal, is recorded for the key. Repeatable.
   */
  readonly adopt: () => Promise<boolean>;
}

/** A dispute in the provider's own list. */
export interface ListedDispute {
  readonly providerDisputeId: string;
  readonly providerPaymentId: string;
}

/** The charges that a provider has made for this installation, for the recovery after a restore. */
export interface ProviderCharges {
  /** Lists the charges that were begun since a real time. */
  listSince(since: Date): AsyncIterable<ProviderCharge>;
  /**
   * Ids of the payments with a refund since a real time, or with an earlier one that has failed: a
   * bank may return a refund weeks after it was made.
   */
  refundedSince(since: Date): AsyncIterable<string>;
  /** Lists the disputes that were opened since a real time. */
  disputedSince(since: Date): AsyncIterable<ListedDispute>;
  /** True if nothing of the payment is left at the provider. */
  isReturned(providerPaymentId: string): Promise<boolean>;
}

/** Without a provider, and for sandboxes, whose books are in the database of this service. */
export const noProviderCharges: ProviderCharges = {
  listSince: () => nothing(),
  refundedSince: () => nothing(),
  disputedSince: () => nothing(),
  isReturned: () => Promise.resolve(false),
};

async function* nothing(): AsyncGenerator<never> {
  // Nothing is listed.
}
