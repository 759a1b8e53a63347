import { refuseProblems, wholeNumberProblems } from '@billing/kernel/input-problems';

/** Pages are counted in 32 bits; no list is as long as that. */
export const pageMax = 2 ** 31 - 1;
const perPageMax = 100;

// More would make a query longer than its answer.
const idsMax = 100;

/** The filter of a list by ids; absent: all. A malformed id matches nothing. */
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

/** Which part of a list is asked for; refuses what no list may be asked. */
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
