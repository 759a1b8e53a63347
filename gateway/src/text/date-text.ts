const dates = new Intl.DateTimeFormat('en-US', { dateStyle: 'long', timeZone: 'UTC' });
const shortDates = new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeZone: 'UTC' });

/** Formats a date in UTC, as all billing dates: March 31, 2026. */
export function dateText(date: Date): string {
  return dates.format(date);
}

/** Formats a period from its first to its last day. The end of a period is exclusive. */
export function periodText({ start, end }: { start: Date; end: Date }): string {
  const last = new Date(Math.max(start.getTime(), end.getTime() - 1));
  const [from, to] = [shortDates.format(start), shortDates.format(last)];
  return from === to ? from : `${from} – ${to}`;
}
