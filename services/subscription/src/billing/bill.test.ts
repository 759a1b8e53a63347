import { cancel } from '../lifecycle/cancellation';
import { takeDueStep } from '../lifecycle/due-steps';
import type { Subscription } from '../subscription/subscription';
import { aDiscount, aPrice, aSubscription, at, day } from '../testing/fixtures';
import { putOffOn } from '../subscription/put-off';
import type { ChangeLine } from '../subscription/subscription-change';
import {
  beginDiscount,
  endBill,
  isBillDiscounted,
  isEndDiscounted,
  periodBill,
  recordBill,
  returnDiscount,
} from './bill';
import { settledPeriods, settlementBefore } from '../usage/settlement';
import type { UsageLine } from '../usage/usage-line';

const free = aPrice({ amount: 0n });

function aLine(amount: bigint): UsageLine {
  return {
    description: 'Calls',
    meterId: 'meter',
    priceId: 'price',
    quantity: '1',
    unitAmount: undefined,
    amount,
    details: {
      tiers: [],
      includedUnits: '0',
      billedQuantity: '1',
      exactAmount: amount.toString(),
      creditsUsed: [],
    },
    period: { start: day('01-31'), end: day('02-28') },
  };
}

describe('the discount of a subscription that costs nothing but usage', () => {
  const once = aSubscription({}, { price: free, discount: aDiscount() });
  const begun = beginDiscount(once, 1);
  const bill = (subscription: Subscription, periodIndex: number, amount: bigint) =>
    isBillDiscounted(subscription, { periodIndex, isDiscounted: false, lines: [aLine(amount)] });

  test('begins with the first bill that comes to anything', () => {
    expect(bill(once, 1, 0n)).toBe(false);
    expect(bill(once, 1, 1n)).toBe(true);
    expect(begun.discount?.firstPeriodStart).toEqual(day('02-28'));
  });

  test('is deducted once when it applies once, even if the bill is retried', () => {
    expect(bill(begun, 1, 1n)).toBe(true);
    expect(bill(begun, 2, 1n)).toBe(false);
    expect(beginDiscount(begun, 2)).toBe(begun);
  });

  test.each([
    ['not again after an invoice that was paid', begun, false, false],
    ['again where that invoice was voided', begun, true, true],
    ['where it was never taken off', once, false, true],
  ])('is deducted from the bill of the end: %s', (_name, subscription, isVoided, isDiscounted) => {
    const end = { periodIndex: 1, isVoided, lines: [aLine(1n)] };
    expect(isEndDiscounted(subscription, end)).toBe(isDiscounted);
  });

  test('is given back only of the period that it began with', () => {
    const ended = { ...begun, periodIndex: 1 };
    expect(returnDiscount(ended).discount?.firstPeriodStart).toBeNull();
    const later = { ...begun, periodIndex: 2 };
    expect(returnDiscount(later)).toBe(later);
  });

  test('waits for a bill of the end that comes to anything', () => {
    const end = { periodIndex: 1, isVoided: false };
    expect(isEndDiscounted(once, { ...end, lines: [aLine(0n)] })).toBe(false);
    expect(isEndDiscounted(once, { ...end, lines: [aLine(1n)] })).toBe(true);
  });
});

test('a bill is recorded once, and an earlier one not at all', () => {
  const refund = { ...aLine(-5n), amount: -5n };
  const recorded = recordBill(aSubscription(), 3, { refunds: [refund] });
  expect(recorded.usage).toMatchObject({ lastBill: 3, refunds: [{ amount: -5n }] });
  expect(recordBill(recorded, 3, { refunds: [] })).toBe(recorded);
  expect(recordBill(recorded, 2, { refunds: [] })).toBe(recorded);
});

describe('credit for usage on a bill with discounted lines that were put off', () => {
  const line: ChangeLine = {
    ...{ kind: 'REMAINING_TIME', itemId: 'item', productId: 'pro', priceId: 'price' },
    ...{ description: 'Remaining time', quantity: '1', exactAmount: '2500', amount: 2500n },
    ...{ discountAmount: 500n, taxedAs: null, proration: null, charge: null },
  };
  const putOff = { changeId: 'change', lines: [line], discount: null };
  const owed = (amount: bigint, bill: number): Subscription => {
    const priced = aSubscription({}, { price: aPrice({ amount: 1000n }) });
    const { usage, changes } = priced;
    const { description, meterId, priceId, period } = aLine(0n);
    const refunds = [{ description, meterId, priceId, period, amount }];
    return {
      ...priced,
      usage: { ...usage, refunds },
      changes: { ...changes, putOff: [{ ...putOff, bill }] },
    };
  };
  const amounts = (lines: readonly { readonly amount: bigint }[]) =>
    lines.map(({ amount }) => amount);

  test('is deducted up to what their shares of the discount leave', () => {
    const { lines, refunds, isBillable } = periodBill(owed(-3500n, 1), 1, []);
    expect([amounts(lines), amounts(refunds), isBillable]).toEqual([[-3000n], [-500n], true]);
  });

  test('is deducted likewise from the bill of the end', () => {
    const subscription = owed(-3500n, 1);
    const bill = endBill(subscription, [], { owed: [], putOff: putOffOn(subscription, [1]) });
    expect([amounts(bill.lines), amounts(bill.refunds)]).toEqual([[-2000n], [-1500n]]);
  });
});

describe('a settlement', () => {
  const made = { createdAt: day('01-31') };
  const indexes = (subscription: Subscription, periodIndex: number, createdAt = made.createdAt) =>
    settledPeriods(subscription, { createdAt }, settlementBefore(periodIndex)).map(
      ({ index }) => index,
    );
  const daily = aSubscription({}, { price: aPrice({ billingInterval: 'DAILY' }) });

  test('covers the past period and those for which events may have arrived since', () => {
    expect(indexes(aSubscription(), 0)).toEqual([]);
    expect(indexes(aSubscription(), 1)).toEqual([0]);
    // Period 0 ends on 28 February, and the previous settlement was on 31 March: events of it were
    // accepted until 4 April.
    expect(indexes(aSubscription(), 3)).toEqual([0, 1, 2]);
    expect(indexes(aSubscription(), 4)).toEqual([1, 2, 3]);
    expect(indexes(daily, 100)).toHaveLength(37);
  });

  test('never goes back before the first period that was billed', () => {
    expect(indexes(daily, 12, day('02-10'))).toEqual([10, 11]);
  });

  test('for an end looks back as if the last bill had not been created, because it may have preceded that bill', () => {
    const ended = { ...aSubscription(), status: 'CANCELED', endedAt: day('05-01') } as const;
    const indexesAt = (through: number) =>
      settledPeriods(ended, made, { key: 'end', through }).map(({ index }) => index);
    expect(indexesAt(3)).toEqual([0, 1, 2, 3]);
    expect(indexesAt(2)).toEqual([0, 1, 2]);
  });

  test('ends where the subscription ended', () => {
    const ended: Subscription = { ...aSubscription(), endedAt: day('02-10') };
    expect(settledPeriods(ended, made, { key: 'end', through: 0 })).toEqual([
      { index: 0, start: day('01-31'), end: day('02-10'), countedUntil: day('02-10') },
    ]);
  });

  test.each([
    ['within a period', day('02-10'), 0, day('01-31')],
    ['as its period begins', day('02-28'), 1, day('02-28')],
  ])(
    'of a subscription that is canceled %s counts the instant of the end',
    (_name, now, index, start) => {
      const entered = takeDueStep(aSubscription(), at(now)).state;
      const { state } = cancel(entered, { atPeriodEnd: false, ...at(now) });
      const last = settledPeriods(state, made, { key: 'end', through: index }).at(-1);
      const countedUntil = new Date(now.getTime() + 1);
      expect(last).toEqual({ index, start, end: now, countedUntil });
    },
  );

  test('of a period that a subscription was flagged to end with does not count the instant after it', () => {
    const flagged = cancel(aSubscription(), { atPeriodEnd: true, ...at(day('02-10')) }).state;
    const { state } = takeDueStep(flagged, at(day('02-28')));
    expect(settledPeriods(state, made, { key: 'end', through: 0 })).toEqual([
      { index: 0, start: day('01-31'), end: day('02-28'), countedUntil: day('02-28') },
    ]);
  });
});
