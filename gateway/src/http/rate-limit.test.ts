import { RateLimit, rateLimitHeaders } from './rate-limit';

const start = new Date('2026-01-01T00:00:00Z');
const after = (ms: number) => new Date(start.getTime() + ms);

function takeAll(limit: RateLimit, name: string, now: Date): number {
  let count = 0;
  while (limit.take(name, now).isAllowed) count += 1;
  return count;
}

describe('an allowance', () => {
  test('the allowance starts with a full burst and is refilled at its rate', () => {
    const limit = new RateLimit({ perSecond: 10, burst: 25 });
    expect(takeAll(limit, 'a', start)).toBe(25);
    expect(takeAll(limit, 'a', after(99))).toBe(0);
    expect(takeAll(limit, 'a', after(100))).toBe(1);
    expect(takeAll(limit, 'a', after(1_100))).toBe(10);
  });

  test('the allowance never exceeds the burst, even after a long idle time', () => {
    const limit = new RateLimit({ perSecond: 10, burst: 25 });
    limit.take('a', start);
    expect(takeAll(limit, 'a', after(86_400_000))).toBe(25);
  });

  test('the allowances of callers are independent', () => {
    const limit = new RateLimit({ perSecond: 1, burst: 2 });
    expect([takeAll(limit, 'a', start), takeAll(limit, 'b', start)]).toEqual([2, 2]);
  });

  test('over a long time exactly the burst plus the rate is allowed', () => {
    const limit = new RateLimit({ perSecond: 7, burst: 20 });
    let allowed = 0;
    for (let ms = 0; ms <= 10_000; ms += 10) allowed += takeAll(limit, 'a', after(ms));
    expect(allowed).toBe(20 + 70);
  });

  test('the allowance names the remaining calls and the time of the refill', () => {
    const limit = new RateLimit({ perSecond: 2, burst: 4 });
    expect(limit.take('a', start)).toEqual({
      isAllowed: true,
      remaining: 3,
      secondsToFull: 1,
      secondsToNext: 1,
    });
    takeAll(limit, 'a', start);
    expect(limit.take('a', start)).toEqual({
      isAllowed: false,
      remaining: 0,
      secondsToFull: 2,
      secondsToNext: 1,
    });
  });

  test('a clock that is set back does not change the allowance', () => {
    const limit = new RateLimit({ perSecond: 1, burst: 3 });
    limit.take('a', start);
    expect(limit.take('a', after(-60_000)).remaining).toBe(1);
  });

  test('a look at the allowance takes no token', () => {
    const limit = new RateLimit({ perSecond: 1, burst: 1 });
    expect([limit.look('a', start), limit.look('a', start)].map((one) => one.isAllowed)).toEqual([
      true,
      true,
    ]);
  });

  test('charges of concurrent calls are refilled first, up to one burst', () => {
    const limit = new RateLimit({ perSecond: 1, burst: 5 });
    for (let count = 0; count < 100; count += 1) limit.charge('a', start);
    expect(limit.look('a', after(5_999)).isAllowed).toBe(false);
    expect(limit.look('a', after(6_000)).isAllowed).toBe(true);
  });
});

test('memory is bounded: the least recently used bucket is evicted first', () => {
  const limit = new RateLimit({ perSecond: 1, burst: 5 }, 2);
  limit.take('a', start);
  limit.take('b', start);
  limit.take('a', start);
  limit.take('c', start);
  expect(limit.look('a', start).remaining).toBe(3);
  expect(limit.look('b', start).remaining).toBe(5);
});

test('the headers name the quota, the remaining calls and the time of the full refill', () => {
  const limit = new RateLimit({ perSecond: 100, burst: 200 });
  expect(rateLimitHeaders(limit.policy, limit.take('a', start))).toEqual({
    'RateLimit-Policy': '"key";q=200;w=2',
    RateLimit: '"key";r=199;t=1',
  });
});
