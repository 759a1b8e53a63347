import type { Express, Request, RequestHandler, Response } from 'express';
import { networkOf } from './client-address';
import {
  type Call,
  exchange,
  type ExchangeDependencies,
  type ExchangeOptions,
  type Work,
} from './exchange';
import { type HttpError, methodNotAllowed, RequestError } from './error';
import type { TakePlace } from './in-flight-limit';
import type { RateLimit } from './rate-limit';
import type { ApiAnswer } from './answer';

/** Dependencies of pages. */
export interface PageDependencies
  extends ExchangeDependencies, Pick<ExchangeOptions, 'assignsRequestId'> {
  /** Concurrency limit of this kind of requests without a key. */
  readonly inFlight: TakePlace;
}

/** Address of a page or a step. */
export interface PageAddress {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly deadlineMs?: number;
  /** True if the work is abandoned when the caller disconnects. Defaults to true for GET. */
  readonly endsWithCaller?: boolean;
}

/** Handler of a page request. */
export type PageWork = (
  call: Call,
  message: { readonly request: Request; readonly response: Response },
  recordCaller: Parameters<Work>[1],
) => Promise<ApiAnswer>;

/** Options shared by a group of pages. */
export interface PageService<R> {
  readonly dependencies: PageDependencies;
  readonly workOf: (route: R) => PageWork;
  /** Renders an error as a page. */
  readonly showError: (problem: HttpError, request: Request) => ApiAnswer;
}

const methodNames = {
  GET: 'get',
  POST: 'post',
  PUT: 'put',
  PATCH: 'patch',
  DELETE: 'delete',
} as const satisfies Record<PageAddress['method'], string>;

/** Serves pages and refuses other methods at their addresses. */
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
    const refused = methodNotAllowed(here.map(({ method }) => method));
    app.all(
      path,
      handlerOf({ path, method: 'GET' }, service, () => Promise.reject(refused)),
    );
  }
}

/** Throws if an address exceeds its page rate. */
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
        // A payment completes even if the payer closes the window or submits twice.
        outlivesCaller: !endsWithCaller,
        showError: (problem) => showError(problem, request),
      },
      (call, recordCaller) => work(call, { request, response }, recordCaller),
    );
}
