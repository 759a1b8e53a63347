import fc from 'fast-check';
import { aPrice, aSubscription, day } from '../testing/fixtures';
import {
  beginCycle,
  type CycleFacts,
  cyclesSince,
  endCycle,
  lastPeriodOf,
  periodIndexAt,
  periodOf,
} from './billing-cycle';
import type { Subscription, SubscriptionItems } from './subscription';

const monthly = aSubscription();
const weeklyItems = (subscription: Subscription): SubscriptionItems => [
  { ...subscription.items[0], price: aPrice({ billingInterval: 'WEEKLY' }) },
];
const bounds = (facts: CycleFacts, index: number) => {
  const { start, end } = periodOf(facts, index);
  return [start, end];
};

describe('the periods of a subscription', () => {
  test('count from its anchor without a new cycle', () => {
    expect(bounds(monthly, 0)).toEqual([day('01-31'), day('02-28')]);
    expect(bounds(monthly, 1)).toEqual([day('02-28'), day('03-31')]);
    expect(lastPeriodOf(monthly)).toBeNull();
  });

  test('count from the new anchor after a new cycle, which cuts the one before it', () => {
    const begun = beginCycle(monthly, {
      at: day('02-10'),
      items: weeklyItems(monthly),
      invoiceId: 'i',
    });
    expect(bounds(begun, 0)).toEqual([day('01-31'), day('02-10')]);
    expect(bounds(begun, 1)).toEqual([day('02-10'), day('02-17')]);
    expect(bounds(begun, 2)).toEqual([day('02-17'), day('02-24')]);
    expect(cyclesSince(begun, day('02-09'))).toBe(1);
    expect(cyclesSince(begun, day('02-10'))).toBe(0);
  });

  test('end with a pause, and go on with the cycle after it', () => {
    const paused = endCycle(monthly, day('02-10'));
    expect(bounds(paused, 0)).toEqual([day('01-31'), day('02-10')]);
    expect(lastPeriodOf(paused)).toBe(0);
    expect(periodIndexAt(paused, day('12-31'))).toBe(0);
    const resumed = beginCycle(paused, {
      ...{ at: day('05-01'), items: monthly.items, invoiceId: null },
    });
    expect(bounds(resumed, 0)).toEqual([day('01-31'), day('02-10')]);
    expect(bounds(resumed, 1)).toEqual([day('05-01'), day('06-01')]);
    expect(lastPeriodOf(resumed)).toBeNull();
  });

  test('of an instant are found in every cycle, and cover it without gap or overlap', () => {
    const hours = fc.array(fc.integer({ min: 0, max: 24 * 90 }), { maxLength: 6 });
    fc.assert(
      fc.property(hours, fc.integer({ min: 0, max: 24 * 700 }), (steps, lookAt) => {
        let now = day('01-31').getTime();
        let subscription: Subscription = monthly;
        for (const [turn, step] of steps.entries()) {
          now += step * 3_600_000;
          const index = periodIndexAt(subscription, new Date(now));
          const items = turn % 2 === 0 ? weeklyItems(subscription) : monthly.items;
          const running = { ...subscription, periodIndex: index };
          subscription = beginCycle(running, { at: new Date(now), items, invoiceId: null });
          subscription = { ...subscription, periodIndex: index + 1 };
        }
        const at = new Date(day('01-31').getTime() + lookAt * 3_600_000);
        const index = periodIndexAt(subscription, at);
        const { start, end } = periodOf(subscription, index);
        expect(start <= at && at < end).toBe(true);
        expect(periodOf(subscription, index + 1).start).toEqual(end);
      }),
    );
  });
});
