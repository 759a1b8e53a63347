import { wrongUsage } from '../terminal/failure';
import { feedCursor } from '../session/feed';
import type { GuidePage } from './guide-pages';
import { type Content, fittedResult, type ToolResult } from './result';

/** Where a page begins: its number, and how many of its items were shown before. */
export interface Position {
  readonly page: number;
  readonly skipped: number;
}

/** Reads the number of a page, or the `nextPage` of a result that was cut. */
export function readPosition(given: number | string | undefined): Position {
  const [, number, skipped = '0'] =
    /^([1-9]\d{0,8})(?::(\d{1,9}))?$/.exec(String(given ?? 1)) ?? [];
  if (number === undefined) throw wrongUsage('page is no page');
  return { page: Number(number), skipped: Number(skipped) };
}

/** Answer of a list. Short lists have no pages; a report is a single item. */
export interface Page {
  readonly data: readonly unknown[];
  readonly total: number | null;
  readonly isLast: boolean;
}

/** Reads an answer of the API as a page. */
export function pageOf(answer: unknown): Page {
  if (Array.isArray(answer)) return { data: answer, total: answer.length, isLast: true };
  const { data: items, total, page: number, perPage } = answer as Record<string, unknown>;
  if (!Array.isArray(items)) return { data: [answer], total: null, isLast: true };
  const isLast = Number(number) * Number(perPage) >= Number(total);
  return { data: items, total: Number(total), isLast };
}

/** A page of a list, cut where it is too large. */
export function listResult(answered: Page, position: Position): ToolResult {
  return fittedResult(answered.data.slice(position.skipped), (shown) => ({
    data: shown,
    total: answered.total,
    nextPage: nextPageOf(shown, answered, position),
  }));
}

function nextPageOf(
  shown: readonly unknown[],
  { data, isLast }: Page,
  { page, skipped }: Position,
): string | null {
  const passed = skipped + shown.length;
  if (passed < data.length) return `${String(page)}:${String(passed)}`;
  return isLast ? null : String(page + 1);
}

/** The resource with its longest list cut where the whole is too large. */
export function singleResult(
  resource: unknown,
  { skipped }: Pick<Position, 'skipped'>,
): ToolResult {
  const [name, items] = longestList(resource);
  if (name === undefined) {
    return fittedResult([resource], ([one]) => ({ data: one, cut: null, nextPage: null }));
  }
  return fittedResult(items.slice(skipped), (shown) => {
    const passed = skipped + shown.length;
    const isCut = shown.length < items.length;
    return {
      data: { ...(resource as Content), [name]: shown },
      cut: isCut ? name : null,
      nextPage: passed < items.length ? `1:${String(passed)}` : null,
    };
  });
}

function longestList(resource: unknown): [name: string | undefined, items: readonly unknown[]] {
  const fields = Object.entries((resource ?? {}) as Content).flatMap(([name, value]) =>
    Array.isArray(value) ? [[name, value] as [string, unknown[]]] : [],
  );
  const sizeOf = ([, items]: [string, unknown[]]) => JSON.stringify(items).length;
  return fields.sort((a, b) => sizeOf(b) - sizeOf(a))[0] ?? [undefined, []];
}

/** Usage and credits of a customer; the credits are cut where they are too many. */
export function usageResult(state: unknown, credits: Page, position: Position): ToolResult {
  return fittedResult(credits.data.slice(position.skipped), (shown) => ({
    state,
    credits: shown,
    total: credits.total,
    nextPage: nextPageOf(shown, credits, position),
  }));
}

/** A guide, cut after a line where it is too large. */
export function guideResult({ text, ...guide }: GuidePage): ToolResult {
  const lines = text.split('\n');
  return fittedResult(lines, (shown) => ({
    ...guide,
    text: shown.join('\n'),
    isShortened: shown.length < lines.length,
  }));
}

/** An answer of the feed. */
export interface FeedPage {
  readonly data: readonly { readonly position: string | number; readonly event: unknown }[];
  readonly nextAfter: string;
  readonly newest: string;
}

/** Events of the feed; reading goes on after the last one that is shown. */
export function eventsResult({ data, nextAfter, newest }: FeedPage): ToolResult {
  return fittedResult(data, (shown) => {
    const last = shown.at(-1);
    const isCut = shown.length < data.length && last !== undefined;
    const next = isCut ? feedCursor(nextAfter, last.position) : nextAfter;
    return { data: shown, nextAfter: next, nextPage: next === newest ? null : next };
  });
}
