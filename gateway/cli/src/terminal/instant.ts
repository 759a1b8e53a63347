import { wrongUsage } from './failure';

const step = /^\+(\d{1,4})(min|h|d|w|mo|y)$/;
const minuteMs = 60_000;
const lengths: Readonly<Record<string, number>> = {
  min: minuteMs,
  h: 60 * minuteMs,
  d: 24 * 60 * minuteMs,
  w: 7 * 24 * 60 * minuteMs,
};

/**
 * Reads an instant: a step from `now` such as +14d, or +1mo for a calendar month, or a time with
 * its zone. A day that a month does not have becomes its last.
 */
export function readInstant(text: string, now: Date): Date {
  const [, count = '', unit = ''] = step.exec(text) ?? [];
  if (unit === 'mo' || unit === 'y') return addMonths(now, Number(count) * (unit === 'y' ? 12 : 1));
  const length = lengths[unit];
  if (length !== undefined) return new Date(now.getTime() + Number(count) * length);
  const hasZone = /^\d{4}-\d\d-\d\dT.+(Z|[+-]\d\d:\d\d)$/.test(text);
  const instant = new Date(text);
  if (!hasZone || Number.isNaN(instant.getTime()) || !isDay(text.slice(0, 10))) {
    throw wrongUsage(`${text} is neither a step such as +14d or +1mo nor a time with its zone`);
  }
  return instant;
}

/** `Date` reads the 30th of February as a day of March. */
function isDay(day: string): boolean {
  return new Date(`${day}T00:00:00Z`).toISOString().startsWith(day);
}

function addMonths(from: Date, months: number): Date {
  const year = from.getUTCFullYear();
  const month = from.getUTCMonth() + months;
  const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  const moved = new Date(from);
  moved.setUTCFullYear(year, month, Math.min(from.getUTCDate(), lastDay));
  return moved;
}
