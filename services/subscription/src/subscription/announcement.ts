import type { DomainEvent } from '@billing/kernel/transition';
import type { Subscription } from './subscription';
/**
 * The invoice of a payment event, in the form in which the event is announced; no rule reads it.
 */
export type InvoiceForm = unknown;

/** The outcome of one payment attempt on an invoice. */
export interface PaymentOutcome {
  readonly invoice: InvoiceForm;
  /** Counted from 1; 0 when no attempt was made. */
  readonly attempt: number;
  /** Time of the next automatic retry; null: none follows. */
  readonly nextAttemptAt: Date | null;
}

/** The change of items that an update announces. */
export interface ChangeNews {
  readonly changeId?: string;
  /** Invoice that paid for the change. */
  readonly invoice?: InvoiceForm;
}

/**
 * Carries the subscription as it was right after the event's own step: one decision may take
 * several steps, and each is announced separately.
 */
export type SubscriptionEvent = DomainEvent &
  (
    | {
        readonly type: 'subscription.created' | 'subscription.renewed';
        /** The invoice that the step orders or that paid for it; null: none. */
        readonly data: { readonly subscription: Subscription; readonly invoiceId: string | null };
      }
    | {
        readonly type: 'subscription.canceled';
        /** The abandoned payment that caused the end; null for other causes. */
        readonly data: {
          readonly subscription: Subscription;
          readonly payment: PaymentOutcome | null;
        };
      }
    | {
        readonly type: 'subscription.updated';
        readonly data: {
          readonly subscription: Subscription;
          readonly before: Subscription;
        } & ChangeNews;
      }
    | {
        readonly type: 'subscription.payment_succeeded' | 'subscription.payment_failed';
        readonly data: { readonly subscription: Subscription; readonly payment: PaymentOutcome };
      }
    | {
        readonly type: WarningEventType;
        readonly data: { readonly subscription: Subscription };
      }
  );

/** Events that warn of a charge before it is due. */
export type WarningEventType = 'subscription.trial_ending' | 'subscription.renewal_upcoming';

/** `invoiceId` is the first invoice; null: none is created now. */
export function created(subscription: Subscription, invoiceId: string | null): SubscriptionEvent {
  return { type: 'subscription.created', data: { subscription, invoiceId } };
}

/** `invoiceId` is the invoice of the new period; null: a trial begins. */
export function renewed(subscription: Subscription, invoiceId: string | null): SubscriptionEvent {
  return { type: 'subscription.renewed', data: { subscription, invoiceId } };
}

/** Includes the abandoned payment where that is the cause. */
export function canceled(
  subscription: Subscription,
  payment: PaymentOutcome | null = null,
): SubscriptionEvent {
  return { type: 'subscription.canceled', data: { subscription, payment } };
}

/** `before` is the state known to the receiver; the event names every field that differs. */
export function updated(
  before: Subscription,
  subscription: Subscription,
  news: ChangeNews = {},
): SubscriptionEvent {
  return { type: 'subscription.updated', data: { subscription, before, ...news } };
}

/** A warning of the coming charge. */
export function warned(type: WarningEventType, subscription: Subscription): SubscriptionEvent {
  return { type, data: { subscription } };
}

export function paymentSucceeded(
  subscription: Subscription,
  payment: PaymentOutcome,
): SubscriptionEvent {
  return { type: 'subscription.payment_succeeded', data: { subscription, payment } };
}

export function paymentFailed(
  subscription: Subscription,
  payment: PaymentOutcome,
): SubscriptionEvent {
  return { type: 'subscription.payment_failed', data: { subscription, payment } };
}
