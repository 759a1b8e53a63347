import { ok, type ApiAnswer } from './route';

/** The envelope of every paged list. */
export function page<T>(
  items: readonly T[],
  { total, page, perPage }: { total: number; page: number; perPage: number },
  toJson: (item: T) => unknown,
): ApiAnswer {
  return ok({ data: items.map(toJson), total, page, perPage });
}
