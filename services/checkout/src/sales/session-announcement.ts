import type { DomainEvent } from '@billing/kernel/transition';

/** Invoice of a session in the form in which events carry it; no rule reads it. */
export type InvoiceForm = unknown;

/** End of a session, with its invoice at that time. */
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
