import { currentPeriod, nextInvoiceAt, type Subscription } from '../subscription/subscription';
import { isEntitled } from '../subscription/entitlement';
import { aChangeRequest } from '../testing/change-request';
import { aPrice, aSubscription, at, day, invoiceIdOf } from '../testing/fixtures';
import { requestChange } from './apply-change';
import { cancel, runningInvoice } from './cancellation';
import type { ChangeRequest } from './check-change';
import type { PeriodFacts } from './period-charges';
import { dueStep, takeDueStep } from './due-steps';

const [start, middle, end] = [day('06-01'), day('06-16'), day('07-01')];
const created = { createdAt: start };

const running: Subscription = {
  ...aSubscription({}, { ...at(start), price: aPrice({ amount: 10000n }) }),
  openInvoices: [],
  latestInvoice: { id: invoiceIdOf(0), periodIndex: 0 },
};

const [{ id: itemId }] = running.items;
const line = { lineItemId: 'l', itemId, priced: 10000n, total: 10000n, left: 10000n };
const facts: PeriodFacts = {
  periodIndex: 0,
  invoices: [
    {
      ...{ invoiceId: invoiceIdOf(0), status: 'PAID', lines: [line] },
      recurring: { lineItemId: 'l', amount: 10000n, discountAmount: 0n },
    },
  ],
};

const unchangedItems = { product: null, quantity: null, discount: null };
const aPause = (parts: Partial<ChangeRequest> = {}) =>
  aChangeRequest({
    ...{ changeId: 'pause', kind: 'PAUSE', wanted: unchangedItems, proration: 'NONE', facts },
    ...parts,
  });
const aResume = (parts: Partial<ChangeRequest> = {}) =>
  aChangeRequest({
    ...{ changeId: 'resume', kind: 'RESUME', wanted: unchangedItems, requirePayment: false },
    ...parts,
  });

const pausedNow = (parts: Partial<ChangeRequest> = {}) =>
  requestChange(running, aPause(parts), { now: middle });

describe('a pause now', () => {
  const { state, events, commands } = pausedNow();

  test('ends the running period and the service, and announces only that', () => {
    expect(state).toMatchObject({ phase: 'PAUSED', status: 'ACTIVE', pausedAt: middle });
    expect(state.changes.finished).toMatchObject([
      {
        kind: 'PAUSE',
        status: 'APPLIED',
        to: { currentPeriodEnd: middle },
        monthlyAmountAfter: 0n,
      },
    ]);
    expect(isEntitled(state, created)).toBe(false);
    expect(events.map(({ type }) => type)).toEqual(['subscription.updated']);
    expect(commands.map(({ type }) => type)).toEqual(['recordChanges']);
  });

  test('lasts until it is ended, without a planned end', () => {
    expect(nextInvoiceAt(state)).toBeNull();
    expect(dueStep(state)).toBeUndefined();
  });

  test('credits the unused time if it is asked to', () => {
    const prorated = pausedNow({ proration: 'PRORATE' });
    expect(prorated.state.changes.finished[0]?.creditNotes).toMatchObject([
      { invoiceId: invoiceIdOf(0), amount: 5000n, settledBy: 'BALANCE' },
    ]);
    expect(prorated.commands.map(({ type }) => type)).toEqual(['creditChange', 'recordChanges']);
  });

  test('counts as churned, and its end as reactivated', () => {
    const { state: resumed } = requestChange(state, aResume(), { now: day('08-10') });
    expect(resumed.changes.revenue).toMatchObject([
      { kind: 'PAUSE', before: 10000n, after: 0n },
      { kind: 'RESUME', before: 0n, after: 10000n },
    ]);
  });

  test('of a paused one changes the planned end alone', () => {
    const planned = aPause({ changeId: 'again', resumeAt: day('08-10') });
    const again = requestChange(state, planned, { now: day('07-10') }).state;
    expect(again).toMatchObject({ pausedAt: middle, resumeAt: day('08-10') });
    expect(again.changes.revenue).toHaveLength(1);
    expect(() =>
      requestChange(again, aPause({ ...planned, changeId: 'third' }), { now: day('07-11') }),
    ).toThrow('Nothing to change');
  });

  test('is followed by an end without a bill, either way', () => {
    for (const atPeriodEnd of [true, false]) {
      const ended = cancel(state, { atPeriodEnd, ...at(day('07-10')) });
      expect(ended.state).toMatchObject({ status: 'CANCELED', endedAt: day('07-10') });
      expect(ended.commands.map(({ type }) => type)).toEqual(['billEnd', 'recordChanges']);
      expect(runningInvoice(ended.state, invoiceIdOf)).toBeUndefined();
    }
  });

  test('takes changes of the items for free, which the end of the pause bills', () => {
    const product = { productId: 'p', productName: 'P', price: aPrice({ id: 'x', amount: 3000n }) };
    const change = aChangeRequest({ wanted: { product, quantity: null, discount: null } });
    const changed = requestChange(state, change, { now: day('07-10') }).state;
    expect(changed.changes.finished.at(-1)).toMatchObject({ invoice: null, at: 'NOW' });
    const resumed = requestChange(changed, aResume(), { now: day('08-10') }).state;
    expect(resumed.changes.finished.at(-1)?.invoice?.lines).toMatchObject([{ amount: 3000n }]);
  });
});

describe('a pause at the period end', () => {
  const waiting = requestChange(running, aPause({ at: 'PERIOD_END', resumeAt: day('08-10') }), {
    now: middle,
  }).state;

  test('takes the place of the renewal', () => {
    expect(nextInvoiceAt(waiting)).toEqual(day('08-10'));
    const { state, events, commands } = takeDueStep(waiting, at(end));
    expect(state).toMatchObject({ phase: 'PAUSED', pausedAt: end, periodIndex: 0 });
    expect(events.map(({ type }) => type)).toEqual(['subscription.updated']);
    expect(commands.map(({ type }) => type)).toEqual(['recordChanges']);
  });

  test('ends at its planned time with a new period', () => {
    const { state } = takeDueStep(waiting, at(end));
    const resumed = takeDueStep(state, at(day('08-10')));
    expect(resumed.state).toMatchObject({
      ...{ phase: 'REGULAR', periodIndex: 1, pausedAt: null, resumeAt: null },
      openInvoices: [{ invoiceId: invoiceIdOf(1), periodIndex: 1 }],
    });
    expect(resumed.state.changes.finished.at(-1)).toMatchObject({
      ...{ id: 'resume-1', kind: 'RESUME', status: 'APPLIED', effectiveAt: day('08-10') },
      to: { currentPeriodStart: day('08-10'), currentPeriodEnd: day('09-10') },
      invoice: { isByTime: true, isPaidFirst: false },
    });
    expect(resumed.events.map(({ type }) => type)).toEqual([
      'subscription.updated',
      'subscription.renewed',
    ]);
  });

  test('survives a change to another product now', () => {
    const product = { productId: 'p', productName: 'P', price: aPrice({ id: 'x', amount: 3000n }) };
    const change = aChangeRequest({ wanted: { product, quantity: null, discount: null }, facts });
    const { state } = requestChange(waiting, change, { now: day('06-20') });
    expect(state.changes.waiting?.kind).toBe('PAUSE');
  });

  const resumeAt = day('07-10');
  const planned = requestChange(running, aPause({ at: 'PERIOD_END', resumeAt }), {
    now: middle,
  }).state;
  const cycleOf = (billingInterval: 'MONTHLY' | 'YEARLY') => ({
    productId: 'p',
    productName: 'P',
    price: aPrice({ id: 'x', amount: 100000n, billingInterval }),
  });

  test.each([
    ['another billing interval', cycleOf('YEARLY'), 'PRORATE'],
    ['a reset', cycleOf('MONTHLY'), 'FULL_AND_RESET'],
  ] as const)(
    'is canceled by a new cycle of %s that lasts past its planned end',
    (_name, product, proration) => {
      const wanted = { product, quantity: null, discount: null };
      const change = aChangeRequest({ wanted, proration, facts, requirePayment: false });
      const { state, events } = requestChange(planned, change, { now: middle });
      expect(state.changes).toMatchObject({
        waiting: null,
        finished: [
          { id: 'pause', status: 'CANCELED', replacedBy: 'change' },
          { id: 'change', status: 'APPLIED' },
        ],
      });
      const { end: next } = currentPeriod(state);
      expect(nextInvoiceAt(state)).toEqual(next);
      expect(dueStep(state)?.kind).not.toBe('RESUME');
      expect(events.map(({ type }) => type)).toEqual([
        'subscription.updated',
        'subscription.renewed',
      ]);
    },
  );

  test('survives a new cycle that lasts until its planned end is still ahead', () => {
    const wanted = { product: cycleOf('MONTHLY'), quantity: null, discount: null };
    const reset = aChangeRequest({ wanted, proration: 'FULL_AND_RESET', requirePayment: false });
    const { state } = requestChange(waiting, { ...reset, facts }, { now: middle });
    expect(state.changes.waiting).toMatchObject({ kind: 'PAUSE', effectiveAt: day('07-16') });
  });

  test('that an earlier release stored past its planned end resumes where it begins', () => {
    const { changes } = planned;
    const late = changes.waiting === null ? null : { ...changes.waiting, resumeAt: day('06-20') };
    const stored = { ...planned, changes: { ...changes, waiting: late } };
    const { state } = takeDueStep(stored, at(end));
    expect(dueStep(state)).toEqual({ at: end, kind: 'RESUME' });
    const resumed = takeDueStep(state, at(end)).state;
    expect(currentPeriod(resumed)).toEqual({ start: end, end: day('08-01') });
  });
});

describe('a pause is refused', () => {
  test.each<[string, Subscription, ChangeRequest, string]>([
    [
      'without a running period',
      aSubscription({ startAt: day('12-01') }),
      aPause(),
      'Subscription has no running period',
    ],
    [
      'of a subscription that is set to cancel',
      { ...running, cancelAtPeriodEnd: true },
      aPause({ at: 'PERIOD_END' }),
      'Subscription is set to cancel',
    ],
    ['in its end, where none runs', running, aResume(), 'Subscription is not paused'],
  ])('%s', (_name, subscription, request, message) => {
    expect(() => requestChange(subscription, request, { now: middle })).toThrow(message);
  });
});

describe('the limits of changes', () => {
  const seats = (quantity: number) =>
    aChangeRequest({
      ...{ changeId: `seats-${String(quantity)}`, requirePayment: false },
      wanted: { product: null, quantity, discount: null },
    });

  test('of a period do not count in a pause, and never keep it from its end', () => {
    let { state } = pausedNow();
    for (let quantity = 2; quantity <= 60; quantity += 1) {
      state = requestChange(state, seats(quantity), { now: day('06-20') }).state;
    }
    const replanned = aPause({ changeId: 'replanned', resumeAt: day('09-01') });
    state = requestChange(state, replanned, { now: day('06-21') }).state;
    expect(state.resumeAt).toEqual(day('09-01'));
    const resumed = requestChange(state, aResume(), { now: day('08-10') }).state;
    expect(resumed).toMatchObject({ phase: 'REGULAR', items: [{ quantity: 60 }] });
    const next = requestChange(resumed, seats(99), { now: day('08-11') }).state;
    expect(next.changes.period).toMatchObject({ periodIndex: 1, applied: 2 });
  });

  test('refuse a pause rather than its end', () => {
    let state = running;
    for (let count = 1; count <= 3; count += 1) {
      const changeId = String(count);
      const pause = aPause({ changeId: `pause-${changeId}`, facts: null });
      const paused = requestChange(state, pause, { now: middle }).state;
      const resume = aResume({ changeId: `resume-${changeId}` });
      state = requestChange(paused, resume, { now: middle }).state;
    }
    const again = aPause({ changeId: 'again', facts: null });
    expect(() => requestChange(state, again, { now: middle })).toThrow(
      'Too many changes in this period',
    );
    const atEnd = requestChange(state, { ...again, at: 'PERIOD_END' }, { now: middle });
    expect(atEnd.state.changes.waiting).toMatchObject({ kind: 'PAUSE' });
  });

  test('are named before what the phase does not allow', () => {
    let state = running;
    for (let quantity = 2; quantity <= 51; quantity += 1) {
      state = requestChange(state, { ...seats(quantity), facts }, { now: middle }).state;
    }
    const tooMany = 'Too many changes in this period';
    const flagged = { ...state, cancelAtPeriodEnd: true };
    expect(() => requestChange(flagged, aPause(), { now: middle })).toThrow(tooMany);
    expect(() => requestChange(state, aResume(), { now: middle })).toThrow(tooMany);
  });
});
