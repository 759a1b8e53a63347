import type { Express, Request, Response } from 'express';
import type { CallContext } from '@billing/chassis/call-context';
import { randomSecret } from '@billing/chassis/ids';
import { DomainError } from '@billing/kernel/domain-error';
import type { Origin } from '@billing/proto/billing/identity/v1/operator';
import { originOfRequest } from '../../http/client-address';
import type { Call } from '../../http/exchange';
import { type HttpError, RequestError } from '../../http/error';
import { admitAddress, mountPages, type PageAddress, type PageWork } from '../../http/page-mount';
import { operatorPageAnswer, redirectAnswer } from '../../pages/frame/shell';
import { type ApiAnswer, present } from '../../http/answer';
import {
  noSignInCookie,
  readStartedSignIn,
  sealNonceBytes,
  signInCookie,
  type SignInCookieTerms,
  signInKey,
} from '../../access/started-sign-in';
import { signInPath } from '../route/addresses';
import {
  type IdentityProvider,
  providerDeadlineMs,
  type AuthenticatedPerson,
} from '../../access/identity-provider';
import type { DashboardSite } from '../route/route';
import { failurePage, providerPath, welcomePage } from './provider-page';
import { returnAddress } from './return-address';
import { cookieOf } from './session-routes';

interface Step {
  readonly call: Call;
  readonly request: Request;
  readonly response: Response;
  readonly provider: IdentityProvider;
  readonly terms: SignInCookieTerms;
  readonly recordCaller: Parameters<PageWork>[2];
}

interface ProviderRoute extends PageAddress {
  readonly handle: (step: Step, site: DashboardSite) => Promise<ApiAnswer>;
}

const callbackPath = `${signInPath}/callback`;
const secretBytes = 32;

const routes: readonly ProviderRoute[] = [
  { method: 'GET', path: providerPath, deadlineMs: providerDeadlineMs, handle: begin },
  { method: 'GET', path: callbackPath, deadlineMs: providerDeadlineMs, handle: finish },
];

/** Serves the sign-in with the organization's identity provider, if one is configured. */
export function addProviderSignIn(app: Express, site: DashboardSite): void {
  mountPages<ProviderRoute>(app, routes, {
    dependencies: site,
    workOf: (route) => workOf(route, site),
    showError: (problem, request) => showError(problem, request, site),
  });
}

function workOf(route: ProviderRoute, site: DashboardSite): PageWork {
  return async (call, { request, response }, recordCaller) => {
    admitAddress(request, call, site.pageRate);
    const { identityProvider: provider, operatorAccess } = site;
    if (provider === undefined) throw new RequestError(404, 'not_found', 'Not found');
    const { issuer, clientId, clientSecret } = provider.settings;
    const name = `${issuer} ${clientId}`;
    const key = signInKey(clientSecret, name);
    const { dataKeys } = site;
    const terms = { siteUrl: operatorAccess.siteUrl, provider: name, dataKeys, key };
    return route.handle({ call, request, response, provider, terms, recordCaller }, site);
  };
}

/**
 * Stores the started sign-in in the browser, so that any gateway but no other browser can finish
 * it.
 */
async function begin({ call, request, provider, terms }: Step): Promise<ApiAnswer> {
  const secret = () => randomSecret(secretBytes).toString('base64url');
  const proof = { state: secret(), nonce: secret(), codeVerifier: secret() };
  const address = await provider.address(proof, `${terms.siteUrl}${callbackPath}`);
  const returnTo = returnAddress(request.query.returnTo, terms.siteUrl);
  const sealing = { now: call.now, sealNonce: randomSecret(sealNonceBytes) };
  const { headers, ...sent } = redirectAnswer(address);
  const cookie = signInCookie({ ...proof, returnTo }, terms, sealing);
  return { ...sent, headers: { ...headers, 'Set-Cookie': cookie } };
}

async function finish(step: Step, site: DashboardSite): Promise<ApiAnswer> {
  const { call, request, response, provider, terms, recordCaller } = step;
  const { operatorAccess } = site;
  // Each started sign-in has only one attempt.
  response.appendHeader('Set-Cookie', noSignInCookie(terms.siteUrl));
  const started = readStartedSignIn(request.header('cookie'), terms, call.now);
  if (started === undefined) {
    throw new RequestError(400, 'sign_in_not_begun', 'The sign-in was not started in this browser');
  }
  // A proxy may have changed the address of the request; the provider expects the configured one.
  const query = new URL(request.url, terms.siteUrl).search;
  const returned = new URL(`${terms.siteUrl}${callbackPath}${query}`);
  const person = await provider.authenticate(returned, started);
  const origin = originOfRequest(request);
  const { session } = await open({ ...person, origin }, { call, site });
  const signedIn = await operatorAccess.signedIn(present(session).token, call);
  recordCaller({ operatorId: signedIn.operator.id });
  const action = { action: `GET ${callbackPath}`, path: callbackPath };
  return operatorAccess.audited(signedIn, action, {
    call,
    origin,
    work: () => {
      response.appendHeader('Set-Cookie', cookieOf(session, { call, site }));
      return Promise.resolve(operatorPageAnswer(welcomePage(started.returnTo)));
    },
  });
}

async function open(
  person: AuthenticatedPerson & { readonly origin: Origin },
  { call, site }: { call: Call; site: DashboardSite },
) {
  try {
    return await site.peers.operator.logInByProvider(person, call as CallContext);
  } catch (error) {
    if (!(error instanceof DomainError) || error.kind !== 'unauthenticated') throw error;
    throw new RequestError(403, 'not_an_operator', 'The account belongs to no operator');
  }
}

function showError(problem: HttpError, request: Request, site: DashboardSite): ApiAnswer {
  const requestId = String(request.res?.getHeader('X-Request-Id') ?? '');
  const label = site.identityProvider?.settings.label ?? '';
  return failurePage(problem, { requestId, label });
}
