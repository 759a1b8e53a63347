import { DomainError } from '@billing/kernel/domain-error';

/** An event as received from a provider. */
export interface ReceivedProviderEvent {
  /** Name of the adapter. */
  readonly provider: string;
  readonly body: Uint8Array;
  /** Header with the signature of the body. */
  readonly signature: string;
}

/** Charge that an event is about. */
export interface AnnouncedPayment {
  readonly tenant: {
    readonly organizationId: string;
    readonly environmentId: string;
    readonly live: boolean;
    readonly manualClock: boolean;
  };
  readonly invoiceId: string;
  /** Id of the provider's payment, if the event reports its success. */
  readonly succeeded?: string | undefined;
}

/** Report of a provider about a payment after its end, such as a refund or a dispute. */
export interface ProviderReport {
  /** Id of the provider's event. */
  readonly id: string;
  readonly kind: 'REFUND' | 'DISPUTE' | 'CONTRADICTION';
  readonly providerPaymentId: string;
  /** Id of the dispute at the provider; undefined for other reports. */
  readonly providerDisputeId?: string | undefined;
  /**
   * In the smallest unit of `currency`: the total refunded so far, the disputed amount, or the
   * amount taken.
   */
  readonly amount: bigint;
  /** ISO 4217, upper case. */
  readonly currency: string;
  /** The provider's own status, e.g. `needs_response` for a dispute. */
  readonly status: string;
}

/** Notice that a refund has changed; what its charge has returned in total is not in it. */
export interface RefundNotice {
  readonly kind: 'REFUND_CHANGED';
  readonly providerPaymentId: string;
}

/**
 * Reads the events of providers. An event is never trusted for its content: it is the reason to ask
 * the provider.
 */
export interface ProviderEvents {
  /**
   * Undefined for an event about no payment of ours. Throws permission BAD_SIGNATURE, not_found
   * PROVIDER_NOT_FOUND.
   */
  read(event: ReceivedProviderEvent): Promise<AnnouncedPayment | undefined>;
  /**
   * Undefined for an event that reports nothing about an earlier payment. Throws as `read` does.
   */
  readReport(event: ReceivedProviderEvent): Promise<ProviderReport | RefundNotice | undefined>;
}

/** Adapter for installations without a provider that sends events. */
export const noProviderEvents: ProviderEvents = {
  read: () => Promise.reject(providerNotFound()),
  readReport: () => Promise.reject(providerNotFound()),
};

export function providerNotFound(): DomainError {
  return new DomainError('not_found', 'PROVIDER_NOT_FOUND', 'Not found');
}
