import { calendarDayOf, lastDays } from './calendar-day';

test.each([
  ['2026-11-21T00:00:00.000Z', '2026-11-21'],
  ['2026-11-21T23:59:59.999Z', '2026-11-21'],
  ['1969-12-31T23:59:59.999Z', '1969-12-31'],
])('%s lies in %s', (at, day) => {
  const found = calendarDayOf(new Date(at));
  expect(found.day).toBe(day);
  expect(found.start <= new Date(at) && new Date(at) < found.end).toBe(true);
});

test('the last days end with the current one and skip none, after a leap day too', () => {
  const days = lastDays(new Date('2028-03-01T12:00:00Z'), { days: 3, max: 90 });
  expect(days.map(({ day }) => day)).toEqual(['2028-02-28', '2028-02-29', '2028-03-01']);
  expect(days[1]?.start).toEqual(days[0]?.end);
});

test.each([0, 91, 1.5])('%d days are refused', (days) => {
  expect(() => lastDays(new Date(0), { days, max: 90 })).toThrow(
    expect.objectContaining({ fields: { days: ['Must be a whole number from 1 to 90'] } }),
  );
});
