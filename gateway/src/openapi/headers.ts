import { z } from 'zod';
import type { ZodOpenApiComponentsObject } from 'zod-openapi';

const texts = {
  'X-Request-Id': 'Id of the request: the one that you sent, or a generated one.',
  'Trace-Id': 'Id of the trace of the request: 32 hexadecimal digits.',
  'RateLimit-Policy': 'Rate limit of the key: a quota of `q` requests in `w` seconds.',
  RateLimit: 'Remaining quota: `r` requests. The full quota is available again in `t` seconds.',
  ETag: 'Version of the resource.',
  Location: 'Path of the new resource.',
  'Ignored-Fields':
    'Unknown body fields and query parameters, which were ignored, separated by commas.',
  'Idempotent-Replayed':
    '`true` for an idempotent replay: of a request with the same `Idempotency-Key`, or of an identical request without a key whose response was lost.',
  'Export-Position': 'Cursor of the newest event of the feed before the first row was read.',
  Trailer:
    'Names of the trailers that end a complete export: `Content-Digest`, `Export-Rows` and `Export-End-Position`.',
  'Retry-After': 'Seconds to wait before a retry.',
  Allow: 'Methods that the path supports.',
  'WWW-Authenticate': '`Bearer`.',
} as const;

export type HeaderName = keyof typeof texts;

/** Headers of every response to an authenticated request. */
export const usualHeaders: readonly HeaderName[] = [
  'X-Request-Id',
  'Trace-Id',
  'RateLimit-Policy',
  'RateLimit',
  'Ignored-Fields',
];

/** Shared components for the response headers. */
export const headerComponents: NonNullable<ZodOpenApiComponentsObject['headers']> =
  Object.fromEntries(
    Object.entries(texts).map(([name, description]) => [
      name,
      { description, schema: { type: 'string' as const } },
    ]),
  );

/** References to the shared response headers. */
export function headersNamed(names: readonly HeaderName[]): Record<string, { $ref: string }> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** Request headers. */
export const requestHeaders = {
  any: {
    'X-Request-Id': z.string().optional().meta({
      description:
        'Id of the request, returned in the response: 1 to 128 of the characters `A-Z a-z 0-9 . _ -`. Any other value is replaced by a generated id.',
    }),
    traceparent: z.string().optional().meta({
      description:
        'W3C trace context. The trace of a trusted client is continued; any other trace is linked.',
    }),
  },
  read: {
    'If-None-Match': z.string().optional().meta({
      description: 'An `ETag` that you already have. Returns 304 while it is the current version.',
    }),
  },
  change: {
    'Idempotency-Key': z.string().max(255).optional().meta({
      description:
        'Makes the request safe to retry for 24 hours: the same key with the same body returns the first response.',
    }),
  },
  conditionalChange: {
    'If-Match': z.string().optional().meta({
      description: 'The `ETag` of the version to change. Returns 412 if there is a newer version.',
    }),
  },
};
