// Rows of lists are links: the focus moves from link to link, and Enter opens the page.

/**
 * Moves the focus to the first link of the next or previous row. Without a focused row, `isList`
 * decides whether the first one is entered, of the focused part or of the page. Returns true if the
 * focus was moved.
 */
export function moveInList(by: 1 | -1, { isList }: { readonly isList: boolean }): boolean {
  const focused = document.activeElement;
  const row = focused?.closest('tbody tr') ?? null;
  if (row === null && (!isList || by === -1 || !isNowhere(focused))) return false;
  const part = focused?.closest('main, main [role="group"]') ?? document.querySelector('main');
  const table = row?.closest('table') ?? null;
  const links = table === null ? firstRowLinks(part) : rowLinks(table);
  const at = links.findIndex(({ one }) => one === row);
  const next = links[at + by];
  if (next === undefined || (row !== null && at === -1)) return false;
  next.link.focus();
  return true;
}

/**
 * Moves the focus to the first filter that searches, a field or a picker, otherwise to the first
 * one; false if the page has none.
 */
export function focusFilter(): boolean {
  const filters = document.querySelector('main [role="search"]');
  const searched = filters?.querySelector<HTMLElement>(
    'input:is(:not([type]), [type="text"], [type="search"]), button.picker',
  );
  const filter = searched ?? filters?.querySelector<HTMLElement>('input, select') ?? null;
  filter?.focus();
  return filter !== null;
}

/** Place of the focus. */
export function focusPlace(): 'PAGE' | 'FIELD' | 'DIALOG' {
  if (document.querySelector('[role$="dialog"]:not(.toast), [role="menu"]') !== null) {
    return 'DIALOG';
  }
  const focused = document.activeElement;
  const isField =
    focused instanceof HTMLElement &&
    (focused.isContentEditable || focused.matches('input, textarea, select, [role="combobox"]'));
  return isField ? 'FIELD' : 'PAGE';
}

interface RowLink {
  readonly one: Element;
  readonly link: HTMLElement;
}

/** Links of the first table that has some: that of a chart is closed, or has none. */
function firstRowLinks(part: Element | null): readonly RowLink[] {
  const tables = [...(part?.querySelectorAll('table') ?? [])].map(rowLinks);
  return tables.find((links) => links.length > 0) ?? [];
}

/** First link of each row that has a link to be seen. */
function rowLinks(table: Element): readonly RowLink[] {
  return [...table.querySelectorAll('tbody tr')].flatMap((one) => {
    const link = one.querySelector<HTMLElement>('a[href]');
    return link?.checkVisibility() === true ? [{ one, link }] : [];
  });
}

/** True if the focus is on the page, or on a part of it that takes the focus as a whole. */
function isNowhere(focused: Element | null): boolean {
  return focused === null || focused === document.body || focused.matches('#main, [role="group"]');
}
