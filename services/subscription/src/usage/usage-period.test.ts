import { firstBilledPeriod } from '../subscription/subscription';
import { aPrice, aSubscription, day } from '../testing/fixtures';
import { mayStillChange, pinnedSets, pinRates, ratesAt } from './usage-period';

const monthly = aSubscription({}, { meterPriceSet: 3 });

test('a subscription is billed by the set in force at its creation, from its first period on', () => {
  expect(monthly.usage.rates).toEqual([{ from: 0, through: 0, set: 3 }]);
  expect(pinnedSets(monthly, 0)?.set).toBe(3);
  expect(pinnedSets(monthly, 1)?.set).toBeUndefined();
});

test('the first recorded set of a period stays', () => {
  expect(pinRates(monthly, { periodIndex: 0, set: 4 })).toBe(monthly);
});

test('consecutive periods with one set share a record, and another set begins a new record', () => {
  let subscription = aSubscription({}, { price: aPrice({ billingInterval: 'DAILY' }) });
  for (const [periodIndex, set] of [
    [1, 0],
    [2, 5],
    [3, 5],
    [4, 6],
  ] as const) {
    subscription = pinRates(subscription, { periodIndex, set });
  }
  expect(subscription.usage.rates).toEqual([
    { from: 0, through: 1, set: 0 },
    { from: 2, through: 3, set: 5 },
    { from: 4, through: 4, set: 6 },
  ]);
});

test('records that no late event can reach any more are removed, regardless of how often prices change', () => {
  let subscription = aSubscription({}, { price: aPrice({ billingInterval: 'DAILY' }) });
  for (let periodIndex = 1; periodIndex <= 400; periodIndex += 1) {
    subscription = pinRates(subscription, { periodIndex, set: periodIndex });
  }
  const { rates } = subscription.usage;
  expect(rates).toHaveLength(38);
  expect(rates[0]).toEqual({ from: 363, through: 363, set: 363 });
});

test('an event of a period is accepted until 36 days after its end', () => {
  // Period 0 ends on 28 February.
  expect(mayStillChange(monthly, 0, new Date('2026-04-04T23:59:59.999Z'))).toBe(true);
  expect(mayStillChange(monthly, 0, new Date('2026-04-05T00:00:00.000Z'))).toBe(false);
});

test.each([
  ['at its anchor', '01-31', 0],
  ['before it', '01-01', 0],
  ['in its first period', '02-27', 0],
  ['at the start of a later one', '02-28', 1],
  ['long after it', '12-31', 11],
])(
  'a subscription created %s is billed from the period that contains that day',
  (_name, made, first) => {
    expect(firstBilledPeriod(monthly, { createdAt: day(made) })).toBe(first);
  },
);

test('prices that changed before a subscription was created count for its first period', () => {
  expect(ratesAt(day('01-31'), { createdAt: day('02-10') })).toEqual(day('02-10'));
  expect(ratesAt(day('02-28'), { createdAt: day('02-10') })).toEqual(day('02-28'));
});
