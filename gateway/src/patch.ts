import { z } from 'zod';
import { toUpdateMask } from '@billing/chassis/update-mask';
import type { FieldRules } from './field-rules';
import { readBody } from './input';
import type { ApiRequest } from './route';

// How a PATCH is read: a field that is absent stays as it is, null clears it, and one that never
// changes is refused under its name.

/** A field that may be changed, and by null be cleared. */
export function changeable<T extends z.ZodType>(schema: T) {
  return schema.nullable().optional();
}

/** A field that may be changed, but never be without a value: null counts as missing. */
export function required<T extends z.ZodType>(schema: T) {
  return schema.optional();
}

/** A field of the resource that no PATCH changes, whatever is sent for it. */
export const frozen = z
  .unknown()
  .optional()
  .refine((value) => value === undefined, 'Cannot be changed')
  .meta({ override: { not: {}, description: 'Cannot be changed.' } });

/** The fields that were sent, and the mask that tells a cleared one from one that was left out. */
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
 * Rules that see no nulls, and report problems of fields that were sent: the others are known to
 * the owner of the resource alone.
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
