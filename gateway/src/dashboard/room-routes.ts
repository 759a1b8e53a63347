import type { CallContext } from '@billing/chassis/call-context';
import { randomSecret } from '@billing/chassis/ids';
import { DomainError, invalidInput } from '@billing/kernel/domain-error';
import { checkScope } from '../authentication';
import { readIdempotency } from '../idempotency';
import { pageAnswer, redirectAnswer } from '../pages/shell';
import { type ApiAnswer, param } from '../route';
import { apiKeyPage, keyFields, newKeyPage, type ShownKeys } from './api-key-page';
import { apiKeysAddress, apiKeysPath, dashboardPath, frontPage } from './dashboard-page';
import type { DashboardRequest, DashboardRoute } from './dashboard-route';
import { signInPath } from './door-page';
import { noOperatorCookie } from './operator-cookie';
import type { OperatorSurroundings } from './operator-route';

const nonceBytes = 16;
const keysMax = 100;

/** What operators do on the pages of the dashboard. */
export const roomRoutes: readonly DashboardRoute[] = [
  {
    method: 'GET',
    path: dashboardPath,
    handle: async ({ visit, call }, { operatorAccess }) => {
      const environments = await operatorAccess.environments(visit.signedIn.session, call);
      return pageAnswer(frontPage(visit, environments));
    },
  },
  {
    method: 'POST',
    path: `${dashboardPath}/sign-out`,
    handle: async ({ visit, call }, { peers, operatorAccess }) => {
      const { session: sessionToken } = visit.signedIn;
      await peers.operator.logOut({ sessionToken }, call as CallContext);
      const { headers, ...sent } = redirectAnswer(signInPath);
      const cookie = { 'Set-Cookie': noOperatorCookie(operatorAccess.siteUrl) };
      return { ...sent, headers: { ...headers, ...cookie } };
    },
  },
  {
    method: 'GET',
    path: apiKeysPath,
    handle: async (request, site) => {
      checkScope(request.visit.scopes, { method: 'GET', segment: 'api-keys' });
      return showKeys(request, site);
    },
  },
  { method: 'POST', path: apiKeysPath, handle: makeKey },
  {
    method: 'POST',
    path: `${apiKeysPath}/:id/revoke`,
    handle: async (request, { peers }) => {
      const { visit, context } = request;
      checkScope(visit.scopes, { method: 'DELETE', segment: 'api-keys' });
      await peers.identity.revokeApiKey({ id: param(request, 'id') }, context);
      return redirectAnswer(apiKeysAddress(visit.tenant.environmentId));
    },
  },
];

async function makeKey(request: DashboardRequest, site: OperatorSurroundings): Promise<ApiAnswer> {
  const { peers, operatorAccess } = site;
  const { visit, form, context, path } = request;
  checkScope(visit.scopes, { method: 'POST', segment: 'api-keys' });
  const typed = Object.fromEntries(keyFields.map(({ name }) => [name, form.get(name) ?? '']));
  const { name = '', scopes = '', expiresAt = '' } = typed;
  const repeatable = { key: form.get('nonce'), method: 'POST', path, body: typed };
  const idempotency = readIdempotency(repeatable, () => undefined);
  const chosen = scopes.split(/[\s,]+/).filter((scope) => scope !== '');
  try {
    const wish = {
      name,
      scopes: chosen.length === 0 ? [...visit.scopes] : chosen,
      expiresAt: readDay(expiresAt),
    };
    const { key } = await peers.identity.createApiKey(wish, { ...context, idempotency });
    return pageAnswer(newKeyPage(visit, { key, name, siteUrl: operatorAccess.siteUrl }));
  } catch (error) {
    if (!(error instanceof DomainError) || error.kind !== 'invalid_input') throw error;
    return showKeys(request, site, { typed, problems: error.fields ?? {} });
  }
}

async function showKeys(
  request: DashboardRequest,
  { peers, operatorAccess }: OperatorSurroundings,
  more: Pick<ShownKeys, 'typed' | 'problems'> = {},
): Promise<ApiAnswer> {
  const { visit, context, call } = request;
  const [environments, { apiKeys }] = await Promise.all([
    operatorAccess.environments(visit.signedIn.session, call),
    peers.identity.listApiKeys({ page: 1, perPage: keysMax }, context),
  ]);
  const nonce = randomSecret(nonceBytes).toString('base64url');
  return pageAnswer(apiKeyPage(visit, { environments, apiKeys, now: call.now, nonce, ...more }));
}

/** The first instant of a day; undefined where none is typed. */
function readDay(text: string): Date | undefined {
  const day = text.trim();
  if (day === '') return undefined;
  const at = /^\d{4}-\d\d-\d\d$/.test(day) ? Date.parse(`${day}T00:00:00Z`) : Number.NaN;
  if (Number.isNaN(at)) throw invalidInput({ expiresAt: ['Must be a day such as 2027-12-31'] });
  return new Date(at);
}
