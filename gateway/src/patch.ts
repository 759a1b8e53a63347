import { z } from 'zod';
import { toUpdateMask } from '@billing/chassis/update-mask';
import { readBody } from './input';
import type { ApiRequest } from './route';

// How a PATCH is read: a field that is absent stays as it is, null clears it, and one that never changes is refused under its name.

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
): {
  input: WithoutNulls<z.infer<z.ZodObject<S>>>;
  updateMask: string[];
} {
  const input = readBody(schema, request);
  const sent = Object.entries(input).filter(([, value]) => value !== undefined);
  const values = sent.filter(([, value]) => value !== null);
  return {
    input: Object.fromEntries(values) as WithoutNulls<z.infer<z.ZodObject<S>>>,
    updateMask: toUpdateMask(sent.map(([name]) => name)),
  };
}

type WithoutNulls<T> = { [Field in keyof T]: Exclude<T[Field], null> };
