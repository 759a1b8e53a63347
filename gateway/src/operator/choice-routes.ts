import { webhookEventNames, webhookEventTypes } from '@billing/kernel/input/webhook-endpoint';
import { ok } from '../http/answer';
import type { OperatorRoute } from './route/route';

/** Facts of this installation for the dashboard: choices in forms and targets of links. */
export const choiceRoutes: readonly OperatorRoute[] = [
  {
    method: 'GET',
    path: '/choices',
    handle: (_request, { operatorAccess: { segments }, traceUrl = null }) =>
      Promise.resolve(ok(toJsonChoices({ segments, traceUrl }))),
  },
];

/**
 * Scopes of keys, values of a webhook endpoint's `events` and its default, and the URL of the trace
 * viewer.
 */
export function toJsonChoices({
  segments,
  traceUrl,
}: {
  readonly segments: readonly string[];
  /** URL template that contains `{traceId}`. */
  readonly traceUrl: string | null;
}) {
  const scopes = segments.flatMap((segment) => [`${segment}:read`, `${segment}:write`]);
  return {
    scopes: scopes.sort(),
    webhookEvents: webhookEventNames,
    defaultWebhookEvents: webhookEventTypes,
    traceUrl,
  };
}
