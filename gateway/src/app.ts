import express, {
  type Express,
  type NextFunction,
  type Request,
  type RequestHandler,
  type Response,
} from 'express';
import type { CallContext, RetrySeed } from '@billing/chassis/call-context';
import { pathSegments } from '@billing/proto/values/path-segments';
import { originOfRequest } from './client-address';
import type { Admission, Admitted } from './admission';
import type { AuditDetail } from './audit-detail';
import { checkScope } from './scope';
import { isRead } from './method';
import { parseBody, readBytes } from './body';
import { readIfMatch, unlessMatched } from './conditions';
import { addDashboard } from './dashboard/dashboard-site';
import type { IdentityProvider } from './dashboard/identity-provider';
import type { OperatorAccess } from './dashboard/operator-access';
import { addOperatorApi } from './dashboard/operator-api';
import { addProviderSignIn } from './dashboard/provider-routes';
import { Documentation } from './documentation';
import { environmentTime } from './environment';
import {
  type Call,
  exchange,
  type ExchangeOptions,
  type ExchangeDependencies,
  type RecordCaller,
  toErrorAnswer,
} from './exchange';
import { type HttpError, RequestError, withoutUnavailability } from './http-error';
import { comparableBody, readIdempotency } from './idempotency';
import { ignoredFieldsHeader, ignoredFieldsOf } from './ignored-fields';
import type { InFlightLimit, TakePlace } from './in-flight-limit';
import { addPages } from './pages/page-site';
import { portalRoutes } from './pages/portal/portal-routes';
import { addPortal } from './pages/portal/portal-site';
import { answersSecret } from './openapi/operation';
import type { LostCalls } from './lost-calls';
import type { Peers } from './peers';
import { addProviderEvents } from './provider-events';
import type { RateLimit } from './rate-limit';
import { rootAnswer } from './root-answer';
import { type ApiAnswer, allowed, ok } from './answer';
import { type ApiRequest, param } from './request';
import type { Route } from './route';
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
import { type AuditedCall, auditedWrite, describedWrite, readerOf } from './write-audit';
import type { WorkQueue } from './work-queue';

/** All operations under /v1. */
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

// Grace time in which writes that completed just before the deadline are still acknowledged.
const storedGraceMs = 5_000;

/** First path segments of all routes, from which scopes are named. */
export const segments: readonly string[] = pathSegments;

/** Dependencies of the app. */
export interface AppDependencies extends ExchangeDependencies {
  readonly peers: Peers;
  readonly admission: Admission;
  readonly operatorAccess: OperatorAccess;
  /** OpenID provider for operator sign-in, in addition to passwords. Optional. */
  readonly identityProvider?: IdentityProvider | undefined;
  /** URL template of the trace viewer, contains `{traceId}`. Optional. */
  readonly traceUrl?: string | undefined;
  /** Concurrency limits of requests with a key. */
  readonly keyedInFlight: InFlightLimit;
  /** Separate concurrency limits of requests without a key, by kind. */
  readonly providerEventPlaces: TakePlace;
  readonly payerPlaces: TakePlace;
  readonly operatorPlaces: TakePlace;
  readonly inFlightPerKey: InFlightLimit;
  readonly inFlightPerOrganization: InFlightLimit;
  /** Concurrency limits of calls that wait for a clock advance: per process and per environment. */
  readonly waiting: InFlightLimit;
  readonly waitingPerEnvironment: InFlightLimit;
  /** Queue of requests that write. */
  readonly workQueue: WorkQueue;
  /** Recognizes retries of POSTs without an idempotency key. */
  readonly lostCalls: LostCalls;
  /** Rate limit of public pages per address. Optional. */
  readonly pageRate?: RateLimit | undefined;
  /** Rate limit of orders at checkout links per address. Defaults to the limit of pages. */
  readonly linkOrderRate?: RateLimit | undefined;
  /** Proxies whose `X-Forwarded-For` is trusted. */
  readonly trustedProxies: readonly string[];
  readonly isReady: () => Promise<boolean>;
  /** Instance id in the response of /readyz. Optional. */
  readonly instanceId?: string | undefined;
}

/** Creates the HTTP application: probes, pages, and /v1 behind authentication. */
export function createApp(dependencies: AppDependencies): Express {
  const app = express();
  // Disables costly defaults: hashing of every body and parsing of nested queries.
  app.set('etag', false);
  app.set('query parser', 'simple');
  app.set('case sensitive routing', true);
  app.set('strict routing', true);
  app.disable('x-powered-by');
  if (dependencies.trustedProxies.length > 0) app.set('trust proxy', dependencies.trustedProxies);

  app.get(
    '/healthz',
    respond(dependencies, { route: '/healthz' }, () => Promise.resolve(ok({ status: 'ok' }))),
  );
  app.get(
    '/readyz',
    respond(dependencies, { route: '/readyz' }, () => readiness(dependencies)),
  );
  app.get(
    '/',
    respond(dependencies, { route: '/' }, (_call, request) =>
      Promise.resolve(rootAnswer(request.header('accept'))),
    ),
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
      respond(dependencies, { route: path }, (_call, request) =>
        Promise.resolve(unlessMatched(request.header('if-none-match'), document())),
      ),
    );
  }
  for (const path of ['/', '/healthz', '/readyz', ...Object.keys(documents)]) {
    app.all(
      path,
      respond(dependencies, { route: path }, () =>
        Promise.reject(methodNotAllowed(allowed(['GET']))),
      ),
    );
  }
  addKeylessSites(app, dependencies);
  for (const [path, operations] of byPath(routes)) {
    for (const route of operations) addRoute(app, route, dependencies);
    const allow = allowed(operations.map(({ method }) => method));
    app.all(
      `/v1${path}`,
      authenticated(dependencies, { route: `/v1${path}` }, () =>
        Promise.reject(methodNotAllowed(allow)),
      ),
    );
  }
  app.use(
    '/v1',
    authenticated(dependencies, { route: '/v1/*' }, () => Promise.reject(notFound())),
  );
  app.use(respond(dependencies, { route: '/*' }, () => Promise.reject(notFound())));
  // Only paths that cannot be decoded reach this handler. They are unknown, and below /v1 only
  // callers with a key may learn that.
  const unnamed = respond(dependencies, { route: '/*' }, () => Promise.reject(notFound()));
  const unnamedOfApi = authenticated(dependencies, { route: '/v1/*' }, () =>
    Promise.reject(notFound()),
  );
  app.use((_error: unknown, request: Request, response: Response, next: NextFunction) =>
    (request.path.startsWith('/v1/') ? unnamedOfApi : unnamed)(request, response, next),
  );
  return app;
}

/** Serves requests without a key: of payers, operators and payment providers. */
function addKeylessSites(app: Express, dependencies: AppDependencies): void {
  const payers = { ...dependencies, inFlight: dependencies.payerPlaces };
  addPages(app, payers);
  addPortal(app, portalRoutes, payers);
  const { operatorPlaces: inFlight } = dependencies;
  const operators = { ...dependencies, inFlight, assignsRequestId: true as const };
  addOperatorApi(app, operators);
  addProviderSignIn(app, operators);
  addDashboard(app, operators);
  addProviderEvents(app, { ...dependencies, inFlight: dependencies.providerEventPlaces });
}

function addRoute(app: Express, route: Route, dependencies: AppDependencies): void {
  const segment = segmentOf(route.path);
  const { isIngest, waits, readsOnly = false } = route;
  const reader = readerOf(route, routes);
  const isRemembered =
    createsOnce(route) || isIngest === true ? !answersSecret(route.operation) : false;
  const handler = authenticated(
    dependencies,
    { ...routeOptions(route), isIngest, waits },
    async (call, request, response, { caller, describe }) => {
      if (!readsOnly) describe({ target: undefined, changes: [] });
      checkScope(call.scopes, { method: route.method, segment, readsOnly });
      const read = await readRequest(route, call, { request, response, dependencies });
      const apiRequest = { ...read, caller };
      // Set before validation, so that a refused caller also learns about typos.
      setHeaders(response, ignoredFieldsHeader(ignoredFieldsOf(route.operation, apiRequest)));
      const handle = (retrySeed?: RetrySeed) => {
        const context = { ...apiRequest.context, retrySeed };
        return route.handle({ ...apiRequest, context }, dependencies.peers);
      };
      const once = () => {
        if (!isRemembered || apiRequest.context.idempotency !== undefined) return handle();
        const { method, path } = request;
        const { body, context } = apiRequest;
        const keyless = { callerId: caller.id, method, path, body: comparableBody(body), context };
        return dependencies.lostCalls.run(keyless, response, handle);
      };
      const write = () =>
        createsOnce(route) ? dependencies.workQueue.run(queueKeyOf(call, route), once) : once();
      const { peers } = dependencies;
      const answer = await describedWrite(route, apiRequest, { reader, peers, describe, write });
      if (route.endsKeys === true) dependencies.admission.endKeysOf(param(apiRequest, 'id'));
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
  }: { request: Request; response: Response; dependencies: AppDependencies },
): Promise<Omit<ApiRequest, 'caller'>> {
  const changes = method === 'POST' || method === 'PATCH';
  const isOfResource = path.includes(':');
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

/** A handler of authenticated requests. */
function authenticated(
  dependencies: AppDependencies,
  { waits = false, ...options }: ExchangeOptions & { readonly waits?: boolean | undefined },
  work: (
    call: CallContext,
    request: Request,
    response: Response,
    audited: AuditedCall,
  ) => Promise<ApiAnswer>,
): RequestHandler {
  const { keyedInFlight } = dependencies;
  const takePlace: TakePlace = (run) => keyedInFlight.run(run);
  const made = { ...options, inFlight: waits ? undefined : takePlace };
  return respond(dependencies, made, async (call, request, response, recordCaller) => {
    const { isIngest } = options;
    const admit = () =>
      dependencies.admission.admit(request, response, call, { isIngest, recordCaller });
    const admitted = await (waits ? keyedInFlight.run(admit) : admit());
    const { tenant, scopes, callerId, signedIn } = admitted;
    const caller = { type: signedIn === undefined ? 'KEY' : 'OPERATOR', id: callerId } as const;
    let detail: AuditDetail | undefined;
    const describe = (described: AuditDetail) => {
      detail = described;
    };
    const audited = { caller, describe };
    const run = () =>
      work({ ...call, tenant, scopes }, request, response, audited).catch((error: unknown) => {
        throw dependencies.admission.refusalOf(error, admitted);
      });
    const inPlace = placeOf(admitted, dependencies, { waits });
    if (isRead(request.method)) return inPlace(run);
    const { route } = options;
    if (signedIn === undefined) {
      if (isIngest !== true) {
        const audit = () => auditedWrite(admitted, request, { route, detail });
        recordCaller(admitted.facts, { ...admitted.author, audit });
      }
      return inPlace(run);
    }
    const { method, path } = request;
    const { environmentId } = tenant;
    const action = { action: `${method} ${route}`, path, environmentId };
    const origin = originOfRequest(request);
    const entry = { call, origin, work: run, detail: () => detail };
    return inPlace(() => dependencies.operatorAccess.audited(signedIn, action, entry));
  });
}

/**
 * Concurrency limits of a request: those of its caller and organization, or those of calls that
 * wait for the environment's clock.
 */
function placeOf(
  { callerId, tenant }: Admitted,
  { inFlightPerKey, inFlightPerOrganization, waiting, waitingPerEnvironment }: AppDependencies,
  { waits }: { waits: boolean },
): (work: () => Promise<ApiAnswer>) => Promise<ApiAnswer> {
  if (!waits) {
    const { organizationId } = tenant;
    return (work) =>
      inFlightPerKey.run(() => inFlightPerOrganization.run(work, organizationId), callerId);
  }
  return (work) => waitingPerEnvironment.run(() => waiting.run(work), tenant.environmentId);
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

function respond(
  dependencies: AppDependencies,
  options: ExchangeOptions,
  work: (
    call: Call,
    request: Request,
    response: Response,
    recordCaller: RecordCaller,
  ) => Promise<ApiAnswer>,
): RequestHandler {
  const { clock, logger, metrics, requestLog, traceTrusted } = dependencies;
  const made = { clock, logger, metrics, requestLog, traceTrusted, ...options };
  return (request, response) =>
    exchange(request, response, made, (call, recordCaller) =>
      work(call, request, response, recordCaller),
    );
}

async function readiness({ isReady, instanceId }: AppDependencies): Promise<ApiAnswer> {
  if (await isReady()) {
    const named = instanceId !== undefined && { 'X-Billing-Instance': instanceId };
    return ok({ status: 'ok' }, { ...named });
  }
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
