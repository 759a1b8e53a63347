import fc from 'fast-check';
import {
  addMonths,
  INTERVAL_COUNT_MAX,
  periodAt,
  periodContaining,
  trialEnd,
  type BillingInterval,
  type Recurrence,
} from './billing-period';

type RecurringInterval = Exclude<BillingInterval, 'ONE_TIME'>;

const anchors = fc.date({
  min: new Date('1970-01-01T00:00:00.000Z'),
  max: new Date('2400-12-31T23:59:59.999Z'),
  noInvalidDate: true,
});
function recurrencesOf(...intervals: RecurringInterval[]): fc.Arbitrary<Recurrence> {
  return fc
    .constantFrom(...intervals)
    .chain((billingInterval) =>
      fc
        .integer({ min: 1, max: INTERVAL_COUNT_MAX[billingInterval] })
        .map((intervalCount) => ({ billingInterval, intervalCount })),
    );
}
const recurrences = recurrencesOf('DAILY', 'WEEKLY', 'MONTHLY', 'QUARTERLY', 'YEARLY');
const calendarRecurrences = recurrencesOf('MONTHLY', 'QUARTERLY', 'YEARLY');
const numbers = fc.nat({ max: 500 });

function every(billingInterval: BillingInterval, intervalCount = 1): Recurrence {
  return { billingInterval, intervalCount };
}

describe('periods', () => {
  test('are contiguous and never empty', () => {
    fc.assert(
      fc.property(anchors, recurrences, numbers, (anchor, recurrence, n) => {
        const period = periodAt(anchor, recurrence, n);
        expect(period.start.getTime()).toBeLessThan(period.end.getTime());
        expect(periodAt(anchor, recurrence, n + 1).start).toEqual(period.end);
      }),
    );
  });

  test('begin at the anchor, to the millisecond', () => {
    fc.assert(
      fc.property(anchors, recurrences, (anchor, recurrence) => {
        expect(periodAt(anchor, recurrence, 0).start).toEqual(anchor);
      }),
    );
  });
});

describe('period boundaries', () => {
  test('keep the time of day, and the day of the month or the last one of a shorter month', () => {
    fc.assert(
      fc.property(anchors, calendarRecurrences, numbers, (anchor, recurrence, n) => {
        const { start } = periodAt(anchor, recurrence, n);
        const dayAfter = new Date(start.getTime() + 86_400_000);
        expect(start.getTime() % 86_400_000).toBe(anchor.getTime() % 86_400_000);
        expect(start.getUTCDate()).toBeLessThanOrEqual(anchor.getUTCDate());
        expect(start.getUTCDate() === anchor.getUTCDate() || dayAfter.getUTCDate() === 1).toBe(
          true,
        );
      }),
    );
  });

  test.each([
    ['MONTHLY', 1],
    ['QUARTERLY', 3],
    ['YEARLY', 12],
  ] as const)('of a %s price are %d months apart', (interval, months) => {
    fc.assert(
      fc.property(anchors, recurrencesOf(interval), numbers, (anchor, recurrence, n) => {
        const { start } = periodAt(anchor, recurrence, n);
        const distance =
          (start.getUTCFullYear() - anchor.getUTCFullYear()) * 12 +
          (start.getUTCMonth() - anchor.getUTCMonth());
        expect(distance).toBe(n * months * recurrence.intervalCount);
      }),
    );
  });

  test.each([
    ['DAILY', 86_400_000],
    ['WEEKLY', 604_800_000],
  ] as const)(
    'of a %s price are exact multiples of its length after the anchor',
    (interval, lengthMs) => {
      const anchor = new Date('2026-03-28T12:34:56.789Z');
      const { start, end } = periodAt(anchor, every(interval, 3), 7);
      expect(start.getTime() - anchor.getTime()).toBe(21 * lengthMs);
      expect(end.getTime() - start.getTime()).toBe(3 * lengthMs);
    },
  );

  test('leave the anchor unchanged', () => {
    const anchor = new Date('2026-01-31T10:20:30.456Z');
    periodAt(anchor, every('MONTHLY'), 1).end.setUTCFullYear(1999);
    periodAt(anchor, every('MONTHLY'), 0).start.setUTCFullYear(1999);
    expect(anchor).toEqual(new Date('2026-01-31T10:20:30.456Z'));
  });

  test('keep the 29 February over centuries', () => {
    const anchor = new Date('2024-02-29T23:59:59.999Z');
    const starts = [76, 376, 400].map((n) => periodAt(anchor, every('YEARLY'), n).start);
    expect(starts).toEqual([
      new Date('2100-02-28T23:59:59.999Z'),
      new Date('2400-02-29T23:59:59.999Z'),
      new Date('2424-02-29T23:59:59.999Z'),
    ]);
  });
});

describe('a period', () => {
  test.each([-1, 0.5, NaN, Infinity])('is refused with the number %d', (n) => {
    expect(() => periodAt(new Date(0), every('MONTHLY'), n)).toThrow('A period number');
  });

  test.each([
    [every('MONTHLY', 0), 'Interval count out of range'],
    [every('MONTHLY', 37), 'Interval count out of range'],
    [every('DAILY', 1.5), 'An interval count'],
    [every('ONE_TIME'), 'ONE_TIME has no periods'],
  ])('is refused with the interval %j', (recurrence, message) => {
    expect(() => periodAt(new Date(0), recurrence, 0)).toThrow(message);
  });

  test('is refused if it ends after the last date', () => {
    const last = new Date(8.64e15);
    expect(() => periodAt(last, every('DAILY'), 0)).toThrow('No such date');
    expect(() => periodAt(last, every('YEARLY'), 0)).toThrow('No such date');
    expect(() => periodAt(new Date(NaN), every('DAILY'), 0)).toThrow('No such date');
  });
});

describe('the period that contains an instant', () => {
  test('has its number from its start up to but not including its end', () => {
    fc.assert(
      fc.property(
        anchors,
        recurrences,
        numbers,
        fc.double({ min: 0, max: 1, noNaN: true }),
        (anchor, recurrence, n, share) => {
          const { start, end } = periodAt(anchor, recurrence, n);
          const within =
            start.getTime() + Math.floor(share * (end.getTime() - start.getTime() - 1));
          for (const at of [start.getTime(), within, end.getTime() - 1]) {
            expect(periodContaining(anchor, recurrence, new Date(at))).toEqual({
              index: n,
              start,
              end,
            });
          }
          expect(periodContaining(anchor, recurrence, end).index).toBe(n + 1);
        },
      ),
    );
  });

  test('never has a smaller number for a later instant', () => {
    fc.assert(
      fc.property(
        anchors,
        recurrences,
        fc.array(fc.nat(2_000_000_000), { minLength: 2 }),
        (anchor, recurrence, seconds) => {
          const indexes = seconds
            .toSorted((left, right) => left - right)
            .map((each) => new Date(anchor.getTime() + each * 1000))
            .map((at) => periodContaining(anchor, recurrence, at).index);
          expect(indexes).toEqual(indexes.toSorted((left, right) => left - right));
        },
      ),
    );
  });

  test('does not exist before the anchor', () => {
    const anchor = new Date('2026-01-31T00:00:00.000Z');
    expect(() =>
      periodContaining(anchor, every('MONTHLY'), new Date(anchor.getTime() - 1)),
    ).toThrow(
      'No period holds 2026-01-30T23:59:59.999Z, before the anchor 2026-01-31T00:00:00.000Z',
    );
  });

  test('does not exist for an invalid date', () => {
    expect(() => periodContaining(new Date(0), every('DAILY'), new Date(NaN))).toThrow(
      'No such date',
    );
  });
});

describe('a trial', () => {
  test('of no days ends where it starts', () => {
    const start = new Date('2026-01-17T08:09:10.011Z');
    expect(trialEnd(start, 0)).toEqual(start);
  });

  test.each([-1, 1.5])('of %d days is refused', (days) => {
    expect(() => trialEnd(new Date(0), days)).toThrow('A number of trial days');
  });
});

describe('adding months', () => {
  test('accepts negative months', () => {
    expect(addMonths(new Date('2024-03-31T01:02:03.004Z'), -1)).toEqual(
      new Date('2024-02-29T01:02:03.004Z'),
    );
    expect(addMonths(new Date('2024-01-15T00:00:00.000Z'), -25)).toEqual(
      new Date('2021-12-15T00:00:00.000Z'),
    );
  });

  test('keeps years before 100', () => {
    expect(addMonths(new Date('0000-01-31T00:00:00.000Z'), 1)).toEqual(
      new Date('0000-02-29T00:00:00.000Z'),
    );
  });

  test('refuses fractions of a month', () => {
    expect(() => addMonths(new Date(0), 0.5)).toThrow('whole');
  });
});
