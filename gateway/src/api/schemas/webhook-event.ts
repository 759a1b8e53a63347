import { z } from 'zod';
import { WebhookEventJson } from '@billing/proto/json/webhook/webhook-event';

const cursor = z.string().meta({ examples: ['1042'] });

export const WebhookEventPage = z
  .object({
    data: z.array(WebhookEventJson),
    nextAfter: cursor.meta({ description: 'The `after` of the next request.' }),
    oldest: cursor.nullable().meta({ description: 'Oldest kept event. Null if there is none.' }),
    newest: cursor.meta({ description: 'Newest event, `0` if there is none.' }),
  })
  .meta({ id: 'WebhookEventPage' });
