import type { Express, Request } from 'express';
import type { CallContext } from '@billing/chassis/call-context';
import { DomainError } from '@billing/kernel/domain-error';
import { HostedPageKind } from '@billing/proto/billing/checkout/v1/hosted_page';
import { networkOf } from '../http/client-address';
import { environmentTime } from '../access/environment';
import type { Call } from '../http/exchange';
import type { Peers } from '../peer/peers';
import type { RateLimit } from '../http/rate-limit';
import { addGet } from '../http/respond';
import { failurePage } from './frame/failure-page';
import type { LookCache } from './frame/look-cache';
import { dressed, PageDress } from './frame/page-dress';
import { readForm } from './frame/form-body';
import { payerScriptAnswer, payerScripts } from './frame/payer-script';
import { invoicePageRoutes } from './invoice/routes';
import { linkPageRoutes, linkPricesPath } from './link/routes';
import { admitAddress, mountPages, type PageDependencies, type PageWork } from '../http/page-mount';
import type { PageRequest, PageRoute } from './frame/route';
import { originOf, refuseOtherSites } from '../http/same-site';
import { sessionPageRoutes } from './session/routes';

/** Dependencies of public pages. */
export interface PageSite extends PageDependencies {
  readonly peers: Peers;
  readonly looks: LookCache;
  /** Rate limit per address. Optional. */
  readonly pageRate?: RateLimit | undefined;
  /** Rate limit of orders at checkout links per address. Defaults to `pageRate`. */
  readonly linkOrderRate?: RateLimit | undefined;
}

const pageRoutes: readonly PageRoute[] = [
  ...sessionPageRoutes,
  ...linkPageRoutes,
  ...invoicePageRoutes,
];

const tokenPattern = /^[\w-]{43}$/;

/** Serves public pages, which are authorized by the token in their URL. */
export function addPages(app: Express, site: PageSite): void {
  for (const script of payerScripts) {
    addGet(app, script.path, site, () => payerScriptAnswer(script));
  }
  const dress = new PageDress(site.looks, pagePath);
  mountPages(app, pageRoutes, {
    dependencies: site,
    workOf: (route) => dressed(workOf(route, site, dress), dress),
    showError: (problem, request) =>
      dress.finishNow(failurePage(problem, pagePath(request)), request),
  });
}

function workOf(route: PageRoute, site: PageSite, dress: PageDress): PageWork {
  return async (call, { request, response }, recordCaller) => {
    admitAddress(request, call, rateOf(route, site));
    const isSent = route.method === 'POST';
    if (isSent) refuseOtherSites(originOf(request));
    // Precedes the body, so that the gateway does not wait for a sender without a valid token.
    const page = await findPage(route, { call, request, site });
    recordCaller({ tenant: page.context.tenant });
    dress.begin(request, page.context);
    const form = isSent ? await readForm(request, response) : new Map<string, string>();
    const readerLocale = () => dress.localeOf(request);
    return route.handle({ ...page, readerLocale, form }, site.peers);
  };
}

// Orders need no card. Each creates a customer and a session, which may reserve a redemption for 30
// minutes.
function rateOf({ method, kind, path }: PageRoute, { pageRate, linkOrderRate }: PageSite) {
  const isOfLink = kind === HostedPageKind.HOSTED_PAGE_KIND_CHECKOUT_LINK;
  const isOrder = isOfLink && method === 'POST' && path !== linkPricesPath;
  return isOrder ? (linkOrderRate ?? pageRate) : pageRate;
}

/** Resolves a token to its resource and environment. */
async function findPage(
  { kind }: PageRoute,
  { call, request, site }: { call: Call; request: Request; site: PageSite },
): Promise<Omit<PageRequest, 'form' | 'readerLocale'>> {
  const path = pagePath(request);
  const token = String(request.params.token);
  if (path === undefined || !tokenPattern.test(token)) throw pageNotFound();
  const page = await site.peers.hostedPage.findHostedPage({ token }, call as CallContext);
  if (page.kind !== kind) throw pageNotFound();
  const { environmentId, organizationId, live, manualClock } = page;
  const context = { ...call, tenant: { environmentId, organizationId, live, manualClock } };
  return {
    resourceId: page.resourceId,
    path,
    params: request.params as Record<string, string>,
    query: request.query,
    network: networkOf(request.ip),
    cookies: request.header('cookie'),
    context: { ...context, now: await environmentTime(context, site.peers) },
    isTest: !live,
  };
}

/** Path of the page of an address, without the step. */
function pagePath({ path }: Request): string | undefined {
  return /^\/[a-z]+\/[\w-]+/.exec(path)?.[0];
}

function pageNotFound(): DomainError {
  return new DomainError('not_found', 'PAGE_NOT_FOUND', 'Page not found');
}
