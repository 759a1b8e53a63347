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
const reason = z.enum(['REQUESTED', 'PAYMENT_FAILED']);

/** Fields of `data` that are repeated at the top level. */
const transitionFacts = {
  subscriptionId: id,
  customerId: id,
  status: SubscriptionJson.shape.status,
};
const endFacts = { customerId: id, status: SessionJson.shape.status };

/** The subscription in its state at the time of the event. */
const transition = { ...transitionFacts, subscription: SubscriptionJson };

const ordering = {
  ...transition,
  invoiceId: id.optional().meta({
    description:
      'Id of the invoice created with the event. Absent if there is none: for a trial or a start in the future.',
  }),
};

const end = {
  checkoutSessionId: id,
  customerId: id,
  status: SessionJson.shape.status,
  session: SessionJson,
  invoice: InvoiceJson.nullable(),
};

const changes = z
  .record(z.string(), z.object({ from: z.unknown(), to: z.unknown() }))
  .meta({ description: 'All changed fields except `updatedAt`.' });

const sequence = z.int().min(1);
const ofSubscription = {
  sequence: sequence.meta({
    description: 'Sequence number within the subscription: 1, 2, 3 … without gaps.',
  }),
  ...transitionFacts,
};
const ofSession = {
  sequence: sequence.meta({
    description: 'Sequence number within the checkout session: 1, 2, 3 …',
  }),
  ...endFacts,
};
const ofCancellation = { ...ofSubscription, canceledAt: time, reason };

/** What the document says about a type. */
interface Description {
  readonly summary: string;
  /** Fields of `data`. */
  readonly data: z.ZodRawShape;
  /** Fields at the top level, in addition to those of every webhook. */
  readonly head: z.ZodRawShape;
}

// The types are declared with the rules of an endpoint; each has a description here.
const descriptions: Readonly<Record<WebhookEventType, Description>> = {
  'subscription.created': {
    summary: 'A subscription was created.',
    data: ordering,
    head: ofSubscription,
  },
  'subscription.renewed': {
    summary: 'A billing period started: by renewal, after a trial or at a scheduled start.',
    data: ordering,
    head: ofSubscription,
  },
  'subscription.updated': {
    summary: 'A subscription changed.',
    data: { ...transition, changes },
    head: ofSubscription,
  },
  'subscription.payment_succeeded': {
    summary: 'An invoice of a subscription was paid.',
    data: { ...transition, invoice: InvoiceJson, attempt },
    head: ofSubscription,
  },
  'subscription.payment_failed': {
    summary: 'A payment attempt for an invoice failed.',
    data: {
      ...transition,
      invoice: InvoiceJson,
      attempt,
      nextAttemptAt: time
        .optional()
        .meta({ description: 'Time of the next automatic attempt, if one is planned.' }),
    },
    head: ofSubscription,
  },
  'subscription.canceled': {
    summary: 'A subscription ended.',
    data: {
      ...transition,
      // The unpaid invoice and its last payment attempt, if they ended the subscription.
      invoice: InvoiceJson.optional(),
      attempt: attempt.optional(),
      canceledAt: time,
      reason,
    },
    head: ofCancellation,
  },
  'checkout.completed': {
    summary: 'A checkout session was completed: paid, or confirmed if nothing was due.',
    data: end,
    head: ofSession,
  },
  'checkout.expired': { summary: 'A checkout session expired.', data: end, head: ofSession },
};

// Sent on request only; no endpoint names it.
const testDescription: Description = {
  summary: 'Test webhook, sent by `POST /v1/webhook-endpoints/{id}/test`.',
  data: { webhookEndpointId: id },
  head: {},
};

/** All webhook types. */
export const webhookKinds: readonly WebhookKind[] = Object.entries({
  ...descriptions,
  'webhook_endpoint.test': testDescription,
}).map(([type, description]) => kind(type, description));

function kind(type: string, { summary, data, head }: Description): WebhookKind {
  const payload = z.object({
    id: z.string().meta({
      description: 'Id of the webhook, the same in every attempt. Also in the header `webhook-id`.',
    }),
    type: z.literal(type),
    timestamp: time.meta({ description: "Time of the event by the environment's clock." }),
    ...head,
    data: z.object(data),
  });
  return { type, summary, payload };
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
