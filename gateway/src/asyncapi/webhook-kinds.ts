import { z } from 'zod';
import { CheckoutSession } from '../openapi/schemas/checkout';
import { Invoice } from '../openapi/schemas/invoice';
import { id, time } from '../openapi/schemas/scalars';
import { Subscription } from '../openapi/schemas/subscription';

/** A kind of webhook. */
export interface WebhookKind {
  /** `subscription.renewed`. */
  readonly type: string;
  readonly summary: string;
  /** Of its body. */
  readonly payload: z.ZodType;
}

const attempt = z
  .int()
  .min(1)
  .meta({ description: 'Which attempt to collect the invoice it was, from 1.' });
const reason = z.enum(['REQUESTED', 'PAYMENT_FAILED']);

/** The facts of `data` that stand at the top level, too. */
const transitionFacts = {
  subscriptionId: id,
  customerId: id,
  status: Subscription.shape.status,
};
const endFacts = { customerId: id, status: CheckoutSession.shape.status };

/** The subscription is shown as it was at that moment. */
const transition = { ...transitionFacts, subscription: Subscription };

const ordering = {
  ...transition,
  invoiceId: id.optional().meta({
    description:
      'The invoice that is created with it, absent where none is: for a trial or a start that lies ahead.',
  }),
};

const end = {
  checkoutSessionId: id,
  customerId: id,
  status: CheckoutSession.shape.status,
  session: CheckoutSession,
  invoice: Invoice.nullable(),
};

const changes = z
  .record(z.string(), z.object({ from: z.unknown(), to: z.unknown() }))
  .meta({ description: 'Every field that changed, but for `updatedAt`.' });

const sequence = z.int().min(1);
const ofSubscription = {
  sequence: sequence.meta({ description: '1, 2, 3 … of the subscription, without gaps.' }),
  ...transitionFacts,
};
const ofSession = {
  sequence: sequence.meta({ description: '1, 2, 3 … of the checkout session.' }),
  ...endFacts,
};
const ofCancellation = { ...ofSubscription, canceledAt: time, reason };

/** Every kind of webhook that there is. */
export const webhookKinds: readonly WebhookKind[] = [
  kind('subscription.created', 'A subscription was made.', ordering),
  kind(
    'subscription.renewed',
    'A period began: by renewal, after a trial or as planned.',
    ordering,
  ),
  kind('subscription.updated', 'Something about a subscription changed.', {
    ...transition,
    changes,
  }),
  kind('subscription.payment_succeeded', 'An invoice of a subscription was paid.', {
    ...transition,
    invoice: Invoice,
    attempt,
  }),
  kind('subscription.payment_failed', 'An attempt to collect an invoice failed.', {
    ...transition,
    invoice: Invoice,
    attempt,
    nextAttemptAt: time
      .optional()
      .meta({ description: 'When the next one will be made, if one will be made by itself.' }),
  }),
  kind(
    'subscription.canceled',
    'A subscription ended.',
    {
      ...transition,
      // Where it ended because of an invoice, which one, and the last attempt to collect it.
      invoice: Invoice.optional(),
      attempt: attempt.optional(),
      canceledAt: time,
      reason,
    },
    ofCancellation,
  ),
  kind('checkout.completed', 'A checkout session was paid or confirmed.', end, ofSession),
  kind('checkout.expired', 'A checkout session ran out of time.', end, ofSession),
  kind(
    'webhook_endpoint.test',
    'What `POST /v1/webhook-endpoints/{id}/test` sends.',
    { webhookEndpointId: id },
    {},
  ),
];

function kind(
  type: string,
  summary: string,
  data: z.ZodRawShape,
  place: z.ZodRawShape = ofSubscription,
): WebhookKind {
  const payload = z.object({
    id: z.string().meta({ description: 'The same in every attempt; `webhook-id`.' }),
    type: z.literal(type),
    timestamp: time.meta({ description: "The environment's time of what happened." }),
    ...place,
    data: z.object(data),
  });
  return { type, summary, payload };
}

/** What comes with every webhook. Its time and signatures are made anew for each attempt. */
export const webhookHeaders = z.object({
  'webhook-id': z.string(),
  'webhook-timestamp': z
    .string()
    .regex(/^\d+$/)
    .meta({ description: 'Seconds since 1970 at the time of the attempt.' }),
  'webhook-signature': z.string().meta({
    description:
      'One `v1,<base64>`, and for a day after each rotation another, with spaces between: HMAC-SHA256 of `id.timestamp.body`, keyed with the bytes behind `whsec_`.',
  }),
  'Billing-Event': z.string().meta({
    description:
      'The type. The `headerPrefix` of the endpoint may replace `Billing`, here and below.',
  }),
  'Billing-Signature': z.string().meta({
    description:
      '`t=<seconds>` and as many `v1=<hex>`: HMAC-SHA256 of `t.body`, keyed with the whole secret.',
  }),
});
