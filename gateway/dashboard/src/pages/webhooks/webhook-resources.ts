import type { toJsonEndpointReport } from '@billing/gateway/dashboard/report-routes';
import type { toJsonWebhookDelivery, toJsonWebhookGap } from '@billing/proto/json/webhook-delivery';
import type { toJsonWebhookEndpoint } from '@billing/proto/json/webhook-endpoint';

export type WebhookEndpoint = ReturnType<typeof toJsonWebhookEndpoint>;
/** With its secret, which is told once; null where an earlier try made it. */
export type ToldEndpoint = WebhookEndpoint & { readonly secret: string | null };
export type WebhookDelivery = ReturnType<typeof toJsonWebhookDelivery>;
export type WebhookAttempt = WebhookDelivery['attempts'][number];
export type WebhookGap = ReturnType<typeof toJsonWebhookGap>;
export type EndpointReport = ReturnType<typeof toJsonEndpointReport>;
