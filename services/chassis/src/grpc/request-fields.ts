import { invalidInput } from '@billing/kernel/domain-error';
import { refuseProblems, wholeNumberProblems } from '@billing/kernel/input-problems';

// In proto3, an absent field may have been omitted or cleared. Requests that change a resource
// therefore carry a google.protobuf.FieldMask in addition to the fields; its paths are the fields'
// proto names.

/** Builds the mask for these fields, given by their names in TypeScript. */
export function toUpdateMask(names: readonly string[]): string[] {
  return names.map((name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));
}

/**
 * Selects the changeable fields that the mask names; none without a mask. A path to any other field
 * is refused under the field's name in REST.
 */
export function maskedFields<T extends object>(
  fields: T,
  updateMask: readonly string[] | undefined,
): Partial<T> {
  const named = (updateMask ?? []).map((path) =>
    path.replace(/_([a-z])/g, (_underscore, letter: string) => letter.toUpperCase()),
  );
  const unknown = named.filter((name) => !Object.hasOwn(fields, name));
  if (unknown.length > 0) {
    throw invalidInput(Object.fromEntries(unknown.map((name) => [name, ['Cannot be changed']])));
  }
  const masked = Object.entries(fields).filter(([name]) => named.includes(name));
  return Object.fromEntries(masked) as Partial<T>;
}

/**
 * Returns the expected version (If-Match) of a request to change a resource, in the form that the
 * store compares.
 */
export function expectedVersionOf(request: { readonly expectedVersion?: bigint | undefined }): {
  expectedVersion?: number;
} {
  const { expectedVersion } = request;
  return expectedVersion === undefined ? {} : { expectedVersion: Number(expectedVersion) };
}

/** Pages are 32-bit numbers; no list is as long as that. */
export const pageMax = 2 ** 31 - 1;
const perPageMax = 100;

// More ids would make a query larger than its answer.
const idsMax = 100;

/** Filter of a list by ids; no filter matches everything. A malformed id matches nothing. */
export function filterByIds(
  filter: { readonly ids: readonly string[] } | undefined,
): Record<string, unknown> {
  if (filter === undefined) return {};
  const { ids } = filter;
  refuseProblems({
    ids: ids.length > idsMax ? [`Must have at most ${String(idsMax)} elements`] : [],
  });
  return { _id: { $in: ids } };
}

/** Validates the requested page of a list. */
export function readPage({
  page,
  perPage,
  oldestFirst = false,
}: {
  page: number;
  perPage: number;
  oldestFirst?: boolean | undefined;
}): {
  page: number;
  perPage: number;
  oldestFirst: boolean;
} {
  refuseProblems({
    page: wholeNumberProblems(page, { min: 1, max: pageMax }),
    perPage: wholeNumberProblems(perPage, { min: 1, max: perPageMax }),
  });
  return { page, perPage, oldestFirst };
}

// Metadata: notes of the caller on a resource. They are stored and returned; no rule reads them.

const keysMax = 50;
const keyPattern = /^[A-Za-z0-9_.-]{1,40}$/;
const textLengthMax = 500;
// A refused key appears in its message, but may be as long as a request.
const printedKeyLengthMax = 40;

/**
 * Returns the problems of a `metadata` field, each with its key; none for a valid value. An absent
 * value and null are valid and stand for `{}`.
 *
 * Numbers are limited to those that JSON represents exactly, like all numbers of the API.
 * `__proto__` is refused because an assignment to it somewhere on the way would lose it.
 */
export function checkMetadata(value: unknown): string[] {
  if (value === undefined || value === null) return [];
  if (typeof value !== 'object' || Array.isArray(value)) return ['Must be an object'];
  const entries = Object.entries(value);
  if (entries.length > keysMax) return [`Must have at most ${String(keysMax)} keys`];
  return entries.flatMap(([key, entry]) =>
    [...keyProblems(key), ...valueProblems(entry)].map(
      (problem) => `${truncated(key)}: ${problem}`,
    ),
  );
}

function keyProblems(key: string): string[] {
  if (key === '__proto__') return ['Key is reserved'];
  return keyPattern.test(key)
    ? []
    : ['Key must be 1 to 40 characters of A-Z, a-z, 0-9, _, . and -'];
}

function valueProblems(value: unknown): string[] {
  switch (typeof value) {
    case 'string':
      return value.length <= textLengthMax
        ? []
        : [`Must be at most ${String(textLengthMax)} characters`];
    case 'number':
      return Number.isFinite(value) && Math.abs(value) <= Number.MAX_SAFE_INTEGER
        ? []
        : ['Number out of range'];
    case 'boolean':
      return [];
    default:
      return value === null ? [] : ['Must be a string, number, boolean or null'];
  }
}

function truncated(key: string): string {
  return key.length > printedKeyLengthMax ? `${key.slice(0, printedKeyLengthMax)}…` : key;
}
