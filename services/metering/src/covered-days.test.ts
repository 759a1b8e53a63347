import { lastDays } from '@billing/kernel/calendar-day';
import { type Covered, coveredAfter, needsHours } from './covered-days';

const days = lastDays(new Date('2026-03-10T12:00:00Z'), { days: 5, max: 90 });
const at = (day: number) => new Date(Date.UTC(2026, 2, day));
const span = (from: number, until: number): Covered => ({ start: at(from), end: at(until) });
const openOn = (...opened: number[]) => new Set(opened.map((day) => at(day).getTime()));

test.each([
  ['nothing was known', undefined, 10, [], span(6, 10)],
  ['a day in the middle is open', undefined, 10, [8], span(6, 8)],
  ['the first day is open', undefined, 10, [6], undefined],
  ['hours are sealed to the second day alone', undefined, 8, [], span(6, 8)],
  ['hours are not sealed so far', undefined, 1, [], undefined],
  ['it ended in the window', span(1, 8), 10, [], span(1, 10)],
  ['it ended in the window and the day after is open', span(1, 8), 10, [8], span(1, 8)],
  ['it ended right before the window', span(1, 6), 10, [], span(1, 10)],
  ['it ended long before the window', span(1, 5), 10, [], span(6, 10)],
  ['it ended long before, and nothing can be kept', span(1, 5), 10, [6], span(1, 5)],
  ['it began in the window', span(8, 10), 10, [], span(6, 10)],
  ['it began in the window and a day before is open', span(8, 10), 10, [7], span(8, 10)],
  ['it covers all already', span(1, 10), 10, [], span(1, 10)],
  ['a covered day was reopened', span(1, 9), 10, [7], span(1, 10)],
])(
  'where %s, %j and hours sealed to %i with %j open cover %j',
  (_name, covered, sealed, open, after) => {
    expect(coveredAfter(covered, { days, sealedUntil: at(sealed), open: openOn(...open) })).toEqual(
      after,
    );
  },
);

test('hours are read of days that are not covered, and of those that were reopened', () => {
  const known = { covered: span(6, 9), reopened: openOn(7) };
  const needed = [5, 6, 7, 8, 9].filter((day) => needsHours(at(day), known));
  expect(needed).toEqual([5, 7, 9]);
});
