import { LatencyHistogram } from './latency-histogram';

test('a histogram reports the slowest of a thousand as exactly as the median', () => {
  const histogram = new LatencyHistogram();
  for (let ms = 1; ms <= 1_000; ms += 1) histogram.record(ms);
  const { p50, p90, p99, p99_9, max } = histogram.latency();
  const expected = { p50: 500, p90: 900, p99: 990, p99_9: 999, max: 1_000 };
  for (const [name, ms] of Object.entries({ p50, p90, p99, p99_9, max })) {
    expect(Math.abs(ms - expected[name as keyof typeof expected])).toBeLessThanOrEqual(1);
  }
});

test('a histogram accepts a duration of zero', () => {
  const histogram = new LatencyHistogram();
  histogram.record(0);
  expect(histogram.latency().max).toBeLessThan(0.01);
});
