import { webhookKinds } from '../asyncapi/webhook-kinds';
import { ok } from '../route';
import type { OperatorRoute } from './operator-route';

/** What the dashboard knows of this installation: what forms offer to choose from, and where links lead. */
export const choiceRoutes: readonly OperatorRoute[] = [
  {
    method: 'GET',
    path: '/choices',
    handle: (_request, { operatorAccess: { segments }, traceUrl = null }) =>
      Promise.resolve(ok(toJsonChoices({ segments, traceUrl }))),
  },
];

/** Scopes that a key may have, kinds of webhooks that an endpoint may name, and where a trace is looked at. */
export function toJsonChoices({
  segments,
  traceUrl,
}: {
  readonly segments: readonly string[];
  /** With `{traceId}` in it. */
  readonly traceUrl: string | null;
}) {
  const scopes = segments.flatMap((segment) => [`${segment}:read`, `${segment}:write`]);
  return { scopes: scopes.sort(), webhookKinds: webhookKinds.map(({ type }) => type), traceUrl };
}
