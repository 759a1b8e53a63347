import { pageMax } from '@billing/chassis/request-fields';
import { ok, type ApiAnswer } from '../../http/answer';

/** Envelope of every paginated list. */
export function page<T>(
  items: readonly T[],
  { total, page, perPage }: { total: number; page: number; perPage: number },
  toJson: (item: T) => unknown,
): ApiAnswer {
  return ok({ data: items.map(toJson), total, page, perPage });
}

/** Page of a list that has one item at most. */
export const firstOnly = { page: 1, perPage: 1 } as const;

/** Pagination and order in the form of the services. */
export function listQuery<T extends { readonly page: number; readonly order: 'asc' | 'desc' }>({
  order,
  ...query
}: T): Omit<T, 'order'> & { oldestFirst: boolean } {
  return { ...pageQuery(query), oldestFirst: order === 'asc' };
}

/**
 * Pagination in the form of the services. A page number beyond the range of the type stays beyond
 * every end.
 */
function pageQuery<T extends { readonly page: number }>(query: T): T {
  return { ...query, page: Math.min(query.page, pageMax) };
}

/** Pagination, order and lookup in the form of the services. */
export function lookupQuery<
  T extends {
    readonly page: number;
    readonly order: 'asc' | 'desc';
    readonly ids?: string[] | undefined;
  },
>({ ids, ...query }: T) {
  return { ...listQuery(query), ids: ids && { ids } };
}
