import type { Express, Request, Response } from 'express';
import { isId } from '@billing/chassis/ids';
import { networkOf } from '../admission';
import { scopeOf } from '../authentication';
import { environmentTime } from '../environment-time';
import type { Call } from '../exchange';
import type { HttpError } from '../http-error';
import { readForm } from '../pages/form-body';
import { formTokenOf, refuseForeignForm } from '../pages/form-token';
import { admitAddress, mountPages, type PageWork } from '../pages/page-mount';
import { originOf, refuseOtherSites } from '../pages/same-site';
import { redirectAnswer } from '../pages/shell';
import type { ApiAnswer } from '../route';
import { dashboardFailure } from './dashboard-page';
import type { DashboardRoute, DashboardVisit, DoorRequest } from './dashboard-route';
import { signInPath } from './door-page';
import { doorRoutes } from './door-routes';
import { invalidSession } from './invalid-session';
import type { DashboardSite } from './operator-api';
import { roomRoutes } from './room-routes';

/** Serves the pages of operators: plain forms, by the same permissions and the same audit log as the API. */
export function addDashboard(app: Express, site: DashboardSite): void {
  mountPages<DashboardRoute>(app, [...doorRoutes, ...roomRoutes], {
    surroundings: site,
    workOf: (route) => workOf(route, site),
    showError,
  });
}

function workOf(route: DashboardRoute, site: DashboardSite): PageWork {
  return async (call, { request, response }, note) => {
    admitAddress(request, call, site.pageRate);
    const isSent = route.method === 'POST';
    if (isSent) refuseOtherSites(originOf(request), { isNamed: true });
    const asked = await read(request, response, call);
    if (route.isDoor === true) return route.handle(asked, site);
    const visit = await visitOf(request, asked, site);
    const { signedIn, tenant, scopes } = visit;
    const { environmentId } = tenant;
    note({ environmentId, operatorId: signedIn.operator.id });
    if (isSent) refuseForeignForm(asked.form, visit.formToken);
    const context = { ...call, tenant, scopes };
    const now = await environmentTime(context, site.peers);
    const work = () =>
      Promise.resolve(route.handle({ ...asked, visit, context: { ...context, now } }, site));
    if (!isSent) return work();
    const action = { action: `POST ${route.path}`, path: request.path, environmentId };
    return site.operatorAccess.audited(signedIn, action, { call, work });
  };
}

async function read(request: Request, response: Response, call: Call): Promise<DoorRequest> {
  const isSent = request.method === 'POST';
  return {
    path: request.path,
    params: request.params as Record<string, string>,
    form: isSent ? await readForm(request, response) : new Map<string, string>(),
    call,
    network: networkOf(request.ip),
  };
}

/** Who visits, and in which environment: the one that the page or its form names, else the live one. */
async function visitOf(
  request: Request,
  { form, call }: DoorRequest,
  { operatorAccess }: DashboardSite,
): Promise<DashboardVisit> {
  const session = operatorAccess.sessionOf(request);
  if (session === undefined) throw invalidSession();
  const { liveEnvironmentId } = await operatorAccess.signedIn(session, call);
  const named = form.get('environment') ?? request.query.environment;
  const environmentId = typeof named === 'string' && isId(named) ? named : liveEnvironmentId;
  const atWork = await operatorAccess.atWork(session, environmentId, call);
  const scope = scopeOf({ method: 'POST', segment: 'api-keys' });
  const mayChangeKeys = atWork.scopes.length === 0 || atWork.scopes.includes(scope);
  return { ...atWork, formToken: formTokenOf(session), mayChangeKeys };
}

function showError(problem: HttpError): ApiAnswer {
  return problem.code === 'invalid_session'
    ? redirectAnswer(signInPath)
    : dashboardFailure(problem);
}
