import { z } from 'zod';
import { id, listOf, timestamps } from './scalars';

export const WebhookEndpoint = z
  .object({
    id,
    organizationId: id,
    url: z.string(),
    events: z.array(z.string()),
    description: z.string().nullable(),
    active: z.boolean(),
    headerPrefix: z.string().meta({
      description: 'Names the headers `<prefix>-Event` and `<prefix>-Signature`.',
      examples: ['Billing'],
    }),
    ...timestamps,
  })
  .meta({ id: 'WebhookEndpoint' });

export const NewWebhookEndpoint = WebhookEndpoint.extend({
  secret: z
    .string()
    .nullable()
    .meta({
      description: 'Signs the webhooks. Shown this once; null in a repeated answer.',
      examples: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
    }),
}).meta({ id: 'NewWebhookEndpoint' });

export const WebhookEndpointList = listOf(WebhookEndpoint, 'WebhookEndpointList');
