import { invalidInput } from '@billing/kernel/domain-error';

// A proto3 field that is absent says nothing about whether it was left out or taken away. Requests that change a resource therefore
// carry a google.protobuf.FieldMask beside the fields; its paths are the fields' proto names.

/** The mask that names these fields, given by their names in TypeScript. */
export function toUpdateMask(names: readonly string[]): string[] {
  return names.map((name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));
}

/**
 * Of all fields that may be changed those that the mask names; without a mask none. A path to anything else is refused under the
 * field's name in REST.
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

/** The version that a request to change a resource expects (If-Match), as the store compares it. */
export function expectedVersionOf(request: { readonly expectedVersion?: bigint | undefined }): {
  expectedVersion?: number;
} {
  const { expectedVersion } = request;
  return expectedVersion === undefined ? {} : { expectedVersion: Number(expectedVersion) };
}
