import { judge, judgeLimit, percentileOf, sampleOf, spreadOf } from './statistics';

const steady = { median: 100, min: 95, max: 105 };
const ratio = { median: 0.7, min: 0.6, max: 0.8 };

describe('a comparison', () => {
  test('reports the median and the extremes of the measurements', () => {
    expect(sampleOf([3, 1, 2])).toEqual({ median: 2, min: 1, max: 3 });
    expect(sampleOf([4, 1, 2, 3])).toEqual({ median: 2.5, min: 1, max: 4 });
    expect(() => sampleOf([])).toThrow('Nothing was measured');
    expect(spreadOf(steady)).toBeCloseTo(0.1);
  });

  test.each([
    ['a median that is high enough', { atLeast: 0.7 }, 'met'],
    ['a median that is too low', { atLeast: 0.71 }, 'missed'],
    ['a median that is low enough', { atMost: 0.7 }, 'met'],
    ['a median that is too high', { atMost: 0.69 }, 'missed'],
  ])('judges %s', (_case, demand, verdict) => {
    expect(judge({ ratio, floor: steady, generatorCpu: 0.5, demand })).toBe(verdict);
  });

  test('gives no verdict where the floor itself was unstable', () => {
    const floor = { median: 100, min: 90, max: 106 };
    const verdict = judge({ ratio, floor, generatorCpu: 0.5, demand: { atLeast: 0.1 } });
    expect(verdict).toBe('no verdict: floor spreads 16 %');
  });

  test('gives no verdict where the load generator was the bottleneck', () => {
    const verdict = judge({ ratio, floor: steady, generatorCpu: 0.91, demand: { atLeast: 0.1 } });
    expect(verdict).toBe('no verdict: generator at 91 % CPU');
  });
});

test('a percentile is the smallest value that a share of the values does not exceed', () => {
  const values = Array.from({ length: 200 }, (_, index) => 200 - index);
  expect(percentileOf(values, 0.95)).toBe(190);
  expect(percentileOf([7], 0.95)).toBe(7);
  expect(percentileOf([], 0.95)).toBe(0);
});

test.each([
  [150, false, 'met'],
  [150.1, false, 'missed'],
  [10, true, 'no verdict: less data'],
])('a p95 of %d ms against 150 ms, with less data: %s, is %s', (value, isReduced, verdict) => {
  expect(judgeLimit(value, { atMost: 150, isReduced })).toBe(verdict);
});
