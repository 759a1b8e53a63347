const dates = new Intl.DateTimeFormat('en-US', { dateStyle: 'long', timeZone: 'UTC' });
const shortDates = new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeZone: 'UTC' });

/** Formats a date in UTC, as all billing dates: March 31, 2026. */
export function dateText(date: Date): string {
  return dates.format(date);
}

const dayMs = 24 * 60 * 60 * 1000;

/**
 * Formats a period from its first to its last day. The end of a period is exclusive: a month from
 * the 17th lasts until the 16th at any time of day, since the 17th begins the next one. A
 * period that was cut short lasts until the day of its end.
 */
export function periodText({ start, end }: { start: Date; end: Date }): string {
  const isWhole = (end.getTime() - start.getTime()) % dayMs === 0;
  const last = new Date(Math.max(start.getTime(), end.getTime() - (isWhole ? dayMs : 1)));
  const [from, to] = [shortDates.format(start), shortDates.format(last)];
  return from === to ? from : `${from} – ${to}`;
}
