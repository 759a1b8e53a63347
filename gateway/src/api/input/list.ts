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

/**
 * Pagination in the form of the services. A page number beyond the range of the type stays beyond
 * every end.
 */
export function pageQuery<T extends { readonly page: number }>(query: T): T {
  return { ...query, page: Math.min(query.page, pageMax) };
}

/** Lookup parameters in the form of the services. */
export function lookupOf({
  ids,
  order,
}: {
  readonly ids?: string[] | undefined;
  readonly order: 'asc' | 'desc';
}): { ids: { ids: string[] } | undefined; oldestFirst: boolean } {
  return { ids: ids && { ids }, ...orderOf({ order }) };
}

/** Order of a list in the form of the services. */
export function orderOf({ order }: { readonly order: 'asc' | 'desc' }): { oldestFirst: boolean } {
  return { oldestFirst: order === 'asc' };
}
