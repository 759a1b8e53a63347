import type { DomainEvent, Transition } from '@billing/kernel/transition';
import type { BillingCommand } from './billing';
import type { Subscription } from './subscription';

/** The invoice of a payment event, in whatever form the event is announced; no rule reads it. */
export type InvoiceForm = unknown;

/** What came of an attempt at an invoice. */
export interface PaymentNews {
  readonly invoice: InvoiceForm;
  /** From 1; 0: none was made. */
  readonly attempt: number;
  /** When the invoice will be tried again by itself; null: it will not. */
  readonly nextAttemptAt: Date | null;
}

/**
 * An event carries the subscription as it was right after its own step: one decision may take several steps, and each is announced as it
 * was then.
 */
export type SubscriptionEvent = DomainEvent &
  (
    | {
        readonly type: 'subscription.created' | 'subscription.renewed';
        /** With the invoice that the step orders or was paid by; null: none. */
        readonly data: { readonly subscription: Subscription; readonly invoiceId: string | null };
      }
    | {
        readonly type: 'subscription.canceled';
        /** The payment that was given up, where that is why; else null. */
        readonly data: {
          readonly subscription: Subscription;
          readonly payment: PaymentNews | null;
        };
      }
    | {
        readonly type: 'subscription.updated';
        readonly data: { readonly subscription: Subscription; readonly before: Subscription };
      }
    | {
        readonly type: 'subscription.payment_succeeded' | 'subscription.payment_failed';
        readonly data: { readonly subscription: Subscription; readonly payment: PaymentNews };
      }
  );

/** What any rule about a subscription decides. */
export type SubscriptionTransition = Transition<Subscription, SubscriptionEvent, BillingCommand>;

/** `invoiceId` is the first invoice; null: none is made now. */
export function created(subscription: Subscription, invoiceId: string | null): SubscriptionEvent {
  return { type: 'subscription.created', data: { subscription, invoiceId } };
}

/** `invoiceId` is the invoice of the period that begins; null: a trial begins. */
export function renewed(subscription: Subscription, invoiceId: string | null): SubscriptionEvent {
  return { type: 'subscription.renewed', data: { subscription, invoiceId } };
}

/** With the payment that was given up, where that is why. */
export function canceled(
  subscription: Subscription,
  payment: PaymentNews | null = null,
): SubscriptionEvent {
  return { type: 'subscription.canceled', data: { subscription, payment } };
}

/** `before` is what the receiver knows; the event names every field that differs. */
export function updated(before: Subscription, subscription: Subscription): SubscriptionEvent {
  return { type: 'subscription.updated', data: { subscription, before } };
}

export function paymentSucceeded(
  subscription: Subscription,
  payment: PaymentNews,
): SubscriptionEvent {
  return { type: 'subscription.payment_succeeded', data: { subscription, payment } };
}

export function paymentFailed(subscription: Subscription, payment: PaymentNews): SubscriptionEvent {
  return { type: 'subscription.payment_failed', data: { subscription, payment } };
}
