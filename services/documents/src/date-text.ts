import { dateText as formattedDate, shortDateText } from '@billing/presentation/date-text';
import type { Shown } from './reader';

/** Formats a date in UTC, as all billing dates: March 31, 2026. */
export function dateText(date: Date): Shown {
  return ({ locale }) => formattedDate(date, locale);
}

const dayMs = 24 * 60 * 60 * 1000;

/**
 * Formats a period from its first to its last day. The end of a period is exclusive: a month from
 * the 17th lasts until the 16th at any time of day, since the 17th begins the next one. A
 * period that was cut short lasts until the day of its end.
 */
export function periodText({ start, end }: { start: Date; end: Date }): Shown {
  const isWhole = (end.getTime() - start.getTime()) % dayMs === 0;
  const last = new Date(Math.max(start.getTime(), end.getTime() - (isWhole ? dayMs : 1)));
  return ({ locale }) => {
    const [from, to] = [shortDateText(start, locale), shortDateText(last, locale)];
    return from === to ? from : `${from} – ${to}`;
  };
}
