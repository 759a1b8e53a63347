import { timeFormats, utcText } from './time-text';

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
