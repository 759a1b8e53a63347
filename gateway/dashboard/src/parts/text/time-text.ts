/** Formats of times, one for each use. */
interface TimeFormats {
  /** A day: Nov 21, 2026. A calendar day, such as 2026-11-21, belongs to no time zone. */
  readonly dayText: (time: string) => string;
  /** A time to the second: Nov 21, 2026, 3:03:07 PM. */
  readonly instantText: (time: string) => string;
  /** A month: 2026-11 as Nov 2026. */
  readonly monthText: (month: string) => string;
}

/** Formats for a locale and a time zone; undefined: those of the reader. */
export function timeFormats(locale?: string, timeZone?: string): TimeFormats {
  const days = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone });
  const calendarDays = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' });
  const instants = new Intl.DateTimeFormat(locale, {
    dateStyle: 'medium',
    timeStyle: 'medium',
    timeZone,
  });
  const months = new Intl.DateTimeFormat(locale, {
    month: 'short',
    year: 'numeric',
    timeZone: 'UTC',
  });
  return {
    dayText: (time) => (time.length === 10 ? calendarDays : days).format(new Date(time)),
    instantText: (time) => instants.format(new Date(time)),
    monthText: (month) => months.format(new Date(`${month}-01T00:00:00Z`)),
  };
}

/** Formats for the reader. */
export const { dayText, instantText, monthText } = timeFormats();

const dayMs = 86_400_000;

/**
 * First and last day of a period in UTC, by the rule of the documents: a month from the 17th lasts
 * until the 16th at any time of day. A period that was cut short lasts until the day of its end.
 */
export function coveredDaysText(start: string, end: string): string {
  const [from, until] = [Date.parse(start), Date.parse(end)];
  const last = Math.max(from, until - ((until - from) % dayMs === 0 ? dayMs : 1));
  const lastDay = new Date(last).toISOString().slice(0, 10);
  return `${dayText(start.slice(0, 10))} to ${dayText(lastDay)}`;
}

/** A month, a day or a time, by its length. */
export function periodText(time: string): string {
  if (time.length === 7) return monthText(time);
  return time.length === 10 ? dayText(time) : instantText(time);
}

const shortDays = new Intl.DateTimeFormat(undefined, {
  month: 'short',
  day: 'numeric',
  timeZone: 'UTC',
});

/** A month or a calendar day for an axis: Nov 2026, Nov 21. */
export function shortPeriodText(time: string): string {
  return time.length === 7 ? monthText(time) : shortDays.format(new Date(time));
}

/** A time in UTC: 2026-11-21 14:03:07 UTC. For hints, and for clocks that are set in UTC. */
export function utcText(time: string): string {
  return `${time.slice(0, 10)} ${time.slice(11, 19)} UTC`;
}

/** Month until whose end a card is valid: 03/2027. */
export function expiryText({ month, year }: { readonly month: number; readonly year: number }) {
  return `${String(month).padStart(2, '0')}/${String(year)}`;
}
