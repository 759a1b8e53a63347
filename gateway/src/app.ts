import express, { type Express, type Request, type RequestHandler, type Response } from 'express';
import type { CallContext, Tenant } from '@billing/chassis/call-context';
import type { Admission } from './admission';
import { checkScope } from './authentication';
import { parseBody } from './body';
import { readIfMatch, unlessMatched } from './conditions';
import { Documentation } from './documentation';
import { type Call, exchange, type ExchangeSurroundings } from './exchange';
import { RequestError } from './http-error';
import { readIdempotency } from './idempotency';
import type { Peers } from './peers';
import { type ApiAnswer, type ApiRequest, ok, present, type Route } from './route';
import { apiKeyRoutes } from './routes/api-keys';
import { customerRoutes } from './routes/customers';
import { discountRoutes } from './routes/discounts';
import { invoiceRoutes } from './routes/invoices';
import { productRoutes } from './routes/products';
import { sandboxRoutes } from './routes/sandboxes';
import { subscriptionRoutes } from './routes/subscriptions';
import { webhookEndpointRoutes } from './routes/webhook-endpoints';

/** Every operation under /v1. */
export const routes: readonly Route[] = [
  ...customerRoutes,
  ...productRoutes,
  ...discountRoutes,
  ...subscriptionRoutes,
  ...invoiceRoutes,
  ...webhookEndpointRoutes,
  ...sandboxRoutes,
  ...apiKeyRoutes,
];

/** What the app is made of. */
export interface AppParts extends ExchangeSurroundings {
  readonly peers: Peers;
  readonly admission: Admission;
  /** Whose `X-Forwarded-For` is believed; nobody's if empty. */
  readonly trustedProxies: readonly string[];
  readonly isReady: () => Promise<boolean>;
}

/** The HTTP application: probes, then everything under /v1 behind authentication. */
export function createApp(parts: AppParts): Express {
  const app = express();
  // Each costs a good part of a request: hashing every body, parsing nested queries.
  app.set('etag', false);
  app.set('query parser', 'simple');
  app.set('case sensitive routing', true);
  app.set('strict routing', true);
  app.disable('x-powered-by');
  if (parts.trustedProxies.length > 0) app.set('trust proxy', parts.trustedProxies);

  app.get(
    '/healthz',
    respond(parts, '/healthz', () => Promise.resolve(ok({ status: 'ok' }))),
  );
  app.get(
    '/readyz',
    respond(parts, '/readyz', () => readiness(parts)),
  );
  const documentation = new Documentation(routes);
  const documents = {
    '/openapi.json': () => documentation.json(),
    '/docs': () => documentation.page(),
  };
  for (const [path, document] of Object.entries(documents)) {
    app.get(
      path,
      respond(parts, path, (_call, request) =>
        Promise.resolve(unlessMatched(request.header('if-none-match'), document())),
      ),
    );
  }
  for (const path of ['/healthz', '/readyz', ...Object.keys(documents)]) {
    app.all(
      path,
      respond(parts, path, () => Promise.reject(methodNotAllowed('GET'))),
    );
  }
  for (const [path, operations] of byPath(routes)) {
    for (const route of operations) addRoute(app, route, parts);
    const allow = operations.map(({ method }) => method).join(', ');
    app.all(
      `/v1${path}`,
      authenticated(parts, path, () => Promise.reject(methodNotAllowed(allow))),
    );
  }
  app.use(
    '/v1',
    authenticated(parts, '/*', () => Promise.reject(notFound())),
  );
  app.use(respond(parts, '/*', () => Promise.reject(notFound())));
  app.use((_error: unknown, request: Request, response: Response, _next: unknown) =>
    // Only a path that cannot be decoded gets here: it names nothing.
    exchange(request, response, { ...parts, route: '/*' }, () => Promise.reject(notFound())),
  );
  return app;
}

function addRoute(app: Express, route: Route, parts: AppParts): void {
  const segment = route.path.split('/')[1] ?? '';
  const handler = authenticated(
    parts,
    route.path,
    async (call, request, response) => {
      checkScope(call.scopes, { method: route.method, segment });
      const answer = await route.handle(
        await readRequest(route, call, { request, response, parts }),
        parts.peers,
      );
      return route.method === 'GET'
        ? unlessMatched(request.header('if-none-match'), answer)
        : answer;
    },
    route.deadlineMs,
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

async function readRequest(
  { method, path }: Route,
  call: CallContext,
  { request, response, parts }: { request: Request; response: Response; parts: AppParts },
): Promise<ApiRequest> {
  const changes = method === 'POST' || method === 'PATCH';
  const isOfResource = path.includes(':');
  const body = changes ? await parseBody(request, response) : {};
  const repeatable = { key: request.header('idempotency-key'), method, path: request.path, body };
  const idempotency = changes
    ? readIdempotency(repeatable, () => response.setHeader('Idempotent-Replayed', 'true'))
    : undefined;
  return {
    params: request.params as Record<string, string>,
    query: request.query,
    body,
    expectedVersion: changes && isOfResource ? readIfMatch(request.header('if-match')) : undefined,
    context: { ...call, now: await environmentTime(call, parts), idempotency },
  };
}

/** A handler that knows its caller. */
function authenticated(
  parts: AppParts,
  path: string,
  work: (call: CallContext, request: Request, response: Response) => Promise<ApiAnswer>,
  deadlineMs?: number,
): RequestHandler {
  return respond(
    parts,
    `/v1${path}`,
    async (call, request, response) => {
      const { tenant, scopes } = await parts.admission.admit(request, response, call);
      return work({ ...call, tenant, scopes }, request, response);
    },
    deadlineMs,
  );
}

function respond(
  parts: AppParts,
  route: string,
  work: (call: Call, request: Request, response: Response) => Promise<ApiAnswer>,
  deadlineMs?: number,
): RequestHandler {
  return (request, response) =>
    exchange(request, response, { ...parts, route, deadlineMs }, (call) =>
      work(call, request, response),
    );
}

/** A manual clock is read afresh for each request; a real one is the clock on the wall. */
async function environmentTime(call: CallContext, { peers }: AppParts): Promise<Date> {
  const { manualClock }: Tenant = call.tenant;
  if (!manualClock) return call.now;
  const { now } = await peers.identity.getClock({}, call);
  return present(now);
}

async function readiness({ isReady }: AppParts): Promise<ApiAnswer> {
  if (await isReady()) return ok({ status: 'ok' });
  return {
    status: 503,
    body: { error: 'Service unavailable' },
    headers: { 'Retry-After': '1', 'Error-Code': 'unavailable' },
  };
}

function byPath(all: readonly Route[]): Map<string, Route[]> {
  const paths = new Map<string, Route[]>();
  for (const route of all) paths.set(route.path, [...(paths.get(route.path) ?? []), route]);
  return paths;
}

function notFound(): RequestError {
  return new RequestError(404, 'not_found', 'Not found');
}

function methodNotAllowed(allow: string): RequestError {
  return new RequestError(405, 'method_not_allowed', 'Method not allowed', { Allow: allow });
}
