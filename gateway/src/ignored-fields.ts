import { z } from 'zod';
import type { Operation } from './openapi/operation';
import type { ApiRequest } from './route';

// The header names what a caller sent and nobody read: a typo must be findable, however deep it
// stands.

const namesMax = 20;
const nameLengthMax = 100;

const nothing = z.object({});

/**
 * What a request holds that its operation does not know: fields of the body, parameters of the
 * query.
 */
export function ignoredFieldsOf(
  operation: Pick<Operation, 'body' | 'query'>,
  { body, query }: Pick<ApiRequest, 'body' | 'query'>,
): string[] {
  // Whoever takes a body as it came reads it, and names what it ignores.
  const ofBody = Buffer.isBuffer(body) ? [] : ignoredFields(operation.body ?? nothing, body);
  return [...ofBody, ...ignoredFields(operation.query ?? nothing, query)];
}

/**
 * Paths of the fields in a body that its schema does not know, such as `address.zip` or
 * `tiers.0.flatamount`.
 */
export function ignoredFields(schema: z.core.$ZodType, body: unknown): string[] {
  const known = alternativeOf(unwrapped(schema), body);
  if (known instanceof z.ZodArray && Array.isArray(body)) {
    return body.flatMap((element, index) => below(String(index), known.element, element));
  }
  if (!(known instanceof z.ZodObject) || !isObject(body)) return [];
  // A strict schema refuses unknown fields.
  if (known.def.catchall instanceof z.ZodNever) return [];
  const shape: Readonly<Record<string, z.core.$ZodType>> = known.shape;
  return Object.entries(body).flatMap(([name, value]) => {
    const field = Object.hasOwn(shape, name) ? shape[name] : undefined;
    return field === undefined ? [name] : below(name, field, value);
  });
}

/** The same of a body as it came; none where it cannot be read. */
export function ignoredFieldsOfBytes(schema: z.core.$ZodType, body: Buffer): string[] {
  try {
    return ignoredFields(schema, JSON.parse(body.toString()));
  } catch {
    return [];
  }
}

/** As a header. Names come from the caller: only what may stand in one, and not more than fits. */
export function ignoredFieldsHeader(names: readonly string[]): Record<string, string> {
  if (names.length === 0) return {};
  const shown = names.map((name) => name.replace(/[^\w.-]/g, '?').slice(0, nameLengthMax));
  return { 'Ignored-Fields': shown.slice(0, namesMax).join(', ') };
}

function below(name: string, schema: z.core.$ZodType, value: unknown): string[] {
  return ignoredFields(schema, value).map((path) => `${name}.${path}`);
}

/**
 * The schema of the value itself, without what says that it may be absent, null or changed on
 * reading.
 */
export function unwrapped(schema: z.core.$ZodType): z.core.$ZodType {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) {
    return unwrapped(schema.unwrap());
  }
  return schema instanceof z.ZodPipe ? unwrapped(schema.in) : schema;
}

/** Of a choice between a list and an object, the one that the body is. */
function alternativeOf(schema: z.core.$ZodType, body: unknown): z.core.$ZodType {
  if (!(schema instanceof z.ZodUnion)) return schema;
  const isWanted = (option: unknown) => option instanceof z.ZodArray === Array.isArray(body);
  return schema.options.find(isWanted) ?? schema;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
