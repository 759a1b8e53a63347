import { z } from 'zod';
import { WebhookEndpointJson } from '@billing/proto/json/webhook/webhook-endpoint';

export const NewWebhookEndpoint = WebhookEndpointJson.extend({
  secret: z
    .string()
    .nullable()
    .meta({
      description: 'Signing secret, returned only once; null in an idempotent replay.',
      examples: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
    }),
}).meta({ id: 'NewWebhookEndpoint' });
