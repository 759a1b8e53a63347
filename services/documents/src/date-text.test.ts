import { dateText, periodText } from './date-text';
import { english } from './testing/english';

const at = (text: string) => new Date(text);

test('dates are formatted in UTC', () => {
  expect(english(dateText(at('2026-03-31T23:59:59.999Z')))).toBe('March 31, 2026');
});

test.each([
  ['2026-01-31T00:00:00Z', '2026-02-28T00:00:00Z', 'Jan 31, 2026 – Feb 27, 2026'],
  ['2026-01-31T10:00:00Z', '2026-02-28T10:00:00Z', 'Jan 31, 2026 – Feb 27, 2026'],
  ['2026-02-28T10:00:00Z', '2026-03-31T10:00:00Z', 'Feb 28, 2026 – Mar 30, 2026'],
  ['2026-01-31T10:00:00Z', '2026-02-10T15:30:00Z', 'Jan 31, 2026 – Feb 10, 2026'],
  ['2026-01-31T10:00:00Z', '2026-01-31T15:30:00Z', 'Jan 31, 2026'],
  ['2026-01-31T10:00:00Z', '2026-02-01T10:00:00Z', 'Jan 31, 2026'],
  ['2026-01-31T00:00:00Z', '2026-02-01T00:00:00Z', 'Jan 31, 2026'],
  ['2026-01-31T00:00:00Z', '2026-01-31T00:00:00Z', 'Jan 31, 2026'],
])('a period from %s to %s is shown as %s', (start, end, text) => {
  expect(english(periodText({ start: at(start), end: at(end) }))).toBe(text);
});
