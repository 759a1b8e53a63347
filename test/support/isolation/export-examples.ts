import type { RouteExample } from './isolation-examples';

/** Examples of exports, in which strangers find nothing. */
export const exportExamples: Readonly<Record<string, RouteExample>> = {
  'GET /exports/:resource.ndjson': {
    path: '/exports/customers.ndjson',
    scopes: ['customers:read'],
    strangers: [200],
  },
  'GET /exports/:resource.csv': {
    path: '/exports/invoices.csv',
    scopes: ['invoices:read'],
    strangers: [200],
  },
  'GET /exports/all.zip': { path: '/exports/all.zip', strangers: [200] },
};
