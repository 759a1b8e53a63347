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
