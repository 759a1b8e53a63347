import { z } from 'zod';
import { UnreadableMessageError } from '@billing/chassis/consumer';
import {
  type FieldChange,
  SubscriptionEvent,
} from '@billing/proto/billing/event/v1/subscription_event';
import { toJsonInvoice } from '@billing/proto/json/invoice';
import {
  toJsonCancelReason,
  toJsonSubscription,
  toJsonSubscriptionStatus,
} from '@billing/proto/json/subscription';
import type { MessageKey } from './message-store';

/** A subscription's event as its owner announced it. */
export interface AnnouncedEvent extends MessageKey {
  /** `subscription.renewed`. */
  readonly type: string;
  /** The environment's time of the transition. */
  readonly time: string;
  readonly data: SubscriptionEvent;
}

/** The subjects of the events that become webhooks. */
export const webhookSubjects = ['subscription.subscription.*'];

const typePrefix = 'billing.';
const webhookTypePrefix = 'billing.subscription.';

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
    if (!type.startsWith(webhookTypePrefix)) return undefined;
    return {
      environmentId: environmentid,
      subscriptionId: subject,
      sequence,
      type: type.slice(typePrefix.length),
      time,
      data: SubscriptionEvent.fromJSON(data),
    };
  } catch (error) {
    throw new UnreadableMessageError('Not the envelope of an event', { cause: error });
  }
}

/** The bytes that every attempt sends. Keys that do not apply to the kind of event are left out. */
export function toBody(event: AnnouncedEvent, id: string): string {
  const { type, time, sequence, subscriptionId, data } = event;
  const { subscription, invoice, changes, attempt, nextAttemptAt, canceledAt, reason } = data;
  if (subscription === undefined) {
    throw new UnreadableMessageError('An event without its subscription');
  }
  const body = {
    id,
    type,
    timestamp: new Date(time).toISOString(),
    sequence,
    data: {
      subscriptionId,
      customerId: subscription.customerId,
      status: toJsonSubscriptionStatus(subscription.status),
      subscription: toJsonSubscription(subscription),
      invoice: invoice === undefined ? undefined : toJsonInvoice(invoice),
      changes: toJsonChanges(changes),
      attempt,
      nextAttemptAt: nextAttemptAt?.toISOString(),
      canceledAt: canceledAt?.toISOString(),
      reason: toJsonCancelReason(reason) ?? undefined,
    },
  };
  return JSON.stringify(body);
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
