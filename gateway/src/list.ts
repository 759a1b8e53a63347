import { pageMax } from '@billing/chassis/page';
import { ok, type ApiAnswer } from './route';

/** The envelope of every paged list. */
export function page<T>(
  items: readonly T[],
  { total, page, perPage }: { total: number; page: number; perPage: number },
  toJson: (item: T) => unknown,
): ApiAnswer {
  return ok({ data: items.map(toJson), total, page, perPage });
}

/** The query of a list as services take it: a page that is past every end stays past it. */
export function pageQuery<T extends { readonly page: number }>(query: T): T {
  return { ...query, page: Math.min(query.page, pageMax) };
}

/** The part of a query by which resources are looked up, as services take it. */
export function lookupOf({
  ids,
  order,
}: {
  readonly ids?: string[] | undefined;
  readonly order: 'asc' | 'desc';
}): { ids: { ids: string[] } | undefined; oldestFirst: boolean } {
  return { ids: ids && { ids }, oldestFirst: order === 'asc' };
}
