const dayMs = 86_400_000;

/**
 * Time of a day's work in the demo: just before the hour at which metered periods end, see
 * `usage-rhythm.ts`.
 */
const hourOfWorkMs = (8 * 60 + 50) * 60_000;

/** The days of a plan, counted from 0. */
export class Calendar {
  constructor(
    readonly startsAt: Date,
    readonly lastDay: number,
  ) {}

  /** The calendar of a number of months that ends on the day of an instant. */
  static of({ until, months }: { until: Date; months: number }): Calendar {
    const ends = new Date(midnightOf(until).getTime() + hourOfWorkMs);
    const startsAt = monthsAfter(ends, -months);
    return new Calendar(startsAt, Math.round((ends.getTime() - startsAt.getTime()) / dayMs));
  }

  /** The time of the day's work. */
  at(day: number): Date {
    return new Date(this.startsAt.getTime() + day * dayMs);
  }

  /** The first day whose work is at or after an instant. */
  dayOf(at: Date): number {
    return Math.ceil((at.getTime() - this.startsAt.getTime()) / dayMs);
  }

  isWeekend(day: number): boolean {
    return [0, 6].includes(this.at(day).getUTCDay());
  }

  /**
   * The days on which a period begins that is anchored on a day, except the anchor itself, up to
   * the last day.
   */
  periodStarts(anchorDay: number, interval: Interval): number[] {
    const days: number[] = [];
    for (let turn = 1; ; turn += 1) {
      const day = this.dayOf(intervalsAfter(this.at(anchorDay), interval, turn));
      if (day > this.lastDay) return days;
      days.push(day);
    }
  }
}

export type Interval = 'WEEKLY' | 'MONTHLY' | 'YEARLY';

function intervalsAfter(at: Date, interval: Interval, count: number): Date {
  switch (interval) {
    case 'WEEKLY':
      return new Date(at.getTime() + 7 * count * dayMs);
    case 'MONTHLY':
      return monthsAfter(at, count);
    case 'YEARLY':
      return monthsAfter(at, 12 * count);
  }
}

/** The same day of another month, or its last day where it is shorter. */
function monthsAfter(at: Date, months: number): Date {
  const moved = new Date(at);
  moved.setUTCMonth(at.getUTCMonth() + months);
  if (moved.getUTCDate() !== at.getUTCDate()) moved.setUTCDate(0);
  return moved;
}

function midnightOf(at: Date): Date {
  return new Date(Math.floor(at.getTime() / dayMs) * dayMs);
}
