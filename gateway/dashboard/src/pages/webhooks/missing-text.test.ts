import { missingText } from './missing-text';

test.each([
  [[], ''],
  [[4], '4'],
  [[1, 2, 3, 7, 9, 10], '1–3, 7, 9–10'],
])('the missing numbers %j read as %s', (numbers, text) => {
  expect(missingText(numbers)).toBe(text);
});
