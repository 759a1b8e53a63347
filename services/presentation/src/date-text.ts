/** Formats a date in UTC, as all billing dates: March 31, 2026 in `en`. */
export function dateText(date: Date, locale: string): string {
  return new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone: 'UTC' }).format(date);
}

/** The same for tables, shorter: Mar 31, 2026 in `en`. */
export function shortDateText(date: Date, locale: string): string {
  return new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' }).format(date);
}
