import { refuseProblems, wholeNumberProblems } from '@billing/kernel/input-problems';

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
