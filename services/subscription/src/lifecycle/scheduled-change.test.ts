import fc from 'fast-check';
import { upcomingCharge } from '../billing/upcoming-charge';
import { checkInstant, checkInstants } from '../change/find-cycle-problems';
import { migrate } from '../migration/migrate-subscription';
import { subscriptionDefinition } from '../subscription-document';
import { toProtoChange } from '../message/subscription-message';
import { beforeNextPeriod } from '../subscription/change-at-renewal';
import {
  currentPeriod,
  mainItem,
  nextChange,
  nextInvoiceAt,
  type Subscription,
} from '../subscription/subscription';
import { findChange, type WantedChange } from '../subscription/subscription-change';
import { aChangeRequest } from '../testing/change-request';
import { aPrice, aSubscription, at, day, refusedFields } from '../testing/fixtures';
import { pinRates } from '../usage/usage-period';
import { cancelChange, requestChange } from './apply-change';
import { cancel } from './cancellation';
import type { ChangeRequest } from './check-change';
import { dueStep, takeDueStep } from './due-steps';

const dayMs = 86_400_000;
const price = aPrice({ amount: 10000n });
const dear = aPrice({ id: 'dear', amount: 30000n });
const wanted: WantedChange = {
  product: { productId: 'dear', productName: 'Dear', price: dear },
  ...{ quantity: null, discount: null },
};
const running = aSubscription({}, { ...at(day('06-01')), price });

/** The subscription after a change that waits for an instant, asked for on 10 June. */
function scheduled(
  subscription: Subscription,
  notBefore: Date,
  parts: Partial<ChangeRequest> = {},
): Subscription {
  const request = aChangeRequest({ wanted, at: 'PERIOD_END', notBefore, ...parts });
  return requestChange(subscription, request, { now: day('06-10') }).state;
}

/** The subscription once it was stored and read. */
function stored(state: Subscription): Subscription {
  const document = { ...subscriptionDefinition.toDocument(state), _id: state.id };
  return subscriptionDefinition.fromDocument(document) as Subscription;
}

/** Takes all steps that are due by an instant, and stores the subscription after each one. */
function livedUntil(subscription: Subscription, now: Date): Subscription {
  let current = subscription;
  for (let step = dueStep(current); step !== undefined && step.at <= now;) {
    current = stored(takeDueStep(current, at(step.at)).state);
    step = dueStep(current);
  }
  return current;
}

const amountOf = (subscription: Subscription) => mainItem(subscription).price.amount;

describe('a change at an instant ahead', () => {
  test.each([
    ['within the running period', '06-20', '07-01'],
    ['at its end', '07-01', '07-01'],
    ['within a later period', '08-15', '09-01'],
    ['at the start of a later period', '09-01', '09-01'],
  ])('%s takes effect at the first period start from then on', (_name, instant, start) => {
    const waiting = scheduled(running, day(instant));
    expect(waiting.changes.waiting).toMatchObject({
      ...{ status: 'PENDING', at: 'PERIOD_END', notBefore: day(instant), effectiveAt: day(start) },
      to: { currentPeriodStart: day(start), items: [{ price: { id: 'dear' } }] },
      from: { currentPeriodEnd: day(start) },
    });
    const before = livedUntil(waiting, new Date(day(start).getTime() - 1));
    expect(amountOf(before)).toBe(10000n);
    expect(upcomingCharge(before)).toMatchObject({ at: day(start), total: 30000n });
    const after = livedUntil(before, day(start));
    expect(amountOf(after)).toBe(30000n);
    expect(after.changes).toMatchObject({
      waiting: null,
      finished: [{ id: 'change', status: 'APPLIED', effectiveAt: day(start) }],
    });
    expect(amountOf(livedUntil(after, day('12-15')))).toBe(30000n);
  });

  test('leaves the periods before it as they are', () => {
    const waiting = scheduled(running, day('08-15'));
    expect(nextChange(waiting)).toBeNull();
    expect(nextInvoiceAt(waiting)).toEqual(day('07-01'));
    expect(upcomingCharge(waiting)).toMatchObject({ at: day('07-01'), total: 10000n });
    expect(beforeNextPeriod(waiting)).toMatchObject({ items: [{ price: { id: price.id } }] });
  });

  test('of a trial waits beyond the trial', () => {
    const trial = aSubscription({}, { ...at(day('06-01')), price: { ...price, trialDays: 14 } });
    const waiting = scheduled(trial, day('07-20'));
    expect(waiting.changes.waiting).toMatchObject({
      ...{ effectiveAt: day('08-15'), monthlyAmountBefore: 10000n, monthlyAmountAfter: 30000n },
      from: { currentPeriodStart: day('07-15') },
    });
    expect(amountOf(livedUntil(waiting, day('07-15')))).toBe(10000n);
    expect(amountOf(livedUntil(waiting, day('08-15')))).toBe(30000n);
    const atEnd = scheduled(trial, day('06-15'));
    expect(amountOf(livedUntil(atEnd, day('06-15')))).toBe(30000n);
  });

  test('of a subscription that has not started takes effect now', () => {
    const later = aSubscription({ startAt: day('07-01') }, { ...at(day('06-01')), price });
    const { changes, items } = scheduled(later, day('09-15'), { requirePayment: false });
    expect(changes.waiting).toBeNull();
    expect(changes.finished).toMatchObject([{ status: 'APPLIED', at: 'NOW' }]);
    expect(changes.finished[0]).not.toHaveProperty('notBefore');
    expect(items[0].price.id).toBe('dear');
  });

  test('follows the periods of a new cycle', () => {
    const waiting = scheduled(running, day('08-15'), {
      wanted: { ...wanted, product: null, quantity: 5 },
    });
    const weekly = {
      ...mainItem(running),
      price: aPrice({ id: 'week', billingInterval: 'WEEKLY' }),
    };
    const request = aChangeRequest({
      ...{ changeId: 'cycle', wanted: { product: weekly, quantity: null, discount: null } },
      ...{ requirePayment: false, proration: 'FULL_AND_RESET' },
    });
    const invoiced = { ...waiting, latestInvoice: { id: 'invoice-0', periodIndex: 0 } };
    const facts = { periodIndex: 0, invoices: [] };
    const changed = requestChange(invoiced, { ...request, facts }, { now: day('06-11') }).state;
    // Weeks begin on 11 June; the first one from 15 August on begins on 20 August.
    expect(changed.changes.waiting).toMatchObject({ effectiveAt: day('08-20') });
    expect(mainItem(livedUntil(changed, day('08-19'))).quantity).toBe(1);
    expect(mainItem(livedUntil(changed, day('08-20')))).toMatchObject({ quantity: 5 });
  });

  test('is replaced by a change that waits, and taken back', () => {
    const waiting = scheduled(running, day('08-15'));
    const replaced = scheduled(waiting, day('07-15'), { changeId: 'other' });
    expect(replaced.changes).toMatchObject({
      waiting: { id: 'other' },
      finished: [{ id: 'change', status: 'CANCELED', replacedBy: 'other' }],
    });
    const taken = cancelChange(stored(waiting), 'change', day('06-12')).state;
    expect(taken.changes).toMatchObject({ waiting: null, finished: [{ status: 'CANCELED' }] });
    expect(amountOf(livedUntil(taken, day('09-01')))).toBe(10000n);
  });

  test('ends with the subscription', () => {
    const waiting = scheduled(running, day('08-15'));
    const { state } = cancel(waiting, { atPeriodEnd: true, ...at(day('06-12')) });
    expect(livedUntil(state, day('07-01')).changes).toMatchObject({
      waiting: null,
      finished: [{ id: 'change', status: 'CANCELED', replacedBy: null }],
    });
  });

  test('keeps the products that price the meters once the last period before it runs', () => {
    const metered = aSubscription({}, { ...at(day('06-01')), price, meterPriceSet: 2 });
    const waiting = scheduled(metered, day('08-15'), { movesMeters: true });
    expect(livedUntil(waiting, day('07-31')).stretches).toBeUndefined();
    const [item] = metered.items;
    expect(livedUntil(waiting, day('08-01')).stretches).toMatchObject([
      { from: 0, through: 0, items: [{ productId: item.productId, set: 2 }] },
    ]);
  });

  test('is shown with its instant', () => {
    const waiting = scheduled(running, day('08-15'));
    const change = findChange(waiting.changes, 'change');
    if (change === undefined) throw new Error('The change waits');
    expect(toProtoChange(change, waiting)).toMatchObject({
      ...{ notBefore: day('08-15'), effectiveAt: day('09-01'), monthlyAmountAfter: 30000n },
      to: { currentPeriodStart: day('09-01'), currentPeriodEnd: day('10-01') },
    });
  });
});

describe('a pause at an instant ahead', () => {
  const pause = { kind: 'PAUSE', wanted: { ...wanted, product: null } } as const;

  test('owes the usage of the last period if the product has got metered prices', () => {
    const waiting = livedUntil(scheduled(running, day('08-15'), pause), day('07-01'));
    const metered = livedUntil(pinRates(waiting, { periodIndex: 1, set: 1 }), day('08-01'));
    const paused = livedUntil(metered, day('09-01'));
    const owed = { periodIndex: 2, invoiceId: 'usage-2', isBilled: false };
    expect(paused).toMatchObject({ phase: 'PAUSED', periodIndex: 2, cycleEndBills: [owed] });
    expect(paused.openInvoices.at(-1)).toMatchObject({ invoiceId: 'usage-2', periodIndex: 2 });
  });

  test('begins at the first period start from then on; periods before it are billed', () => {
    const waiting = scheduled(running, day('08-15'), { ...pause, resumeAt: day('10-10') });
    expect(nextInvoiceAt(waiting)).toEqual(day('07-01'));
    const last = livedUntil(waiting, day('08-01'));
    expect(nextInvoiceAt(last)).toEqual(day('10-10'));
    expect(livedUntil(last, day('09-01'))).toMatchObject({
      ...{ phase: 'PAUSED', pausedAt: day('09-01'), periodIndex: 2 },
    });
    expect(livedUntil(last, day('10-10'))).toMatchObject({ phase: 'REGULAR', periodIndex: 3 });
  });

  test.each([
    ['at its beginning', '09-01', { resumeAt: expect.any(Array) }],
    ['after it', '09-02', undefined],
  ])('may not end before it begins: %s', (_name, resumeAt, problem) => {
    const input = { kind: 'PAUSE', at: 'PERIOD_END', notBefore: day('08-15') } as const;
    const at = { at: day('06-10'), now: day('06-10') };
    const refuse = () => {
      checkInstants(running, { ...input, resumeAt: day(resumeAt) }, at);
    };
    expect(refusedFields(refuse)).toEqual(problem);
  });
});

test.each([
  ['now', day('06-10'), true],
  ['in a millisecond', new Date(day('06-10').getTime() + 1), false],
  ['in five years', new Date('2031-06-10T00:00:00.000Z'), false],
  ['later than that', new Date('2031-06-10T00:00:00.001Z'), true],
])('an instant %s', (_name, notBefore, isRefused) => {
  const refuse = () => {
    checkInstant({ notBefore }, day('06-10'));
  };
  const problem = { at: ['Must be ahead, at most five years'] };
  expect(refusedFields(refuse)).toEqual(isRefused ? problem : undefined);
});

test('a price migration at an instant moves a subscription at its first period from then on', () => {
  const exchange = {
    fromPriceId: price.id,
    product: { productId: 'dear', productName: 'Dear', price: dear },
  };
  const order = { migrationId: 'job', changeId: 'change', exchange, movesMeters: false };
  const instant = { notBefore: day('08-15') };
  const { transition, row } = migrate(running, { ...order, ...instant }, day('06-10'));
  expect(row).toMatchObject({ result: 'SCHEDULED', effectiveAt: day('09-01') });
  expect(stored(transition.state).changes.waiting).toMatchObject({ migrationId: 'job' });
  expect(amountOf(livedUntil(transition.state, day('08-31')))).toBe(10000n);
  expect(livedUntil(transition.state, day('09-01'))).toMatchObject({
    items: [{ productId: 'dear', price: { id: 'dear' } }],
  });
});

describe('changes at random instants', () => {
  const interval = fc.constantFrom('DAILY', 'WEEKLY', 'MONTHLY', 'QUARTERLY');

  test('take effect once, at the first period start from their instants on', () => {
    fc.assert(
      fc.property(
        ...[interval, fc.integer({ min: 1, max: 3 }), fc.option(fc.integer({ min: 1, max: 20 }))],
        ...[fc.integer({ min: 1, max: 200 * dayMs }), fc.integer({ min: 0, max: 5 })],
        (billingInterval, intervalCount, trialDays, aheadMs, periodsAfter) => {
          const terms = aPrice({ billingInterval, intervalCount, trialDays });
          const begun = aSubscription({}, { ...at(day('01-31')), price: terms });
          const notBefore = new Date(day('01-31').getTime() + aheadMs);
          const request = aChangeRequest({ at: 'PERIOD_END', notBefore });
          let current = stored(requestChange(begun, request, { now: day('01-31') }).state);
          const expected = current.changes.waiting?.effectiveAt;
          // The plain model: walk from period to period until one starts at the instant or after.
          let changedAt: Date | undefined;
          for (let left = periodsAfter; left >= 0; left -= changedAt === undefined ? 0 : 1) {
            const { end } = currentPeriod(current);
            if (end >= notBefore) changedAt ??= end;
            current = livedUntil(current, end);
            const hasChanged = changedAt !== undefined;
            expect(mainItem(current).quantity).toBe(hasChanged ? 3 : 1);
            expect(current.changes.waiting === null).toBe(hasChanged);
          }
          expect(changedAt).toEqual(expected);
          expect(current.changes.finished.map(({ status }) => status)).toEqual(['APPLIED']);
        },
      ),
      { numRuns: 60 },
    );
  });
});
