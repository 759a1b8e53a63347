import { coveredDaysText, dayText, timeFormats, utcText } from './time-text';

const time = '2026-11-21T23:59:59.123Z';

test('times are shown in the locale and time zone of the reader', () => {
  const english = timeFormats('en-US', 'Pacific/Auckland');
  expect(english.dayText(time)).toBe('Nov 22, 2026');
  expect(english.instantText(time)).toMatch(/^Nov 22, 2026, 12:59:59\sPM$/);
  const german = timeFormats('de-DE', 'Europe/Berlin');
  expect(german.dayText(time)).toBe('22.11.2026');
  expect(german.instantText(time)).toBe('22.11.2026, 00:59:59');
});

test('a calendar day and a month are the same in every time zone', () => {
  const { dayText, monthText } = timeFormats('en-US', 'America/Los_Angeles');
  expect(dayText('2026-11-21')).toBe('Nov 21, 2026');
  expect(monthText('2026-11')).toBe('Nov 2026');
});

test('a time in UTC is independent of the reader', () => {
  expect(utcText(time)).toBe('2026-11-21 23:59:59 UTC');
});

test.each([
  ['2026-11-01T00:00:00.000Z', '2026-12-01T00:00:00.000Z', '2026-11-30'],
  ['2026-11-01T10:00:00.000Z', '2026-12-01T10:00:00.000Z', '2026-11-30'],
  ['2026-11-01T10:00:00.000Z', '2026-11-20T12:00:00.000Z', '2026-11-20'],
  ['2026-11-01T00:00:00.000Z', '2026-11-01T00:00:00.000Z', '2026-11-01'],
])('a period from %s until %s ends on %s', (start, end, last) => {
  expect(coveredDaysText(start, end)).toBe(`${dayText('2026-11-01')} to ${dayText(last)}`);
});
