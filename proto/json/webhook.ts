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

/** Head of a webhook's body. */
interface WebhookHead {
  readonly id: string;
  readonly type: string;
  readonly timestamp: string;
  /** Absent for a test, which has no number. */
  readonly sequence?: number;
}

// Keys with a meaning of their own at the top level. Consumers written for the vendor's webhooks
// read `payload`, where there is one, in place of the body.
const notRepeated = new Set([
  'id',
  'type',
  'timestamp',
  'sequence',
  'data',
  'payload',
  'restoreCode',
]);

/** Body of the webhook of an event. */
export function toJsonWebhook({ id, type, time, sequence, data }: Webhook) {
  const head = { id, type, timestamp: new Date(time).toISOString(), sequence };
  return toJsonWebhookBody(
    head,
    data.kind === 'checkout' ? toJsonEnd(data.event) : toJsonTransition(data.event),
  );
}

/**
 * Body of a webhook. Keys of `data` that are undefined are omitted from the JSON text. Consumers
 * written for the vendor's webhooks read scalars at the top level, so the body repeats those of
 * `data`.
 */
export function toJsonWebhookBody(head: WebhookHead, data: object) {
  const scalars = Object.entries(data).filter(
    ([key, value]) => !notRepeated.has(key) && isScalar(value),
  );
  return { ...head, ...Object.fromEntries(scalars), data };
}

function isScalar(value: unknown): boolean {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value);
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
