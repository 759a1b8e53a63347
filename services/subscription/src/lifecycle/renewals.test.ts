import { cancel } from './cancellation';
import { decideAfterDueSteps, dueStep, takeDueStep } from './due-steps';
import { currentPeriod, type Subscription } from '../subscription/subscription';
import { aDiscount, aPrice, aSubscription, at, day, invoiceIdOf } from '../testing/fixtures';

const trial = { price: aPrice({ trialDays: 14 }), ...at(day('01-17')) };
const types = ({ events }: { events: readonly { type: string }[] }) =>
  events.map(({ type }) => type);
const flagged = (subscription: Subscription, now: Date) =>
  cancel(subscription, { atPeriodEnd: true, ...at(now) }).state;

describe('the next due step', () => {
  test.each<[string, Subscription, ReturnType<typeof dueStep>]>([
    ['the next period', aSubscription(), { at: day('02-28'), kind: 'ENTER_PERIOD' }],
    [
      'the warning of the end of a trial',
      aSubscription({}, trial),
      { at: day('01-28'), kind: 'WARN' },
    ],
    [
      'period 0 at the end of a trial that was warned of',
      { ...aSubscription({}, trial), warnedOf: day('01-31') },
      { at: day('01-31'), kind: 'ENTER_PERIOD' },
    ],
    [
      'period 0 at a start that lies ahead',
      aSubscription({ startAt: day('03-31') }),
      { at: day('03-31'), kind: 'ENTER_PERIOD' },
    ],
    [
      'the trial at a start that lies ahead',
      aSubscription({ startAt: day('03-17') }, trial),
      { at: day('03-17'), kind: 'START_TRIAL' },
    ],
    [
      'the end of the period, where asked for',
      flagged(aSubscription(), day('02-10')),
      { at: day('02-28'), kind: 'END' },
    ],
    [
      'the end of the trial, where asked for',
      flagged(aSubscription({}, trial), day('01-18')),
      { at: day('01-31'), kind: 'END' },
    ],
    [
      'the end at the start, where an earlier release has flagged it before',
      { ...aSubscription({ startAt: day('03-31') }), cancelAtPeriodEnd: true },
      { at: day('03-31'), kind: 'END' },
    ],
    [
      'nothing after the end',
      cancel(aSubscription(), { atPeriodEnd: false, ...at(day('02-10')) }).state,
      undefined,
    ],
  ])('is %s', (_name, subscription, step) => {
    expect(dueStep(subscription)).toEqual(step);
  });
});

describe('a renewal', () => {
  test('enters the next period, announces it and bills it', () => {
    const { state, events, commands } = takeDueStep(aSubscription(), at(day('02-28')));

    expect(state).toMatchObject({ periodIndex: 1, phase: 'REGULAR', status: 'ACTIVE' });
    expect(currentPeriod(state)).toEqual({ start: day('02-28'), end: day('03-31') });
    expect(events).toEqual([
      {
        type: 'subscription.renewed',
        data: { subscription: state, invoiceId: invoiceIdOf(1) },
      },
    ]);
    expect(commands).toEqual([
      {
        type: 'billPeriod',
        payload: {
          periodIndex: 1,
          invoiceId: invoiceIdOf(1),
          reason: 'SUBSCRIPTION_CYCLE',
          authorizedTransactionId: null,
          isDiscounted: false,
        },
      },
    ]);
  });

  test('changes nothing a moment early', () => {
    const subscription = aSubscription();
    const early = new Date(day('02-28').getTime() - 1);
    const { state, events, commands } = takeDueStep(subscription, at(early));

    expect(state).toBe(subscription);
    expect([...events, ...commands]).toEqual([]);
  });

  test('changes nothing the second time for the same period', () => {
    const renewed = takeDueStep(aSubscription(), at(day('02-28'))).state;
    expect(takeDueStep(renewed, at(day('02-28'))).state).toBe(renewed);
  });

  test('of a past-due subscription continues, and leaves it past due', () => {
    const pastDue: Subscription = { ...aSubscription(), status: 'PAST_DUE' };
    expect(takeDueStep(pastDue, at(day('02-28'))).state).toMatchObject({
      status: 'PAST_DUE',
      periodIndex: 1,
    });
  });

  test('that was missed is caught up one by one, each period from the anchor', () => {
    let subscription = aSubscription();
    const starts: string[] = [];
    for (let step = 1; step <= 5; step += 1) {
      subscription = takeDueStep(subscription, at(day('06-01'))).state;
      starts.push(currentPeriod(subscription).start.toISOString().slice(5, 10));
    }
    expect(starts).toEqual(['02-28', '03-31', '04-30', '05-31', '05-31']);
    expect(subscription.openInvoices.map(({ periodIndex }) => periodIndex)).toEqual([
      0, 1, 2, 3, 4,
    ]);
  });
});

describe('the end of a trial', () => {
  test('enters period 0 from there, and bills it without the authorization, which was resolved', () => {
    const subscription = aSubscription({ authorizedTransactionId: 'txn_4242424242424242' }, trial);
    const { state, events, commands } = takeDueStep(subscription, at(day('01-31')));

    expect(state).toMatchObject({ phase: 'REGULAR', periodIndex: 0, trialEnd: day('01-31') });
    expect(types({ events })).toEqual(['subscription.renewed']);
    expect(commands).toMatchObject([
      {
        type: 'billPeriod',
        payload: { periodIndex: 0, reason: 'SUBSCRIPTION_CYCLE', authorizedTransactionId: null },
      },
    ]);
  });

  test('ends the subscription without an invoice where a cancellation was requested', () => {
    const { state, events, commands } = takeDueStep(
      flagged(aSubscription({}, trial), day('01-18')),
      at(day('01-31')),
    );

    expect(state).toMatchObject({ status: 'CANCELED', endedAt: day('01-31'), openInvoices: [] });
    expect(types({ events })).toEqual(['subscription.canceled']);
    expect(commands).toEqual([]);
  });
});

describe('a start in the future', () => {
  test('enters period 0 when it is reached', () => {
    const { state, events, commands } = takeDueStep(
      aSubscription({ startAt: day('03-31') }),
      at(day('03-31')),
    );

    expect(state).toMatchObject({ phase: 'REGULAR', periodIndex: 0 });
    expect(types({ events })).toEqual(['subscription.renewed']);
    expect(commands).toMatchObject([{ payload: { periodIndex: 0, reason: 'SUBSCRIPTION_CYCLE' } }]);
  });

  test('begins the trial when it is reached, and bills nothing', () => {
    const { state, events, commands } = takeDueStep(
      aSubscription({ startAt: day('03-17') }, trial),
      at(day('03-17')),
    );

    expect(state).toMatchObject({ phase: 'TRIAL', periodIndex: null });
    expect(types({ events })).toEqual(['subscription.renewed']);
    expect(commands).toEqual([]);
  });
});

describe('a cancellation at period end', () => {
  test('ends the subscription with the period and bills its usage alone', () => {
    const { state, events, commands } = takeDueStep(
      flagged(aSubscription(), day('02-10')),
      at(day('03-05')),
    );

    expect(state).toMatchObject({
      status: 'CANCELED',
      phase: 'ENDED',
      canceledAt: day('02-10'),
      endedAt: day('02-28'),
      cancelReason: 'REQUESTED',
      cancelAtPeriodEnd: true,
    });
    expect(currentPeriod(state)).toEqual({ start: day('01-31'), end: day('02-28') });
    expect(types({ events })).toEqual(['subscription.canceled']);
    expect(commands).toEqual([
      { type: 'endCollection', payload: { invoiceIds: [invoiceIdOf(0)], writeOff: false } },
      { type: 'billEnd', payload: {} },
    ]);
  });

  test('ends no retries where no invoice is open', () => {
    const paid: Subscription = { ...aSubscription(), openInvoices: [] };
    const { commands } = takeDueStep(flagged(paid, day('02-10')), at(day('02-28')));
    expect(commands).toEqual([{ type: 'billEnd', payload: {} }]);
  });

  test('at the start bills nothing where an earlier release flagged it before', () => {
    const discount = aDiscount();
    const scheduled = aSubscription({ startAt: day('03-31') }, { discount });
    const stored: Subscription = {
      ...scheduled,
      cancelAtPeriodEnd: true,
      canceledAt: day('02-10'),
      cancelReason: 'REQUESTED',
    };
    const { state, events, commands } = takeDueStep(stored, at(day('03-31')));

    expect(state).toMatchObject({ status: 'CANCELED', phase: 'ENDED', endedAt: day('03-31') });
    expect(types({ events })).toEqual(['subscription.canceled']);
    expect(commands).toEqual([{ type: 'releaseRedemption', payload: { discountId: discount.id } }]);
  });
});

describe('a decision', () => {
  const nothing = (state: Subscription) => ({ state, events: [], commands: [] });

  test('follows the steps that were due before it', () => {
    const seen: Subscription[] = [];
    const { state, events, commands } = decideAfterDueSteps(
      aSubscription(),
      at(day('04-01')),
      (current) => {
        seen.push(current);
        return nothing(current);
      },
    );

    expect(seen.map(({ periodIndex }) => periodIndex)).toEqual([2]);
    expect(state.periodIndex).toBe(2);
    expect(types({ events })).toEqual(['subscription.renewed', 'subscription.renewed']);
    expect(commands).toMatchObject([
      { payload: { periodIndex: 1 } },
      { payload: { periodIndex: 2 } },
    ]);
  });

  test('precedes a step that is due at the same instant', () => {
    const { state } = decideAfterDueSteps(aSubscription(), at(day('02-28')), nothing);
    expect(state.periodIndex).toBe(0);
  });

  test('announces each step with the subscription as it was then', () => {
    const { events } = decideAfterDueSteps(aSubscription(), at(day('04-01')), nothing);
    expect(events.map(({ data }) => data.subscription.periodIndex)).toEqual([1, 2]);
  });

  test('that changes nothing, with nothing due, is no change at all', () => {
    const subscription = aSubscription();
    const transition = decideAfterDueSteps(subscription, at(day('02-01')), nothing);
    expect(transition).toEqual({ state: subscription, events: [], commands: [] });
    expect(transition.state).toBe(subscription);
  });

  test('is refused as retriable while a subscription is very far behind', () => {
    const daily = aSubscription({}, { price: aPrice({ billingInterval: 'DAILY' }) });
    const decide = (now: Date) => () => decideAfterDueSteps(daily, at(now), nothing);

    expect(decide(day('03-04'))().state.periodIndex).toBe(31);
    expect(decide(day('03-06'))).toThrow(expect.objectContaining({ kind: 'unavailable' }));
  });
});

describe('late usage after the end', () => {
  const lateBillAt = new Date('2026-04-05T00:00:00.000Z');
  const flagged = cancel(aSubscription(), { ...at(day('02-01')), atPeriodEnd: true }).state;
  const ended = takeDueStep(flagged, at(day('02-28'))).state;
  const waiting = { ...ended, usage: { ...ended.usage, lateBillAt } };

  test('is waited for when usage was billed', () => {
    expect(dueStep(ended)).toBeUndefined();
    expect(dueStep(waiting)).toEqual({ at: lateBillAt, kind: 'BILL_LATE' });
  });

  test('is billed once, without an event', () => {
    const { state, events, commands } = takeDueStep(waiting, at(lateBillAt));
    expect([events, commands]).toEqual([[], [{ type: 'billLate', payload: { round: 1 } }]]);
    expect(dueStep(state)).toBeUndefined();
  });
});
