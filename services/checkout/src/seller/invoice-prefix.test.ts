import { looksLikeSeries } from './invoice-prefix';

test.each([
  ['INV-WH5C2-', true],
  ['WH5C2-', true],
  ['AWJWQ0-', true],
  ['INV-', false],
  ['WH5C2-A-', false],
])('the prefix %s looks like the series of a restore: %s', (prefix, expected) => {
  expect(looksLikeSeries(prefix, ['WJWQ0', 'WH5C2'])).toBe(expected);
  expect(looksLikeSeries(prefix, [])).toBe(false);
});
