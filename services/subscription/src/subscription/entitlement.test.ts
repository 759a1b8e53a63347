import { cancel } from '../lifecycle/cancellation';
import { applyCollectionResult, type CollectionOutcome } from '../lifecycle/collection';
import { isEntitled } from './entitlement';
import { takeDueStep } from '../lifecycle/due-steps';
import type { Subscription } from './subscription';
import {
  aCustomer,
  aDiscount,
  aPrice,
  aSubscription,
  at,
  day,
  invoiceIdOf,
} from '../testing/fixtures';

const made = { createdAt: day('01-31') };
const fresh = aSubscription();

function withResult(
  subscription: Subscription,
  outcome: CollectionOutcome,
  { periodIndex = 0, resultNumber = 1, now = day('01-31') } = {},
) {
  const payment = { invoice: undefined, attempt: 1, nextAttemptAt: null };
  const collectionMethod = 'CHARGE_AUTOMATICALLY' as const;
  const invoiceId = invoiceIdOf(periodIndex);
  return applyCollectionResult(
    subscription,
    { invoiceId, resultNumber, outcome, collectionMethod, payment },
    at(now),
  );
}

describe('a subscription that is charged automatically from its start', () => {
  test('is not entitled before its first invoice is paid', () => {
    expect(isEntitled(fresh, made)).toBe(false);
    expect(isEntitled(withResult(fresh, 'FAILED').state, made)).toBe(false);
  });

  test.each<CollectionOutcome>(['SUCCEEDED', 'NOTHING_DUE', 'VOIDED'])(
    'is entitled once its first invoice is finished as %s',
    (outcome) => {
      expect(isEntitled(withResult(fresh, outcome).state, made)).toBe(true);
    },
  );

  test('is entitled once a retry of its first charge succeeds', () => {
    const failed = withResult(fresh, 'FAILED').state;
    const { state, events } = withResult(failed, 'SUCCEEDED', { resultNumber: 2 });
    expect(isEntitled(state, made)).toBe(true);
    const [first] = events;
    expect(first?.type).toBe('subscription.payment_succeeded');
    expect(first !== undefined && isEntitled(first.data.subscription, made)).toBe(true);
  });

  test('is not entitled by a write-off of its first invoice before that is paid', () => {
    const pastDue = withResult(fresh, 'FAILED').state;
    const writtenOff = withResult(pastDue, 'WRITTEN_OFF', { resultNumber: 2 }).state;
    expect(writtenOff.status).toBe('ACTIVE');
    expect(isEntitled(writtenOff, made)).toBe(false);
    const failed = withResult(writtenOff, 'FAILED', { resultNumber: 3 });
    expect(failed.state.status).toBe('ACTIVE');
    expect(failed.events.map(({ type }) => type)).toEqual(['subscription.payment_failed']);
    const { state, events } = withResult(failed.state, 'SUCCEEDED', { resultNumber: 4 });
    expect(isEntitled(state, made)).toBe(true);
    expect(events.map(({ type }) => type)).toEqual(['subscription.payment_succeeded']);
  });

  test('stays entitled after the write-off of a later invoice', () => {
    const renewed = takeDueStep(withResult(fresh, 'SUCCEEDED').state, at(day('02-28'))).state;
    const options = { periodIndex: 1, now: day('02-28') };
    expect(isEntitled(withResult(renewed, 'WRITTEN_OFF', options).state, made)).toBe(true);
  });

  test('keeps its first and its latest written-off invoices', () => {
    const openInvoices = Array.from({ length: 101 }, (_, periodIndex) => ({
      ...{ invoiceId: invoiceIdOf(periodIndex), periodIndex, lastResult: 1 },
      ...{ isPastDue: false, isSettling: false, isWrittenOff: periodIndex < 100 },
    }));
    const { state } = withResult({ ...fresh, openInvoices }, 'WRITTEN_OFF', {
      ...{ periodIndex: 100, resultNumber: 2 },
    });
    const kept = state.openInvoices.map(({ periodIndex }) => periodIndex);
    expect(kept).toHaveLength(100);
    expect(kept.slice(0, 2)).toEqual([0, 2]);
    expect(kept.at(-1)).toBe(100);
  });

  test('stays entitled while the payment of a renewal is past due', () => {
    const renewed = takeDueStep(withResult(fresh, 'SUCCEEDED').state, at(day('02-28'))).state;
    expect(isEntitled(renewed, made)).toBe(true);
    const failed = withResult(renewed, 'FAILED', { periodIndex: 1, now: day('02-28') }).state;
    expect(failed.status).toBe('PAST_DUE');
    expect(isEntitled(failed, made)).toBe(true);
  });

  test('is not entitled while its first invoice is open, even if a later one is paid', () => {
    const renewed = takeDueStep(withResult(fresh, 'FAILED').state, at(day('02-28'))).state;
    const { state } = withResult(renewed, 'SUCCEEDED', { periodIndex: 1, now: day('02-28') });
    expect(isEntitled(state, made)).toBe(false);
  });

  test('is entitled from its start where its first invoice has nothing due', () => {
    expect(isEntitled(aSubscription({}, { price: aPrice({ amount: 0n }) }), made)).toBe(true);
    const discount = aDiscount({ value: '100' });
    expect(isEntitled(aSubscription({}, { discount }), made)).toBe(true);
    expect(isEntitled(aSubscription({}, { discount: aDiscount() }), made)).toBe(false);
  });

  test('with a start in the past waits for the first invoice that it has', () => {
    const created = day('04-15');
    const late = aSubscription({ startAt: day('01-31') }, at(created));
    expect(isEntitled(late, { createdAt: created })).toBe(false);
    const { state } = withResult(late, 'SUCCEEDED', { periodIndex: 2, now: created });
    expect(isEntitled(state, { createdAt: created })).toBe(true);
  });

  test('with a start that lies ahead is entitled once its first invoice is paid', () => {
    const scheduled = aSubscription({ startAt: day('03-31') });
    expect(isEntitled(scheduled, made)).toBe(false);
    const started = takeDueStep(scheduled, at(day('03-31'))).state;
    expect(isEntitled(started, made)).toBe(false);
    const { state } = withResult(started, 'SUCCEEDED', { now: day('03-31') });
    expect(isEntitled(state, made)).toBe(true);
  });
});

test('a subscription that began with a trial is entitled during it and until dunning ends', () => {
  const created = { createdAt: day('01-17') };
  const trial = aSubscription({}, { price: aPrice({ trialDays: 14 }), ...at(day('01-17')) });
  expect(isEntitled(trial, created)).toBe(true);
  const billed = takeDueStep(trial, at(day('01-31'))).state;
  expect(isEntitled(billed, created)).toBe(true);
  const failed = withResult(billed, 'FAILED').state;
  expect(isEntitled(failed, created)).toBe(true);
  const gone = withResult(failed, 'UNCOLLECTIBLE', { resultNumber: 2, now: day('02-14') }).state;
  expect(isEntitled(gone, created)).toBe(false);
});

test('a subscription whose invoices are sent is entitled before it pays', () => {
  const customer = aCustomer({ collectionMethod: 'SEND_INVOICE' });
  expect(isEntitled(aSubscription({}, { customer }), made)).toBe(true);
});

test('a canceled subscription is not entitled', () => {
  const paid = withResult(fresh, 'SUCCEEDED').state;
  const { state } = cancel(paid, { atPeriodEnd: false, ...at(day('02-10')) });
  expect(isEntitled(state, made)).toBe(false);
});

test('an update that follows the voiding of the first invoice shows all that has changed', () => {
  const pastDue = withResult(fresh, 'FAILED').state;
  const { state, events } = withResult(pastDue, 'VOIDED', { resultNumber: 2 });
  expect(state.status).toBe('ACTIVE');
  expect(events).toEqual([
    { type: 'subscription.updated', data: { subscription: state, before: pastDue } },
  ]);
});
