const dates = new Intl.DateTimeFormat('en-US', { dateStyle: 'long', timeZone: 'UTC' });
const shortDates = new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeZone: 'UTC' });

/** A day for readers, in UTC as all billing dates are: March 31, 2026. */
export function dateText(date: Date): string {
  return dates.format(date);
}

/** From the first day to the last: the end of a period is the instant after it. */
export function periodText({ start, end }: { start: Date; end: Date }): string {
  const last = new Date(Math.max(start.getTime(), end.getTime() - 1));
  const [from, to] = [shortDates.format(start), shortDates.format(last)];
  return from === to ? from : `${from} – ${to}`;
}
