import { join } from 'node:path';
import type { Express, Request } from 'express';
import { toErrorAnswer } from '../http/exchange';
import { notFound } from '../http/error';
import { admitAddress, mountPages, type PageAddress } from '../http/page-mount';
import type { ApiAnswer } from '../http/answer';
import { dashboardPath } from './route/addresses';
import { BuiltSite } from './built-site';
import type { DashboardSite } from './route/route';

const apiPath = `${dashboardPath}/api/*path`;
const assetPath = `${dashboardPath}/assets/:name`;
const pagePaths = [dashboardPath, `${dashboardPath}/`, `${dashboardPath}/*path`];

// Next to the compiled gateway, whether the compiled code or the sources run.
const builtFolder = join(__dirname, '..', '..', 'dist', 'site');

interface SiteRoute extends PageAddress {
  readonly answer: (request: Request) => ApiAnswer;
}

/**
 * Serves the files of the dashboard, which loads its data from the public API and /dashboard/api.
 */
export function addDashboard(app: Express, site: DashboardSite): void {
  const built = new BuiltSite(builtFolder);
  const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
  const routes: readonly SiteRoute[] = [
    ...methods.map((method) => ({ method, path: apiPath, answer: refuse })),
    { method: 'GET', path: assetPath, answer: (request) => asset(built, request) },
    ...pagePaths.map((path) => ({ method: 'GET' as const, path, answer: () => built.page() })),
  ];
  mountPages<SiteRoute>(app, routes, {
    dependencies: site,
    workOf:
      (route) =>
      (call, { request }) => {
        admitAddress(request, call, site.pageRate);
        return Promise.resolve(route.answer(request));
      },
    showError: toErrorAnswer,
  });
}

function asset(built: BuiltSite, request: Request): ApiAnswer {
  const { name } = request.params;
  return built.asset(typeof name === 'string' ? name : '', {
    ifNoneMatch: request.header('if-none-match'),
    acceptEncoding: request.header('accept-encoding'),
  });
}

function refuse(): ApiAnswer {
  throw notFound();
}
