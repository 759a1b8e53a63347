import { productVersion } from '@billing/chassis/version';
import { z } from 'zod';
import {
  createDocument,
  type ZodOpenApiOperationObject,
  type ZodOpenApiPathsObject,
  type ZodOpenApiRequestBodyObject,
} from 'zod-openapi';
import { scopeOf } from '../access/scope';
import type { Operation } from '../api/routes/operation';
import type { Route } from '../api/routes/route';
import { type ErrorCode, everywhere, withBody } from '../api/routes/error-codes';
import { headerComponents, requestHeaders } from './headers';
import { errorResponses, sharedErrorResponses, successResponses } from './responses';
import { Health } from '../api/schemas/error';

const description = `Manage customers, products, subscriptions, usage and invoices.

Authenticate each request with an API key: \`Authorization: Bearer billing_live_…\`. A key belongs to one environment and accesses
only the data of that environment.

Amounts are integers in the currency's smallest unit. Times are ISO 8601 in UTC. Absent values are \`null\`. New fields may be added
to responses at any time.`;

const tags: Readonly<Record<string, string>> = {
  'api-keys': 'API keys of the environment.',
  'balance-entries': 'Postings to customer balances.',
  balances: 'Money that you owe customers, used by their next invoices.',
  branding: 'Name, colors and addresses on your pages and mails.',
  checkout: 'Checkout sessions, each with a hosted payment page.',
  'checkout-links': 'Public payment links. Each visitor gets a separate checkout session.',
  'credit-notes': 'Documents that lower issued invoices.',
  customers: 'The people and companies that you bill.',
  discounts: 'Discounts on invoices, with optional codes.',
  disputes: 'Payments that payers dispute at their banks.',
  'email-settings': 'Sender and kinds of your emails.',
  'email-suppressions': 'Addresses that refused emails.',
  'email-templates': 'Texts of your emails, by kind and language.',
  emails: 'Emails to your customers about invoices, payments and subscriptions.',
  events: 'Usage events.',
  exports: 'All objects of a resource, as a file.',
  invoices: 'Invoices and their payments.',
  meters: 'Meters, which aggregate usage events.',
  portal: 'Hosted pages on which customers manage their subscriptions and payment methods.',
  previews: 'What a call would cost, with a token that holds the price.',
  'price-migrations': 'Jobs that move all subscriptions from one price to another.',
  products: 'Products and their prices.',
  refunds: 'Money returned from payments.',
  restores: 'Restores of the installation from a backup.',
  sandboxes: 'Test environments, with a real or a manual clock.',
  seller: 'The party that sells: name, bank account, logo and tax settings of your invoices.',
  subscriptions: 'Recurring billing of a customer for a product.',
  'tax-rates': 'Tax rates, your own and those that come with the system.',
  'tax-report': 'Taxes of invoices and credit notes, by day and terms.',
  'webhook-endpoints': 'URLs that receive events.',
  'webhook-events': 'All events, in one order.',
  probes: 'Health checks of the gateway.',
};

export type ApiDocument = ReturnType<typeof createDocument>;

/** OpenAPI 3.1 document of the API, generated from the routes and their request schemas. */
export function describeApi(
  routes: readonly Route[],
  { version = productVersion, url = '/' }: { version?: string; url?: string } = {},
): ApiDocument {
  return createDocument(
    {
      openapi: '3.1.0',
      info: {
        title: 'Billing API',
        version,
        description,
        license: { name: 'Apache 2.0', identifier: 'Apache-2.0' },
      },
      // Without TLS, tools use the address by which they read the document.
      servers: [{ url: url.startsWith('https:') ? url : '/' }],
      security: [{ apiKey: [] }],
      tags: Object.entries(tags).map(([name, text]) => ({ name, description: text })),
      paths: { ...pathsOf(routes), '/healthz': probe('isAlive'), '/readyz': probe('isReady') },
      components: {
        headers: headerComponents,
        responses: sharedErrorResponses,
        securitySchemes: {
          apiKey: {
            type: 'http',
            scheme: 'bearer',
            description: 'An API key. Each operation lists the scope that it requires.',
          },
        },
      },
    },
    {
      // Custom schemas are described in their metadata.
      allowEmptySchema: { custom: true },
      // Responses may gain fields; generated clients must not reject unknown ones.
      override: ({ jsonSchema, io }) => {
        if (io === 'output' && jsonSchema.additionalProperties === false) {
          delete jsonSchema.additionalProperties;
        }
      },
    },
  );
}

function pathsOf(routes: readonly Route[]): ZodOpenApiPathsObject {
  const paths: ZodOpenApiPathsObject = {};
  for (const route of routes) {
    const path = `/v1${route.path.replace(/:(\w+)/g, '{$1}')}`;
    (paths[path] ??= {})[route.method.toLowerCase() as 'get'] = describeOperation(route);
  }
  return paths;
}

function describeOperation(route: Described): ZodOpenApiOperationObject {
  const { method, path, operation } = route;
  const { id, summary, body, query } = operation;
  const segment = path.split('/')[1] ?? '';
  const scope = scopeOf({ method, segment });
  return {
    operationId: id,
    summary,
    description: [operation.description, `Required scope: \`${scope}\`.`]
      .filter(Boolean)
      .join('\n\n'),
    tags: [segment],
    security: [{ apiKey: [scope] }],
    requestParams: {
      ...(path.includes(':') && { path: pathParameters(path, operation) }),
      ...(query !== undefined && { query }),
      header: z.object(headersOf({ method, path, operation })),
    },
    ...(body !== undefined && { requestBody: requestBodyOf(body) }),
    responses: {
      ...successResponses(method, operation),
      ...errorResponses(errorsOf(route)),
    },
  };
}

function requestBodyOf(body: z.ZodType): ZodOpenApiRequestBodyObject {
  const [example] = body.meta()?.examples ?? [];
  return {
    // A request without a body is read as {}.
    required: !body.safeParse({}).success,
    content: { 'application/json': { schema: body, ...(example !== undefined && { example }) } },
  };
}

const unavailability: readonly ErrorCode[] = ['unavailable', 'timed_out'];

type Described = Pick<Route, 'method' | 'path' | 'operation' | 'hidesUnavailability'>;

function headersOf({ method, path, operation }: Described): z.core.$ZodShape {
  return {
    ...requestHeaders.any,
    ...(method === 'GET' && operation.answer.isVersioned === true && requestHeaders.read),
    ...(isChange(method) && requestHeaders.change),
    ...(isChangeOfResource({ method, path }) && requestHeaders.conditionalChange),
  };
}

function errorsOf({ method, path, operation, hidesUnavailability }: Described): ErrorCode[] {
  const codes: ErrorCode[] = [...everywhere, ...(operation.errors ?? [])];
  if (operation.query !== undefined) codes.push('invalid_request');
  if (isChange(method)) codes.push(...withBody);
  if (isChangeOfResource({ method, path })) codes.push('stale_version');
  const hidden = hidesUnavailability === true ? unavailability : [];
  return [...new Set(codes)].filter((code) => !hidden.includes(code));
}

function isChangeOfResource({ method, path }: Pick<Route, 'method' | 'path'>): boolean {
  return method === 'PATCH' || (isChange(method) && path.includes(':'));
}

function isChange(method: string): boolean {
  return method === 'POST' || method === 'PATCH';
}

function pathParameters(path: string, { params = {} }: Operation): z.ZodObject {
  const names = [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
  return z.object(
    Object.fromEntries(
      names.map((name) => [
        name,
        params[name] ??
          z
            .string()
            .min(1)
            .meta({ description: 'A malformed id returns 404, like an unknown one.' }),
      ]),
    ),
  );
}

function probe(operationId: string): ZodOpenApiPathsObject[string] {
  return {
    get: {
      operationId,
      summary: operationId === 'isReady' ? 'Check readiness' : 'Check liveness',
      tags: ['probes'],
      security: [],
      responses: {
        '200': {
          description:
            operationId === 'isReady'
              ? 'The gateway can serve requests.'
              : 'The process is running.',
          content: { 'application/json': { schema: Health } },
        },
        ...errorResponses(
          operationId === 'isReady'
            ? ['method_not_allowed', 'unavailable']
            : ['method_not_allowed'],
        ),
      },
    },
  };
}
