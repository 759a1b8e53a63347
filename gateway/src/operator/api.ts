import type { Express, Request, Response } from 'express';
import { originOfRequest } from '../http/client-address';
import { type AuditDetail, auditDetail } from '../access/audit-detail';
import { isRead } from '../http/method';
import { parseBody, readWithin } from '../http/body';
import { environmentTime } from '../access/environment';
import { toErrorAnswer } from '../http/exchange';
import { readIdempotency } from '../http/idempotency';
import { RequestError } from '../http/error';
import { admitAddress, mountPages, type PageWork } from '../http/page-mount';
import { originOf, refuseOtherSites, requireOwnOrigin } from '../http/same-site';
import { operatorApiPath } from './route/addresses';
import { auditExportRoutes } from './report/audit-export-routes';
import { checkoutSessionRoutes } from './report/checkout-session-routes';
import { choiceRoutes } from './choice-routes';
import { customerRoutes } from './customer/customer-routes';
import { dunningRoutes } from './report/dunning-routes';
import { emailTestRoutes } from './email-test-routes';
import { invalidSession, requireSecondFactor } from '../access/operator-access';
import type { EnvironmentRoute, OpenRequest, OperatorRoute, DashboardSite } from './route/route';
import { eventRoutes } from './report/event-routes';
import { moneyReportRoutes } from './report/money-report-routes';
import { operatorRoutes } from './operator-routes';
import { paymentMethodRoutes } from './payment-method-routes';
import { checkoutLinkRoutes } from './report/checkout-link-routes';
import { productRoutes } from './product-routes';
import { providerReportRoutes, providerStateRoutes } from './report/provider-report-routes';
import { reportRoutes } from './report/report-routes';
import { requestRoutes } from './report/request-routes';
import { samplePdfRoutes } from './sample-pdf-routes';
import { searchRoutes } from './search-routes';
import { accountRoutes } from './sign-in/account-routes';
import { passwordResetRoutes } from './sign-in/password-reset-routes';
import { resetLinkRoutes } from './sign-in/reset-link-routes';
import { secondFactorRoutes } from './sign-in/second-factor-routes';
import { sessionRoutes } from './sign-in/session-routes';
import { todayRoutes } from './report/today-routes';
import { stuckCommandRoutes, systemRoutes } from './report/system-routes';
import { webhookBodyRoutes } from './webhook-body-routes';

const bodyMsMax = 5_000;

type AnyRoute = OperatorRoute | EnvironmentRoute;

/** All operations, below /dashboard/api. */
export const operatorApiRoutes: readonly AnyRoute[] = [
  ...sessionRoutes,
  // Before the routes of any operator: `me` is no id.
  ...accountRoutes,
  ...resetLinkRoutes,
  ...passwordResetRoutes,
  ...secondFactorRoutes,
  ...auditExportRoutes,
  ...choiceRoutes,
  ...webhookBodyRoutes,
  ...eventRoutes,
  ...systemRoutes,
  ...stuckCommandRoutes,
  ...operatorRoutes,
  ...emailTestRoutes,
  ...reportRoutes,
  ...requestRoutes,
  ...moneyReportRoutes,
  ...dunningRoutes,
  ...checkoutSessionRoutes,
  ...todayRoutes,
  ...customerRoutes,
  ...samplePdfRoutes,
  ...paymentMethodRoutes,
  ...searchRoutes,
  ...productRoutes,
  ...checkoutLinkRoutes,
  ...providerReportRoutes,
  ...providerStateRoutes,
];

/** Serves the JSON API of the dashboard. Everything else comes from the public API. */
export function addOperatorApi(app: Express, site: DashboardSite): void {
  const routes = operatorApiRoutes.map((route) => ({
    ...route,
    path: `${operatorApiPath}${route.path}`,
  }));
  mountPages<AnyRoute>(app, routes, {
    dependencies: site,
    workOf: (route) => workOf(route, site),
    showError: toErrorAnswer,
  });
}

function workOf(route: AnyRoute, site: DashboardSite): PageWork {
  return async (call, { request, response }, recordCaller) => {
    admitAddress(request, call, site.pageRate);
    checkSender(request);
    const asked = {
      params: request.params as Record<string, string>,
      query: request.query,
      call,
      session: site.operatorAccess.sessionOf(request),
      origin: originOfRequest(request),
    };
    const withBody = async (): Promise<OpenRequest> => {
      if (isRead(request.method)) return { ...asked, body: {} };
      const body: unknown = await readWithin(bodyMsMax, () => parseBody(request, response));
      return { ...asked, body, idempotency: idempotencyOf(request, response, body) };
    };
    if (route.isOpen === true) return route.handle(await withBody(), site);
    const { session } = asked;
    if (session === undefined) throw invalidSession();
    if (route.isOfEnvironment === true) {
      const { signedIn, tenant, scopes } = await site.operatorAccess.atWorkWhere(
        session,
        request,
        call,
      );
      recordCaller({ tenant, operatorId: signedIn.operator.id });
      const context = { ...call, tenant, scopes };
      const now = await environmentTime(context, site.peers);
      const whose = { ...(await withBody()), session, signedIn };
      return route.handle({ ...whose, context: { ...context, now } }, site);
    }
    const signedIn = await site.operatorAccess.signedIn(session, call);
    recordCaller({ operatorId: signedIn.operator.id });
    if (route.isBeforeSecondFactor !== true) requireSecondFactor(signedIn);
    if (isRead(request.method)) {
      return route.handle({ ...(await withBody()), session, signedIn }, site);
    }
    let detail: AuditDetail | undefined;
    const work = async () => {
      const whole = { ...(await withBody()), session, signedIn };
      const about = { segment: segmentOf(route.path), id: whole.params.id, body: whole.body };
      detail = auditDetail({ ...about, before: undefined, answer: undefined });
      const before = await route.before?.(whole, site);
      const answer = await route.handle(whole, site);
      // What was only asked for has changed nothing.
      if (answer.status !== 202) detail = auditDetail({ ...about, before, answer: answer.body });
      return answer;
    };
    const action = { action: `${request.method} ${route.path}`, path: request.path };
    return site.operatorAccess.audited(signedIn, action, {
      call,
      origin: asked.origin,
      work,
      detail: () => detail,
    });
  };
}

/** Idempotency key of a POST or PUT; writes of other methods take effect once in any case. */
function idempotencyOf(request: Request, response: Response, body: unknown) {
  const { method, path } = request;
  if (method !== 'POST' && method !== 'PUT') return undefined;
  return readIdempotency({ key: request.header('idempotency-key'), method, path, body }, () => {
    response.setHeader('Idempotent-Replayed', 'true');
  });
}

function segmentOf(path: string): string {
  return path.slice(operatorApiPath.length).split('/')[1] ?? '';
}

/** Refuses changes from other sites: forms of other sites cannot send JSON. */
function checkSender(request: Request): void {
  if (isRead(request.method)) {
    refuseOtherSites(originOf(request), { isNamed: true });
    return;
  }
  requireOwnOrigin(originOf(request));
  if (/^application\/json *(;|$)/i.test(request.header('content-type') ?? '')) return;
  throw new RequestError(415, 'unsupported_media_type', 'Content-Type must be application/json');
}
