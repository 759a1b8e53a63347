import { refuseProblems, wholeNumberProblems } from './input-problems';

/** Calendar day in UTC, [start, end). */
export interface CalendarDay {
  /** Such as `2026-11-21`. */
  readonly day: string;
  readonly start: Date;
  readonly end: Date;
}

const dayMs = 86_400_000;

/** Day that contains an instant. */
export function calendarDayOf(at: Date): CalendarDay {
  return startingAt(Math.floor(at.getTime() / dayMs) * dayMs);
}

/**
 * Last days up to that of `now`, oldest first. Throws for a number of days that reports do not
 * support.
 */
export function lastDays(
  now: Date,
  { days, max }: { readonly days: number; readonly max: number },
): readonly CalendarDay[] {
  refuseProblems({ days: wholeNumberProblems(days, { min: 1, max }) });
  const today = calendarDayOf(now).start.getTime();
  return Array.from({ length: days }, (_, index) => startingAt(today - (days - 1 - index) * dayMs));
}

function startingAt(time: number): CalendarDay {
  const start = new Date(time);
  return { day: start.toISOString().slice(0, 10), start, end: new Date(time + dayMs) };
}
