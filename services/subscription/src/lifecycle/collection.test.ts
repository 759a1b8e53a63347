import { cancel } from './cancellation';
import { applyCollectionResult, type CollectionOutcome } from './collection';
import { recordInvoice } from '../subscription/open-invoices';
import { takeDueStep } from './due-steps';
import type { Subscription } from '../subscription/subscription';
import { aCustomer, aSubscription, at, day, invoiceIdOf } from '../testing/fixtures';

const running = aSubscription();
const types = ({ events }: { events: readonly { type: string }[] }) =>
  events.map(({ type }) => type);

function apply(
  subscription: Subscription,
  outcome: CollectionOutcome,
  {
    periodIndex = 0,
    resultNumber = 1,
    now = day('02-01'),
    collectionMethod = subscription.collectionMethod,
  } = {},
) {
  const payment = {
    invoice: { id: invoiceIdOf(periodIndex) },
    attempt: resultNumber,
    nextAttemptAt: outcome === 'FAILED' ? day('02-04') : null,
  };
  const invoiceId = invoiceIdOf(periodIndex);
  const result = { invoiceId, resultNumber, outcome, collectionMethod, payment };
  return applyCollectionResult(subscription, result, at(now));
}

describe('a charge that succeeds', () => {
  test('is announced and finishes its invoice', () => {
    const { state, events } = apply(running, 'SUCCEEDED');

    expect(state).toMatchObject({
      status: 'ACTIVE',
      openInvoices: [],
      latestInvoice: { id: invoiceIdOf(0), periodIndex: 0 },
    });
    expect(events).toEqual([
      {
        type: 'subscription.payment_succeeded',
        data: {
          subscription: state,
          payment: { invoice: { id: invoiceIdOf(0) }, attempt: 1, nextAttemptAt: null },
        },
      },
    ]);
  });

  test('after a failure makes the subscription active again', () => {
    const failed = apply(running, 'FAILED').state;
    const { state, events } = apply(failed, 'SUCCEEDED', { resultNumber: 2 });

    expect(state).toMatchObject({ status: 'ACTIVE', openInvoices: [] });
    expect(events.map(({ type, data }) => [type, data.subscription.status])).toEqual([
      ['subscription.payment_succeeded', 'PAST_DUE'],
      ['subscription.updated', 'ACTIVE'],
    ]);
  });

  test('leaves the subscription past due while another invoice is failed', () => {
    const first = apply(running, 'FAILED').state;
    const renewed = takeDueStep(first, at(day('02-28'))).state;
    const both = apply(renewed, 'FAILED', { periodIndex: 1, now: day('03-01') }).state;
    const paid = apply(both, 'SUCCEEDED', { resultNumber: 2, now: day('03-02') });

    expect(paid.state.status).toBe('PAST_DUE');
    expect(types(paid)).toEqual(['subscription.payment_succeeded']);

    const last = apply(paid.state, 'SUCCEEDED', {
      periodIndex: 1,
      resultNumber: 2,
      now: day('03-02'),
    });
    expect(last.state.status).toBe('ACTIVE');
    expect(types(last)).toEqual(['subscription.payment_succeeded', 'subscription.updated']);
  });
});

describe('a charge that fails', () => {
  test('makes the subscription past due the first time', () => {
    const { state, events } = apply(running, 'FAILED');

    expect(state).toMatchObject({
      status: 'PAST_DUE',
      openInvoices: [{ lastResult: 1, isPastDue: true, isSettling: false }],
      latestInvoice: { periodIndex: 0 },
    });
    expect(events.map(({ type, data }) => [type, data.subscription.status])).toEqual([
      ['subscription.payment_failed', 'ACTIVE'],
      ['subscription.updated', 'PAST_DUE'],
    ]);
    expect(events[0]?.data).toMatchObject({ payment: { attempt: 1, nextAttemptAt: day('02-04') } });
  });

  test('is announced alone when it fails again', () => {
    const failed = apply(running, 'FAILED').state;
    const { state, events } = apply(failed, 'FAILED', { resultNumber: 2 });

    expect(state).toMatchObject({ status: 'PAST_DUE', openInvoices: [{ lastResult: 2 }] });
    expect(types({ events })).toEqual(['subscription.payment_failed']);
  });

  test('for another invoice is announced alone while the subscription is past due', () => {
    const renewed = takeDueStep(apply(running, 'FAILED').state, at(day('02-28'))).state;
    const { events } = apply(renewed, 'FAILED', { periodIndex: 1, now: day('03-01') });
    expect(types({ events })).toEqual(['subscription.payment_failed']);
  });
});

test("an amount outside the provider's limits is no failure: the subscription is active again", () => {
  const failed = apply(running, 'FAILED').state;
  const { state, events } = apply(failed, 'NOT_CHARGED', { resultNumber: 2 });
  expect(state).toMatchObject({
    status: 'ACTIVE',
    openInvoices: [{ lastResult: 2, isPastDue: false }],
  });
  expect(types({ events })).toEqual(['subscription.updated']);
});

test('an invoice with nothing due is finished without an event', () => {
  const { state, events } = apply(running, 'NOTHING_DUE');
  expect(state).toMatchObject({
    status: 'ACTIVE',
    openInvoices: [],
    latestInvoice: { periodIndex: 0 },
  });
  expect(events).toEqual([]);
});

describe('an abandoned invoice', () => {
  const failed = apply(running, 'FAILED').state;
  const gaveUp = (subscription: Subscription, now = day('02-14')) =>
    apply(subscription, 'UNCOLLECTIBLE', { resultNumber: 2, now });

  test('ends the subscription, and the event carries the last attempt', () => {
    const { state, events, commands } = gaveUp(failed);

    expect(state).toMatchObject({
      status: 'CANCELED',
      phase: 'ENDED',
      cancelAtPeriodEnd: false,
      canceledAt: day('02-14'),
      endedAt: day('02-14'),
      cancelReason: 'PAYMENT_FAILED',
      openInvoices: [],
    });
    expect(events).toMatchObject([
      {
        type: 'subscription.canceled',
        data: { subscription: state, payment: { invoice: { id: invoiceIdOf(0) }, attempt: 2 } },
      },
    ]);
    expect(commands).toEqual([{ type: 'billEnd', payload: {} }]);
  });

  test('ends the collection of all other unpaid invoices', () => {
    const renewed = takeDueStep(
      takeDueStep(failed, at(day('02-28'))).state,
      at(day('03-31')),
    ).state;
    const { state, commands } = gaveUp(renewed, day('04-01'));

    expect(commands).toEqual([
      {
        type: 'endCollection',
        payload: { invoiceIds: [invoiceIdOf(1), invoiceIdOf(2)], writeOff: true },
      },
      { type: 'billEnd', payload: {} },
    ]);
    // Later results of these invoices are counted and change nothing.
    const paid = apply(state, 'SUCCEEDED', { periodIndex: 2, now: day('04-02') });
    expect(paid.state).toMatchObject({ status: 'CANCELED', openInvoices: [{ periodIndex: 1 }] });
    expect(paid.events).toEqual([]);
  });

  test('overrides a cancellation at period end', () => {
    const flagged = cancel(failed, { atPeriodEnd: true, ...at(day('02-10')) }).state;
    expect(gaveUp(flagged).state).toMatchObject({
      cancelAtPeriodEnd: false,
      canceledAt: day('02-14'),
      cancelReason: 'PAYMENT_FAILED',
    });
  });

  test('changes and announces nothing after the end', () => {
    const ended = cancel(failed, { atPeriodEnd: false, ...at(day('02-10')) }).state;
    const { state, events, commands } = gaveUp(ended);
    expect(state).toEqual({ ...ended, openInvoices: [] });
    expect([...events, ...commands]).toEqual([]);
  });
});

describe('a voided invoice', () => {
  test('is no longer owed, without an event', () => {
    const { state, events } = apply(running, 'VOIDED');
    expect(state).toMatchObject({ status: 'ACTIVE', openInvoices: [] });
    expect(events).toEqual([]);
  });

  test('makes the subscription active again when no other invoice is past due', () => {
    const failed = apply(running, 'FAILED').state;
    const { state, events } = apply(failed, 'VOIDED', { resultNumber: 2 });
    expect(state).toMatchObject({ status: 'ACTIVE', openInvoices: [] });
    expect(types({ events })).toEqual(['subscription.updated']);
  });
});

describe('an invoice that is sent', () => {
  const sent = aSubscription({}, { customer: aCustomer({ collectionMethod: 'SEND_INVOICE' }) });
  const renewed = takeDueStep(sent, at(day('02-28'))).state;
  const overdue = apply(renewed, 'OVERDUE', { now: day('03-02') });

  test('makes the subscription past due at its due date, without a payment event', () => {
    expect(overdue.state).toMatchObject({
      status: 'PAST_DUE',
      openInvoices: [{ periodIndex: 0, isPastDue: true, lastResult: 1 }, { isPastDue: false }],
    });
    expect(types(overdue)).toEqual(['subscription.updated']);
  });

  test("keeps its collection method when the customer's method changes", () => {
    const now = { ...sent, collectionMethod: 'CHARGE_AUTOMATICALLY' } as const;
    const asSent = apply(now, 'FAILED', { collectionMethod: 'SEND_INVOICE' });
    const asCharged = apply(sent, 'FAILED', { collectionMethod: 'CHARGE_AUTOMATICALLY' });
    expect([asSent.state.status, asCharged.state.status]).toEqual(['ACTIVE', 'PAST_DUE']);
  });

  test('leaves the subscription active before its due date, despite failed payments', () => {
    const once = apply(sent, 'FAILED');
    const twice = apply(once.state, 'FAILED', { resultNumber: 2 });
    expect(twice.state).toMatchObject({ status: 'ACTIVE', openInvoices: [{ isPastDue: false }] });
    expect([...types(once), ...types(twice)]).toEqual([
      'subscription.payment_failed',
      'subscription.payment_failed',
    ]);
  });

  test('stays past due when a payment fails after the due date, and is removed when it is paid', () => {
    const { state, events } = apply(overdue.state, 'FAILED', {
      resultNumber: 2,
      now: day('03-03'),
    });
    expect(state).toMatchObject({ status: 'PAST_DUE', openInvoices: [{ lastResult: 2 }, {}] });
    expect(types({ events })).toEqual(['subscription.payment_failed']);

    const paid = apply(state, 'SUCCEEDED', { resultNumber: 3, now: day('03-04') });
    expect(paid.state).toMatchObject({ status: 'ACTIVE', openInvoices: [{ periodIndex: 1 }] });
    expect(types(paid)).toEqual(['subscription.payment_succeeded', 'subscription.updated']);
  });

  test('changes the subscription no further when it is the second overdue one', () => {
    const both = apply(overdue.state, 'OVERDUE', { periodIndex: 1, now: day('03-30') });
    expect(both.state.status).toBe('PAST_DUE');
    expect(both.events).toEqual([]);
  });
});

describe('a collection result', () => {
  test.each([
    ['that was applied before', apply(running, 'FAILED').state],
    ['of an invoice that is finished', apply(running, 'SUCCEEDED').state],
  ])('%s changes nothing', (_name, before) => {
    const { state, events } = apply(before, 'FAILED');
    expect(state).toBe(before);
    expect(events).toEqual([]);
  });

  test('for an invoice that was never ordered changes nothing', () => {
    expect(apply(running, 'SUCCEEDED', { periodIndex: 7 }).state).toBe(running);
  });

  test('is refused as retriable when it arrives before an earlier one', () => {
    expect(() => apply(running, 'SUCCEEDED', { resultNumber: 2 })).toThrow(
      expect.objectContaining({ kind: 'unavailable' }),
    );
  });

  test('is counted and announces nothing after the end', () => {
    const ended = cancel(running, { atPeriodEnd: false, ...at(day('02-01')) }).state;
    const failed = apply(ended, 'FAILED');
    const paid = apply(failed.state, 'SUCCEEDED', { resultNumber: 2 });

    expect(failed.state).toMatchObject({ status: 'CANCELED', openInvoices: [{ lastResult: 1 }] });
    expect(paid.state).toMatchObject({ status: 'CANCELED', openInvoices: [] });
    expect([...failed.events, ...paid.events]).toEqual([]);
  });

  test('follows an overdue renewal', () => {
    const { state, events } = apply(running, 'SUCCEEDED', { now: day('03-01') });

    expect(state).toMatchObject({ periodIndex: 1, openInvoices: [{ periodIndex: 1 }] });
    expect(types({ events })).toEqual(['subscription.renewed', 'subscription.payment_succeeded']);
  });

  test('follows an overdue end, and announces nothing', () => {
    const flagged = cancel(running, { atPeriodEnd: true, ...at(day('02-10')) }).state;
    const { state, events } = apply(flagged, 'FAILED', { now: day('03-01') });

    expect(state.status).toBe('CANCELED');
    expect(types({ events })).toEqual(['subscription.canceled']);
  });
});

describe('news of a created invoice', () => {
  const news = { invoiceId: invoiceIdOf(0), periodIndex: 0 };

  test('settles an invoice whose charge does not follow immediately', () => {
    const state = recordInvoice(running, { ...news, isCollecting: false });
    expect(state).toMatchObject({
      latestInvoice: { id: invoiceIdOf(0) },
      openInvoices: [{ isSettling: false }],
    });
  });

  test('leaves an invoice in collection waiting for its result', () => {
    const state = recordInvoice(running, { ...news, isCollecting: true });
    expect(state).toMatchObject({
      latestInvoice: { id: invoiceIdOf(0) },
      openInvoices: [{ isSettling: true }],
    });
  });

  test.each([
    ['a failure', apply(running, 'FAILED').state],
    ['a success', apply(running, 'SUCCEEDED').state],
  ])('changes nothing after %s', (_name, before) => {
    expect(recordInvoice(before, { ...news, isCollecting: false })).toBe(before);
  });

  test("does not make an older period's invoice the latest again", () => {
    const renewed = takeDueStep(running, at(day('02-28'))).state;
    const paid = apply(renewed, 'SUCCEEDED', { periodIndex: 1, now: day('02-28') }).state;
    const state = recordInvoice(paid, { ...news, isCollecting: true });
    expect(state.latestInvoice).toEqual({ id: invoiceIdOf(1), periodIndex: 1 });
  });
});
