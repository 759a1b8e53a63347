import { z } from 'zod';
import 'zod-openapi';
import { checkMetadata } from '@billing/chassis/request-fields';
import { invalidInput } from '@billing/kernel/domain-error';
import { webAddressLengthMax, webAddressProblems } from '@billing/kernel/web-address';
import { type FieldRules, mergedProblems, withRuleProblems } from './field-rules';
import { refusesUnknownFields } from './ignored-fields';
import { problemMessage } from './problem-message';
import type { ApiRequest } from './request';
import { RequestError } from '../../http/error';

// Parses bodies and queries by the schemas of the routes, and converts schema issues to the field
// map of the contract.

z.config({ customError: problemMessage });

/** Optional input; null counts as absent. */
export function optional<T extends z.ZodType>(schema: T) {
  return schema.nullish().transform((value) => value ?? undefined);
}

/** ISO 8601 time with a UTC offset. */
export const time = z.iso
  .datetime({ offset: true, error: 'Invalid datetime' })
  .transform((text) => new Date(text))
  .refine((date) => !Number.isNaN(date.getTime()), 'Invalid datetime')
  .meta({ description: 'ISO 8601 with a UTC offset.' });

/** Amount in the smallest unit. */
export const amount = z.int().min(0).max(99_999_999_999);

/** URL for redirects and links: absolute, http or https, without user information. */
export const webAddress = z
  .string()
  .superRefine((text, context) => {
    for (const message of webAddressProblems(text)) context.addIssue({ code: 'custom', message });
  })
  // Not declared as format `uri`, which excludes the braces of `{SESSION_ID}`.
  .meta({ description: 'Absolute http or https URL.', maxLength: webAddressLengthMax });

const metadataInDocument = {
  type: 'object' as const,
  description: 'Your own key-value data.',
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

/**
 * Metadata in its parsed form. A schema that rebuilds the object would lose keys that must be
 * refused.
 */
export const metadata = z
  .custom<Record<string, unknown>>()
  .superRefine((value, context) => {
    for (const message of checkMetadata(value)) context.addIssue({ code: 'custom', message });
  })
  .meta({ override: metadataInDocument });

/** Pagination parameters of a list. */
export const pageShape = {
  page: wholeNumber(1, Number.MAX_SAFE_INTEGER)
    .default(1)
    .meta({ description: 'Page number. Defaults to 1.' }),
  perPage: wholeNumber(1, 100).default(20).meta({ description: 'Page size. Defaults to 20.' }),
};

/** Boolean query parameter. */
export const flag = z
  .enum(['true', 'false'], 'Must be true or false')
  .transform((text) => text === 'true');

const idsMax = 100;
const idsMessage = `Must be 1 to ${String(idsMax)} ids, separated by commas`;

/** Query parameters of lists. */
export const listShape = {
  ...pageShape,
  order: z
    .enum(['asc', 'desc'])
    .default('desc')
    .meta({ description: 'Order by creation time. Defaults to `desc`, newest first.' }),
};

/** Query parameters of lists with a lookup by ids. */
export const lookupShape = {
  ...listShape,
  ids: z
    .string(idsMessage)
    .transform((text) => text.split(',').map((id) => id.trim()))
    .refine((ids) => ids.length <= idsMax && ids.every((id) => id !== ''), idsMessage)
    .optional()
    .meta({
      description: 'Up to 100 ids, separated by commas. Unknown ids are ignored.',
      override: { type: 'string' },
    }),
};

/** Filter by active state; absent for all. */
export const activeFilter = flag.optional();

/**
 * Body of an irreversible action. Unknown fields are refused, since ignoring a misspelled option
 * could make a mild action final. Query parameters are refused like unknown fields.
 */
export function irreversibleAction<S extends z.ZodRawShape>(shape: S) {
  return z.strictObject(shape);
}

/** Parses the body by the schema and rules of the route; drops unknown fields. */
export function readBody<S extends z.ZodRawShape>(
  schema: z.ZodObject<S>,
  { body, query = {} }: Pick<ApiRequest, 'body'> & Partial<Pick<ApiRequest, 'query'>>,
  rules?: FieldRules<z.infer<z.ZodObject<S>>>,
): z.infer<z.ZodObject<S>> {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new RequestError(400, 'invalid_request', 'Body must be a JSON object');
  }
  const result = schema.safeParse(body, { reportInput: true });
  const shapeProblems = result.success ? {} : toFieldMap(result.error.issues);
  const ofBody =
    rules === undefined
      ? shapeProblems
      : withRuleProblems(shapeProblems, rules, { schema, sent: { ...body } });
  const found = mergedProblems(ofBody, refusesUnknownFields(schema) ? unknownIn(query) : {});
  if (!result.success || Object.keys(found).length > 0) throw invalidInput(found);
  return result.data;
}

function unknownIn(query: ApiRequest['query']): Record<string, string[]> {
  return Object.fromEntries(Object.keys(query).map((name) => [name, ['Unknown field']]));
}

/** Parses the query by the schema of the route. */
export function readQuery<T>(schema: z.ZodType<T>, { query }: Pick<ApiRequest, 'query'>): T {
  return parse(schema, query);
}

function parse<T>(schema: z.ZodType<T>, input: unknown): T {
  const result = schema.safeParse(input, { reportInput: true });
  if (result.success) return result.data;
  throw invalidInput(toFieldMap(result.error.issues));
}

/**
 * Groups problems by top-level field, with the path of a nested problem in front. Drops duplicates.
 */
function toFieldMap(issues: readonly z.core.$ZodIssue[]): Record<string, string[]> {
  const fields = new Map<string, Set<string>>();
  const single = issues.flatMap(eachUnknownField);
  for (const issue of single.filter((one) => !isCoveredByAnother(one, single))) {
    const [field = 'body', ...rest] = issue.path.map(String);
    const message = isMissing(issue) ? 'Required' : issue.message;
    const messages = fields.get(field) ?? new Set();
    fields.set(field, messages.add(rest.length === 0 ? message : `${rest.join('.')}: ${message}`));
  }
  return Object.fromEntries([...fields].map(([field, messages]) => [field, [...messages]]));
}

/** Splits an issue about several unknown fields into one per field. */
function eachUnknownField(issue: z.core.$ZodIssue): readonly z.core.$ZodIssue[] {
  if (issue.code !== 'unrecognized_keys') return [issue];
  return issue.keys.map((key) => ({ ...issue, keys: [key], path: [...issue.path, key] }));
}

// A number beyond the safe integers also exceeds the bound of its field, which is the clearer
// message.
function isCoveredByAnother(issue: z.core.$ZodIssue, all: readonly z.core.$ZodIssue[]): boolean {
  if (!isOfBound(issue) || issue.origin !== 'int') return false;
  const path = issue.path.join('.');
  return all.some((one) => one !== issue && isOfBound(one) && one.path.join('.') === path);
}

function isOfBound(
  issue: z.core.$ZodIssue,
): issue is z.core.$ZodIssueTooBig | z.core.$ZodIssueTooSmall {
  return issue.code === 'too_big' || issue.code === 'too_small';
}

// A schema with a custom message, such as that of a time, does not distinguish a missing value.
function isMissing({ code, input }: z.core.$ZodIssue): boolean {
  return (
    code !== 'custom' && code !== 'unrecognized_keys' && (input === undefined || input === null)
  );
}

/** Integer query parameter. */
export function wholeNumber(min: number, max: number) {
  const message = `Must be a whole number from ${String(min)} to ${String(max)}`;
  return z
    .string(message)
    .regex(/^\d{1,16}$/, message)
    .transform(Number)
    .refine((number) => number >= min && number <= max, message)
    .meta({ override: { type: 'integer', pattern: undefined, minimum: min, maximum: max } });
}
