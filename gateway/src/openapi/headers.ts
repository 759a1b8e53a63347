import { z } from 'zod';
import type { ZodOpenApiComponentsObject } from 'zod-openapi';

const texts = {
  'X-Request-Id': 'The id of the request: the one that was sent, or a new one.',
  'Trace-Id': 'The trace of the request: 32 hexadecimal digits.',
  'RateLimit-Policy': 'The limit of the key: a quota `q` in `w` seconds.',
  RateLimit: 'What remains of it: `r` requests; all of it again in `t` seconds.',
  ETag: 'The version of the resource.',
  Location: 'The path of the new resource.',
  'Ignored-Fields':
    'Fields of the body and parameters of the query that the API does not know, separated by commas.',
  'Idempotent-Replayed':
    '`true` on an answer that is given again: for its `Idempotency-Key`, or because the answer to the same request without a key was lost.',
  'Retry-After': 'Whole seconds to wait.',
  Allow: 'The methods that the path has.',
  'WWW-Authenticate': '`Bearer`.',
} as const;

export type HeaderName = keyof typeof texts;

/** On every answer to a request with a key. */
export const usualHeaders: readonly HeaderName[] = [
  'X-Request-Id',
  'Trace-Id',
  'RateLimit-Policy',
  'RateLimit',
  'Ignored-Fields',
];

/** Headers of answers, each described once. */
export const headerComponents: NonNullable<ZodOpenApiComponentsObject['headers']> =
  Object.fromEntries(
    Object.entries(texts).map(([name, description]) => [
      name,
      { description, schema: { type: 'string' as const } },
    ]),
  );

/** References to the headers of an answer. */
export function headersNamed(names: readonly HeaderName[]): Record<string, { $ref: string }> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** Of requests. */
export const requestHeaders = {
  any: {
    'X-Request-Id': z.string().optional().meta({
      description:
        'An id for the request, returned with the answer: 1 to 128 of `A-Z a-z 0-9 . _ -`. Anything else is replaced by a new one.',
    }),
    traceparent: z.string().optional().meta({
      description:
        'W3C trace context. The trace of a trusted client is continued; that of any other is linked.',
    }),
  },
  read: {
    'If-None-Match': z
      .string()
      .optional()
      .meta({ description: 'An `ETag` that is known: 304 as long as the resource has it.' }),
  },
  change: {
    'Idempotency-Key': z.string().max(255).optional().meta({
      description:
        'Makes the request safe to repeat for 24 hours: the same key with the same body gets the first answer again.',
    }),
  },
  conditionalChange: {
    'If-Match': z.string().optional().meta({
      description:
        'The `ETag` of the version that is to be changed; 412 when there is a newer one.',
    }),
  },
};
