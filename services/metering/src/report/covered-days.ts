import type { CalendarDay } from '@billing/kernel/calendar-day';
import type { Span } from '../usage/hour';

/**
 * Range of days of a series for which the stored day documents are complete. Within it, a day
 * without a document has no events, and a day stored without a total must be read from its hours.
 */
export type Covered = Span | undefined;

/**
 * True if the hours of a day must be read. `reopened` holds the starts of days stored without a
 * total.
 */
export function needsHours(
  day: Date,
  { covered, reopened }: { readonly covered: Covered; readonly reopened: ReadonlySet<number> },
): boolean {
  const isCovered = covered !== undefined && covered.start <= day && day < covered.end;
  return !isCovered || reopened.has(day.getTime());
}

/**
 * The covered range after storing the days that were read. Days in `open` (an hour without a valid
 * total) and days that end after `sealedUntil` are left out. The range has no gaps: it grows in
 * both directions up to the first day that cannot be stored.
 */
export function coveredAfter(
  covered: Covered,
  {
    days,
    sealedUntil,
    open,
  }: {
    readonly days: readonly CalendarDay[];
    readonly sealedUntil: Date;
    readonly open: ReadonlySet<number>;
  },
): Covered {
  const isStorable = ({ start, end }: CalendarDay) =>
    end <= sealedUntil && !open.has(start.getTime());
  const [first] = days;
  if (first === undefined) return covered;
  const isApart = covered === undefined || covered.end < first.start;
  const from = isApart ? first.start : covered.end;
  const stop = days.find((day) => day.start >= from && !isStorable(day));
  const end = stop?.start ?? days.at(-1)?.end ?? from;
  const before = isApart ? [] : days.filter(({ start }) => start < covered.start);
  const start =
    isApart || (before.length > 0 && before.every(isStorable)) ? first.start : covered.start;
  if (isApart) return end > start ? { start, end } : covered;
  return {
    start: start < covered.start ? start : covered.start,
    end: end > covered.end ? end : covered.end,
  };
}
