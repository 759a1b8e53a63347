import type { SessionEvent } from '../gen/billing/event/v1/session_event';
import type { FieldChange, SubscriptionEvent } from '../gen/billing/event/v1/subscription_event';
import { toJsonSession, toJsonSessionStatus } from './checkout-session';
import { toJsonInvoice } from './invoice';
import { toJsonCancelReason, toJsonSubscription, toJsonSubscriptionStatus } from './subscription';

/** Data of a webhook by subject. */
export type WebhookData =
  | { readonly kind: 'subscription'; readonly event: SubscriptionEvent }
  | { readonly kind: 'checkout'; readonly event: SessionEvent };

/** Event of a webhook. */
export interface Webhook {
  readonly id: string;
  /** Such as `subscription.renewed`. */
  readonly type: string;
  /** Environment time of the transition. */
  readonly time: string;
  readonly sequence: number;
  readonly data: WebhookData;
}

/**
 * Body of a webhook. Keys that do not apply to its kind are undefined and therefore omitted from
 * the JSON text. Consumers written for the vendor's webhooks read the most important facts at the
 * top level, so `data` and the body both contain them.
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
    // The subscription, if any, has events of its own.
    session: toJsonSession(session, { invoice, subscription: undefined }),
    invoice: invoice === undefined ? null : toJsonInvoice(invoice),
  };
}

// Decoding converts null to undefined, which would omit the key.
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
