import { DomainError } from '@billing/kernel/domain-error';
import type { SubscriptionEvent } from '../subscription/announcement';
import type { BillingCommand } from '../subscription/command';
import type { Subscription } from '../subscription/subscription';
import type { SubscriptionTransition } from '../subscription/transition';
import { aPrice, aSubscription, at, day, invoiceIdOf } from '../testing/fixtures';
import { aChangeRequest } from '../testing/change-request';
import { requestChange } from './apply-change';
import { cancel } from './cancellation';
import { applyCollectionResult, type CollectionOutcome } from './collection';
import { takeDueStep } from './due-steps';

// An upgrade that is being paid, the payment's result and the step that comes in between run in
// every order. Each turn is one decision on the current document. Commands run in their order, and
// a refused one is repeated; a result can arrive at any time after its payment.

const [periodEnd, changedAt] = [day('02-28'), day('02-14')];

/** Steps that come before the result of a payment, and the time at which they happen. */
const steps = {
  'a renewal': { at: periodEnd, take: (state: Subscription) => takeDueStep(state, at(periodEnd)) },
  'a cancellation': {
    at: changedAt,
    take: (state: Subscription) => cancel(state, { atPeriodEnd: false, ...at(changedAt) }),
  },
  'the end of dunning': {
    at: changedAt,
    take: (state: Subscription) =>
      applyCollectionResult(state, resultOf(invoiceIdOf(0), 'UNCOLLECTIBLE'), at(changedAt)),
  },
  'the end of a flagged subscription': {
    at: periodEnd,
    take: (state: Subscription) =>
      takeDueStep({ ...state, cancelAtPeriodEnd: true }, at(periodEnd)),
  },
};

type Turn = 'COMMAND' | 'PAY' | 'RESULT' | 'STEP';
const turns: readonly Turn[] = ['COMMAND', 'PAY', 'RESULT', 'STEP'];

/** The subscription, and checkout's invoice of the change. */
class World {
  state: Subscription;
  now = changedAt;
  invoice: 'NONE' | 'PENDING' | 'PAID' | 'VOID' = 'NONE';
  isCredited = false;
  isReported = false;
  hasStepped = false;
  readonly events: SubscriptionEvent[] = [];
  private readonly outbox: BillingCommand[] = [];
  private wasVoided = false;

  constructor(
    private readonly step: (typeof steps)[keyof typeof steps],
    private readonly outcome: 'SUCCEEDED' | 'FAILED',
  ) {
    this.state = { ...subscription(), ...(step === steps['the end of dunning'] && unpaid) };
    this.keep(requestChange(this.state, upgrade(), { now: changedAt }));
  }

  /** False if the turn cannot be taken now. */
  take(turn: Turn): boolean {
    switch (turn) {
      case 'COMMAND':
        return this.runCommand();
      case 'PAY':
        if (this.invoice !== 'PENDING') return false;
        this.invoice = this.outcome === 'SUCCEEDED' ? 'PAID' : 'VOID';
        return true;
      case 'RESULT':
        return this.report();
      case 'STEP':
        if (this.hasStepped) return false;
        this.hasStepped = true;
        this.now = this.step.at;
        this.keep(this.step.take(this.state));
        return true;
    }
  }

  get change() {
    const { paying, finished } = this.state.changes;
    return paying ?? finished.at(-1);
  }

  // The invoice's only result; one that was voided without a payment has none.
  private report(): boolean {
    const isDecided = this.invoice === 'PAID' || this.invoice === 'VOID';
    if (!isDecided || this.isReported || this.wasVoided) return false;
    this.isReported = true;
    const result = resultOf('invoice-of-change', this.outcome);
    this.keep(applyCollectionResult(this.state, result, at(this.now)));
    return true;
  }

  private runCommand(): boolean {
    const [command] = this.outbox;
    if (command === undefined) return false;
    if (command.type === 'invoiceChange' && this.change?.status === 'PAYING') {
      this.invoice = 'PENDING';
    }
    if (command.type === 'undoChange') {
      if (this.invoice === 'PENDING') return false;
      this.wasVoided = this.invoice === 'NONE';
      if (this.invoice === 'NONE') this.invoice = 'VOID';
      this.isCredited = this.invoice === 'PAID';
    }
    this.outbox.shift();
    return true;
  }

  private keep({ state, events, commands }: SubscriptionTransition): void {
    this.state = state;
    this.events.push(...events);
    this.outbox.push(...commands);
  }
}

const unpaid = {
  openInvoices: [
    {
      invoiceId: invoiceIdOf(0),
      periodIndex: 0,
      lastResult: 0,
      isPastDue: false,
      isSettling: false,
    },
  ],
};

function resultOf(invoiceId: string, outcome: CollectionOutcome) {
  const payment = { invoice: invoiceId, attempt: 1, nextAttemptAt: null };
  return {
    ...{ invoiceId, outcome, payment, resultNumber: 1 },
    collectionMethod: 'CHARGE_AUTOMATICALLY' as const,
    failure: { code: 'card_declined', message: 'Declined' },
  };
}

function subscription(): Subscription {
  return {
    ...aSubscription({ quantity: 1 }, { price: aPrice({ type: 'PER_UNIT', amount: 1000n }) }),
    openInvoices: [],
    latestInvoice: { id: invoiceIdOf(0), periodIndex: 0 },
  };
}

function upgrade() {
  const recurring = { lineItemId: 'line', amount: 1000n, discountAmount: 0n };
  const line = { lineItemId: 'line', itemId: 'item', priced: 1000n, total: 1000n, left: 1000n };
  const invoice = { invoiceId: invoiceIdOf(0), status: 'PAID' as const, lines: [line], recurring };
  return aChangeRequest({ facts: { periodIndex: 0, invoices: [invoice] } });
}

/** Every order of turns, each until nothing is left to do; calls `check` with the end of each. */
function inEveryOrder(begin: () => World, check: (world: World, path: readonly Turn[]) => void) {
  const explore = (path: readonly Turn[]): number => {
    const ways = turns.filter((turn) => replay(begin, path).take(turn));
    if (ways.length > 0) {
      return ways.map((turn) => explore([...path, turn])).reduce((sum, paths) => sum + paths, 0);
    }
    check(replay(begin, path), path);
    return 1;
  };
  return explore([]);
}

function replay(begin: () => World, path: readonly Turn[]): World {
  const world = begin();
  for (const turn of path) world.take(turn);
  return world;
}

describe.each(Object.entries(steps))('a change that is being paid, and %s', (_name, step) => {
  test.each(['SUCCEEDED', 'FAILED'] as const)(
    'have one outcome in every order where the payment has %s',
    (outcome) => {
      const ends = new Set<string>();
      const paths = inEveryOrder(
        () => new World(step, outcome),
        ({ change, invoice, isCredited, state, events }, path) => {
          const { status, failure } = change ?? {};
          const isFirst = path.indexOf('STEP') < path.indexOf('RESULT') || !path.includes('RESULT');
          ends.add(`${String(status)} ${invoice}${isCredited ? ' credited' : ''}`);
          expect(state.changes.paying).toBeNull();
          expect(status === 'APPLIED').toBe(!isFirst && outcome === 'SUCCEEDED');
          expect(isCredited).toBe(status === 'FAILED' && invoice === 'PAID');
          if (status === 'FAILED' && isFirst) expect(failure?.code).toBe('superseded');
          const charged = events.filter(({ type }) => type.startsWith('subscription.payment_'));
          expect(charged).toHaveLength(isFirst ? 0 : 1);
          expect(state.items[0].quantity).toBe(status === 'APPLIED' ? 3 : 1);
        },
      );
      expect(paths).toBeGreaterThan(5);
      expect([...ends].sort()).toEqual(
        outcome === 'SUCCEEDED'
          ? ['APPLIED PAID', 'FAILED PAID credited', 'FAILED VOID']
          : ['FAILED VOID'],
      );
    },
  );

  test('the step is taken at once', () => {
    const world = new World(step, 'SUCCEEDED');
    expect(() => world.take('STEP')).not.toThrow(DomainError);
    const { state, change } = world;
    expect(state.status === 'CANCELED' || state.periodIndex === 1).toBe(true);
    expect(change).toMatchObject({ status: 'FAILED', failure: { code: 'superseded' } });
  });
});

test('a result that arrives after the period has ended finds the change superseded', () => {
  const { state } = requestChange(subscription(), upgrade(), { now: changedAt });
  const late = new Date(periodEnd.getTime() + 1);
  const after = applyCollectionResult(state, resultOf('invoice-of-change', 'SUCCEEDED'), at(late));
  expect(after.state.periodIndex).toBe(1);
  expect(after.state.changes.finished).toMatchObject([{ status: 'FAILED' }]);
  expect(after.events.map(({ type }) => type)).toEqual(['subscription.renewed']);
  expect(after.commands.map(({ type }) => type)).toEqual([
    'billPeriod',
    'undoChange',
    'recordChanges',
  ]);
  const onTime = applyCollectionResult(
    state,
    resultOf('invoice-of-change', 'SUCCEEDED'),
    at(periodEnd),
  );
  expect(onTime.state.changes.finished).toMatchObject([{ status: 'APPLIED' }]);
});
