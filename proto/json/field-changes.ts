import { isDeepStrictEqual } from 'node:util';
import type { FieldChange } from '../gen/billing/event/v1/subscription_event';

type Json = Readonly<Record<string, unknown>>;

/** Fields of a resource that a write changed, by their names in REST. */
export type FieldChanges = Readonly<
  Record<string, { readonly from: unknown; readonly to: unknown }>
>;

/**
 * Lists every field that differs between two JSON forms of a resource, but `updatedAt` and those
 * that are named.
 */
export function fieldChangesBetween(from: Json, to: Json, without: readonly string[] = []) {
  const names = Object.keys(to).filter((name) => name !== 'updatedAt' && !without.includes(name));
  return Object.fromEntries(
    names
      .filter((name) => !isDeepStrictEqual(from[name], to[name]))
      .map((name) => [name, { from: from[name], to: to[name] }]),
  );
}

/** Changes in a webhook; undefined for an event without changes. */
export function toJsonFieldChanges(
  changes: Readonly<Record<string, FieldChange>>,
): FieldChanges | undefined {
  const entries = Object.entries(changes);
  if (entries.length === 0) return undefined;
  // Decoding converts null to undefined, which would omit the key.
  return Object.fromEntries(
    entries.map(([field, { from, to }]) => [
      field,
      { from: (from ?? null) as unknown, to: (to ?? null) as unknown },
    ]),
  );
}
