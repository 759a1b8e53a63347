import { applyCollectionResult } from './collection';
import { cancel, uncancel } from './cancellation';
import { dueStep, takeDueStep } from './due-steps';
import { createFromCheckout } from '../creation/creation';
import type { PriceSnapshot, Subscription } from '../subscription/subscription';
import type { SubscriptionTransition } from '../subscription/transition';
import {
  aCreation,
  aNewSubscription,
  anInput,
  aPrice,
  at,
  day,
  invoiceIdOf,
} from '../testing/fixtures';

const hour = 3_600_000;
const begun = day('01-17');
const before = (time: Date) => new Date(time.getTime() - hour);

function created(
  price: Partial<PriceSnapshot>,
  { now = begun, startAt = now }: { readonly now?: Date; readonly startAt?: Date } = {},
): Subscription {
  const creation = aCreation({ price: aPrice(price), ...at(now) });
  return aNewSubscription(anInput({ startAt }), creation).state;
}

/** Takes the steps that are due by a time, each at its own time, as a manual clock does. */
function lived(subscription: Subscription, until: Date): { state: Subscription; days: string[] } {
  let state = subscription;
  const days: string[] = [];
  for (let step = dueStep(state); step && step.at <= until; step = dueStep(state)) {
    const taken = takeDueStep(state, at(step.at));
    state = taken.state;
    days.push(...announcedIn(taken).map((type) => `${dateOf(step)} ${type}`));
  }
  return { state, days };
}

const dateOf = (step: { at: Date } | undefined) => step?.at.toISOString().slice(0, 10) ?? '';
const announcedIn = ({ events }: SubscriptionTransition) =>
  events.map(({ type }) => type.replace('subscription.', ''));
const warningsUntil = (subscription: Subscription, until: Date) =>
  lived(subscription, until).days.filter((one) => /ending|upcoming/.test(one));
const yearly = { billingInterval: 'YEARLY' } as const;
const nextYear = new Date('2027-03-01T00:00:00.000Z');

describe('the warning of the end of a trial', () => {
  test.each([
    [14, ['2026-01-28 trial_ending']],
    [4, ['2026-01-18 trial_ending']],
    [3, []],
    [1, []],
  ])('of %i days is announced at %j', (trialDays, expected) => {
    expect(warningsUntil(created({ trialDays }), day('03-01'))).toEqual(expected);
  });

  test('comes after a start in the future, none before', () => {
    const scheduled = created({ trialDays: 4 }, { startAt: day('02-01') });
    expect(lived(scheduled, day('02-05')).days).toEqual([
      '2026-02-01 renewed',
      '2026-02-02 trial_ending',
      '2026-02-05 renewed',
    ]);
  });

  test('is dropped where the subscription was created after its time', () => {
    const late = created({ trialDays: 14 }, { now: day('01-29'), startAt: begun });
    expect(late.phase).toBe('TRIAL');
    expect(lived(late, day('01-31')).days).toEqual(['2026-01-31 renewed']);
  });

  test('is announced where the subscription was created at its very time', () => {
    const late = created({ trialDays: 14 }, { now: day('01-28'), startAt: begun });
    expect(warningsUntil(late, day('01-31'))).toEqual(['2026-01-28 trial_ending']);
  });

  test('is dropped where a session that was completed earlier creates it too late', () => {
    const price = aPrice({ trialDays: 14 });
    const sold = createFromCheckout({
      ...aCreation({ price, ...at(day('01-30')) }),
      ...{ productId: 'product', quantity: 1, metadata: {}, completedAt: begun, attempt: 0 },
      invoice: { id: invoiceIdOf(0), form: undefined },
    }).state;
    expect(lived(sold, day('01-31')).days).toEqual(['2026-01-31 renewed']);
  });

  test('is announced late, but never after the end of the trial', () => {
    const trial = created({ trialDays: 14 });
    const late = takeDueStep(trial, at(before(day('01-31'))));
    expect(announcedIn(late)).toEqual(['trial_ending']);
    const missed = takeDueStep(trial, at(day('01-31')));
    expect(announcedIn(missed)).toEqual(['renewed']);
    const flag = cancel(trial, { atPeriodEnd: true, ...at(day('01-31')) });
    expect(announcedIn(flag)).toEqual(['updated']);
  });

  test('precedes a late decision, and follows one at the same instant', () => {
    const trial = created({ trialDays: 14 });
    const flag = (now: Date) => cancel(trial, { atPeriodEnd: true, ...at(now) });
    expect(announcedIn(flag(day('01-29')))).toEqual(['trial_ending', 'updated']);
    expect(announcedIn(flag(day('01-28')))).toEqual(['updated']);
    expect(lived(flag(day('01-28')).state, day('02-01')).days).toEqual(['2026-01-31 canceled']);
  });

  test.each([
    ['before its time', '01-27', ['2026-01-28 trial_ending']],
    ['at its time', '01-28', ['2026-01-28 trial_ending']],
    ['after its time', '01-29', []],
  ])('of a cancellation undone %s is announced accordingly', (_name, undone, expected) => {
    const flagged = cancel(created({ trialDays: 14 }), { atPeriodEnd: true, ...at(day('01-20')) });
    const { state } = uncancel(flagged.state, at(day(undone)));
    expect(warningsUntil(state, day('01-31'))).toEqual(expected);
  });

  test('is not repeated after a cancellation was undone', () => {
    const { state } = lived(created({ trialDays: 14 }), day('01-28'));
    const flagged = cancel(state, { atPeriodEnd: true, ...at(day('01-29')) });
    const again = uncancel(flagged.state, at(day('01-30')));
    expect(lived(again.state, day('01-31')).days).toEqual(['2026-01-31 renewed']);
  });

  test('is announced at most once by decisions and scanners that race', () => {
    const trial = created({ trialDays: 14 });
    const scanned = takeDueStep(trial, at(day('01-28')));
    expect(announcedIn(takeDueStep(scanned.state, at(day('01-28'))))).toEqual([]);
    expect(announcedIn(cancel(scanned.state, { atPeriodEnd: true, ...at(day('01-30')) }))).toEqual([
      'updated',
    ]);
  });
});

describe('the warning of a renewal', () => {
  test('of a yearly price is announced 30 days before each', () => {
    const inTwoYears = new Date('2028-01-17T00:00:00.000Z');
    expect(lived(created(yearly), inTwoYears).days).toEqual([
      '2026-12-18 renewal_upcoming',
      '2027-01-17 renewed',
      '2027-12-18 renewal_upcoming',
      '2028-01-17 renewed',
    ]);
  });

  test.each<[string, Partial<PriceSnapshot>, number]>([
    ['a quarter', { billingInterval: 'QUARTERLY' }, 0],
    ['179 days', { billingInterval: 'DAILY', intervalCount: 179 }, 0],
    ['180 days', { billingInterval: 'DAILY', intervalCount: 180 }, 1],
    ['half a year', { billingInterval: 'MONTHLY', intervalCount: 6 }, 1],
  ])('with periods of %s', (_name, price, expected) => {
    const subscription = created(price);
    const until = new Date(begun.getTime() + 184 * 24 * hour);
    expect(warningsUntil(subscription, until)).toHaveLength(expected);
  });

  test('comes in addition to that of the trial', () => {
    expect(warningsUntil(created({ ...yearly, trialDays: 14 }), nextYear)).toEqual([
      '2026-01-28 trial_ending',
      '2027-01-01 renewal_upcoming',
    ]);
  });

  test('is dropped for the running period of a start long ago', () => {
    const startAt = new Date('2025-02-01T00:00:00.000Z');
    const subscription = created(yearly, { startAt });
    expect(subscription.phase).toBe('REGULAR');
    expect(lived(subscription, nextYear).days).toEqual([
      '2026-02-01 renewed',
      '2027-01-02 renewal_upcoming',
      '2027-02-01 renewed',
    ]);
  });

  test('is announced while a payment is missing', () => {
    const result = { invoiceId: invoiceIdOf(0), resultNumber: 1, outcome: 'FAILED' } as const;
    const collectionMethod = 'CHARGE_AUTOMATICALLY';
    const payment = { invoice: null, attempt: 1, nextAttemptAt: null };
    const failed = { ...result, collectionMethod, payment } as const;
    const { state } = applyCollectionResult(created(yearly), failed, at(day('01-18')));
    expect(state.status).toBe('PAST_DUE');
    expect(warningsUntil(state, day('12-31'))).toEqual(['2026-12-18 renewal_upcoming']);
  });

  test('is none once the subscription has ended', () => {
    const { state } = cancel(created(yearly), { atPeriodEnd: false, ...at(day('02-01')) });
    expect(warningsUntil(state, nextYear)).toEqual([]);
  });
});
