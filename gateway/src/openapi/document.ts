import { z } from 'zod';
import {
  createDocument,
  type ZodOpenApiOperationObject,
  type ZodOpenApiPathsObject,
  type ZodOpenApiRequestBodyObject,
} from 'zod-openapi';
import { scopeOf } from '../authentication';
import type { Route } from '../route';
import { type ErrorCode, everywhere, withBody } from './error-codes';
import { headerComponents, requestHeaders } from './headers';
import { errorResponses, sharedErrorResponses, successResponses } from './responses';
import { Health } from './schemas/error';

const description = `Customers, products, subscriptions and invoices.

Every request names an API key: \`Authorization: Bearer billing_live_…\`. A key belongs to one environment and sees nothing else.
Amounts are integers in the currency's smallest unit, times are ISO 8601 in UTC, an absent value is \`null\`. New fields may be added to
answers at any time.`;

const tags: Readonly<Record<string, string>> = {
  'api-keys': 'Keys of the environment.',
  checkout: 'Purchases on their way, each with a page to pay on.',
  'checkout-links': 'Public offers; each visitor gets a purchase of their own.',
  customers: 'Parties that are billed.',
  discounts: 'Reductions of invoices, and the codes that stand for them.',
  invoices: 'What customers owe, and what they paid.',
  portal: 'Pages on which customers see and change what concerns them.',
  products: 'What is sold, and at what price.',
  sandboxes: 'Environments to try things in, with clocks that can be moved.',
  subscriptions: 'Products that customers pay for again and again.',
  'webhook-endpoints': 'Where changes are announced.',
  probes: 'Is the gateway there, and can it serve?',
};

export type ApiDocument = ReturnType<typeof createDocument>;

/** The description of the API in OpenAPI 3.1, made from the routes and the schemas that read their requests. */
export function describeApi(routes: readonly Route[]): ApiDocument {
  return createDocument(
    {
      openapi: '3.1.0',
      info: {
        title: 'Billing API',
        version: '1.0.0',
        description,
        license: { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' },
      },
      servers: [{ url: '/' }],
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
            description: 'An API key. Its scopes are named at each operation.',
          },
        },
      },
    },
    {
      // What a custom schema means is said beside it, in its metadata.
      allowEmptySchema: { custom: true },
      // Answers may gain fields: whoever generates a client from this must not make it refuse them.
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
    description: [operation.description, `Needs the scope \`${scope}\`.`]
      .filter(Boolean)
      .join('\n\n'),
    tags: [segment],
    security: [{ apiKey: [scope] }],
    requestParams: {
      ...(path.includes(':') && { path: pathParameters(path) }),
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
    // A request without a body counts as {}.
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
    ...(isChange(method) && path.includes(':') && requestHeaders.conditionalChange),
  };
}

function errorsOf({ method, path, operation, hidesUnavailability }: Described): ErrorCode[] {
  const codes: ErrorCode[] = [...everywhere, ...(operation.errors ?? [])];
  if (operation.query !== undefined) codes.push('invalid_request');
  if (isChange(method)) codes.push(...withBody);
  if (isChange(method) && path.includes(':')) codes.push('stale_version');
  const hidden = hidesUnavailability === true ? unavailability : [];
  return [...new Set(codes)].filter((code) => !hidden.includes(code));
}

function isChange(method: string): boolean {
  return method === 'POST' || method === 'PATCH';
}

function pathParameters(path: string): z.ZodObject {
  const names = [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
  return z.object(
    Object.fromEntries(
      names.map((name) => [
        name,
        z.string().min(1).meta({ description: 'A malformed id is answered like an unknown one.' }),
      ]),
    ),
  );
}

function probe(operationId: string): ZodOpenApiPathsObject[string] {
  return {
    get: {
      operationId,
      summary: operationId === 'isReady' ? 'Can it serve?' : 'Is it there?',
      tags: ['probes'],
      security: [],
      responses: {
        '200': { description: 'Yes.', content: { 'application/json': { schema: Health } } },
        ...errorResponses(
          operationId === 'isReady'
            ? ['method_not_allowed', 'unavailable']
            : ['method_not_allowed'],
        ),
      },
    },
  };
}
