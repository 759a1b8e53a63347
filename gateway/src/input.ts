import { z } from 'zod';
import 'zod-openapi';
import { checkMetadata } from '@billing/chassis/metadata';
import { invalidInput } from '@billing/kernel/domain-error';
import { type FieldRules, withRuleProblems } from './field-rules';
import { problemMessage } from './problem-message';
import type { ApiRequest } from './route';
import { RequestError } from './http-error';

// How bodies and queries are read: one schema for each route, and one place that turns its
// complaints into the contract's field map.

z.config({ customError: problemMessage });

/** An optional input: null counts as absent. */
export function optional<T extends z.ZodType>(schema: T) {
  return schema.nullish().transform((value) => value ?? undefined);
}

/** An ISO 8601 time that carries its zone. */
export const time = z.iso
  .datetime({ offset: true, error: 'Invalid datetime' })
  .transform((text) => new Date(text))
  .refine((date) => !Number.isNaN(date.getTime()), 'Invalid datetime')
  .meta({ description: 'ISO 8601 with its zone.' });

/** An amount in the smallest unit. */
export const amount = z.int().min(0).max(99_999_999_999);

const metadataInDocument = {
  type: 'object' as const,
  description: 'Notes of your own.',
  maxProperties: 50,
  propertyNames: { pattern: '^[A-Za-z0-9_.-]{1,40}$', not: { const: '__proto__' } },
  additionalProperties: {
    anyOf: [
      { type: 'string' as const, maxLength: 500 },
      {
        type: 'number' as const,
        minimum: Number.MIN_SAFE_INTEGER,
        maximum: Number.MAX_SAFE_INTEGER,
      },
      { type: 'boolean' as const },
      { type: 'null' as const },
    ],
  },
};

/** Metadata, kept as it was parsed: a schema that rebuilt it would lose the keys it must refuse. */
export const metadata = z
  .custom<Record<string, unknown>>()
  .superRefine((value, context) => {
    for (const message of checkMetadata(value)) context.addIssue({ code: 'custom', message });
  })
  .meta({ override: metadataInDocument });

/** Page and page size of a list. */
export const pageShape = {
  page: wholeNumber(1, Number.MAX_SAFE_INTEGER).default(1).meta({ description: 'Default 1.' }),
  perPage: wholeNumber(1, 100).default(20).meta({ description: 'Default 20.' }),
};

/** Yes or no in a query. */
export const flag = z
  .enum(['true', 'false'], 'Must be true or false')
  .transform((text) => text === 'true');

const idsMax = 100;
const idsMessage = `Must be 1 to ${String(idsMax)} ids, separated by commas`;

/** Of lists that can be turned round and looked up by ids. */
export const lookupShape = {
  order: z
    .enum(['asc', 'desc'])
    .default('desc')
    .meta({ description: 'By creation: `desc`, the default, is newest first.' }),
  ids: z
    .string(idsMessage)
    .transform((text) => text.split(',').map((id) => id.trim()))
    .refine((ids) => ids.length <= idsMax && ids.every((id) => id !== ''), idsMessage)
    .optional()
    .meta({
      description: 'At most 100 ids, separated by commas; unknown ones match nothing.',
      override: { type: 'string' },
    }),
};

/** Of a list's query: the active or the inactive ones; absent: all. */
export const activeFilter = flag.optional();

/**
 * The body of an act that cannot be undone. An unknown field is refused there: ignoring a misspelt
 * one could turn a mild act into a final one.
 */
export function finalAct<S extends z.ZodRawShape>(shape: S) {
  return z.strictObject(shape);
}

/**
 * The body, read by the route's schema and rules; fields that the schema does not know are left
 * out.
 */
export function readBody<S extends z.ZodRawShape>(
  schema: z.ZodObject<S>,
  { body }: Pick<ApiRequest, 'body'>,
  rules?: FieldRules<z.infer<z.ZodObject<S>>>,
): z.infer<z.ZodObject<S>> {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new RequestError(400, 'invalid_request', 'Body must be a JSON object');
  }
  const result = schema.safeParse(body, { reportInput: true });
  const shapeProblems = result.success ? {} : toFieldMap(result.error.issues);
  const found =
    rules === undefined
      ? shapeProblems
      : withRuleProblems(shapeProblems, rules, { schema, sent: { ...body } });
  if (!result.success || Object.keys(found).length > 0) throw invalidInput(found);
  return result.data;
}

/** The query, read by the route's schema. */
export function readQuery<T>(schema: z.ZodType<T>, { query }: Pick<ApiRequest, 'query'>): T {
  return parse(schema, query);
}

function parse<T>(schema: z.ZodType<T>, input: unknown): T {
  const result = schema.safeParse(input, { reportInput: true });
  if (result.success) return result.data;
  throw invalidInput(toFieldMap(result.error.issues));
}

/** A nested problem stands under its top-level field with the path in front. Each is told once. */
function toFieldMap(issues: readonly z.core.$ZodIssue[]): Record<string, string[]> {
  const fields = new Map<string, Set<string>>();
  const told = issues.flatMap(eachUnknownField);
  for (const issue of told.filter((one) => !isToldByAnother(one, told))) {
    const [field = 'body', ...rest] = issue.path.map(String);
    const message = isMissing(issue) ? 'Required' : issue.message;
    const messages = fields.get(field) ?? new Set();
    fields.set(field, messages.add(rest.length === 0 ? message : `${rest.join('.')}: ${message}`));
  }
  return Object.fromEntries([...fields].map(([field, messages]) => [field, [...messages]]));
}

/** An issue about several unknown fields as one for each, under its own name. */
function eachUnknownField(issue: z.core.$ZodIssue): readonly z.core.$ZodIssue[] {
  if (issue.code !== 'unrecognized_keys') return [issue];
  return issue.keys.map((key) => ({ ...issue, keys: [key], path: [...issue.path, key] }));
}

// A number beyond the safe integers breaks the bound of its field too, which says more.
function isToldByAnother(issue: z.core.$ZodIssue, all: readonly z.core.$ZodIssue[]): boolean {
  if (!isOfBound(issue) || issue.origin !== 'int') return false;
  const path = issue.path.join('.');
  return all.some((one) => one !== issue && isOfBound(one) && one.path.join('.') === path);
}

function isOfBound(
  issue: z.core.$ZodIssue,
): issue is z.core.$ZodIssueTooBig | z.core.$ZodIssueTooSmall {
  return issue.code === 'too_big' || issue.code === 'too_small';
}

// A schema with a message of its own, such as that of a time, does not know the difference.
function isMissing({ code, input }: z.core.$ZodIssue): boolean {
  return (
    code !== 'custom' && code !== 'unrecognized_keys' && (input === undefined || input === null)
  );
}

/** A whole number of a query. */
export function wholeNumber(min: number, max: number) {
  const message = `Must be a whole number from ${String(min)} to ${String(max)}`;
  return z
    .string(message)
    .regex(/^\d{1,16}$/, message)
    .transform(Number)
    .refine((number) => number >= min && number <= max, message)
    .meta({ override: { type: 'integer', pattern: undefined, minimum: min, maximum: max } });
}
