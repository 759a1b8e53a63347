import type { Express, Request, RequestHandler, Response } from 'express';
import type { CallContext, RetrySeed } from '@billing/chassis/call-context';
import type { ApiAnswer } from '../http/answer';
import { authenticated, type AuthenticatedDependencies } from './authenticated';
import { parseBody, readBytes } from '../http/body';
import { readIfMatch, unlessMatched } from '../http/conditions';
import { environmentTime } from '../access/environment';
import { type ExchangeOptions, toErrorAnswer } from '../http/exchange';
import { type HttpError, methodNotAllowed, notFound, withoutUnavailability } from '../http/error';
import { comparableBody, readIdempotency } from '../http/idempotency';
import { ignoredFieldsHeader, ignoredFieldsOf } from './input/ignored-fields';
import type { LostCalls } from './lost-call/lost-calls';
import { StreamedBody } from '../http/streamed-body';
import { answersSecret } from './routes/operation';
import type { Peers } from '../peer/peers';
import { type ApiRequest, param } from './input/request';
import type { Route } from './routes/route';
import { routes } from './routes';
import { checkScope } from '../access/scope';
import type { WorkQueue } from '../http/work-queue';
import { describedWrite, readerOf } from './write-audit';

// Grace time in which writes that completed just before the deadline are still acknowledged.
const storedGraceMs = 5_000;

/** Dependencies of the API. */
export interface ApiDependencies extends AuthenticatedDependencies {
  readonly peers: Peers;
  /** Queue of requests that write. */
  readonly workQueue: WorkQueue;
  /** Recognizes retries of POSTs without an idempotency key. */
  readonly lostCalls: LostCalls;
}

/** Serves the operations under /v1. */
export function addApi(app: Express, dependencies: ApiDependencies): void {
  for (const [path, operations] of byPath(routes)) {
    for (const route of operations) addRoute(app, route, dependencies);
    const methods = operations.map(({ method }) => method);
    app.all(
      `/v1${path}`,
      authenticated(dependencies, { route: `/v1${path}` }, () =>
        Promise.reject(methodNotAllowed(methods)),
      ),
    );
  }
  app.use('/v1', unknownOperation(dependencies));
}

/** Refuses unknown paths below /v1, about which only callers with a key may learn. */
export function unknownOperation(dependencies: AuthenticatedDependencies): RequestHandler {
  return authenticated(dependencies, { route: '/v1/*' }, () => Promise.reject(notFound()));
}

function addRoute(app: Express, route: Route, dependencies: ApiDependencies): void {
  const segment = segmentOf(route.path);
  const { isIngest, waits, readsOnly = false } = route;
  const reader = readerOf(route, routes);
  const isRemembered =
    createsOnce(route) || isIngest === true ? !answersSecret(route.operation) : false;
  const handler = authenticated(
    dependencies,
    { ...routeOptions(route), isIngest, waits, readsOnly },
    async (call, request, response, { caller, describe }) => {
      if (!readsOnly) describe({ target: undefined, changes: [] });
      checkScope(call.scopes, { method: route.method, segment, readsOnly });
      const read = await readRequest(route, call, { request, response, dependencies });
      const apiRequest = { ...read, caller };
      // Set before validation, so that a refused caller also learns about typos.
      setHeaders(response, ignoredFieldsHeader(ignoredFieldsOf(route.operation, apiRequest)));
      const handle = (retrySeed?: RetrySeed) => {
        const context = { ...apiRequest.context, retrySeed };
        return route.handle({ ...apiRequest, context }, dependencies.peers, dependencies);
      };
      const once = () => {
        if (!isRemembered || apiRequest.context.idempotency !== undefined) return handle();
        const { method, path } = request;
        const { body, context } = apiRequest;
        const { isCredential = false } = route.operation.answer;
        const call = { callerId: caller.id, method, path, body: comparableBody(body), context };
        return dependencies.lostCalls.run({ ...call, isCredential }, response, handle);
      };
      const write = () =>
        createsOnce(route) ? dependencies.workQueue.run(queueKeyOf(call, route), once) : once();
      const { peers, logger } = dependencies;
      const described = { reader, peers, logger, describe, write };
      const answer = await describedWrite(route, apiRequest, described);
      if (route.endsKeys === true) dependencies.admission.endKeysOf(param(apiRequest, 'id'));
      // Here, so that the request keeps its place until the end of the body.
      if (answer.body instanceof StreamedBody) await answer.body.send(response, answer);
      return route.method === 'GET'
        ? unlessMatched(request.header('if-none-match'), answer)
        : answer;
    },
  );
  const path = `/v1${route.path}`;
  switch (route.method) {
    case 'GET':
      return void app.get(path, handler);
    case 'POST':
      return void app.post(path, handler);
    case 'PATCH':
      return void app.patch(path, handler);
    case 'DELETE':
      return void app.delete(path, handler);
  }
}

// Queue key: a flood of requests of one environment for one route does not delay others.
function queueKeyOf({ tenant }: CallContext, { path }: Route): string {
  return `${tenant.environmentId} ${path}`;
}

function segmentOf(path: string): string {
  return path.split('/')[1] ?? '';
}

function setHeaders(response: Response, headers: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
}

async function readRequest(
  { method, path, readsBytes }: Route,
  call: CallContext,
  {
    request,
    response,
    dependencies,
  }: { request: Request; response: Response; dependencies: ApiDependencies },
): Promise<Omit<ApiRequest, 'caller'>> {
  const changes = method === 'POST' || method === 'PATCH';
  const isOfResource = method === 'PATCH' || path.includes(':');
  const read = readsBytes === true ? readBytes : parseBody;
  const body = changes ? await read(request, response) : {};
  const key = request.header('idempotency-key');
  const compared = key === undefined ? undefined : comparableBody(body);
  const repeatable = { key, method, path: request.path, body: compared };
  const idempotency = changes
    ? readIdempotency(repeatable, () => response.setHeader('Idempotent-Replayed', 'true'))
    : undefined;
  return {
    params: request.params as Record<string, string>,
    query: request.query,
    body,
    expectedVersion: changes && isOfResource ? readIfMatch(request.header('if-match')) : undefined,
    context: { ...call, now: await environmentTime(call, dependencies.peers), idempotency },
  };
}

function routeOptions(route: Route): ExchangeOptions {
  const { path, deadlineMs, hidesUnavailability } = route;
  const showError = hidesUnavailability === true ? showAsFault : undefined;
  const stores = createsOnce(route);
  const graceMs = stores ? storedGraceMs : undefined;
  return { route: `/v1${path}`, deadlineMs, graceMs, outlivesCaller: stores, showError };
}

/** True if a retry of a request of the route could create a duplicate. */
function createsOnce({ method, isIngest, readsOnly, deadlineMs }: Route): boolean {
  return method === 'POST' && isIngest !== true && readsOnly !== true && deadlineMs === undefined;
}

function showAsFault(problem: HttpError): ApiAnswer {
  return toErrorAnswer(withoutUnavailability(problem));
}

function byPath(all: readonly Route[]): Map<string, Route[]> {
  const paths = new Map<string, Route[]>();
  for (const route of all) paths.set(route.path, [...(paths.get(route.path) ?? []), route]);
  return paths;
}
