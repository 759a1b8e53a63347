// Field conventions of all documents.

/** Absent values are stored as null: a field that an update omits would keep its old value. */
export type Nullable<T> = {
  readonly [K in keyof T]: undefined extends T[K] ? NonNullable<T[K]> | null : T[K];
};

/** The driver reads a small whole number as either type. */
export type Count = number | bigint;

/** Replaces absent fields with null. */
export function nullable(fields: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, (value as unknown) ?? null]),
  );
}
