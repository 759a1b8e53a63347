import type { toJsonEndpointReport } from '@billing/gateway/operator/report-routes';
import type {
  toJsonWebhookDelivery,
  toJsonWebhookGap,
} from '@billing/proto/json/webhook/webhook-delivery';
import type { toJsonWebhookEndpoint } from '@billing/proto/json/webhook/webhook-endpoint';

export type WebhookEndpoint = ReturnType<typeof toJsonWebhookEndpoint>;
/** Endpoint with its secret, which is shown once; null if an earlier attempt created it. */
export type EndpointWithSecret = WebhookEndpoint & { readonly secret: string | null };
export type WebhookDelivery = ReturnType<typeof toJsonWebhookDelivery>;
export type WebhookAttempt = WebhookDelivery['attempts'][number];
export type WebhookGap = ReturnType<typeof toJsonWebhookGap>;
export type EndpointReport = ReturnType<typeof toJsonEndpointReport>;
