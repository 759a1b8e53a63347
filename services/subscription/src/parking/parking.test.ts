import { applyCollectionResult } from '../lifecycle/collection';
import { cancel } from '../lifecycle/cancellation';
import { billingLimits, isCaughtUp, parkedFor, parkReason, withUnparking } from './parking';
import { dueStep, takeDueStep } from '../lifecycle/due-steps';
import { periodOf } from '../subscription/billing-cycle';
import type { Subscription } from '../subscription/subscription';
import { aPrice, aSubscription, at, day, invoiceIdOf } from '../testing/fixtures';

const daily = aPrice({ billingInterval: 'DAILY' });

/** Billed day by day, and never paid. */
function unpaid(periods: number): Subscription {
  let subscription = aSubscription({}, { price: daily });
  for (let index = 1; index < periods; index += 1) {
    subscription = takeDueStep(subscription, at(periodOf(subscription, index).start)).state;
  }
  return subscription;
}

const pay = (subscription: Subscription, periodIndex: number) =>
  applyCollectionResult(
    subscription,
    {
      invoiceId: invoiceIdOf(periodIndex),
      resultNumber: 1,
      outcome: 'SUCCEEDED',
      collectionMethod: 'CHARGE_AUTOMATICALLY',
      payment: { invoice: null, attempt: 1, nextAttemptAt: null },
    },
    at(periodOf(subscription, subscription.periodIndex ?? 0).start),
  );

describe('a subscription with the largest number of unpaid invoices', () => {
  const full = unpaid(billingLimits.openInvoicesMax);
  const due = periodOf(full, billingLimits.openInvoicesMax).start;

  test('is not renewed', () => {
    expect(parkReason(unpaid(billingLimits.openInvoicesMax - 1))).toBeNull();
    expect(parkReason(full)).toBe('OPEN_INVOICES');
    expect(dueStep(full)).toBeUndefined();
    expect(takeDueStep(full, at(due)).state).toBe(full);
  });

  test('renews again once one of them is paid, with the period that it missed', () => {
    const { state } = pay(full, 3);
    expect(parkReason(state)).toBeNull();
    const { state: renewed } = takeDueStep(state, at(due));
    expect(renewed.periodIndex).toBe(billingLimits.openInvoicesMax);
  });

  test('catches up the periods that it missed once one of them is paid, and later ones are late', () => {
    const { state } = pay(full, 3);
    const now = periodOf(full, billingLimits.openInvoicesMax + 20).end;
    const unparked = withUnparking(full, state, now);
    const last = periodOf(full, billingLimits.openInvoicesMax + 20).start;
    expect([due, last, now].map((start) => isCaughtUp(unparked, start))).toEqual([
      true,
      true,
      false,
    ]);
    // Other writes keep that time, and a subscription that was never parked has none.
    const { state: next } = takeDueStep(unparked, at(now));
    expect(withUnparking(unparked, next, new Date(now.getTime() + 1)).unparkedAt).toEqual(now);
    const usual = unpaid(2);
    expect(isCaughtUp(withUnparking(usual, pay(usual, 0).state, now), due)).toBe(false);
  });

  test('can still be ended, now and with its period', () => {
    const now = new Date(due.getTime() - 1);
    const ended = cancel(full, { atPeriodEnd: false, ...at(now) });
    expect(ended.state.status).toBe('CANCELED');
    expect([parkedFor(full), parkedFor(ended.state)]).toEqual(['OPEN_INVOICES', null]);
    // Few enough for an outbox, each short enough to be carried out in one command.
    const stopped = ended.commands.flatMap(({ type, payload }) =>
      type === 'endCollection' ? [payload.invoiceIds] : [],
    );
    expect(stopped.map(({ length }) => length)).toEqual([...Array(9).fill(50), 49]);
    expect(new Set(stopped.flat()).size).toBe(499);
    expect(ended.commands.at(-1)).toMatchObject({ type: 'close' });
    const flagged = cancel(full, { atPeriodEnd: true, ...at(now) }).state;
    expect(dueStep(flagged)).toEqual({ at: due, kind: 'END' });
  });
});

describe('several periods that start on one day', () => {
  test.each([
    ['a day', daily],
    ['a month', aPrice()],
    ['a year', aPrice({ billingInterval: 'YEARLY' })],
  ])('are none where a period lasts %s', (_name, price) => {
    const subscription: Subscription = { ...aSubscription({}, { price }), periodIndex: 30 };
    expect(parkReason(subscription, { ...billingLimits, invoicesADayMax: 1 })).toBeNull();
  });

  test('are stopped at the limit', () => {
    const subscription = aSubscription({}, { price: daily });
    const limits = { ...billingLimits, invoicesADayMax: 0 };
    expect(parkReason(subscription, limits)).toBe('INVOICES_A_DAY');
  });

  test('are not checked below the limit', () => {
    expect(parkReason(aSubscription({ startAt: day('03-31') }))).toBeNull();
  });
});
