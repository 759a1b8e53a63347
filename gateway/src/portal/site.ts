import type { Express, Request } from 'express';
import type { CallContext } from '@billing/chassis/call-context';
import { randomSecret } from '@billing/chassis/ids';
import { DomainError } from '@billing/kernel/domain-error';
import { PortalDoor } from '@billing/proto/billing/customer/v1/portal';
import { isOverTls } from '../http/cookie';
import { networkOf } from '../http/client-address';
import { environmentTime } from '../access/environment';
import type { Call } from '../http/exchange';
import { type HttpError, RequestError } from '../http/error';
import type { Peers } from '../peer/peers';
import type { RateLimit } from '../http/rate-limit';
import { type ApiAnswer, present } from '../http/answer';
import { failurePage } from '../pages/frame/failure-page';
import type { LookCache } from '../pages/frame/look-cache';
import { dressed, PageDress } from '../pages/frame/page-dress';
import { readForm } from '../pages/frame/form-body';
import { formTokenOf, refuseForeignForm } from '../pages/frame/form-token';
import {
  admitAddress,
  mountPages,
  type PageAddress,
  type PageDependencies,
  type PageWork,
} from '../http/page-mount';
import { originOf, refuseOtherSites } from '../http/same-site';
import { pageAnswer, redirectAnswer } from '../pages/frame/shell';
import {
  signInLinkPage,
  signedOutPage,
  expiredVisitPage,
  usedSignInLinkPage,
} from './sign-in-link-page';
import {
  signInLinkCookie,
  noVisitCookie,
  readSignInLinkNonce,
  readVisit,
  visitCookie,
} from './cookie';
import type { PortalRoute, Visit } from './route';

/** Dependencies of the portal. */
export interface PortalSite extends PageDependencies {
  readonly peers: Peers;
  readonly looks: LookCache;
  /** Rate limit per address. Optional. */
  readonly pageRate?: RateLimit | undefined;
}

/** Address of the sign-in page or of a portal page. */
type Address = PageAddress & { readonly work: (site: DressedSite) => PageWork };

/** The portal with the dress of its pages. */
type DressedSite = PortalSite & { readonly dress: PageDress };

const nonceBytes = 16;
const visitOver = 'portal_session_expired';

/** Serves the portal: sign-in with a one-time token, and pages authorized by a cookie. */
export function addPortal(app: Express, routes: readonly PortalRoute[], portal: PortalSite): void {
  const dress = new PageDress(portal.looks, pagePath);
  const site = { ...portal, dress };
  const pages = routes.map((route): Address => ({
    ...route,
    work: () => visitWork(route, site),
  }));
  const leave: Address = { method: 'POST', path: '/portal/leave', work: leaveWork };
  // Registered last, since its parameter matches any segment.
  const signInLink: Address[] = [
    { method: 'GET', path: '/portal/:token', work: showSignInLink },
    { method: 'POST', path: '/portal/:token', work: useSignInLink },
  ];
  mountPages(app, [...pages, leave, ...signInLink], {
    dependencies: site,
    workOf: ({ work }) => dressed(work(site), dress),
    showError: (problem, request) => dress.finishNow(showError(problem, request), request),
  });
}

function showSignInLink({ peers, pageRate, dress }: DressedSite): PageWork {
  return async (call, { request }, recordCaller) => {
    admitAddress(request, call, pageRate);
    const token = tokenOf(request);
    const answer = await peers.portal.findPortalSession({ token }, call as CallContext);
    const tenant = present(answer.tenant);
    recordCaller({ tenant });
    dress.begin(request, { ...call, tenant });
    if (answer.door !== PortalDoor.PORTAL_DOOR_OPEN) {
      const isUsed = answer.door === PortalDoor.PORTAL_DOOR_USED;
      return pageAnswer(usedSignInLinkPage({ isUsed, locale: answer.locale }));
    }
    const nonce = readSignInLinkNonce(request.header('cookie')) ?? newNonce();
    const page = signInLinkPage({
      path: request.path,
      isTest: !tenant.live,
      locale: answer.locale,
    });
    return pageAnswer(page, { 'Set-Cookie': signInLinkCookie(nonce, answer.siteUrl) });
  };
}

function useSignInLink({ peers, pageRate, clock, dress }: DressedSite): PageWork {
  return async (call, { request }, recordCaller) => {
    admitAddress(request, call, pageRate);
    refuseOtherSites(originOf(request), { isNamed: true });
    const token = tokenOf(request);
    const context = call as CallContext;
    const { tenant, siteUrl, locale } = await peers.portal.findPortalSession({ token }, context);
    recordCaller({ tenant: present(tenant) });
    dress.begin(request, { ...context, tenant: present(tenant) });
    const nonce = readSignInLinkNonce(request.header('cookie')) ?? newNonce();
    try {
      const { secret, expiresAt } = await peers.portal.enterPortal({ token, nonce }, context);
      const lifeMs = present(expiresAt).getTime() - clock.now().getTime();
      const { headers, ...sent } = redirectAnswer('/portal');
      const cookie = { 'Set-Cookie': visitCookie(secret, { siteUrl, lifeMs }) };
      return { ...sent, headers: { ...headers, ...cookie } };
    } catch (error) {
      if (!(error instanceof DomainError) || error.kind !== 'failed_precondition') throw error;
      const isUsed = error.reason === 'PORTAL_SESSION_USED';
      return pageAnswer(usedSignInLinkPage({ isUsed, locale }));
    }
  };
}

function visitWork(route: PortalRoute, site: DressedSite): PageWork {
  return async (call, { request, response }, recordCaller) => {
    admitAddress(request, call, site.pageRate);
    const isSent = route.method === 'POST';
    if (isSent) refuseOtherSites(originOf(request), { isNamed: true });
    const { visit, context } = await findVisit(request, call, site);
    recordCaller({ tenant: context.tenant });
    site.dress.begin(request, context);
    const form = isSent ? await readForm(request, response) : new Map<string, string>();
    if (isSent) refuseForeignForm(form, visit.formToken);
    const asked = {
      path: pagePath(request),
      params: request.params as Record<string, string>,
      query: request.query,
      network: networkOf(request.ip),
      form,
      visit,
      context: { ...context, now: await environmentTime(context, site.peers) },
    };
    return route.handle(asked, site.peers);
  };
}

function leaveWork(site: DressedSite): PageWork {
  return async (call, { request, response }, recordCaller) => {
    admitAddress(request, call, site.pageRate);
    refuseOtherSites(originOf(request), { isNamed: true });
    const { visit, secret, context } = await findVisit(request, call, site);
    recordCaller({ tenant: context.tenant });
    site.dress.begin(request, context);
    refuseForeignForm(await readForm(request, response), visit.formToken);
    await site.peers.portal.leavePortal({ secret }, call as CallContext);
    const { siteUrl } = visit;
    return pageAnswer(signedOutPage(visit), { 'Set-Cookie': noVisitCookie(siteUrl) });
  };
}

/** Authenticates the session of a request. */
async function findVisit(
  request: Request,
  call: Call,
  { peers }: PortalSite,
): Promise<{ visit: Visit; secret: string; context: CallContext }> {
  const proof = readVisit(request.header('cookie'));
  // Browsers drop the cookie when it expires.
  if (proof === undefined) throw visitIsOver();
  const { secret, isGuarded } = proof;
  const found = await withoutExpired(peers.portal.findPortalVisit({ secret }, call as CallContext));
  const { customerId, locale, returnUrl, siteUrl } = found;
  // Over TLS, a cookie without the prefix may have been set by a sibling host.
  if (isGuarded !== isOverTls(siteUrl)) throw visitIsOver();
  const tenant = present(found.tenant);
  const formToken = formTokenOf(secret);
  return {
    visit: { customerId, locale, returnUrl, siteUrl, formToken, isTest: !tenant.live },
    secret,
    context: { ...call, tenant },
  };
}

async function withoutExpired<T>(finding: Promise<T>): Promise<T> {
  try {
    return await finding;
  } catch (error) {
    if (error instanceof DomainError && error.reason === 'PORTAL_SESSION_EXPIRED')
      throw visitIsOver();
    throw error;
  }
}

function showError(problem: HttpError, request: Request): ApiAnswer {
  if (problem.code === visitOver)
    return pageAnswer(expiredVisitPage(), { 'Error-Code': visitOver });
  return failurePage(problem, pagePath(request));
}

function visitIsOver(): RequestError {
  return new RequestError(410, visitOver, 'The portal session has expired');
}

function tokenOf(request: Request): string {
  return String(request.params.token);
}

/** Path of the page of an address, without the step. Only invoices have pages of their own. */
function pagePath({ path }: Request): string {
  if (path.startsWith('/portal/subscriptions/')) return '/portal';
  return /^\/portal(\/invoices\/[0-9a-f-]{36}|\/[\w-]+)?/.exec(path)?.[0] ?? '/portal';
}

function newNonce(): string {
  return randomSecret(nonceBytes).toString('base64url');
}
