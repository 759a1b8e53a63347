import { endOfNextMonth } from './today-routes';

test.each([
  ['2026-01-31T10:00:00Z', '2026-03-01T00:00:00.000Z'],
  ['2026-11-30T23:59:59Z', '2027-01-01T00:00:00.000Z'],
  ['2026-12-01T00:00:00Z', '2027-02-01T00:00:00.000Z'],
])('on %s the next month ends on %s', (now, end) => {
  expect(endOfNextMonth(new Date(now)).toISOString()).toBe(end);
});
