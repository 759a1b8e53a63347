// How fields stand in documents, whatever they are of.

/** Absent values are stored as null: a field that is left out of an update would keep its old value. */
export type Nullable<T> = {
  readonly [K in keyof T]: undefined extends T[K] ? NonNullable<T[K]> | null : T[K];
};

/** The driver reads a small whole number as either. */
export type Count = number | bigint;

/** The fields with null for what is absent. */
export function nullable(fields: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, (value as unknown) ?? null]),
  );
}
