import fc from 'fast-check';
import { periodAt } from './billing-period';
import { discountsPeriod, redemptionRefusal, type RedemptionLimits } from './discount-validity';

function day(text: string): Date {
  return new Date(`${text}T00:00:00Z`);
}

describe('a discount of a subscription', () => {
  test.each(['ONCE', 'REPEATING', 'FOREVER'] as const)(
    'that is %s applies to the first period',
    (duration) => {
      const span = { duration, durationInMonths: duration === 'REPEATING' ? 1 : null };
      expect(discountsPeriod(span, { first: null, start: day('2026-01-31') })).toBe(true);
    },
  );

  test('that is FOREVER applies to every period', () => {
    const span = { duration: 'FOREVER', durationInMonths: null } as const;
    const periods = { first: day('2026-01-31'), start: day('2056-01-31') };
    expect(discountsPeriod(span, periods)).toBe(true);
  });

  test('that is REPEATING counts months to the last day of a short month', () => {
    const span = { duration: 'REPEATING', durationInMonths: 1 } as const;
    const first = day('2026-01-31');
    expect(discountsPeriod(span, { first, start: day('2026-02-27') })).toBe(true);
    expect(discountsPeriod(span, { first, start: day('2026-02-28') })).toBe(false);
  });

  test('that is REPEATING applies to as many monthly periods as it has months, from any first period', () => {
    fc.assert(
      fc.property(
        fc.date({ min: day('2020-01-01'), max: day('2030-01-01'), noInvalidDate: true }),
        fc.nat({ max: 60 }),
        fc.integer({ min: 1, max: 60 }),
        (anchor, firstIndex, durationInMonths) => {
          const monthly = { billingInterval: 'MONTHLY', intervalCount: 1 } as const;
          const startOf = (n: number) => periodAt(anchor, monthly, firstIndex + n).start;
          const taken = Array.from({ length: durationInMonths + 3 }, (_, n) =>
            discountsPeriod(
              { duration: 'REPEATING', durationInMonths },
              { first: startOf(0), start: startOf(n) },
            ),
          );
          expect(taken.filter(Boolean)).toHaveLength(durationInMonths);
          expect(taken.lastIndexOf(true)).toBe(durationInMonths - 1);
        },
      ),
    );
  });

  test('that is REPEATING applies to no period before its first', () => {
    const span = { duration: 'REPEATING', durationInMonths: 2 } as const;
    const periods = { first: day('2026-02-28'), start: day('2026-01-31') };
    expect(discountsPeriod(span, periods)).toBe(false);
  });

  test('that is REPEATING without months is refused', () => {
    const span = { duration: 'REPEATING', durationInMonths: null } as const;
    const at = day('2026-01-31');
    expect(() => discountsPeriod(span, { first: at, start: at })).toThrow('some months');
  });
});

describe('a redemption is refused', () => {
  const unlimited: RedemptionLimits = {
    active: true,
    startsAt: null,
    endsAt: null,
    maxRedemptions: null,
  };
  const now = { at: day('2026-06-15'), redemptions: 2 };

  test.each<[string, Partial<RedemptionLimits>, string | null]>([
    ['never without limits', {}, null],
    ['while inactive', { active: false }, 'DISCOUNT_INACTIVE'],
    ['before it starts', { startsAt: day('2026-06-16') }, 'DISCOUNT_NOT_STARTED'],
    ['not from its start on', { startsAt: now.at }, null],
    ['from its end on', { endsAt: now.at }, 'DISCOUNT_EXPIRED'],
    ['not before its end', { endsAt: day('2026-06-16') }, null],
    ['once it is used up', { maxRedemptions: 2 }, 'DISCOUNT_EXHAUSTED'],
    ['not before it is used up', { maxRedemptions: 3 }, null],
  ])('%s', (_case, limits, refusal) => {
    expect(redemptionRefusal({ ...unlimited, ...limits }, now)).toBe(refusal);
  });
});
