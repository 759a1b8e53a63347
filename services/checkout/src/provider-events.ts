import { DomainError } from '@billing/kernel/domain-error';

/** What a provider sent us, as it was received. */
export interface ReceivedProviderEvent {
  /** The adapter's name. */
  readonly provider: string;
  readonly body: Uint8Array;
  /** The header that signs the body. */
  readonly signature: string;
}

/** Whose payment an event is about. */
export interface AnnouncedPayment {
  readonly tenant: {
    readonly organizationId: string;
    readonly environmentId: string;
    readonly live: boolean;
    readonly manualClock: boolean;
  };
  readonly invoiceId: string;
  /** The provider's payment, where the event says that it has succeeded. */
  readonly succeeded?: string | undefined;
}

/** What a provider reports of a payment beside its own course. */
export interface ProviderReport {
  /** The provider's event. */
  readonly id: string;
  readonly kind: 'REFUND' | 'DISPUTE' | 'CONTRADICTION';
  readonly providerPaymentId: string;
  /** In the provider's smallest unit of `currency`: all that was given back so far, that is disputed, or that was taken. */
  readonly amount: bigint;
  /** ISO 4217, upper case. */
  readonly currency: string;
  /** The provider's own word, e.g. of a dispute `needs_response`. */
  readonly status: string;
}

/** Reads what providers announce. An event is never believed for what it says: it is the reason to ask the provider. */
export interface ProviderEvents {
  /** Undefined for an event that is about no payment of ours. Throws permission BAD_SIGNATURE, not_found PROVIDER_NOT_FOUND. */
  read(event: ReceivedProviderEvent): Promise<AnnouncedPayment | undefined>;
  /** Undefined for an event that reports nothing about a payment that was made before. Throws as `read` does. */
  readReport(event: ReceivedProviderEvent): Promise<ProviderReport | undefined>;
}

/** Stands where no provider is configured that announces anything. */
export const noProviderEvents: ProviderEvents = {
  read: () => Promise.reject(providerNotFound()),
  readReport: () => Promise.reject(providerNotFound()),
};

export function providerNotFound(): DomainError {
  return new DomainError('not_found', 'PROVIDER_NOT_FOUND', 'Not found');
}
