import type {
  WebhookAttempt,
  WebhookDelivery,
  WebhookGap,
} from '../gen/billing/notifier/v1/webhook_delivery';
import { webhookDeliveryStatuses } from '../values/notifier';
import { toJsonOptionalTime, toJsonTime } from './scalars';

/** Webhook delivery in REST responses. */
export function toJsonWebhookDelivery(delivery: WebhookDelivery) {
  return {
    id: delivery.id,
    messageId: delivery.messageId,
    type: delivery.type,
    subscriptionId: delivery.subscriptionId ?? null,
    sequence: delivery.sequence ?? null,
    status: webhookDeliveryStatuses.nameOf(delivery.status),
    attempts: delivery.attempts.map(toJsonAttempt),
    nextAttemptAt: toJsonOptionalTime(delivery.nextAttemptAt),
    createdAt: toJsonTime(delivery.createdAt),
  };
}

/**
 * Undelivered events of an endpoint in REST responses. Those of a checkout session name the session
 * and no subscription.
 */
export function toJsonWebhookGap({ source, sequences: missing }: WebhookGap) {
  return source?.$case === 'checkoutSessionId'
    ? { subscriptionId: null, checkoutSessionId: source.value, missing }
    : { subscriptionId: source?.value ?? null, missing };
}

function toJsonAttempt(attempt: WebhookAttempt) {
  return {
    at: toJsonTime(attempt.at),
    durationMs: attempt.durationMs,
    responseStatus: attempt.responseStatus ?? null,
    responseBody: attempt.responseBody ?? null,
    error: attempt.error ?? null,
  };
}
