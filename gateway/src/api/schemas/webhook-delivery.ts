import { z } from 'zod';
import { id, listOf, time } from './scalars';

const WebhookAttempt = z
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

const sequence = z.int().min(1);

export const WebhookDelivery = z
  .object({
    id,
    messageId: id.meta({ description: 'Value of the header `webhook-id`.' }),
    type: z.string().meta({ examples: ['subscription.renewed'] }),
    subscriptionId: id
      .nullable()
      .meta({ description: 'Null if the message is not about a subscription.' }),
    sequence: sequence.nullable().meta({ description: 'Null for a test.' }),
    status: z.enum(['PENDING', 'DELIVERED', 'FAILED', 'PAUSED']).meta({
      description:
        'PENDING: waits for its next attempt or for an earlier message. FAILED: all attempts failed. PAUSED: held because the endpoint was not active.',
    }),
    attempts: z.array(WebhookAttempt).meta({ description: 'The last ten attempts, oldest first.' }),
    nextAttemptAt: time.nullable(),
    createdAt: time,
  })
  .meta({ id: 'WebhookDelivery' });

export const WebhookDeliveryList = listOf(WebhookDelivery, 'WebhookDeliveryList');

export const WebhookTest = z
  .object({
    deliveryId: id.meta({
      description: 'Id of the delivery, which is listed with the deliveries of the endpoint.',
    }),
  })
  .meta({ id: 'WebhookTest' });

export const WebhookReplay = z
  .object({ count: z.int().min(0).meta({ description: 'Number of messages to be sent.' }) })
  .meta({ id: 'WebhookReplay' });

const WebhookGap = z
  .object({
    subscriptionId: id.nullable().meta({ description: 'Null for a checkout session.' }),
    checkoutSessionId: id.optional().meta({ description: 'Only for a checkout session.' }),
    missing: z.array(sequence).meta({ description: 'Missing sequence numbers, ascending.' }),
  })
  .meta({ id: 'WebhookGap' });

export const WebhookGaps = z
  .array(WebhookGap)
  .meta({ id: 'WebhookGaps', description: 'At most 10,000 missing sequence numbers in total.' });
