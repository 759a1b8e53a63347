import type { DomainEvent } from '@billing/kernel/transition';

/** The invoice of a session in the form in which it is announced; no rule reads it. */
export type InvoiceForm = unknown;

/** How a session ended, with its invoice as that then is. */
export interface SessionEvent extends DomainEvent {
  readonly type: 'checkout.completed' | 'checkout.expired';
  readonly data: { readonly invoice: InvoiceForm };
}

export function completed(invoice: InvoiceForm): SessionEvent {
  return { type: 'checkout.completed', data: { invoice } };
}

export function expired(invoice: InvoiceForm): SessionEvent {
  return { type: 'checkout.expired', data: { invoice } };
}
