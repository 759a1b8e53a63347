import { z } from 'zod';
import type { ApiRequest } from './request';

// The header names unknown fields at any depth, so that callers can find typos.

const namesMax = 20;
const nameLengthMax = 100;

const nothing = z.object({});

/** Unknown body fields and query parameters of a request. */
export function ignoredFieldsOf(
  operation: { readonly body?: z.ZodType; readonly query?: z.ZodType },
  { body, query }: Pick<ApiRequest, 'body' | 'query'>,
): string[] {
  // For a body of bytes, the service that parses it reports the ignored fields.
  const ofBody = Buffer.isBuffer(body) ? [] : ignoredFields(operation.body ?? nothing, body);
  if (operation.body !== undefined && refusesUnknownFields(operation.body)) return ofBody;
  return [...ofBody, ...ignoredFields(operation.query ?? nothing, query)];
}

/** True if a body schema refuses unknown fields; then its route refuses unknown parameters, too. */
export function refusesUnknownFields(schema: z.core.$ZodType): boolean {
  if (schema instanceof z.ZodUnion) return schema.options.every(refusesUnknownFields);
  return schema instanceof z.ZodObject && schema.def.catchall instanceof z.ZodNever;
}

/** Paths of the unknown fields of a body, such as `address.zip` or `tiers.0.flatamount`. */
export function ignoredFields(schema: z.core.$ZodType, body: unknown): string[] {
  const known = alternativeOf(unwrapped(schema), body);
  if (known instanceof z.ZodArray && Array.isArray(body)) {
    return body.flatMap((element, index) =>
      isScalar(element) ? [] : below(String(index), known.element, element),
    );
  }
  if (!(known instanceof z.ZodObject) || !isObject(body)) return [];
  if (refusesUnknownFields(known)) return [];
  const shape: Readonly<Record<string, z.core.$ZodType>> = known.shape;
  return Object.entries(body).flatMap(([name, value]) => {
    const field = Object.hasOwn(shape, name) ? shape[name] : undefined;
    return field === undefined ? [name] : below(name, field, value);
  });
}

/** Paths of the unknown fields of a body of bytes; none if it cannot be parsed. */
export function ignoredFieldsOfBytes(schema: z.core.$ZodType, body: Buffer): string[] {
  try {
    return ignoredFields(schema, JSON.parse(body.toString()));
  } catch {
    return [];
  }
}

/** Header with the given names. Names come from the caller, so they are sanitized and limited. */
export function ignoredFieldsHeader(names: readonly string[]): Record<string, string> {
  if (names.length === 0) return {};
  const shown = names
    .slice(0, namesMax)
    .map((name) => name.replace(/[^\w.-]/g, '?').slice(0, nameLengthMax));
  return { 'Ignored-Fields': shown.join(', ') };
}

function below(name: string, schema: z.core.$ZodType, value: unknown): string[] {
  return ignoredFields(schema, value).map((path) => `${name}.${path}`);
}

/** Unwraps a schema from its optional, nullable and transforming wrappers. */
export function unwrapped(schema: z.core.$ZodType): z.core.$ZodType {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) {
    return unwrapped(schema.unwrap());
  }
  return schema instanceof z.ZodPipe ? unwrapped(schema.in) : schema;
}

/** The alternative of a union of list and object that fits the body. */
function alternativeOf(schema: z.core.$ZodType, body: unknown): z.core.$ZodType {
  if (!(schema instanceof z.ZodUnion)) return schema;
  const isWanted = (option: unknown) => option instanceof z.ZodArray === Array.isArray(body);
  return schema.options.find(isWanted) ?? schema;
}

function isScalar(value: unknown): boolean {
  return typeof value !== 'object' || value === null;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
