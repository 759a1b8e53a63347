/** Billing interval of a price; ONE_TIME is charged once and has no periods. */
export type BillingInterval = 'DAILY' | 'WEEKLY' | 'MONTHLY' | 'QUARTERLY' | 'YEARLY' | 'ONE_TIME';

/** Maximum `intervalCount` of each interval; the minimum is 1. */
export const INTERVAL_COUNT_MAX: Readonly<Record<BillingInterval, number>> = {
  DAILY: 365,
  WEEKLY: 52,
  MONTHLY: 36,
  QUARTERLY: 12,
  YEARLY: 5,
  ONE_TIME: 1,
};

/** Recurrence of a period: every `intervalCount` intervals. Any price has one. */
export interface Recurrence {
  readonly billingInterval: BillingInterval;
  readonly intervalCount: number;
}

/** Half-open period [start, end): the instant `end` belongs to the next period. */
export interface BillingPeriod {
  readonly start: Date;
  readonly end: Date;
}

/** Period with its number, counted from 0 at the anchor. */
export interface NumberedPeriod extends BillingPeriod {
  readonly index: number;
}

type Step = { readonly unit: 'ms' | 'month'; readonly size: number };

const DAY_MS = 86_400_000;

/**
 * Period n of a recurrence, computed only from the anchor. A day that a short month lacks returns
 * in the next long one (31 January, 28 February, 31 March); repeated adding would lose it
 * permanently.
 *
 * Times are UTC and have the anchor's time of day. Throws an Error for ONE_TIME, a count out of its
 * bounds, an n that is negative or not whole, and dates beyond the range of Date.
 */
export function periodAt(anchor: Date, recurrence: Recurrence, n: number): BillingPeriod {
  requireWhole(n, 'A period number');
  const step = stepOf(recurrence);
  return { start: boundaryAt(anchor, step, n), end: boundaryAt(anchor, step, n + 1) };
}

/**
 * Period that contains `at`; a boundary belongs to the period that it starts. Throws an Error for
 * an `at` before the anchor and for a recurrence that `periodAt` refuses.
 */
export function periodContaining(anchor: Date, recurrence: Recurrence, at: Date): NumberedPeriod {
  if (valid(at) < valid(anchor)) {
    throw new Error(
      `No period holds ${at.toISOString()}, before the anchor ${anchor.toISOString()}`,
    );
  }
  const step = stepOf(recurrence);
  const index = indexContaining(anchor, step, at);
  return {
    index,
    start: boundaryAt(anchor, step, index),
    end: boundaryAt(anchor, step, index + 1),
  };
}

/**
 * End of a trial, `trialDays` times 24 hours after `start`. It is the anchor of the following
 * periods.
 */
export function trialEnd(start: Date, trialDays: number): Date {
  requireWhole(trialDays, 'A number of trial days');
  return valid(new Date(start.getTime() + trialDays * DAY_MS));
}

/**
 * Adds calendar months to a date (or subtracts, for a negative number) and keeps the time of day. A
 * day that the month lacks becomes its last day. Throws an Error for a fraction of a month and for
 * dates beyond the range of Date.
 */
export function addMonths(start: Date, months: number): Date {
  if (!Number.isSafeInteger(months)) {
    throw new Error(`A number of months is whole, not ${String(months)}`);
  }
  const target = monthNumber(start) + months;
  const year = Math.floor(target / 12);
  const month = target - year * 12;
  const result = new Date(start);
  result.setUTCFullYear(year, month, Math.min(start.getUTCDate(), daysIn(year, month)));
  return valid(result);
}

function boundaryAt(anchor: Date, step: Step, k: number): Date {
  return step.unit === 'month'
    ? addMonths(anchor, k * step.size)
    : valid(new Date(anchor.getTime() + k * step.size));
}

function indexContaining(anchor: Date, step: Step, at: Date): number {
  if (step.unit === 'ms') return Math.floor((at.getTime() - anchor.getTime()) / step.size);
  // Boundary k is in the month k steps after the anchor's. Only the last boundary up to the month
  // of `at` can be after `at`; the one before it cannot.
  const index = Math.floor((monthNumber(at) - monthNumber(anchor)) / step.size);
  return boundaryAt(anchor, step, index) > at ? index - 1 : index;
}

function stepOf({ billingInterval, intervalCount }: Recurrence): Step {
  requireWhole(intervalCount, 'An interval count');
  if (intervalCount < 1 || intervalCount > INTERVAL_COUNT_MAX[billingInterval]) {
    throw new Error(`Interval count out of range: ${String(intervalCount)} ${billingInterval}`);
  }
  switch (billingInterval) {
    case 'DAILY':
      return { unit: 'ms', size: intervalCount * DAY_MS };
    case 'WEEKLY':
      return { unit: 'ms', size: intervalCount * 7 * DAY_MS };
    case 'MONTHLY':
      return { unit: 'month', size: intervalCount };
    case 'QUARTERLY':
      return { unit: 'month', size: intervalCount * 3 };
    case 'YEARLY':
      return { unit: 'month', size: intervalCount * 12 };
    case 'ONE_TIME':
      throw new Error('ONE_TIME has no periods');
  }
}

/** Months since year 0, for integer arithmetic on months. */
function monthNumber(date: Date): number {
  return date.getUTCFullYear() * 12 + date.getUTCMonth();
}

function daysIn(year: number, month: number): number {
  // Day 0 of the next month; set rather than constructed, since Date.UTC reads the years 0 to 99 as
  // 1900 to 1999.
  const lastDay = new Date(0);
  lastDay.setUTCFullYear(year, month + 1, 0);
  return lastDay.getUTCDate();
}

function requireWhole(value: number, name: string): void {
  if (!Number.isSafeInteger(value) || value < 0) {
    throw new Error(`${name} is a whole number from 0 on, not ${String(value)}`);
  }
}

function valid(date: Date): Date {
  if (Number.isNaN(date.getTime())) throw new Error('No such date: invalid or too far away');
  return date;
}
