import { z } from 'zod';
import { UnreadableMessageError } from '@billing/chassis/consumer';
import { SessionEvent } from '@billing/proto/billing/event/v1/session_event';
import {
  type FieldChange,
  SubscriptionEvent,
} from '@billing/proto/billing/event/v1/subscription_event';
import { toJsonSession, toJsonSessionStatus } from '@billing/proto/json/checkout-session';
import { toJsonInvoice } from '@billing/proto/json/invoice';
import {
  toJsonCancelReason,
  toJsonSubscription,
  toJsonSubscriptionStatus,
} from '@billing/proto/json/subscription';
import type { MessageKey } from './message-store';

/** What an event tells, by what it is about. */
export type EventData =
  | { readonly kind: 'subscription'; readonly event: SubscriptionEvent }
  | { readonly kind: 'checkout'; readonly event: SessionEvent };

/** An event of a subscription or of a checkout session, as its owner announced it. */
export interface AnnouncedEvent extends MessageKey {
  /** `subscription.renewed`. */
  readonly type: string;
  /** The environment's time of the transition. */
  readonly time: string;
  readonly data: EventData;
}

/** The subjects of the events that become webhooks. */
export const webhookSubjects = ['subscription.subscription.*', 'checkout.checkout.*'];

const typePrefix = 'billing.';
const webhookType = /^billing\.(subscription|checkout)\.\w+$/;

const envelopeSchema = z.object({
  type: z.string(),
  subject: z.uuid(),
  time: z.iso.datetime(),
  sequence: z.int().min(1),
  environmentid: z.uuid(),
  data: z.record(z.string(), z.unknown()),
});

/**
 * Reads a CloudEvents envelope; undefined for an event that is no webhook's, as event logs may hold. Throws UnreadableMessageError for
 * what no repetition will make readable.
 */
export function readEvent(envelope: string): AnnouncedEvent | undefined {
  try {
    const { type, subject, time, sequence, environmentid, data } = envelopeSchema.parse(
      JSON.parse(envelope),
    );
    const [, kind] = webhookType.exec(type) ?? [];
    if (kind === undefined) return undefined;
    return {
      environmentId: environmentid,
      subscriptionId: subject,
      sequence,
      type: type.slice(typePrefix.length),
      time,
      data:
        kind === 'checkout'
          ? { kind, event: SessionEvent.fromJSON(data) }
          : { kind: 'subscription', event: SubscriptionEvent.fromJSON(data) },
    };
  } catch (error) {
    throw new UnreadableMessageError('Not the envelope of an event', { cause: error });
  }
}

const logIdSchema = z.templateLiteral([z.uuid(), ':', z.int().min(1)]);
const environmentSchema = z.object({
  environmentid: z.uuid(),
  type: z.string().regex(webhookType),
});

/** The id of an event in its owner's log. */
export function logIdOf({ subscriptionId, sequence }: MessageKey): string {
  return `${subscriptionId}:${String(sequence)}`;
}

/** Which message an entry of a log would have become, had it been readable; undefined if even that cannot be told. */
export function readKey(logId: string, envelope: string): MessageKey | undefined {
  try {
    const { environmentid: environmentId } = environmentSchema.parse(JSON.parse(envelope));
    const [subscriptionId = '', sequence] = logIdSchema.parse(logId).split(':');
    return { environmentId, subscriptionId, sequence: Number(sequence) };
  } catch {
    return undefined;
  }
}

/** The bytes that every attempt sends. Keys that do not apply to the kind of event are left out. */
export function toBody(event: AnnouncedEvent, id: string): string {
  try {
    return JSON.stringify(toJsonBody(event, id));
  } catch (error) {
    // The same event will always give the same error.
    throw new UnreadableMessageError('An event that has no JSON form', { cause: error });
  }
}

function toJsonBody({ type, time, sequence, data }: AnnouncedEvent, id: string) {
  return {
    id,
    type,
    timestamp: new Date(time).toISOString(),
    sequence,
    data: data.kind === 'checkout' ? toJsonEnd(data.event) : toJsonTransition(data.event),
  };
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
