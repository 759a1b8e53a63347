import express, {
  type Express,
  type NextFunction,
  type Request,
  type RequestHandler,
  type Response,
} from 'express';
import type { DataKeys } from '@billing/chassis/data-keys';
import { addApi, type ApiDependencies, unknownOperation } from './api/api';
import { addDashboard } from './operator/dashboard-site';
import type { IdentityProvider } from './access/identity-provider';
import { InvitationLimits } from './access/invitation-limits';
import { PasswordResetLimits } from './access/password-reset-limits';
import { addOperatorApi } from './operator/api';
import { addProviderSignIn } from './operator/sign-in/provider-routes';
import { addDocumentation, type DocumentationDependencies } from './openapi/documentation';
import { addDocumentationSite, siteAddresses } from './documentation-site';
import { addDownloads } from './downloads';
import { notFound } from './http/error';
import type { TakePlace } from './http/in-flight-limit';
import { LookCache } from './pages/frame/look-cache';
import { addLogos } from './pages/logos';
import { payerScripts } from './pages/frame/payer-script';
import { addPages } from './pages/site';
import { portalRoutes } from './portal/routes';
import { addPortalSignIn } from './portal/sign-in/sign-in-site';
import { addPortal } from './portal/site';
import { addProbes, type ProbeDependencies, refuseWhileRecovering } from './probes';
import { addProviderEvents } from './provider-events';
import type { RateLimit } from './http/rate-limit';
import { addGet, respond } from './http/respond';
import { rootAnswer } from './root-answer';
import { routes } from './api/routes';

/** Dependencies of the app. */
export interface AppDependencies
  extends ApiDependencies, ProbeDependencies, DocumentationDependencies {
  /** OpenID provider for operator sign-in, in addition to passwords. Optional. */
  readonly identityProvider?: IdentityProvider | undefined;
  /** Seals the state of sign-ins at the provider. Optional. */
  readonly dataKeys?: DataKeys | undefined;
  /** URL template of the trace viewer, contains `{traceId}`. Optional. */
  readonly traceUrl?: string | undefined;
  /** Separate concurrency limits of requests without a key, by kind. */
  readonly providerEventPlaces: TakePlace;
  readonly payerPlaces: TakePlace;
  readonly operatorPlaces: TakePlace;
  /** Rate limit of public pages per address. Optional. */
  readonly pageRate?: RateLimit | undefined;
  /** Rate limit of orders at checkout links per address. Defaults to the limit of pages. */
  readonly linkOrderRate?: RateLimit | undefined;
  /** Proxies whose `X-Forwarded-For` is trusted. */
  readonly trustedProxies: readonly string[];
}

/** Paths that are answered without a service. The files of the dashboard are always served. */
const withoutService = [
  '/',
  '/openapi.json',
  '/asyncapi.json',
  ...siteAddresses,
  '/downloads/:file',
  ...payerScripts.map(({ path }) => path),
];

/** Creates the HTTP application: probes, documents, pages, and /v1 behind authentication. */
export function createApp(dependencies: AppDependencies): Express {
  const app = express();
  // Disables costly defaults: hashing of every body and parsing of nested queries.
  app.set('etag', false);
  app.set('query parser', 'simple');
  app.set('case sensitive routing', true);
  app.set('strict routing', true);
  app.disable('x-powered-by');
  if (dependencies.trustedProxies.length > 0) app.set('trust proxy', dependencies.trustedProxies);

  addProbes(app, dependencies);
  refuseWhileRecovering(app, withoutService, dependencies);
  addGet(app, '/', dependencies, (request) =>
    rootAnswer(request.header('accept'), dependencies.version),
  );
  addDocumentation(app, routes, dependencies);
  addDocumentationSite(app, dependencies);
  addDownloads(app, dependencies);
  addKeylessSites(app, dependencies);
  addApi(app, dependencies);
  app.use(unknownPath(dependencies));
  // Only paths that cannot be decoded reach this handler. They are unknown, and below /v1 only
  // callers with a key may learn that.
  const unnamed = unknownPath(dependencies);
  const unnamedOfApi = unknownOperation(dependencies);
  app.use((_error: unknown, request: Request, response: Response, next: NextFunction) =>
    (request.path.startsWith('/v1/') ? unnamedOfApi : unnamed)(request, response, next),
  );
  return app;
}

function unknownPath(dependencies: AppDependencies): RequestHandler {
  return respond(dependencies, { route: '/*' }, () => Promise.reject(notFound()));
}

/** Serves requests without a key: of payers, operators and payment providers. */
function addKeylessSites(app: Express, dependencies: AppDependencies): void {
  const looks = new LookCache(dependencies.peers, dependencies.clock);
  const payers = { ...dependencies, looks, inFlight: dependencies.payerPlaces };
  addPages(app, payers);
  addLogos(app, payers);
  addPortalSignIn(app, payers);
  addPortal(app, portalRoutes, payers);
  const { operatorPlaces: inFlight } = dependencies;
  const operators = {
    ...dependencies,
    inFlight,
    assignsRequestId: true as const,
    passwordResets: new PasswordResetLimits(),
    invitations: new InvitationLimits(),
  };
  addOperatorApi(app, operators);
  addProviderSignIn(app, operators);
  addDashboard(app, operators);
  addProviderEvents(app, { ...dependencies, inFlight: dependencies.providerEventPlaces });
}
