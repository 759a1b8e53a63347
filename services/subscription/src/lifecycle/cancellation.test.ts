import { cancel, uncancel } from './cancellation';
import { isEntitled } from '../subscription/entitlement';
import { takeDueStep } from './due-steps';
import {
  currentPeriod,
  endedWithin,
  nextInvoiceAt,
  type Subscription,
} from '../subscription/subscription';
import { aDiscount, aPrice, aSubscription, at, day, invoiceIdOf } from '../testing/fixtures';

const trialPrice = { price: aPrice({ trialDays: 14 }), ...at(day('01-17')) };
const running = aSubscription();
const pastDue: Subscription = { ...running, status: 'PAST_DUE' };
const inTrial = aSubscription({}, trialPrice);
const scheduled = aSubscription({ startAt: day('03-31') });
const made = { createdAt: day('01-31') };
const now = (subscription: Subscription, time = day('02-10')) =>
  cancel(subscription, { atPeriodEnd: false, ...at(time) });
const atEnd = (subscription: Subscription, time = day('02-10')) =>
  cancel(subscription, { atPeriodEnd: true, ...at(time) });
const types = ({ events }: { events: readonly { type: string }[] }) =>
  events.map(({ type }) => type);

describe('canceling now', () => {
  test.each([
    ['ACTIVE', running],
    ['PAST_DUE', pastDue],
  ])(
    'ends a subscription that is %s immediately and voids its running invoice',
    (_name, before) => {
      const { state, events, commands } = now(before);

      expect(state).toMatchObject({
        status: 'CANCELED',
        phase: 'ENDED',
        cancelAtPeriodEnd: false,
        canceledAt: day('02-10'),
        endedAt: day('02-10'),
        cancelReason: 'REQUESTED',
      });
      expect(isEntitled(state, made)).toBe(false);
      expect(nextInvoiceAt(state)).toBeNull();
      expect(currentPeriod(state)).toEqual(currentPeriod(before));
      expect(events).toEqual([
        { type: 'subscription.canceled', data: { subscription: state, payment: null } },
      ]);
      expect(commands).toEqual([
        {
          type: 'close',
          payload: { invoiceId: invoiceIdOf(0), periodIndex: 0, isOwed: true },
        },
      ]);
    },
  );

  test.each([
    ['trial', inTrial, day('01-20')],
    ['start that lies ahead', scheduled, day('02-10')],
  ])('ends a %s immediately, with nothing to void', (_name, before, time) => {
    const { state, events, commands } = now(before, time);

    expect(state).toMatchObject({ status: 'CANCELED', phase: 'ENDED', endedAt: time });
    expect(currentPeriod(state)).toEqual(currentPeriod(before));
    expect(types({ events })).toEqual(['subscription.canceled']);
    expect(commands).toEqual([]);
  });

  test('ends a subscription that was to end with its period', () => {
    const { state, events } = now(atEnd(running).state, day('02-12'));

    expect(state).toMatchObject({ status: 'CANCELED', canceledAt: day('02-12') });
    expect(types({ events })).toEqual(['subscription.canceled']);
  });

  test('changes nothing the second time', () => {
    const once = now(running).state;
    const { state, events, commands } = now(once, day('02-11'));

    expect(state).toBe(once);
    expect([...events, ...commands]).toEqual([]);
  });

  test('voids the invoice of the current period when the renewal into it is late', () => {
    const { events, commands } = now(running, day('03-05'));

    expect(types({ events })).toEqual(['subscription.renewed', 'subscription.canceled']);
    expect(commands.slice(1)).toEqual([
      { type: 'endCollection', payload: { invoiceIds: [invoiceIdOf(0)], writeOff: false } },
      {
        type: 'close',
        payload: { invoiceId: invoiceIdOf(1), periodIndex: 1, isOwed: true },
      },
    ]);
  });

  test('leaves older invoices payable, without further retries', () => {
    const later = takeDueStep(takeDueStep(running, at(day('02-28'))).state, at(day('03-31'))).state;
    const { state, commands } = now(later, day('04-02'));

    expect(commands).toEqual([
      {
        type: 'endCollection',
        payload: { invoiceIds: [invoiceIdOf(0), invoiceIdOf(1)], writeOff: false },
      },
      {
        type: 'close',
        payload: { invoiceId: invoiceIdOf(2), periodIndex: 2, isOwed: true },
      },
    ]);
    expect(state.openInvoices).toEqual(later.openInvoices);
  });

  test('precedes a renewal at the same instant', () => {
    const { state, events } = now(running, day('02-28'));

    expect(state).toMatchObject({ periodIndex: 0, endedAt: day('02-28') });
    expect(types({ events })).toEqual(['subscription.canceled']);
  });

  test('after an overdue end changes no more than that end', () => {
    const { state, events } = now(atEnd(running).state, day('03-05'));

    expect(state).toMatchObject({ endedAt: day('02-28'), canceledAt: day('02-10') });
    expect(types({ events })).toEqual(['subscription.canceled']);
  });
});

describe('canceling before the start', () => {
  const discount = aDiscount();
  const discounted = aSubscription({ startAt: day('03-31') }, { discount });

  test.each([
    ['now', now],
    ['at the end of the period', atEnd],
  ])('%s ends the subscription immediately and bills nothing', (_name, end) => {
    const { state, events, commands } = end(scheduled);

    expect(state).toMatchObject({
      status: 'CANCELED',
      phase: 'ENDED',
      cancelAtPeriodEnd: false,
      canceledAt: day('02-10'),
      endedAt: day('02-10'),
      cancelReason: 'REQUESTED',
      openInvoices: [],
    });
    expect(nextInvoiceAt(state)).toBeNull();
    expect(types({ events })).toEqual(['subscription.canceled']);
    expect(commands).toEqual([]);
  });

  test.each([
    ['now', now],
    ['at the end of the period', atEnd],
  ])('%s releases the redemption', (_name, end) => {
    const payload = { discountId: discount.id };
    expect(end(discounted).commands).toEqual([{ type: 'releaseRedemption', payload }]);
  });

  test('ends a subscription that an earlier release has flagged', () => {
    const flagged: Subscription = { ...scheduled, cancelAtPeriodEnd: true };
    expect(atEnd(flagged).state).toMatchObject({ status: 'CANCELED', cancelAtPeriodEnd: false });
  });

  test('is too late from the start on', () => {
    const { state } = atEnd(scheduled, day('04-01'));
    expect(state).toMatchObject({ status: 'ACTIVE', periodIndex: 0, cancelAtPeriodEnd: true });
  });
});

describe('canceling at the end of the period', () => {
  test.each([
    ['ACTIVE', running, day('02-10')],
    ['PAST_DUE', pastDue, day('02-10')],
    ['in its trial', inTrial, day('01-20')],
  ])('flags a subscription that is %s and lets it continue', (_name, before, time) => {
    const { state, events, commands } = atEnd(before, time);

    expect(state).toEqual({
      ...before,
      cancelAtPeriodEnd: true,
      canceledAt: time,
      cancelReason: 'REQUESTED',
    });
    expect(nextInvoiceAt(state)).toBeNull();
    expect(isEntitled(state, made)).toBe(isEntitled(before, made));
    expect(events).toEqual([
      { type: 'subscription.updated', data: { subscription: state, before } },
    ]);
    expect(commands).toEqual([]);
  });

  test.each([
    ['twice', atEnd(running).state],
    ['after the end', now(running).state],
  ])('changes nothing: %s', (_name, before) => {
    const { state, events } = atEnd(before, day('02-12'));

    expect(state).toBe(before);
    expect(events).toEqual([]);
  });

  test('means the current period when the renewal into it is late', () => {
    const { state, events } = atEnd(running, day('03-05'));

    expect(currentPeriod(state).end).toEqual(day('03-31'));
    expect(types({ events })).toEqual(['subscription.renewed', 'subscription.updated']);
  });
});

describe('undoing a cancellation', () => {
  test('lets the subscription continue as if no cancellation had been requested', () => {
    const flagged = atEnd(running).state;
    const { state, events, commands } = uncancel(flagged, at(day('02-12')));

    expect(state).toEqual(running);
    expect(events).toEqual([
      { type: 'subscription.updated', data: { subscription: state, before: flagged } },
    ]);
    expect(commands).toEqual([]);
  });

  test('changes nothing where no cancellation was requested', () => {
    const transition = uncancel(running, at(day('02-12')));
    expect(transition.state).toBe(running);
    expect(transition.events).toEqual([]);
  });

  test.each([
    ['after the end', now(running).state, day('02-12')],
    ['after an end that is late', atEnd(running).state, day('03-05')],
  ])('is refused %s', (_name, before, time) => {
    expect(() => uncancel(before, at(time))).toThrow(
      expect.objectContaining({
        kind: 'failed_precondition',
        message: 'Subscription is already canceled',
      }),
    );
  });
});

describe('a period with a late bill', () => {
  test('is owed when it was over before the cancellation, and not when it was still running', () => {
    const { state } = now(running, day('03-15'));
    expect(endedWithin(state, 0)).toBe(false);
    expect(endedWithin(state, 1)).toBe(true);
  });

  test('is owed when the subscription ended with it', () => {
    const flagged = atEnd(running).state;
    const { state } = now(flagged, day('03-15'));
    expect(state).toMatchObject({ status: 'CANCELED', endedAt: day('02-28') });
    expect(endedWithin(state, 0)).toBe(false);
  });

  test('is owed while the subscription runs', () => {
    expect(endedWithin(running, 0)).toBe(false);
  });
});
