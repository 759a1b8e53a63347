import { dashboardPath } from './operator/route/addresses';
import { ok, type ApiAnswer } from './http/answer';

// Caches must distinguish the two responses.
const vary = { Vary: 'Accept' };

/**
 * Response to `GET /`: redirects browsers to the dashboard and names the documentation to programs.
 */
export function rootAnswer(accept: string | undefined): ApiAnswer {
  if (/(^|[\s,])text\/html(?=[\s,;]|$)/i.test(accept ?? '')) {
    return { status: 302, headers: { ...vary, Location: dashboardPath } };
  }
  return ok({ name: 'billing', documentation: '/docs', openapi: '/openapi.json' }, vary);
}
