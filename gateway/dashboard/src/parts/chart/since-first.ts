/**
 * Periods from the first one that has a value; all of them if none has one. Charts start where the
 * shop does.
 */
export function sinceFirst<T>(
  periods: readonly T[],
  hasValue: (period: T) => boolean,
): readonly T[] {
  const first = periods.findIndex(hasValue);
  return first === -1 ? periods : periods.slice(first);
}
