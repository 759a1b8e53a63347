import { z } from 'zod';
import type { WebhookEventType } from '@billing/kernel/input/webhook-endpoint';
import { SessionJson } from '@billing/proto/json/checkout-session';
import { InvoiceJson } from '@billing/proto/json/invoice';
import { id, time } from '@billing/proto/json/scalars';
import { SubscriptionJson } from '@billing/proto/json/subscription';

/** A webhook type. */
export interface WebhookKind {
  /** Name of the type, such as `subscription.renewed`. */
  readonly type: string;
  readonly summary: string;
  /** Schema of the body. */
  readonly payload: z.ZodType;
}

const attempt = z
  .int()
  .min(1)
  .meta({ description: 'Number of the payment attempt for the invoice, starting at 1.' });

const sequence = z.int().min(1);
const ofSubscription = {
  sequence: sequence.meta({
    description: 'Sequence number within the subscription: 1, 2, 3 … without gaps.',
  }),
  scalars: { subscriptionId: id, customerId: id, status: SubscriptionJson.shape.status },
  // The subscription in its state at the time of the event.
  objects: { subscription: SubscriptionJson },
};

const invoiceId = id.optional().meta({
  description:
    'Id of the invoice created with the event. Absent if there is none: for a trial or a start in the future.',
});

const ofPeriod = {
  ...ofSubscription,
  scalars: { ...ofSubscription.scalars, invoiceId },
};

const ofSession = {
  sequence: sequence.meta({
    description: 'Sequence number within the checkout session: 1, 2, 3 …',
  }),
  scalars: { checkoutSessionId: id, customerId: id, status: SessionJson.shape.status },
  objects: { session: SessionJson, invoice: InvoiceJson.nullable() },
};

const changes = z
  .record(z.string(), z.object({ from: z.unknown(), to: z.unknown() }))
  .meta({ description: 'All changed fields except `updatedAt`.' });

/** What the document says about a type. */
interface Description {
  readonly summary: string;
  /** Absent for a test, which has no number. */
  readonly sequence?: z.ZodType;
  /** Scalar fields of `data`, which the body repeats at its top level. */
  readonly scalars: z.ZodRawShape;
  /** The other fields of `data`. */
  readonly objects: z.ZodRawShape;
}

// The types are declared with the rules of an endpoint; each has a description here.
const descriptions: Readonly<Record<WebhookEventType, Description>> = {
  'subscription.created': { ...ofPeriod, summary: 'A subscription was created.' },
  'subscription.renewed': {
    ...ofPeriod,
    summary: 'A billing period started: by renewal, after a trial or at a scheduled start.',
  },
  'subscription.updated': {
    ...ofSubscription,
    summary: 'A subscription changed.',
    objects: { ...ofSubscription.objects, changes },
  },
  'subscription.payment_succeeded': {
    ...ofSubscription,
    summary: 'An invoice of a subscription was paid.',
    scalars: { ...ofSubscription.scalars, attempt },
    objects: { ...ofSubscription.objects, invoice: InvoiceJson },
  },
  'subscription.payment_failed': {
    ...ofSubscription,
    summary: 'A payment attempt for an invoice failed.',
    scalars: {
      ...ofSubscription.scalars,
      attempt,
      nextAttemptAt: time
        .optional()
        .meta({ description: 'Time of the next automatic attempt, if one is planned.' }),
    },
    objects: { ...ofSubscription.objects, invoice: InvoiceJson },
  },
  'subscription.canceled': {
    ...ofSubscription,
    summary: 'A subscription ended.',
    // The unpaid invoice and its last payment attempt, if they ended the subscription.
    scalars: {
      ...ofSubscription.scalars,
      attempt: attempt.optional(),
      canceledAt: time,
      reason: z.enum(['REQUESTED', 'PAYMENT_FAILED']),
    },
    objects: { ...ofSubscription.objects, invoice: InvoiceJson.optional() },
  },
  'checkout.completed': {
    ...ofSession,
    summary: 'A checkout session was completed: paid, or confirmed if nothing was due.',
  },
  'checkout.expired': { ...ofSession, summary: 'A checkout session expired.' },
};

// Sent on request only; no endpoint names it.
const testDescription: Description = {
  summary: 'Test webhook, sent by `POST /v1/webhook-endpoints/{id}/test`.',
  scalars: { webhookEndpointId: id },
  objects: {},
};

/** All webhook types. */
export const webhookKinds: readonly WebhookKind[] = Object.entries({
  ...descriptions,
  'webhook_endpoint.test': testDescription,
}).map(([type, description]) => kind(type, description));

function kind(
  type: string,
  { summary, sequence: ofEvent, scalars, objects }: Description,
): WebhookKind {
  const payload = z.object({
    id: z.string().meta({
      description: 'Id of the webhook, the same in every attempt. Also in the header `webhook-id`.',
    }),
    type: z.literal(type),
    timestamp: time.meta({ description: "Time of the event by the environment's clock." }),
    ...(ofEvent !== undefined && { sequence: ofEvent }),
    ...scalars,
    ...nullsOf(objects),
    data: z.object({ ...scalars, ...objects }),
  });
  return { type, summary, payload };
}

/** Fields that the top level repeats where they are null. */
function nullsOf(objects: z.ZodRawShape): z.ZodRawShape {
  const nullable = Object.keys(objects).filter((name) => objects[name] instanceof z.ZodNullable);
  return Object.fromEntries(
    nullable.map((name) => [
      name,
      z.null().optional().meta({ description: 'Only where it is null.' }),
    ]),
  );
}

/** Headers of every webhook. The timestamp and the signatures are computed for each attempt. */
export const webhookHeaders = z.object({
  'webhook-id': z.string(),
  'webhook-timestamp': z
    .string()
    .regex(/^\d+$/)
    .meta({ description: 'Unix time of the attempt, in seconds.' }),
  'webhook-signature': z.string().meta({
    description:
      'Space-separated signatures `v1,<base64>`, one per secret; a rotated secret keeps signing for a day. Each is the HMAC-SHA256 of `id.timestamp.body`, keyed with the decoded bytes after `whsec_`.',
  }),
  'Billing-Event': z.string().meta({
    description:
      'Type of the event. The `headerPrefix` of the endpoint replaces `Billing` in both headers.',
  }),
  'Billing-Signature': z.string().meta({
    description:
      '`t=<seconds>` and one `v1=<hex>` per secret: HMAC-SHA256 of `t.body`, keyed with the whole secret.',
  }),
});
