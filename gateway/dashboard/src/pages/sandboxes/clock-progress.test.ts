import { afterStep, clockProgress } from './clock-progress';

const way = { from: '2026-01-01T00:00:00.000Z', to: '2026-01-11T00:00:00.000Z' };

test.each([
  ['2025-12-31T00:00:00.000Z', 0],
  ['2026-01-01T00:00:00.000Z', 0],
  ['2026-01-06T00:00:00.000Z', 500],
  ['2026-01-11T00:00:00.000Z', 1_000],
  ['2027-01-01T00:00:00.000Z', 1_000],
])('at %s the clock has made %d thousandths of its advance', (now, progress) => {
  expect(clockProgress(way, now)).toBe(progress);
});

test('an advance of no length is complete', () => {
  expect(clockProgress({ from: way.from, to: way.from }, way.from)).toBe(1_000);
});

test.each([
  ['hour', '2026-01-31T11:00:00.000Z'],
  ['day', '2026-02-01T10:00:00.000Z'],
  ['week', '2026-02-07T10:00:00.000Z'],
  ['month', '2026-02-28T10:00:00.000Z'],
  ['year', '2027-01-31T10:00:00.000Z'],
] as const)('one %s after January 31 is %s', (step, time) => {
  expect(afterStep('2026-01-31T10:00:00.000Z', step)).toBe(time);
});
