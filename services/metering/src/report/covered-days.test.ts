import { lastDays } from '@billing/kernel/calendar-day';
import { type Covered, coveredAfter, needsHours } from './covered-days';

const days = lastDays(new Date('2026-03-10T12:00:00Z'), { days: 5, max: 90 });
const at = (day: number) => new Date(Date.UTC(2026, 2, day));
const span = (from: number, until: number): Covered => ({ start: at(from), end: at(until) });
const openOn = (...opened: number[]) => new Set(opened.map((day) => at(day).getTime()));

test.each([
  ['no range so far', undefined, 10, [], span(6, 10)],
  ['an open day in the middle', undefined, 10, [8], span(6, 8)],
  ['an open first day', undefined, 10, [6], undefined],
  ['a first day sealed', undefined, 8, [], span(6, 8)],
  ['no day sealed', undefined, 1, [], undefined],
  ['a range ending in the window', span(1, 8), 10, [], span(1, 10)],
  ['a range ending in the window before an open day', span(1, 8), 10, [8], span(1, 8)],
  ['a range ending right before the window', span(1, 6), 10, [], span(1, 10)],
  ['a range ending long before the window', span(1, 5), 10, [], span(6, 10)],
  ['a range ending long before, and only open days', span(1, 5), 10, [6], span(1, 5)],
  ['a range starting in the window', span(8, 10), 10, [], span(6, 10)],
  ['a range starting in the window after an open day', span(8, 10), 10, [7], span(8, 10)],
  ['a range over everything', span(1, 10), 10, [], span(1, 10)],
  ['a reopened day in the range', span(1, 9), 10, [7], span(1, 10)],
])(
  'given %s, %j and hours sealed to %i with %j open, the covered days are %j',
  (_name, covered, sealed, open, after) => {
    expect(coveredAfter(covered, { days, sealedUntil: at(sealed), open: openOn(...open) })).toEqual(
      after,
    );
  },
);

test('hours are read for days that are not covered and for reopened days', () => {
  const known = { covered: span(6, 9), reopened: openOn(7) };
  const needed = [5, 6, 7, 8, 9].filter((day) => needsHours(at(day), known));
  expect(needed).toEqual([5, 7, 9]);
});
