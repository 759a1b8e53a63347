import { dashboardPath } from './dashboard/addresses';
import { ok, type ApiAnswer } from './route';

// Caches must keep the two answers apart.
const vary = { Vary: 'Accept' };

/**
 * The answer of `GET /`: browsers are sent to the dashboard, programs get the addresses of the
 * documentation.
 */
export function rootAnswer(accept: string | undefined): ApiAnswer {
  if (/(^|[\s,])text\/html(?=[\s,;]|$)/i.test(accept ?? '')) {
    return { status: 302, headers: { ...vary, Location: dashboardPath } };
  }
  return ok({ name: 'billing', documentation: '/docs', openapi: '/openapi.json' }, vary);
}
