import { routes } from './api/routes';
import { type AppDependencies, createApp } from './app';
import { describeApi } from './openapi/document';
import { payerScripts } from './pages/frame/payer-script';

interface Layer {
  readonly route?: { readonly path: string; readonly methods: Readonly<Record<string, boolean>> };
}

// The app receives no requests; the tests only inspect its routes.
const app = createApp({ trustedProxies: [] } as unknown as AppDependencies);
const served = (app.router.stack as readonly Layer[]).flatMap(({ route }) => {
  const methods = Object.keys(route?.methods ?? {});
  // Handlers of 405 are registered for all methods.
  if (route === undefined || methods.length > 1) return [];
  return methods.map((method) => `${method.toUpperCase()} ${route.path}`);
});

/** Undocumented routes without a key, apart from pages and the operator API. */
const withoutKey = [
  'GET /',
  'GET /asyncapi.json',
  'GET /docs',
  'GET /docs.md',
  'GET /docs/',
  'GET /docs/*path',
  'GET /downloads/:file',
  'GET /healthz',
  'GET /llms-full.txt',
  'GET /llms.txt',
  'GET /logos/:sha256',
  'GET /openapi.json',
  ...payerScripts.map(({ path }) => `GET ${path}`),
  'GET /readyz',
  'POST /provider-events/:provider',
];
const page = /^[A-Z]+ \/(checkout|link|invoice|portal|dashboard)(\/|$)/;

test('the served operations under /v1 are exactly the documented ones', () => {
  const paths = describeApi(routes).paths ?? {};
  const described = Object.entries(paths).flatMap(([path, operations]) =>
    Object.keys(operations as object).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const ofApi = served
    .filter((one) => one.includes(' /v1'))
    .map((one) => one.replace(/:(\w+)/g, '{$1}'));
  expect(ofApi.sort()).toEqual(described.filter((one) => one.includes(' /v1')).sort());
});

test('only known routes are served without a key', () => {
  const open = served.filter((one) => !one.includes(' /v1') && !page.test(one));
  expect([...new Set(open)].sort()).toEqual(withoutKey);
});

test('each method of a path is served only once', () => {
  expect(served.filter((one, index) => served.indexOf(one) !== index)).toEqual([]);
});
