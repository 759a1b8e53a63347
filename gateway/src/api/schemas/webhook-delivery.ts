import { z } from 'zod';
import { id } from '@billing/proto/json/scalars';
import { WebhookGapJson } from '@billing/proto/json/webhook/webhook-delivery';

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

export const WebhookGaps = z
  .array(WebhookGapJson)
  .meta({ id: 'WebhookGaps', description: 'At most 10,000 missing sequence numbers in total.' });
