import { dateText } from './date-text';

test.each([
  ['en', 'January 31, 2026'],
  ['de-CH', '31. Januar 2026'],
  ['ja', '2026年1月31日'],
])('a date in %s is written %s', (locale, text) => {
  expect(dateText(new Date('2026-01-31T23:59:59.999Z'), locale)).toBe(text);
});
