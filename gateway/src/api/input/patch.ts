import { z } from 'zod';
import { toUpdateMask } from '@billing/chassis/request-fields';
import type { FieldRules } from './field-rules';
import { readBody } from './input';
import type { ApiRequest } from './request';

// Parses PATCH bodies: an absent field is unchanged, null clears it, and an immutable field is
// refused.

/** Field that may be changed, or cleared by null. */
export function changeable<T extends z.ZodType>(schema: T) {
  return schema.nullable().optional();
}

/** Field that may be changed but not cleared; null counts as missing. */
export function required<T extends z.ZodType>(schema: T) {
  return schema.optional();
}

/** Immutable field, refused with any value. */
export const frozen = z
  .unknown()
  .optional()
  .refine((value) => value === undefined, 'Cannot be changed')
  .meta({ override: { not: {}, description: 'Cannot be changed.' } });

/** Refuses a change of any field of a resource; the shape of a PATCH begins with it. */
export function frozenFields<S extends z.ZodRawShape>(
  resource: z.ZodObject<S>,
): Record<keyof S, typeof frozen> {
  const names = Object.keys(resource.shape) as (keyof S)[];
  return Object.fromEntries(names.map((name) => [name, frozen])) as Record<keyof S, typeof frozen>;
}

/** Parses the sent fields, with a mask that distinguishes cleared from absent fields. */
export function readPatch<S extends z.ZodRawShape>(
  schema: z.ZodObject<S>,
  request: ApiRequest,
  rules?: FieldRules<WithoutNulls<z.infer<z.ZodObject<S>>>>,
): {
  input: WithoutNulls<z.infer<z.ZodObject<S>>>;
  updateMask: string[];
} {
  const input = readBody(schema, request, rules && rulesOfSent(rules));
  const sent = Object.entries(input).filter(([, value]) => value !== undefined);
  const values = sent.filter(([, value]) => value !== null);
  return {
    input: Object.fromEntries(values) as WithoutNulls<z.infer<z.ZodObject<S>>>,
    updateMask: toUpdateMask(sent.map(([name]) => name)),
  };
}

/**
 * Applies rules to the sent fields without nulls. Problems of other fields are dropped, since only
 * the owning service knows their values.
 */
function rulesOfSent<T>(rules: FieldRules<WithoutNulls<T>>): FieldRules<T> {
  return (fields, input) => {
    const values = Object.entries(fields).filter(([, value]) => value !== null);
    const found = rules(Object.fromEntries(values) as Parameters<typeof rules>[0], input);
    const isSent = (name: string) => input.sent[name] !== undefined && input.sent[name] !== null;
    return Object.fromEntries(Object.entries(found).filter(([name]) => isSent(name)));
  };
}

type WithoutNulls<T> = { [Field in keyof T]: Exclude<T[Field], null> };
