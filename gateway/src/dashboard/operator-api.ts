import type { Express, Request } from 'express';
import { networkOf } from '../admission';
import { isRead } from '../authentication';
import { parseBody } from '../body';
import { environmentTime } from '../environment-time';
import { toErrorAnswer } from '../exchange';
import { RequestError } from '../http-error';
import {
  admitAddress,
  mountPages,
  type PageSurroundings,
  type PageWork,
} from '../pages/page-mount';
import { originOf, refuseOtherSites, requireOwnOrigin } from '../pages/same-site';
import type { RateLimit } from '../rate-limit';
import { operatorApiPath } from './addresses';
import { choiceRoutes } from './choice-routes';
import { invalidSession } from './invalid-session';
import type {
  EnvironmentRoute,
  OpenRequest,
  OperatorRoute,
  OperatorSurroundings,
} from './operator-route';
import { moneyReportRoutes } from './money-report-routes';
import { operatorRoutes } from './operator-routes';
import { paymentMethodRoutes } from './payment-method-routes';
import { reportRoutes } from './report-routes';
import { requestRoutes } from './request-routes';
import { sessionRoutes } from './session-routes';
import { systemRoutes } from './system-routes';
import { webhookBodyRoutes } from './webhook-body-routes';

/** What the dashboard is made of. */
export interface DashboardSite extends PageSurroundings, OperatorSurroundings {
  /** By address; absent: no limit. */
  readonly pageRate?: RateLimit | undefined;
}

type AnyRoute = OperatorRoute | EnvironmentRoute;

/** Every operation of it, below /dashboard/api. */
export const operatorApiRoutes: readonly AnyRoute[] = [
  ...sessionRoutes,
  ...choiceRoutes,
  ...webhookBodyRoutes,
  ...systemRoutes,
  ...operatorRoutes,
  ...reportRoutes,
  ...requestRoutes,
  ...moneyReportRoutes,
  ...paymentMethodRoutes,
];

/** Serves what the dashboard asks about operators, in JSON; all else it asks of the public API. */
export function addOperatorApi(app: Express, site: DashboardSite): void {
  const routes = operatorApiRoutes.map((route) => ({
    ...route,
    path: `${operatorApiPath}${route.path}`,
  }));
  mountPages<AnyRoute>(app, routes, {
    surroundings: site,
    workOf: (route) => workOf(route, site),
    showError: toErrorAnswer,
  });
}

function workOf(route: AnyRoute, site: DashboardSite): PageWork {
  return async (call, { request, response }, note) => {
    admitAddress(request, call, site.pageRate);
    checkSender(request);
    const asked = {
      params: request.params as Record<string, string>,
      query: request.query,
      call,
      session: site.operatorAccess.sessionOf(request),
      network: networkOf(request.ip),
    };
    const withBody = async (): Promise<OpenRequest> => ({
      ...asked,
      body: isRead(request.method) ? {} : await parseBody(request, response),
    });
    if (route.isOpen === true) return route.handle(await withBody(), site);
    const { session } = asked;
    if (session === undefined) throw invalidSession();
    if (route.isOfEnvironment === true) {
      const { signedIn, tenant, scopes } = await site.operatorAccess.atWorkWhere(
        session,
        request,
        call,
      );
      note({ environmentId: tenant.environmentId, operatorId: signedIn.operator.id });
      const context = { ...call, tenant, scopes };
      const now = await environmentTime(context, site.peers);
      const whose = { ...(await withBody()), session, signedIn };
      return route.handle({ ...whose, context: { ...context, now } }, site);
    }
    const signedIn = await site.operatorAccess.signedIn(session, call);
    note({ operatorId: signedIn.operator.id });
    const work = async () => route.handle({ ...(await withBody()), session, signedIn }, site);
    if (isRead(request.method)) return work();
    const action = { action: `${request.method} ${route.path}`, path: request.path };
    return site.operatorAccess.audited(signedIn, action, { call, work });
  };
}

/** What changes something comes from our own pages and says that it is JSON, which no form of another site can. */
function checkSender(request: Request): void {
  if (isRead(request.method)) {
    refuseOtherSites(originOf(request), { isNamed: true });
    return;
  }
  requireOwnOrigin(originOf(request));
  if (/^application\/json *(;|$)/i.test(request.header('content-type') ?? '')) return;
  throw new RequestError(415, 'unsupported_media_type', 'Content-Type must be application/json');
}
