import type { CalendarDay } from '@billing/kernel/calendar-day';
import type { Span } from './usage-hour';

/**
 * Days of a series between whose beginnings everything is told by the days that are kept: one that is not kept has no events, and of one
 * that is kept without a total the hours tell.
 */
export type Covered = Span | undefined;

/** Whether the hours of a day must be read. `reopened` are beginnings of days that are kept without a total. */
export function needsHours(
  day: Date,
  { covered, reopened }: { readonly covered: Covered; readonly reopened: ReadonlySet<number> },
): boolean {
  const isCovered = covered !== undefined && covered.start <= day && day < covered.end;
  return !isCovered || reopened.has(day.getTime());
}

/**
 * What is covered once the days that were read are kept, all but those in `open`, some of whose hours could not be told by their totals, and
 * those that end after `sealedUntil`. What is covered has no gaps: it grows to either side as far as every day can be kept.
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
  const canBeKept = ({ start, end }: CalendarDay) =>
    end <= sealedUntil && !open.has(start.getTime());
  const [first] = days;
  if (first === undefined) return covered;
  const isApart = covered === undefined || covered.end < first.start;
  const from = isApart ? first.start : covered.end;
  const stop = days.find((day) => day.start >= from && !canBeKept(day));
  const end = stop?.start ?? days.at(-1)?.end ?? from;
  const before = isApart ? [] : days.filter(({ start }) => start < covered.start);
  const start =
    isApart || (before.length > 0 && before.every(canBeKept)) ? first.start : covered.start;
  if (isApart) return end > start ? { start, end } : covered;
  return {
    start: start < covered.start ? start : covered.start,
    end: end > covered.end ? end : covered.end,
  };
}
