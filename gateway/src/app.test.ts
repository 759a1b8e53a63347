import { type AppDependencies, createApp, routes } from './app';
import { describeApi } from './openapi/document';

interface Layer {
  readonly route?: { readonly path: string; readonly methods: Readonly<Record<string, boolean>> };
}

// Nothing is asked of it: what is looked at is what it would serve.
const app = createApp({ trustedProxies: [] } as unknown as AppDependencies);
const served = (app.router.stack as readonly Layer[]).flatMap(({ route }) => {
  const methods = Object.keys(route?.methods ?? {});
  // What answers 405 takes every method that there is.
  if (route === undefined || methods.length > 1) return [];
  return methods.map((method) => `${method.toUpperCase()} ${route.path}`);
});

/**
 * What needs no key, beside the pages, and what the dashboard asks, that the description of the API
 * does not name.
 */
const withoutKey = [
  'GET /',
  'GET /asyncapi.json',
  'GET /docs',
  'GET /healthz',
  'GET /openapi.json',
  'GET /readyz',
  'POST /provider-events/:provider',
];
const page = /^[A-Z]+ \/(checkout|link|invoice|portal|dashboard)(\/|$)/;

test('every operation under /v1 that is served is described, and the other way round', () => {
  const paths = describeApi(routes).paths ?? {};
  const described = Object.entries(paths).flatMap(([path, operations]) =>
    Object.keys(operations as object).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const ofApi = served
    .filter((one) => one.includes(' /v1'))
    .map((one) => one.replace(/:(\w+)/g, '{$1}'));
  expect(ofApi.sort()).toEqual(described.filter((one) => one.includes(' /v1')).sort());
});

test('nothing else is served without a key than is known to be', () => {
  const open = served.filter((one) => !one.includes(' /v1') && !page.test(one));
  expect([...new Set(open)].sort()).toEqual(withoutKey);
});

test('each path and method is served once', () => {
  expect(served.filter((one, index) => served.indexOf(one) !== index)).toEqual([]);
});
