import { busyCores, limitOf } from './limit';

const services = ['subscription', 'checkout'];

describe('the limit of a rate', () => {
  test('is derived from the CPU time of each process at the median rate', () => {
    const perSecond = { median: 200, min: 100, max: 300 };
    expect(busyCores({ perSecond, cpuMs: { checkout: 0.5, postgres: 4 } })).toEqual({
      checkout: 0.1,
      postgres: 0.8,
    });
  });

  test.each([
    ['the processors', { subscription: 0.5, checkout: 0.3, postgres: 1 }, 2, 'processors'],
    [
      'the busiest service',
      { subscription: 0.9, checkout: 0.95, postgres: 1 },
      8,
      'core of checkout',
    ],
    ['no process', { subscription: 0.5, checkout: 0.3, postgres: 1.2 }, 8, 'waiting'],
  ])('is %s', (_case, busy, cores, limit) => {
    expect(limitOf(busy, { cores, services })).toBe(limit);
  });
});
