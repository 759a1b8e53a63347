import { z } from 'zod';
import type { InputProblems, Parts } from '@billing/kernel/input-problems';
import { unwrapped } from './ignored-fields';

// Rules of formats and bounds. The owning service checks them, too. The gateway checks them to
// report all problems of a body in one response, even if some fields have the wrong shape.

type Sent = Readonly<Record<string, unknown>>;

/**
 * Fields of an input that have the right shape, also within nested objects and arrays. An element
 * of an array keeps its place: wrong parts of it are absent.
 */
export type Sound<T> = Parts<T>;

/**
 * Rules of formats and bounds. A part of the wrong shape is absent from `fields`, and the field is
 * named in `wrong`. Problems that the rules report for such a part are dropped.
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
    if (wrong.has(field) && !(field in fields)) continue;
    const wrongPaths = new Set((shapeProblems[field] ?? []).map(pathOf));
    const ofSoundParts = messages.filter((message) => !isBelow(wrongPaths, pathOf(message)));
    if (ofSoundParts.length === 0) continue;
    found[field] = [...new Set([...(shapeProblems[field] ?? []), ...ofSoundParts])];
  }
  return found;
}

/** Adds the name of the field that contains it to the path of a problem. */
export function problemWithin(field: string, problem: string): string {
  return `${field}${pathOf(problem) === '' ? ': ' : '.'}${problem}`;
}

/** Path in front of a problem, such as `0.amount`; empty for a problem of the field as a whole. */
function pathOf(problem: string): string {
  return /^(?<path>[\w-]+(?:\.[\w-]+)*): /u.exec(problem)?.groups?.path ?? '';
}

/** True for one of the paths, and for the path of a part of it. Problems of the whole stay. */
function isBelow(paths: ReadonlySet<string>, path: string): boolean {
  if (path === '') return false;
  const names = path.split('.');
  return names.some((_, index) => paths.has(names.slice(0, index + 1).join('.')));
}

/** Parts of the right shape, also within nested objects and arrays. */
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
  if (nested instanceof z.ZodArray && Array.isArray(value)) {
    return value.map((element: unknown) => elementOf(nested.element, element));
  }
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return nested instanceof z.ZodObject && isObject ? soundPart(nested, { ...value }) : undefined;
}

/** The sound part of an element: an object, empty if none was sent, or undefined. */
function elementOf(schema: z.core.$ZodType, value: unknown): unknown {
  const result = z.safeParse(schema, value);
  if (result.success) return result.data;
  return partOf(schema, value) ?? (unwrapped(schema) instanceof z.ZodObject ? {} : undefined);
}

/** True if a part was sent, in any shape. */
export function isSent(value: unknown): boolean {
  return value !== undefined && value !== null;
}

/** The fields of the element of a sent array; none for an element that is no object. */
export function sentElement(sent: unknown, index: number): Sent {
  const element: unknown = Array.isArray(sent) ? sent[index] : undefined;
  return typeof element === 'object' && element !== null ? { ...element } : {};
}
