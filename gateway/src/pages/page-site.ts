import type { Express, Request, RequestHandler, Response } from 'express';
import type { CallContext } from '@billing/chassis/call-context';
import { DomainError } from '@billing/kernel/domain-error';
import { HostedPageKind } from '@billing/proto/billing/checkout/v1/hosted_page';
import { networkOf } from '../admission';
import { environmentTime } from '../environment-time';
import { type Call, exchange, type ExchangeSurroundings, type Work } from '../exchange';
import { RequestError } from '../http-error';
import type { InFlightLimit } from '../in-flight-limit';
import type { Peers } from '../peers';
import type { RateLimit } from '../rate-limit';
import { allowed, type ApiAnswer } from '../route';
import { failurePage } from './failure-page';
import { readForm } from './form-body';
import { invoicePageRoutes } from './invoice-routes';
import { linkPageRoutes } from './link-routes';
import type { PageRequest, PageRoute } from './page-route';
import { refuseOtherSites } from './same-site';
import { sessionPageRoutes } from './session-routes';

/** What public pages are made of. */
export interface PageSite extends ExchangeSurroundings {
  readonly peers: Peers;
  /** Places of all that come without a key. */
  readonly inFlight: InFlightLimit;
  /** By address; absent: no limit. */
  readonly pageRate?: RateLimit | undefined;
  /** Of orders at checkout links, by address; absent: as of any page. */
  readonly linkOrderRate?: RateLimit | undefined;
}

const pageRoutes: readonly PageRoute[] = [
  ...sessionPageRoutes,
  ...linkPageRoutes,
  ...invoicePageRoutes,
];

const tokenPattern = /^[\w-]{43}$/;

/** Serves the pages that need no key: whoever knows the token in an address may open it. */
export function addPages(app: Express, site: PageSite): void {
  const paths = new Set(pageRoutes.map(({ path }) => path));
  for (const path of paths) {
    const routes = pageRoutes.filter((route) => route.path === path);
    for (const route of routes) {
      if (route.method === 'GET') app.get(path, handler(route, site));
      else app.post(path, handler(route, site));
    }
    const allow = allowed(routes.map(({ method }) => method));
    app.all(
      path,
      respond({ path, method: 'GET' }, site, () =>
        Promise.reject(
          new RequestError(405, 'method_not_allowed', 'Method not allowed', { Allow: allow }),
        ),
      ),
    );
  }
}

function handler(route: PageRoute, site: PageSite): RequestHandler {
  return respond(route, site, async (call, request, response, note) => {
    admit(request, call, rateOf(route, site));
    if (route.method === 'POST') {
      refuseOtherSites({
        fetchSite: request.header('sec-fetch-site'),
        origin: request.header('origin'),
        host: request.host,
      });
    }
    const form = route.method === 'POST' ? await readForm(request, response) : new Map();
    const page = await findPage(route, { call, request, site });
    note({ environmentId: page.context.tenant.environmentId });
    return route.handle({ ...page, form }, site.peers);
  });
}

function respond(
  { path, method, deadlineMs }: Pick<PageRoute, 'path' | 'method' | 'deadlineMs'>,
  site: PageSite,
  work: (
    call: Call,
    request: Request,
    response: Response,
    note: Parameters<Work>[1],
  ) => Promise<ApiAnswer>,
): RequestHandler {
  return (request, response) =>
    exchange(
      request,
      response,
      {
        ...site,
        route: path,
        deadlineMs,
        // Who pays and closes the window, or presses twice, has paid.
        outlivesCaller: method === 'POST',
        showError: (problem) => failurePage(problem, pagePath(request)),
      },
      (call, note) => work(call, request, response, note),
    );
}

// An order needs no card: each makes a customer and a session, which may hold a redemption of a discount for a day.
function rateOf({ method, kind }: PageRoute, { pageRate, linkOrderRate }: PageSite) {
  const isOrder = method === 'POST' && kind === HostedPageKind.HOSTED_PAGE_KIND_CHECKOUT_LINK;
  return isOrder ? (linkOrderRate ?? pageRate) : pageRate;
}

function admit(request: Request, { now }: Call, rate: RateLimit | undefined): void {
  const allowance = rate?.take(networkOf(request.ip), now);
  if (allowance?.isAllowed !== false) return;
  throw new RequestError(429, 'too_many_requests', 'Too many requests', {
    'Retry-After': String(allowance.secondsToNext),
  });
}

/** Turns a token into the resource and the environment that it is of. */
async function findPage(
  { kind }: PageRoute,
  { call, request, site }: { call: Call; request: Request; site: PageSite },
): Promise<Omit<PageRequest, 'form'>> {
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
    query: request.query,
    context: { ...context, now: await environmentTime(context, site.peers) },
    isTest: !live,
  };
}

/** The page that an address belongs to; below it lie the steps of its forms. */
function pagePath({ path }: Request): string | undefined {
  return /^\/[a-z]+\/[\w-]+/.exec(path)?.[0];
}

function pageNotFound(): DomainError {
  return new DomainError('not_found', 'PAGE_NOT_FOUND', 'Page not found');
}
