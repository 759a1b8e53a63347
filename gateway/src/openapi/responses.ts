import type { ZodOpenApiResponseObject, ZodOpenApiResponsesObject } from 'zod-openapi';
import {
  type ErrorCode,
  errorCodes,
  everywhere,
  unavailability,
  withBody,
} from '../api/routes/error-codes';
import { type HeaderName, headersNamed, usualHeaders } from './headers';
import type { Operation } from '../api/routes/operation';
import { ErrorBody, InvalidRequestBody } from '../api/schemas/error';

const headersOfStatus: Readonly<Record<number, readonly HeaderName[]>> = {
  401: ['WWW-Authenticate'],
  405: ['Allow'],
  // An Idempotency-Key is in use.
  409: ['Retry-After'],
  429: ['Retry-After'],
  503: ['Retry-After'],
};

const successes: Readonly<Record<number, string>> = {
  200: 'OK.',
  201: 'Created.',
  202: 'Accepted.',
  204: 'Done. The response has no body.',
};

/** The success response of an operation, and 304 for a versioned resource. */
export function successResponses(method: string, { answer }: Operation): ZodOpenApiResponsesObject {
  const { status, schema, mediaTypes, isVersioned = false, headers: own = [] } = answer;
  const changes = method === 'POST' || method === 'PATCH';
  const headers: HeaderName[] = [
    ...usualHeaders,
    ...own,
    ...(isVersioned ? (['ETag'] as const) : []),
    ...(status === 201 ? (['Location'] as const) : []),
    ...(changes ? (['Idempotent-Replayed'] as const) : []),
  ];
  const success = {
    description: successes[status] ?? '',
    headers: headersNamed(headers),
    ...(schema !== undefined && { content: { 'application/json': { schema } } }),
    ...(mediaTypes !== undefined && {
      content: Object.fromEntries(
        mediaTypes.map((type) => [type, { schema: { type: 'string' as const, format: 'binary' } }]),
      ),
    }),
  };
  return {
    [String(status) as '200']: success,
    ...(method === 'GET' && isVersioned && { '304': notModified }),
  };
}

const notModified: ZodOpenApiResponseObject = {
  description: 'The version in `If-None-Match` is still the current one.',
  headers: headersNamed([...usualHeaders, 'ETag']),
};

/** Error responses that many operations share. */
export const sharedErrorResponses: Readonly<Record<string, ZodOpenApiResponseObject>> =
  Object.fromEntries(
    [...everywhere, ...withBody, 'stale_version' as const]
      // Always shares its status with another code.
      .filter((code) => code !== 'malformed_json')
      .map((code) => [code, errorResponse(errorCodes[code].status, [code])]),
  );

/** Error responses by status. */
export function errorResponses(codes: readonly ErrorCode[]): ZodOpenApiResponsesObject {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of codes) {
    const { status } = errorCodes[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  const statuses = [...byStatus].sort(([a], [b]) => a - b);
  return Object.fromEntries(
    statuses.map(([status, its]) => {
      const [only, ...more] = its;
      const isShared = only !== undefined && more.length === 0 && only in sharedErrorResponses;
      const response = isShared
        ? { $ref: `#/components/responses/${only}` }
        : errorResponse(status, its);
      return [String(status), response];
    }),
  );
}

function errorResponse(status: number, described: readonly ErrorCode[]): ZodOpenApiResponseObject {
  const codes = described.flatMap((code) => (code === 'unavailable' ? unavailability : [code]));
  return {
    description: [...new Set(codes.map(descriptionOf))].join('; '),
    headers: {
      ...headersNamed([...usualHeaders, ...(headersOfStatus[status] ?? [])]),
      'Error-Code': {
        description: 'Machine-readable error code.',
        required: true,
        schema: { type: 'string', enum: [...codes] },
      },
    },
    content: {
      'application/json': {
        schema: status === 400 ? InvalidRequestBody : ErrorBody,
        examples: Object.fromEntries(codes.map((code) => [code, { value: exampleOf(code) }])),
      },
    },
  };
}

function descriptionOf(code: ErrorCode): string {
  return code === 'invalid_request' ? 'Invalid fields' : errorCodes[code].text;
}

function exampleOf(code: ErrorCode): unknown {
  if (code === 'invalid_request') return { error: { email: ['Required'] } };
  return { error: errorCodes[code].text };
}
