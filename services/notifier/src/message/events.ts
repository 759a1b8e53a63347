import { z } from 'zod';
import type { Tenant } from '@billing/chassis/call-context';
import { UnreadableMessageError } from '@billing/chassis/jet-stream';
import { restoreCodeOf } from '@billing/chassis/restore-codes';
import {
  readWebhookData,
  toJsonWebhook,
  type WebhookData,
} from '@billing/proto/json/webhook/webhook';
import { isKnownEventType, subjectTypeOf } from '@billing/kernel/input/webhook-endpoint';
import { type MessageNumber, restoreCodesField, type SubjectKey } from './message-store';

/** An event of a resource, as its owner announced it. */
export interface AnnouncedEvent extends SubjectKey {
  /** Absent in events of owners of an earlier release. */
  readonly tenant?: Tenant;
  /** `subscription.renewed`. */
  readonly type: string;
  /** The environment's time of the transition. */
  readonly time: string;
  /** Undefined for a type that this release does not know: its owner runs a later one. */
  readonly data: WebhookData | undefined;
}

/** An event of a type that this release knows. */
export type ReadableEvent = AnnouncedEvent & { readonly data: WebhookData };

/** The subjects of the events that become webhooks. */
export const webhookSubjects = [
  'subscription.subscription.*',
  'checkout.checkout.*',
  'checkout.invoice.*',
  'checkout.credit_note.*',
  'checkout.refund.*',
  'checkout.dispute.*',
  'checkout.checkout_link.*',
  'checkout.payment_method.*',
  'catalog.product.*',
  'catalog.meter_prices.*',
  'customer.customer.*',
  'discount.discount.*',
  'metering.meter.*',
  'notifier.email.*',
  'notifier.environment.*',
];

const typePrefix = 'billing.';
const announcedType = /^billing\.\w+\.\w+$/;

const restoreCodes = z.string().regex(/^[0-9A-Z]+:\d+(,[0-9A-Z]+:\d+)*$/);

const envelopeSchema = z.object({
  type: z.string(),
  subject: z.uuid(),
  time: z.iso.datetime(),
  sequence: z.int().min(1),
  environmentid: z.uuid(),
  organizationid: z.uuid().optional(),
  environmentlive: z.boolean().optional(),
  manualclock: z.boolean().optional(),
  restorecodes: restoreCodes.optional(),
  data: z.record(z.string(), z.unknown()),
});

/**
 * Parses a CloudEvents envelope; returns undefined for an event that becomes no webhook, as event
 * logs may hold. Throws UnreadableMessageError for an event that no retry will make readable.
 */
export function readEvent(envelope: string): AnnouncedEvent | undefined {
  try {
    const read = envelopeSchema.parse(JSON.parse(envelope));
    const { type, subject, time, sequence, environmentid, restorecodes, data } = read;
    if (!announcedType.test(type)) return undefined;
    return {
      environmentId: environmentid,
      ...tenantFields(read),
      subscriptionId: subject,
      subjectType: subjectTypeOf(type.slice(typePrefix.length)),
      sequence,
      ...restoreCodesField({ restoreCodes: restorecodes }),
      type: type.slice(typePrefix.length),
      time,
      data: readData(type.slice(typePrefix.length), data),
    };
  } catch (error) {
    throw new UnreadableMessageError('Not the envelope of an event', { cause: error });
  }
}

function tenantFields({
  environmentid: environmentId,
  organizationid: organizationId,
  environmentlive: live,
  manualclock: manualClock,
}: z.infer<typeof envelopeSchema>): Pick<AnnouncedEvent, 'tenant'> {
  if (organizationId === undefined || live === undefined || manualClock === undefined) return {};
  return { tenant: { organizationId, environmentId, live, manualClock } };
}

function readData(type: string, data: unknown): WebhookData | undefined {
  return isKnownEventType(type) ? readWebhookData(type, data) : undefined;
}

const logIdSchema = z.templateLiteral([z.uuid(), ':', z.int().min(1)]);
const environmentSchema = z.object({
  environmentid: z.uuid(),
  type: z.string().regex(announcedType),
  restorecodes: restoreCodes.optional(),
});

/** The id of an event in its owner's log. */
export function logIdOf({ subscriptionId, sequence }: MessageNumber): string {
  return `${subscriptionId}:${String(sequence)}`;
}

/**
 * Identifies the message that a log entry would have become, had it been readable; undefined if
 * even that is unknown.
 */
export function readKey(logId: string, envelope: string): SubjectKey | undefined {
  try {
    const read = environmentSchema.parse(JSON.parse(envelope));
    const { environmentid: environmentId, type, restorecodes } = read;
    const subjectType = subjectTypeOf(type.slice(typePrefix.length));
    const [subscriptionId = '', sequence] = logIdSchema.parse(logId).split(':');
    const codes = restoreCodesField({ restoreCodes: restorecodes });
    return { environmentId, subscriptionId, subjectType, sequence: Number(sequence), ...codes };
  } catch {
    return undefined;
  }
}

/** The bytes that every attempt sends. Keys that do not apply to the kind of event are omitted. */
export function toBody(event: ReadableEvent, id: string): string {
  try {
    const restoreCode = restoreCodeOf(event.restoreCodes, event.sequence);
    return JSON.stringify(toJsonWebhook({ ...event, id, restoreCode }));
  } catch (error) {
    // The same event will always give the same error.
    throw new UnreadableMessageError('An event that has no JSON form', { cause: error });
  }
}
