import { invalidInput } from '@billing/kernel/domain-error';

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
