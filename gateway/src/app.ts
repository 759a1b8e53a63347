import express, {
  type Express,
  type NextFunction,
  type Request,
  type RequestHandler,
  type Response,
} from 'express';
import type { CallContext } from '@billing/chassis/call-context';
import type { Admission } from './admission';
import { checkScope, isRead } from './authentication';
import { parseBody, readBytes } from './body';
import { readIfMatch, unlessMatched } from './conditions';
import { addDashboard } from './dashboard/dashboard-site';
import type { IdentityProvider } from './dashboard/identity-provider';
import type { OperatorAccess } from './dashboard/operator-access';
import { addOperatorApi } from './dashboard/operator-api';
import { addProviderSignIn } from './dashboard/provider-routes';
import { Documentation } from './documentation';
import { environmentTime } from './environment-time';
import {
  type Call,
  exchange,
  type ExchangeOptions,
  type ExchangeSurroundings,
  type NoteCaller,
  toErrorAnswer,
} from './exchange';
import { type HttpError, RequestError, withoutUnavailability } from './http-error';
import { comparableBody, readIdempotency } from './idempotency';
import { ignoredFieldsHeader, ignoredFieldsOf } from './ignored-fields';
import type { InFlightLimit } from './in-flight-limit';
import { addPages } from './pages/page-site';
import { portalRoutes } from './pages/portal/portal-routes';
import { addPortal } from './pages/portal/portal-site';
import type { Peers } from './peers';
import { addProviderEvents } from './provider-events';
import type { RateLimit } from './rate-limit';
import { type ApiAnswer, type ApiRequest, allowed, ok, type Route } from './route';
import { apiKeyRoutes } from './routes/api-keys';
import { checkoutRoutes } from './routes/checkout';
import { checkoutLinkRoutes } from './routes/checkout-links';
import { customerUsageRoutes } from './routes/customer-usage';
import { customerRoutes } from './routes/customers';
import { discountRoutes } from './routes/discounts';
import { eventRoutes } from './routes/events';
import { invoiceRoutes } from './routes/invoices';
import { meterRoutes } from './routes/meters';
import { meterPriceRoutes } from './routes/meter-prices';
import { portalSessionRoutes } from './routes/portal-sessions';
import { productRoutes } from './routes/products';
import { sandboxRoutes } from './routes/sandboxes';
import { subscriptionRoutes } from './routes/subscriptions';
import { webhookDeliveryRoutes } from './routes/webhook-deliveries';
import { webhookEndpointRoutes } from './routes/webhook-endpoints';

/** Every operation under /v1. */
export const routes: readonly Route[] = [
  ...customerRoutes,
  ...customerUsageRoutes,
  ...productRoutes,
  ...meterPriceRoutes,
  ...checkoutRoutes,
  ...checkoutLinkRoutes,
  ...discountRoutes,
  ...subscriptionRoutes,
  ...invoiceRoutes,
  ...meterRoutes,
  ...eventRoutes,
  ...portalSessionRoutes,
  ...webhookEndpointRoutes,
  ...webhookDeliveryRoutes,
  ...sandboxRoutes,
  ...apiKeyRoutes,
];

/** The first segments of all paths, which scopes are named after. */
export const segments = [...new Set(routes.map(({ path }) => segmentOf(path)))];

/** What the app is made of. */
export interface AppParts extends ExchangeSurroundings {
  readonly peers: Peers;
  readonly admission: Admission;
  readonly operatorAccess: OperatorAccess;
  /** Whose word lets operators in, beside their passwords; absent: nobody's. */
  readonly identityProvider?: IdentityProvider | undefined;
  /** Where a trace is looked at, with `{traceId}` in it; absent: nowhere. */
  readonly traceUrl?: string | undefined;
  /** Places of requests with a key. */
  readonly keyedInFlight: InFlightLimit;
  /** Places of requests without one, who may take none of the others'. */
  readonly publicInFlight: InFlightLimit;
  readonly inFlightPerKey: InFlightLimit;
  /** Of public pages, by address; absent: no limit. */
  readonly pageRate?: RateLimit | undefined;
  /** Of orders at checkout links, by address; absent: as of any page. */
  readonly linkOrderRate?: RateLimit | undefined;
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
    respond(parts, { route: '/healthz' }, () => Promise.resolve(ok({ status: 'ok' }))),
  );
  app.get(
    '/readyz',
    respond(parts, { route: '/readyz' }, () => readiness(parts)),
  );
  const documentation = new Documentation(routes);
  const documents = {
    '/openapi.json': () => documentation.api(),
    '/asyncapi.json': () => documentation.webhooks(),
    '/docs': () => documentation.page(),
  };
  for (const [path, document] of Object.entries(documents)) {
    app.get(
      path,
      respond(parts, { route: path }, (_call, request) =>
        Promise.resolve(unlessMatched(request.header('if-none-match'), document())),
      ),
    );
  }
  for (const path of ['/healthz', '/readyz', ...Object.keys(documents)]) {
    app.all(
      path,
      respond(parts, { route: path }, () => Promise.reject(methodNotAllowed(allowed(['GET'])))),
    );
  }
  const publicSite = { ...parts, inFlight: parts.publicInFlight };
  addPages(app, publicSite);
  addPortal(app, portalRoutes, publicSite);
  addOperatorApi(app, publicSite);
  addProviderSignIn(app, publicSite);
  addDashboard(app, publicSite);
  addProviderEvents(app, publicSite);
  for (const [path, operations] of byPath(routes)) {
    for (const route of operations) addRoute(app, route, parts);
    const allow = allowed(operations.map(({ method }) => method));
    app.all(
      `/v1${path}`,
      authenticated(parts, { route: `/v1${path}` }, () => Promise.reject(methodNotAllowed(allow))),
    );
  }
  app.use(
    '/v1',
    authenticated(parts, { route: '/v1/*' }, () => Promise.reject(notFound())),
  );
  app.use(respond(parts, { route: '/*' }, () => Promise.reject(notFound())));
  // Only a path that cannot be decoded gets here: it names nothing, which below /v1 needs a key to know.
  const unnamed = respond(parts, { route: '/*' }, () => Promise.reject(notFound()));
  const unnamedOfApi = authenticated(parts, { route: '/v1/*' }, () => Promise.reject(notFound()));
  app.use((_error: unknown, request: Request, response: Response, next: NextFunction) =>
    (request.path.startsWith('/v1/') ? unnamedOfApi : unnamed)(request, response, next),
  );
  return app;
}

function addRoute(app: Express, route: Route, parts: AppParts): void {
  const segment = segmentOf(route.path);
  const { isIngest } = route;
  const handler = authenticated(
    parts,
    { ...routeOptions(route), isIngest },
    async (call, request, response) => {
      checkScope(call.scopes, { method: route.method, segment });
      const apiRequest = await readRequest(route, call, { request, response, parts });
      // Before the route looks: whoever is refused must find a typo too.
      setHeaders(response, ignoredFieldsHeader(ignoredFieldsOf(route.operation, apiRequest)));
      const answer = await route.handle(apiRequest, parts.peers);
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

function segmentOf(path: string): string {
  return path.split('/')[1] ?? '';
}

function setHeaders(response: Response, headers: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
}

async function readRequest(
  { method, path, takesBytes }: Route,
  call: CallContext,
  { request, response, parts }: { request: Request; response: Response; parts: AppParts },
): Promise<ApiRequest> {
  const changes = method === 'POST' || method === 'PATCH';
  const isOfResource = path.includes(':');
  const read = takesBytes === true ? readBytes : parseBody;
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
    context: { ...call, now: await environmentTime(call, parts.peers), idempotency },
  };
}

/** A handler that knows its caller. */
function authenticated(
  parts: AppParts,
  options: ExchangeOptions,
  work: (call: CallContext, request: Request, response: Response) => Promise<ApiAnswer>,
): RequestHandler {
  const made = { ...options, inFlight: parts.keyedInFlight };
  return respond(parts, made, async (call, request, response, note) => {
    const { isIngest } = options;
    const admitted = await parts.admission.admit(request, response, call, { isIngest, note });
    const { tenant, scopes, callerId, signedIn } = admitted;
    const run = () => work({ ...call, tenant, scopes }, request, response);
    if (signedIn === undefined || isRead(request.method)) {
      return parts.inFlightPerKey.run(run, callerId);
    }
    const { method, path } = request;
    const { environmentId } = tenant;
    const action = { action: `${method} ${options.route}`, path, environmentId };
    return parts.inFlightPerKey.run(
      () => parts.operatorAccess.audited(signedIn, action, { call, work: run }),
      callerId,
    );
  });
}

function routeOptions({ path, deadlineMs, hidesUnavailability }: Route): ExchangeOptions {
  const showError = hidesUnavailability === true ? showAsFault : undefined;
  return { route: `/v1${path}`, deadlineMs, showError };
}

function showAsFault(problem: HttpError): ApiAnswer {
  return toErrorAnswer(withoutUnavailability(problem));
}

function respond(
  parts: AppParts,
  options: ExchangeOptions,
  work: (call: Call, request: Request, response: Response, note: NoteCaller) => Promise<ApiAnswer>,
): RequestHandler {
  const { clock, logger, metrics, requestLog } = parts;
  const made = { clock, logger, metrics, requestLog, ...options };
  return (request, response) =>
    exchange(request, response, made, (call, note) => work(call, request, response, note));
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
