import { z } from 'zod';
import { id, listOf, time } from './scalars';

const WebhookAttempt = z
  .object({
    at: time,
    durationMs: z.int().min(0),
    responseStatus: z.int().nullable().meta({ description: 'null: no answer came.' }),
    responseBody: z
      .string()
      .nullable()
      .meta({ description: 'The first kilobyte. null: no answer came.' }),
    error: z.string().nullable().meta({ description: 'Why no answer came.' }),
  })
  .meta({ id: 'WebhookAttempt' });

const sequence = z.int().min(1);

export const WebhookDelivery = z
  .object({
    id,
    messageId: id.meta({ description: 'The header `webhook-id`.' }),
    type: z.string().meta({ examples: ['subscription.renewed'] }),
    subscriptionId: id.nullable().meta({ description: 'null: the message is about none.' }),
    sequence: sequence.nullable().meta({ description: 'null: of a test.' }),
    status: z.enum(['PENDING', 'DELIVERED', 'FAILED', 'PAUSED']).meta({
      description:
        'PENDING waits for an attempt or for its turn, FAILED was given up, PAUSED waits at an endpoint that was not active.',
    }),
    attempts: z.array(WebhookAttempt).meta({ description: 'The last ten, oldest first.' }),
    nextAttemptAt: time.nullable(),
    createdAt: time,
  })
  .meta({ id: 'WebhookDelivery' });

export const WebhookDeliveryList = listOf(WebhookDelivery, 'WebhookDeliveryList');

export const WebhookTest = z
  .object({ deliveryId: id.meta({ description: 'Found among the deliveries of the endpoint.' }) })
  .meta({ id: 'WebhookTest' });

export const WebhookReplay = z
  .object({ count: z.int().min(0).meta({ description: 'Messages that are sent.' }) })
  .meta({ id: 'WebhookReplay' });

const WebhookGap = z
  .object({
    subscriptionId: id.nullable().meta({ description: 'null: of a checkout session.' }),
    checkoutSessionId: id.optional().meta({ description: 'Only of a checkout session.' }),
    missing: z.array(sequence).meta({ description: 'Rising.' }),
  })
  .meta({ id: 'WebhookGap' });

export const WebhookGaps = z
  .array(WebhookGap)
  .meta({ id: 'WebhookGaps', description: 'At most 10,000 sequences together.' });
