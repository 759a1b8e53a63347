import { DomainError } from '@billing/kernel/domain-error';
import fc from 'fast-check';
import type { SubscriptionEvent } from '../subscription/announcement';
import type { BillingCommand } from '../subscription/command';
import { periodIndexAt, periodOf } from '../subscription/billing-cycle';
import {
  type CollectionMethod,
  currentPeriod,
  type Subscription,
} from '../subscription/subscription';
import type { SubscriptionTransition } from '../subscription/transition';
import { aChangeRequest } from '../testing/change-request';
import {
  aCreation,
  aCustomer,
  aDiscount,
  aNewSubscription,
  anInput,
  aPrice,
  at,
  day,
  invoiceIdOf,
} from '../testing/fixtures';
import { requestChange } from './apply-change';
import { cancel, uncancel } from './cancellation';
import { applyCollectionResult, type CollectionOutcome } from './collection';
import { decideAfterDueSteps, dueStep, takeDueStep } from './due-steps';

// Time, the scanner, callers and results may reach a subscription in any order: these rules hold in
// all of them. Results arrive out of order and more than once; the results of an invoice are
// decided beforehand.

type Step =
  | { readonly kind: 'wait'; readonly hours: number }
  | { readonly kind: 'wake' }
  | { readonly kind: 'cancel'; readonly atPeriodEnd: boolean }
  | { readonly kind: 'uncancel' }
  | { readonly kind: 'schedule'; readonly hours: number }
  | { readonly kind: 'result'; readonly back: number; readonly resultNumber: number };

interface Setting {
  readonly collectionMethod: CollectionMethod;
  readonly trialDays: number | null;
  /** Days from the creation, back or ahead; null: no start is given. */
  readonly startsIn: number | null;
  /** The results of each invoice, in order; the last one finishes it. */
  readonly scripts: readonly (readonly CollectionOutcome[])[];
  readonly steps: readonly Step[];
}

const start = day('06-15');
const hoursMs = 3_600_000;

const step: fc.Arbitrary<Step> = fc.oneof(
  { arbitrary: fc.record({ kind: fc.constant('wait'), hours: fc.nat(72) }), weight: 6 },
  { arbitrary: fc.record({ kind: fc.constant('wake') }), weight: 5 },
  {
    arbitrary: fc.record({
      kind: fc.constant('result'),
      back: fc.nat(3),
      // Most results arrive in order; few would be accepted otherwise.
      resultNumber: fc.constantFrom(1, 1, 1, 2, 2, 3, 4),
    }),
    weight: 10,
  },
  { arbitrary: fc.record({ kind: fc.constant('cancel'), atPeriodEnd: fc.boolean() }), weight: 1 },
  { arbitrary: fc.record({ kind: fc.constant('uncancel') }), weight: 1 },
  {
    arbitrary: fc.record({
      kind: fc.constant('schedule'),
      hours: fc.integer({ min: 1, max: 240 }),
    }),
    weight: 1,
  },
);

const failures = (max: number): fc.Arbitrary<CollectionOutcome[]> =>
  fc.array(fc.constant('FAILED'), { maxLength: max });
const chargedScript: fc.Arbitrary<CollectionOutcome[]> = fc.oneof(
  { arbitrary: failures(3).map((failed) => ended(failed, 'SUCCEEDED')), weight: 8 },
  { arbitrary: failures(3).map((failed) => ended(failed, 'VOIDED')), weight: 1 },
  { arbitrary: failures(2).map((more) => ended(['FAILED', ...more], 'UNCOLLECTIBLE')), weight: 1 },
  { arbitrary: fc.constant<CollectionOutcome[]>(['NOTHING_DUE']), weight: 1 },
);
const sentScript = fc
  .tuple(failures(1), fc.boolean(), failures(1), fc.constantFrom('SUCCEEDED', 'VOIDED'))
  .map(([early, isOverdue, late, end]): CollectionOutcome[] =>
    isOverdue ? [...early, 'OVERDUE', ...late, end] : [...early, end],
  );

const setting: fc.Arbitrary<Setting> = fc
  .constantFrom<CollectionMethod[]>('CHARGE_AUTOMATICALLY', 'SEND_INVOICE')
  .chain((collectionMethod) =>
    fc.record({
      collectionMethod: fc.constant(collectionMethod),
      trialDays: fc.option(fc.nat(5)),
      startsIn: fc.option(fc.integer({ min: -20, max: 5 })),
      scripts: fc.array(collectionMethod === 'SEND_INVOICE' ? sentScript : chargedScript, {
        minLength: 50,
        maxLength: 50,
      }),
      steps: fc.array(step, { maxLength: 120, size: 'max' }),
    }),
  );

function ended(before: CollectionOutcome[], end: CollectionOutcome): CollectionOutcome[] {
  return [...before, end];
}

/** One subscription with all events and commands so far. */
class Life {
  now = start;
  state: Subscription;
  /** The first billed period. */
  readonly firstPeriod: number;
  readonly events: SubscriptionEvent[] = [];
  readonly commands: BillingCommand[] = [];
  /** By period, in the order in which they were applied. */
  readonly applied = new Map<number, CollectionOutcome[]>();

  constructor(private readonly setting: Setting) {
    const { trialDays, startsIn, collectionMethod } = setting;
    const startAt = startsIn === null ? null : new Date(start.getTime() + startsIn * 24 * hoursMs);
    const price = aPrice({ billingInterval: 'DAILY', intervalCount: 2, trialDays });
    const customer = aCustomer({ collectionMethod });
    const discount = aDiscount();
    const creation = aCreation({ price, customer, discount, ...at(start) });
    const born = aNewSubscription(anInput({ startAt }), creation);
    this.state = born.state;
    this.keep(born);
    this.firstPeriod = born.state.periodIndex ?? 0;
  }

  get billed(): number[] {
    return this.commands.flatMap(({ type, payload }) =>
      type === 'billPeriod' ? [payload.periodIndex] : [],
    );
  }

  /** Invoices that were ordered and whose last result has not arrived. */
  get unfinished(): number[] {
    return this.billed.filter(
      (periodIndex) =>
        (this.applied.get(periodIndex)?.length ?? 0) < scriptOf(this.setting, periodIndex).length,
    );
  }

  /** Unfinished invoices with a failed automatic charge or a missed due date. */
  get late(): number[] {
    const lateness =
      this.setting.collectionMethod === 'SEND_INVOICE' ? 'OVERDUE' : ('FAILED' as const);
    return this.unfinished.filter((one) => this.applied.get(one)?.includes(lateness) === true);
  }

  take(one: Step): void {
    switch (one.kind) {
      case 'wait':
        this.now = new Date(this.now.getTime() + one.hours * hoursMs);
        return;
      case 'wake':
        this.keep(takeDueStep(this.state, at(this.now)));
        return;
      case 'cancel':
        this.decide(() => cancel(this.state, { atPeriodEnd: one.atPeriodEnd, ...at(this.now) }));
        return;
      case 'uncancel':
        this.decide(() => uncancel(this.state, at(this.now)));
        return;
      case 'schedule':
        this.decide(() => this.schedule(new Date(this.now.getTime() + one.hours * hoursMs)));
        return;
      case 'result':
        this.deliver(this.billed.at(-1 - one.back), one.resultNumber);
    }
  }

  /** Applies all results of all invoices, including those of renewals that happen on the way. */
  collectEverything(): void {
    for (let index = 0; index < this.billed.length; index += 1) {
      const periodIndex = this.billed[index];
      const { length } = scriptOf(this.setting, periodIndex ?? 0);
      for (let result = 1; result <= length; result += 1) this.deliver(periodIndex, result);
    }
  }

  private deliver(periodIndex: number | undefined, resultNumber: number): void {
    if (periodIndex === undefined) return;
    const outcome = scriptOf(this.setting, periodIndex)[resultNumber - 1];
    if (outcome === undefined) return;
    const payment = { invoice: periodIndex, attempt: resultNumber, nextAttemptAt: null };
    const { collectionMethod } = this.setting;
    const invoiceId = invoiceIdOf(periodIndex);
    const result = { invoiceId, resultNumber, outcome, collectionMethod, payment };
    const before = this.state;
    this.decide(() => applyCollectionResult(this.state, result, at(this.now)));
    if (this.state === before) return;
    this.applied.set(periodIndex, [...(this.applied.get(periodIndex) ?? []), outcome]);
  }

  private schedule(notBefore: Date): SubscriptionTransition {
    const { now, events } = this;
    const wanted = { product: null, quantity: events.length + 2, discount: null };
    const changeId = `change-${String(events.length)}`;
    const request = aChangeRequest({ changeId, wanted, at: 'PERIOD_END', notBefore });
    return decideAfterDueSteps(this.state, at(now), (current) =>
      requestChange(current, request, { now }),
    );
  }

  private decide(decide: () => SubscriptionTransition): void {
    try {
      const before = this.state;
      this.keep(decide());
      if (this.state !== before) this.expectNothingLate();
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
    }
  }

  private keep({ state, events, commands }: SubscriptionTransition): void {
    // A subscription that is flagged to end is not renewed.
    if (this.state.cancelAtPeriodEnd) {
      const isKept = events[0]?.type !== 'subscription.renewed';
      expect(isKept).toBe(true);
    }
    this.state = state;
    this.events.push(...events);
    this.commands.push(...commands);
  }

  private expectNothingLate(): void {
    const next = dueStep(this.state);
    if (next !== undefined) expect(next.at.getTime()).toBeGreaterThanOrEqual(this.now.getTime());
  }
}

function scriptOf({ scripts }: Setting, periodIndex: number): readonly CollectionOutcome[] {
  return scripts[periodIndex % scripts.length] ?? [];
}

function expectRulesKept(life: Life): void {
  const { state, events, commands, billed } = life;
  const types = events.map(({ type }) => type);
  const isCanceled = state.status === 'CANCELED';

  // One invoice is ordered for each period from the first billed one to the present, and no other.
  const first = life.firstPeriod;
  const present = state.periodIndex ?? first - 1;
  expect(billed).toEqual(Array.from({ length: present - first + 1 }, (_, index) => first + index));
  // The first event is the creation, the last one the end.
  expect(types.indexOf('subscription.created')).toBe(0);
  expect(types.lastIndexOf('subscription.created')).toBe(0);
  expect(types.indexOf('subscription.canceled')).toBe(isCanceled ? types.length - 1 : -1);
  // The open invoices are exactly the unfinished ones, and the subscription is past due exactly
  // while one of them is late.
  expect(state.openInvoices.map(({ periodIndex }) => periodIndex)).toEqual(life.unfinished);
  if (!isCanceled) expect(state.status).toBe(life.late.length > 0 ? 'PAST_DUE' : 'ACTIVE');
  expect(state.phase === 'ENDED').toBe(isCanceled);
  expect(state.endedAt === null).toBe(!isCanceled);
  // The discount is deducted from the first period alone.
  const discounted = commands.flatMap(({ type, payload }) =>
    type === 'billPeriod' && payload.isDiscounted ? [payload.periodIndex] : [],
  );
  expect(discounted).toEqual(billed.slice(0, 1));
  expectEndKept(life);
  expectChangesKept(life);
}

/** Checks that each change took effect once, at the first period start from its instant on. */
function expectChangesKept({ state }: Life): void {
  const { waiting, finished } = state.changes;
  const { start: present } = currentPeriod(state);
  if (waiting !== null) expect(waiting.effectiveAt.getTime()).toBeGreaterThan(present.getTime());
  expect(new Set(finished.map(({ id }) => id)).size).toBe(finished.length);
  for (const { status, effectiveAt, notBefore, createdAt } of finished) {
    if (status !== 'APPLIED' || notBefore === undefined) continue;
    expect(effectiveAt.getTime()).toBeGreaterThanOrEqual(notBefore.getTime());
    const index = periodIndexAt(state, effectiveAt);
    expect(periodOf(state, index).start).toEqual(effectiveAt);
    const before = index === 0 ? createdAt : periodOf(state, index - 1).start;
    expect(before < notBefore || before <= createdAt).toBe(true);
  }
}

/** Checks the events and commands of the end. */
function expectEndKept({ state, events, commands, billed, applied }: Life): void {
  const isCanceled = state.status === 'CANCELED';
  const isAbandoned = state.cancelReason === 'PAYMENT_FAILED';
  const last = events.at(-1);
  // A cancellation at period end leaves the customer the whole period.
  if (isCanceled && state.cancelAtPeriodEnd) {
    expect(state.endedAt).toEqual(currentPeriod(state).end);
  }
  if (isCanceled && last?.type === 'subscription.canceled') {
    const { subscription: announced, payment } = last.data;
    expect(payment !== null).toBe(isAbandoned);
    expect(announced.cancelReason).toBe(state.cancelReason);
    const rest = announced.openInvoices.filter(
      ({ periodIndex }) =>
        isAbandoned || state.cancelAtPeriodEnd || periodIndex !== announced.periodIndex,
    );
    const ordered = commands.flatMap(({ type, payload }) =>
      type === 'endCollection' ? [payload] : [],
    );
    const invoiceIds = rest.map(({ invoiceId }) => invoiceId);
    const wanted = rest.length === 0 ? [] : [invoiceIds];
    expect(ordered.map((payload) => payload.invoiceIds)).toEqual(wanted);
    expect(ordered.every(({ writeOff }) => writeOff === isAbandoned)).toBe(true);
  }
  const released = commands.filter(({ type }) => type === 'releaseRedemption').length;
  const isFreed = isCanceled && state.discount !== null && state.endedBeforeStart;
  expect(released).toBe(isFreed ? 1 : 0);
  if (!isCanceled) {
    expect([...applied.values()].flat()).not.toContain('UNCOLLECTIBLE');
  }
  const closes = commands.filter(({ type }) => type === 'close').length;
  const isClosed = isCanceled && !isAbandoned && !state.cancelAtPeriodEnd && billed.length > 0;
  expect(closes).toBe(isClosed ? 1 : 0);
}

/**
 * Checks that each result was applied once and in order, and each charge announced unless the
 * subscription had ended.
 */
function expectResultsInOrder({ applied, events, state }: Life, drawn: Setting): void {
  for (const [periodIndex, outcomes] of applied) {
    expect(outcomes).toEqual(scriptOf(drawn, periodIndex).slice(0, outcomes.length));
    const announced = events.flatMap(({ type, data }) =>
      type !== 'subscription.canceled' && 'payment' in data && data.payment.invoice === periodIndex
        ? [type]
        : [],
    );
    const wanted = outcomes.flatMap((outcome) => {
      if (outcome === 'FAILED') return ['subscription.payment_failed'];
      return outcome === 'SUCCEEDED' ? ['subscription.payment_succeeded'] : [];
    });
    expect(announced).toEqual(
      state.status === 'CANCELED' ? wanted.slice(0, announced.length) : wanted,
    );
  }
}

/** Checks that the trial was warned of at most once, and not while the subscription was to end. */
function expectWarningsKept({ events }: Life): void {
  const warned = events.filter(({ type }) => type === 'subscription.trial_ending');
  expect(warned.length).toBeLessThanOrEqual(1);
  for (const { data } of warned) {
    expect(data.subscription).toMatchObject({ phase: 'TRIAL', cancelAtPeriodEnd: false });
  }
}

/**
 * A consumer of the events alone knows the status at every moment: only `updated` and `canceled`
 * change it.
 */
function expectStatusAnnounced({ events }: Life): void {
  let status = 'ACTIVE';
  for (const { type, data } of events) {
    if (type === 'subscription.updated') {
      expect(data.before.status).toBe(status);
      expect(data.subscription).not.toEqual(data.before);
    }
    if (type === 'subscription.updated' || type === 'subscription.canceled') {
      status = data.subscription.status;
    }
    expect(data.subscription.status).toBe(status);
  }
}

describe('the life of a subscription', () => {
  test('keeps its rules in any order of time, callers and results', () => {
    fc.assert(
      fc.property(setting, (drawn) => {
        const life = new Life(drawn);
        expectRulesKept(life);
        for (const one of drawn.steps) {
          life.take(one);
          expectRulesKept(life);
        }
        life.collectEverything();
        expectRulesKept(life);
        expectResultsInOrder(life, drawn);
        expectStatusAnnounced(life);
        expectWarningsKept(life);
        expect(life.state.openInvoices).toEqual([]);
        expect(life.state.latestInvoice?.periodIndex).toBe(life.billed.at(-1));
        expect(life.state.status).not.toBe('PAST_DUE');
      }),
      { numRuns: 100 },
    );
  });

  test('leaves no gap and no overlap between its periods', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('DAILY', 'WEEKLY', 'MONTHLY', 'QUARTERLY', 'YEARLY'),
        fc.date({ min: day('01-01'), max: day('12-31'), noInvalidDate: true }),
        fc.integer({ min: 1, max: 24 }),
        (billingInterval, now, renewals) => {
          const price = aPrice({ billingInterval });
          let { state } = aNewSubscription(anInput(), aCreation({ price, ...at(now) }));
          for (let n = 0; n < renewals; n += 1) {
            const { end } = periodOf(state, n);
            state = takeDueStep(state, at(end)).state;
            expect(state.periodIndex).toBe(n + 1);
            expect(periodOf(state, n + 1).start).toEqual(end);
          }
        },
      ),
      { numRuns: 100 },
    );
  });
});
