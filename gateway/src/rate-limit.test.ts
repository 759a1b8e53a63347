import { RateLimit, rateLimitHeaders } from './rate-limit';

const start = new Date('2026-01-01T00:00:00Z');
const after = (ms: number) => new Date(start.getTime() + ms);

function takeAll(limit: RateLimit, name: string, now: Date): number {
  let count = 0;
  while (limit.take(name, now).isAllowed) count += 1;
  return count;
}

describe('an allowance', () => {
  test('is a whole burst at first, and then what its rate refills', () => {
    const limit = new RateLimit({ perSecond: 10, burst: 25 });
    expect(takeAll(limit, 'a', start)).toBe(25);
    expect(takeAll(limit, 'a', after(99))).toBe(0);
    expect(takeAll(limit, 'a', after(100))).toBe(1);
    expect(takeAll(limit, 'a', after(1_100))).toBe(10);
  });

  test('never grows over the burst, however long nobody calls', () => {
    const limit = new RateLimit({ perSecond: 10, burst: 25 });
    limit.take('a', start);
    expect(takeAll(limit, 'a', after(86_400_000))).toBe(25);
  });

  test('of one caller does not depend on another', () => {
    const limit = new RateLimit({ perSecond: 1, burst: 2 });
    expect([takeAll(limit, 'a', start), takeAll(limit, 'b', start)]).toEqual([2, 2]);
  });

  test('over a long time allows exactly the burst and the rate', () => {
    const limit = new RateLimit({ perSecond: 7, burst: 20 });
    let allowed = 0;
    for (let ms = 0; ms <= 10_000; ms += 10) allowed += takeAll(limit, 'a', after(ms));
    expect(allowed).toBe(20 + 70);
  });

  test('says what is left and when more is', () => {
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

  test('stays as it is when the clock is set back', () => {
    const limit = new RateLimit({ perSecond: 1, burst: 3 });
    limit.take('a', start);
    expect(limit.take('a', after(-60_000)).remaining).toBe(1);
  });

  test('that is only looked at is not spent', () => {
    const limit = new RateLimit({ perSecond: 1, burst: 1 });
    expect([limit.look('a', start), limit.look('a', start)].map((one) => one.isAllowed)).toEqual([
      true,
      true,
    ]);
  });

  test('that is charged for what ran side by side is paid back first, at most one burst', () => {
    const limit = new RateLimit({ perSecond: 1, burst: 5 });
    for (let count = 0; count < 100; count += 1) limit.charge('a', start);
    expect(limit.look('a', after(5_999)).isAllowed).toBe(false);
    expect(limit.look('a', after(6_000)).isAllowed).toBe(true);
  });
});

test('memory is bounded: who called longest ago is forgotten first', () => {
  const limit = new RateLimit({ perSecond: 1, burst: 5 }, 2);
  limit.take('a', start);
  limit.take('b', start);
  limit.take('a', start);
  limit.take('c', start);
  expect(limit.look('a', start).remaining).toBe(3);
  expect(limit.look('b', start).remaining).toBe(5);
});

test('headers name the quota of a window, what remains of it and when it is whole again', () => {
  const limit = new RateLimit({ perSecond: 100, burst: 200 });
  expect(rateLimitHeaders(limit.policy, limit.take('a', start))).toEqual({
    'RateLimit-Policy': '"key";q=200;w=2',
    RateLimit: '"key";r=199;t=1',
  });
});
