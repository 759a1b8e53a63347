/** Length of the periods of a price. */
export interface PlainInterval {
  readonly unit: 'DAY' | 'MONTH';
  /** Number of days or months. */
  readonly each: number;
}

const dayMs = 86_400_000;

/** Start of the period with a number, counted from an anchor. */
export function periodStart(anchor: number, { unit, each }: PlainInterval, count: number): number {
  return unit === 'DAY' ? anchor + count * each * dayMs : monthsAfter(anchor, count * each);
}

/** The same day and time some months later, or the last day of a shorter month. */
export function monthsAfter(from: number, months: number): number {
  const date = new Date(from);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth() + months];
  const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  const day = Math.min(date.getUTCDate(), lastDay);
  return Date.UTC(year, month, day) + (from % dayMs);
}
