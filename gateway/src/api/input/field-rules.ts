import { z } from 'zod';
import type { InputProblems } from '@billing/kernel/input-problems';
import { unwrapped } from './ignored-fields';

// Rules of formats and bounds. The owning service checks them, too. The gateway checks them to
// report all problems of a body in one response, even if some fields have the wrong shape.

type Sent = Readonly<Record<string, unknown>>;

/** Fields of an input that have the right shape. */
export type Sound<T> = { readonly [Field in keyof T]?: T[Field] | undefined };

/**
 * Rules of formats and bounds. A field of the wrong shape is absent from `fields` and named in
 * `wrong`. An array with wrong elements is only in `sent`; only a rule that reads `sent` may report
 * its problems.
 */
export type FieldRules<T> = (
  fields: Sound<T>,
  input: { readonly wrong: ReadonlySet<string>; readonly sent: Sent },
) => InputProblems;

/**
 * Adds problems that depend on the present time to the others of a body. A body without others is
 * left to the service: its first call may have succeeded, and a retry gets the answer of that call.
 */
export function withTimeDependentProblems(
  lasting: InputProblems,
  passing: InputProblems,
  { wrong }: { readonly wrong: ReadonlySet<string> },
): InputProblems {
  const isRefused = wrong.size > 0 || Object.values(lasting).some(({ length }) => length > 0);
  return isRefused ? mergedProblems(lasting, passing) : {};
}

/** The problems of two sets of rules, each once. */
export function mergedProblems(
  first: InputProblems,
  second: InputProblems,
): Record<string, string[]> {
  const fields = new Set([...Object.keys(first), ...Object.keys(second)]);
  const merged = (field: string) => new Set([...(first[field] ?? []), ...(second[field] ?? [])]);
  return Object.fromEntries([...fields].map((field) => [field, [...merged(field)]]));
}

/**
 * All problems of an input by field: problems of shape, and problems that the rules find in the
 * other fields.
 */
export function withRuleProblems<T>(
  shapeProblems: Readonly<Record<string, string[]>>,
  rules: FieldRules<T>,
  { schema, sent }: { readonly schema: z.ZodObject; readonly sent: Sent },
): Record<string, string[]> {
  const fields = soundPart(schema, sent);
  const wrong = new Set(Object.keys(shapeProblems));
  const found = { ...shapeProblems };
  for (const [field, messages] of Object.entries(rules(fields as Sound<T>, { wrong, sent }))) {
    const isUsable = !wrong.has(field) || field in fields || Array.isArray(sent[field]);
    if (!isUsable || messages.length === 0) continue;
    found[field] = [...new Set([...(shapeProblems[field] ?? []), ...messages])];
  }
  return found;
}

/** Fields of the right shape, also within nested objects. */
export function soundPart(schema: z.ZodObject, sent: Sent): Record<string, unknown> {
  const shape: Readonly<Record<string, z.core.$ZodType>> = schema.shape;
  const fields = Object.entries(shape).map(([name, field]) => {
    const result = z.safeParse(field, sent[name]);
    return [name, result.success ? result.data : partOf(field, sent[name])] as const;
  });
  return Object.fromEntries(fields.filter(([, value]) => value !== undefined));
}

function partOf(field: z.core.$ZodType, value: unknown): unknown {
  const nested = unwrapped(field);
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return nested instanceof z.ZodObject && isObject ? soundPart(nested, { ...value }) : undefined;
}
