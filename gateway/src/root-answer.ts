import { dashboardPath } from './operator/route/addresses';
import { ok, type ApiAnswer } from './http/answer';

// Caches must distinguish the two responses.
const vary = { Vary: 'Accept' };

/**
 * Response to `GET /`: redirects browsers to the dashboard and names the documentation and the
 * release to programs.
 */
export function rootAnswer(accept: string | undefined, version: string): ApiAnswer {
  if (/(^|[\s,])text\/html(?=[\s,;]|$)/i.test(accept ?? '')) {
    return { status: 302, headers: { ...vary, Location: dashboardPath } };
  }
  const addresses = { documentation: '/docs', openapi: '/openapi.json', llms: '/llms.txt' };
  return ok({ name: 'billing', version, ...addresses }, vary);
}
