import { discountEndsAt, takeDiscount } from './discount';
import { takeDueStep } from '../lifecycle/due-steps';
import { currentPeriod, type DiscountSnapshot, type Subscription } from './subscription';
import { aDiscount, aPrice, aSubscription, at, day } from '../testing/fixtures';

const repeating = aDiscount({ duration: 'REPEATING', durationInMonths: 3 });

/** Returns the starts of the discounted periods among the first ten. */
function discountedStarts(discount: DiscountSnapshot | null, parts: Parameters<typeof aPrice>[0]) {
  let subscription = aSubscription({}, { discount, price: aPrice(parts) });
  const starts: string[] = [];
  for (let step = 0; step < 10; step += 1) {
    const index = subscription.periodIndex ?? 0;
    if (takeDiscount(subscription, index).isDiscounted) {
      starts.push(currentPeriod(subscription).start.toISOString().slice(5, 10));
    }
    subscription = takeDueStep(subscription, at(currentPeriod(subscription).end)).state;
  }
  return starts;
}

describe('a discount is deducted from', () => {
  test.each<[string, DiscountSnapshot, Parameters<typeof aPrice>[0], string[]]>([
    ['the first period, ONCE', aDiscount(), {}, ['01-31']],
    ['the periods of three months, REPEATING', repeating, {}, ['01-31', '02-28', '03-31']],
    [
      'the fortnights that start within a month, REPEATING',
      { ...repeating, durationInMonths: 1 },
      { billingInterval: 'WEEKLY', intervalCount: 2 },
      ['01-31', '02-14'],
    ],
    [
      'one quarter where the next starts after its months, REPEATING',
      repeating,
      { billingInterval: 'QUARTERLY' },
      ['01-31'],
    ],
  ])('%s', (_name, discount, price, starts) => {
    expect(discountedStarts(discount, price)).toEqual(starts);
  });

  test('every period, if it lasts FOREVER', () => {
    expect(discountedStarts(aDiscount({ duration: 'FOREVER' }), {})).toHaveLength(10);
  });

  test('no period without a discount, and none that costs nothing', () => {
    expect(discountedStarts(null, {})).toEqual([]);
    expect(discountedStarts(aDiscount({ duration: 'FOREVER' }), { amount: 0n })).toEqual([]);
  });

  test('period 0 and later ones after a trial', () => {
    const price = aPrice({ trialDays: 14 });
    const inTrial = aSubscription({}, { discount: repeating, price, ...at(day('01-17')) });
    const { state, commands } = takeDueStep(inTrial, at(day('01-31')));
    expect(state.discount?.firstPeriodStart).toEqual(day('01-31'));
    expect(commands).toMatchObject([{ payload: { isDiscounted: true } }]);
  });
});

describe('a discount ends', () => {
  const began = (discount: DiscountSnapshot): Subscription => aSubscription({}, { discount });

  test.each<[string, Subscription, Date | null]>([
    ['with its period, ONCE', began(aDiscount()), day('02-28')],
    ['after its months, REPEATING', began(repeating), day('04-30')],
    ['never, FOREVER', began(aDiscount({ duration: 'FOREVER' })), null],
    ['never, where there is none', aSubscription(), null],
    [
      'at a time not known before its first period',
      aSubscription({ startAt: day('03-31') }, { discount: aDiscount() }),
      null,
    ],
  ])('%s', (_name, subscription, endsAt) => {
    expect(discountEndsAt(subscription)).toEqual(endsAt);
  });

  test('at the same time, regardless of how many periods have passed since', () => {
    let subscription = began(repeating);
    for (let step = 0; step < 6; step += 1) {
      subscription = takeDueStep(subscription, at(currentPeriod(subscription).end)).state;
    }
    expect(discountEndsAt(subscription)).toEqual(day('04-30'));
  });
});
