import type { Express, Request, RequestHandler, Response } from 'express';
import { networkOf } from '../admission';
import { type Call, exchange, type ExchangeDependencies, type Work } from '../exchange';
import { type HttpError, RequestError } from '../http-error';
import type { TakePlace } from '../in-flight-limit';
import type { RateLimit } from '../rate-limit';
import { allowed, type ApiAnswer } from '../route';

/** What pages are served with. */
export interface PageDependencies extends ExchangeDependencies {
  /** Places of requests of this kind, which come without a key. */
  readonly inFlight: TakePlace;
}

/** Where a page, or a step of one, is. */
export interface PageAddress {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly deadlineMs?: number;
  /** Whether what is done for it is abandoned when its caller goes away; a GET always is. */
  readonly endsWithCaller?: boolean;
}

/** What is done for a request of a page. */
export type PageWork = (
  call: Call,
  message: { readonly request: Request; readonly response: Response },
  note: Parameters<Work>[1],
) => Promise<ApiAnswer>;

/** How pages are served that share a way of doing so. */
export interface PageService<R> {
  readonly dependencies: PageDependencies;
  readonly workOf: (route: R) => PageWork;
  /** An error as a page tells it. */
  readonly showError: (problem: HttpError, request: Request) => ApiAnswer;
}

const methodNames = {
  GET: 'get',
  POST: 'post',
  PUT: 'put',
  PATCH: 'patch',
  DELETE: 'delete',
} as const satisfies Record<PageAddress['method'], string>;

/** Serves pages at their addresses, and refuses other methods there. */
export function mountPages<R extends PageAddress>(
  app: Express,
  routes: readonly R[],
  service: PageService<R>,
): void {
  for (const path of new Set(routes.map((route) => route.path))) {
    const here = routes.filter((route) => route.path === path);
    for (const route of here) {
      const handler = handlerOf(route, service, service.workOf(route));
      app[methodNames[route.method]](path, handler);
    }
    const allow = { Allow: allowed(here.map(({ method }) => method)) };
    const refused = new RequestError(405, 'method_not_allowed', 'Method not allowed', allow);
    app.all(
      path,
      handlerOf({ path, method: 'GET' }, service, () => Promise.reject(refused)),
    );
  }
}

/** Refuses an address that asks for pages too often. */
export function admitAddress(request: Request, { now }: Call, rate: RateLimit | undefined): void {
  const allowance = rate?.take(networkOf(request.ip), now);
  if (allowance?.isAllowed !== false) return;
  throw new RequestError(429, 'too_many_requests', 'Too many requests', {
    'Retry-After': String(allowance.secondsToNext),
  });
}

function handlerOf<R>(
  { path, method, deadlineMs, endsWithCaller = method === 'GET' }: PageAddress,
  { dependencies, showError }: PageService<R>,
  work: PageWork,
): RequestHandler {
  return (request, response) =>
    exchange(
      request,
      response,
      {
        ...dependencies,
        route: path,
        deadlineMs,
        // Who pays and closes the window, or presses twice, has paid.
        outlivesCaller: !endsWithCaller,
        showError: (problem) => showError(problem, request),
      },
      (call, note) => work(call, { request, response }, note),
    );
}
