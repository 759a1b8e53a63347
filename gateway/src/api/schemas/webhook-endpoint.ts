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
      description: 'Prefix of the headers `<prefix>-Event` and `<prefix>-Signature`.',
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
      description: 'Signing secret, returned only once; null in an idempotent replay.',
      examples: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
    }),
}).meta({ id: 'NewWebhookEndpoint' });

export const WebhookEndpointList = listOf(WebhookEndpoint, 'WebhookEndpointList');
