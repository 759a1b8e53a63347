import { webhookKinds } from '../asyncapi/webhook-kinds';
import { ok } from '../route';
import type { OperatorRoute } from './operator-route';

/** What forms of the dashboard offer to choose from. */
export const choiceRoutes: readonly OperatorRoute[] = [
  {
    method: 'GET',
    path: '/choices',
    handle: (_request, { operatorAccess }) =>
      Promise.resolve(ok(toJsonChoices(operatorAccess.segments))),
  },
];

/** Scopes that a key may have, and kinds of webhooks that an endpoint may name. */
export function toJsonChoices(segments: readonly string[]) {
  const scopes = segments.flatMap((segment) => [`${segment}:read`, `${segment}:write`]);
  return { scopes: scopes.sort(), webhookKinds: webhookKinds.map(({ type }) => type) };
}
