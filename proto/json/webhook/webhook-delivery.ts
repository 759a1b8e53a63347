import { z } from 'zod';
import type {
  WebhookAttempt,
  WebhookDelivery,
  WebhookGap,
} from '../../gen/billing/notifier/v1/webhook_delivery';
import { webhookDeliveryStatuses } from '../../values/notifier';
import { id, time, toJsonOptionalTime, toJsonTime } from '../scalars';

const AttemptJson = z
  .object({
    at: time,
    durationMs: z.int().min(0),
    responseStatus: z.int().nullable().meta({ description: 'Null if there was no response.' }),
    responseBody: z
      .string()
      .nullable()
      .meta({ description: 'First kilobyte of the response. Null if there was no response.' }),
    error: z.string().nullable().meta({ description: 'Reason why there was no response.' }),
  })
  .meta({ id: 'WebhookAttempt' });
type AttemptJson = z.infer<typeof AttemptJson>;

const sequence = z.int().min(1);
const subjectType = z.string().meta({
  description: 'Type of the resource that numbers the events.',
  examples: ['subscription', 'checkout_session'],
});

export const WebhookDeliveryJson = z
  .object({
    id,
    messageId: id.meta({ description: 'Value of the header `webhook-id`.' }),
    type: z.string().meta({ examples: ['subscription.renewed'] }),
    subscriptionId: id.nullable().meta({ description: 'The same as `subjectId`.' }),
    subjectType: subjectType.nullable(),
    subjectId: id.nullable().meta({ description: 'Id of the resource. Null for a test.' }),
    sequence: sequence.nullable().meta({ description: 'Null for a test.' }),
    status: z.enum(['PENDING', 'DELIVERED', 'FAILED', 'PAUSED']).meta({
      description:
        'PENDING: waits for its next attempt or for an earlier message. FAILED: all attempts failed. PAUSED: held because the endpoint was not active.',
    }),
    attempts: z.array(AttemptJson).meta({ description: 'The last ten attempts, oldest first.' }),
    nextAttemptAt: time.nullable(),
    createdAt: time,
  })
  .meta({ id: 'WebhookDelivery' });
export type WebhookDeliveryJson = z.infer<typeof WebhookDeliveryJson>;

export const WebhookGapJson = z
  .object({
    subscriptionId: id.meta({ description: 'Same as `subjectId`, also for other subjects.' }),
    checkoutSessionId: id.nullable().meta({ description: 'Null for other subjects.' }),
    subjectType,
    subjectId: id,
    missing: z.array(sequence).meta({ description: 'Missing sequence numbers, ascending.' }),
  })
  .meta({ id: 'WebhookGap' });
export type WebhookGapJson = z.infer<typeof WebhookGapJson>;

/** Webhook delivery in REST responses. */
export function toJsonWebhookDelivery(delivery: WebhookDelivery): WebhookDeliveryJson {
  return {
    id: delivery.id,
    messageId: delivery.messageId,
    type: delivery.type,
    subscriptionId: delivery.subjectId ?? null,
    subjectType: delivery.subjectType ?? null,
    subjectId: delivery.subjectId ?? null,
    sequence: delivery.sequence ?? null,
    status: webhookDeliveryStatuses.nameOf(delivery.status),
    attempts: delivery.attempts.map(toJsonAttempt),
    nextAttemptAt: toJsonOptionalTime(delivery.nextAttemptAt),
    createdAt: toJsonTime(delivery.createdAt),
  };
}

/** Undelivered events of an endpoint in REST responses. */
export function toJsonWebhookGap(gap: WebhookGap): WebhookGapJson {
  const { subjectType, subjectId, sequences: missing } = gap;
  return {
    subscriptionId: subjectId,
    checkoutSessionId: subjectType === 'checkout_session' ? subjectId : null,
    subjectType,
    subjectId,
    missing,
  };
}

function toJsonAttempt(attempt: WebhookAttempt): AttemptJson {
  return {
    at: toJsonTime(attempt.at),
    durationMs: attempt.durationMs,
    responseStatus: attempt.responseStatus ?? null,
    responseBody: attempt.responseBody ?? null,
    error: attempt.error ?? null,
  };
}
