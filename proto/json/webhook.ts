import type { SessionEvent } from '../gen/billing/event/v1/session_event';
import type { FieldChange, SubscriptionEvent } from '../gen/billing/event/v1/subscription_event';
import { toJsonSession, toJsonSessionStatus } from './checkout-session';
import { toJsonInvoice } from './invoice';
import { toJsonCancelReason, toJsonSubscription, toJsonSubscriptionStatus } from './subscription';

/** What a webhook tells, by what it is about. */
export type WebhookData =
  | { readonly kind: 'subscription'; readonly event: SubscriptionEvent }
  | { readonly kind: 'checkout'; readonly event: SessionEvent };

/** An event as its webhook tells of it. */
export interface Webhook {
  readonly id: string;
  /** `subscription.renewed`. */
  readonly type: string;
  /** The environment's time of the transition. */
  readonly time: string;
  readonly sequence: number;
  readonly data: WebhookData;
}

/**
 * The body of a webhook. Keys that do not apply to its kind are undefined, and so left out of its text. Consumers written for the vendor's
 * webhooks read the most important facts at the top level, so `data` and the body both have them.
 */
export function toJsonWebhook({ id, type, time, sequence, data }: Webhook) {
  const head = { id, type, timestamp: new Date(time).toISOString(), sequence };
  if (data.kind === 'checkout') {
    const end = toJsonEnd(data.event);
    const { customerId, status } = end;
    return { ...head, customerId, status, data: end };
  }
  const transition = toJsonTransition(data.event);
  const { subscriptionId, customerId, status, canceledAt, reason } = transition;
  const facts = { subscriptionId, customerId, status, canceledAt, reason };
  return { ...head, ...facts, data: transition };
}

function toJsonTransition(event: SubscriptionEvent) {
  const { subscription, invoice, changes, attempt, nextAttemptAt, canceledAt, reason } = event;
  if (subscription === undefined) throw new Error('An event without its subscription');
  return {
    subscriptionId: subscription.id,
    customerId: subscription.customerId,
    status: toJsonSubscriptionStatus(subscription.status),
    subscription: toJsonSubscription(subscription),
    invoice: invoice === undefined ? undefined : toJsonInvoice(invoice),
    invoiceId: event.invoiceId,
    changes: toJsonChanges(changes),
    attempt,
    nextAttemptAt: nextAttemptAt?.toISOString(),
    canceledAt: canceledAt?.toISOString(),
    reason: toJsonCancelReason(reason) ?? undefined,
  };
}

function toJsonEnd({ session, invoice }: SessionEvent) {
  if (session === undefined) throw new Error('An event without its checkout session');
  return {
    checkoutSessionId: session.id,
    customerId: session.customerId,
    status: toJsonSessionStatus(session.status),
    // Its subscription, if there is one, is announced by itself.
    session: toJsonSession(session, { invoice, subscription: undefined }),
    invoice: invoice === undefined ? null : toJsonInvoice(invoice),
  };
}

// Decoding makes undefined of null, which would lose the key.
function toJsonChanges(changes: Readonly<Record<string, FieldChange>>) {
  const entries = Object.entries(changes);
  if (entries.length === 0) return undefined;
  return Object.fromEntries(
    entries.map(([field, { from, to }]) => [
      field,
      { from: (from ?? null) as unknown, to: (to ?? null) as unknown },
    ]),
  );
}
