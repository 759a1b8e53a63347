import { CommandFailure } from './failure';
import { readInstant } from './instant';

const now = new Date('2026-01-31T10:30:00.500Z');

test.each([
  ['+1mo', '2026-02-28T10:30:00.500Z'],
  ['+13mo', '2027-02-28T10:30:00.500Z'],
  ['+2y', '2028-01-31T10:30:00.500Z'],
  ['+14d', '2026-02-14T10:30:00.500Z'],
  ['+2w', '2026-02-14T10:30:00.500Z'],
  ['+24h', '2026-02-01T10:30:00.500Z'],
  ['+90min', '2026-01-31T12:00:00.500Z'],
  ['2026-03-01T00:00:00Z', '2026-03-01T00:00:00.000Z'],
  ['2026-03-01T00:00:00+02:00', '2026-02-28T22:00:00.000Z'],
])('%s is %s', (text, expected) => {
  expect(readInstant(text, now).toISOString()).toBe(expected);
});

test.each([
  ...['', '14d', '-1d', '+1', '+1M', '+1.5d', '2026-03-01', '2026-03-01T00:00:00', 'soon'],
  ...['2026-02-30T00:00:00Z', '2026-02-29T12:00:00+02:00', '2026-02-32T00:00:00Z'],
])('%j is refused', (text) => {
  expect(() => readInstant(text, now)).toThrow(CommandFailure);
});
