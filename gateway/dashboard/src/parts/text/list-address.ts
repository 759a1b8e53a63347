// Page and order of a list in the URL. A page with several lists gives each a name: `links.page`.

/** Sets parameters; an empty value removes one. */
export function withParameters(
  before: URLSearchParams,
  changes: Readonly<Record<string, string>>,
): URLSearchParams {
  const next = new URLSearchParams(before);
  for (const [name, value] of Object.entries(changes)) {
    if (value === '') next.delete(name);
    else next.set(name, value);
  }
  return next;
}

/** Removes the pages of all lists, because a changed filter starts at the first page. */
export function toFirstPages(before: URLSearchParams): URLSearchParams {
  // A list that is read from a position has no pages.
  const pages = [...before.keys()].filter((name) => /^(.*\.page|page|before)$/.test(name));
  return withParameters(before, Object.fromEntries(pages.map((name) => [name, ''])));
}

/** Name of a parameter of a list. */
export function listParameter(list: string, name: 'page' | 'order'): string {
  return list === '' ? name : `${list}.${name}`;
}

/** Page of a list; 1 if the URL has none, or a malformed one. */
export function pageIn(parameters: URLSearchParams, list: string): number {
  const text = parameters.get(listParameter(list, 'page')) ?? '';
  return /^[1-9]\d{0,8}$/.test(text) ? Number(text) : 1;
}

/** The last page, to show instead of a page past the end; undefined if the page is not. */
export function lastPageInstead({
  page,
  rows,
  total,
  perPage,
}: {
  page: number;
  /** Number of rows on the page. */
  rows: number;
  /** Number of rows on all pages. */
  total: number;
  perPage: number;
}): number | undefined {
  const last = Math.ceil(total / perPage);
  return rows === 0 && total > 0 && page > last ? last : undefined;
}

/** True if a list is shown oldest first. */
export function isOldestFirst(parameters: URLSearchParams, list: string): boolean {
  return parameters.get(listParameter(list, 'order')) === 'asc';
}
