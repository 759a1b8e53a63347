import fc from 'fast-check';
import { cancel } from './cancellation';
import { changeFields } from './change';
import { applyCollectionResult } from './collection';
import {
  closeHeld,
  holdBill,
  isAlarming,
  keyOfTry,
  nextTry,
  type OwedBill,
  owedBill,
  triedWith,
} from './held-bill';
import { dueStep, takeDueStep } from './renewals';
import { periodOf, type Subscription } from './subscription';
import { aPrice, aSubscription, at, day, invoiceIdOf } from './testing';
import { noteBill } from './usage-bill';
import { type Settlement, settlementBefore } from './usage-settlement';

const hour = (date: Date, hours: number) => new Date(date.getTime() + hours * 3_600_000);
const closing = { voidedInvoiceId: null };

/** In its second period, whose bill came to too much. */
const entered = takeDueStep(aSubscription(), at(day('02-28'))).state;
const held = fail(entered, 1, day('02-28'));

function fail(subscription: Subscription, bill: number, now: Date): Subscription {
  const { key, through, tries } = nextTry(subscription.usage, settlementBefore(bill));
  return holdBill(subscription, { bill, settled: [{ key, through, tries }], closing: null, now });
}

function reach(subscription: Subscription, until: Date): Subscription {
  let reached = subscription;
  for (let step = dueStep(reached); step !== undefined && step.at <= until; step = dueStep(reached))
    reached = takeDueStep(reached, at(step.at)).state;
  return reached;
}

const endedAt = (subscription: Subscription, now: Date) =>
  cancel(subscription, { atPeriodEnd: false, ...at(now) });

const types = (commands: readonly { readonly type: string }[]) => commands.map(({ type }) => type);

describe('a bill that came to too much', () => {
  test('is tried again every day, and for the last time when no event can come any more', () => {
    const tried: Date[] = [];
    let subscription = held;
    for (;;) {
      const step = dueStep({ ...subscription, periodIndex: 30 });
      if (step?.kind !== 'BILL_AGAIN') break;
      tried.push(step.at);
      const { state, commands } = takeDueStep({ ...subscription, periodIndex: 30 }, at(step.at));
      expect(types(commands)).toEqual(['billOwed']);
      subscription = fail({ ...state, periodIndex: 1 }, 1, step.at);
    }
    expect(tried).toHaveLength(36);
    expect([tried[0], tried.at(-1)]).toEqual([day('03-01'), day('04-05')]);
  });

  test('keeps no period from beginning, and is tried with the bill of that', () => {
    const { state, commands } = takeDueStep(
      { ...held, usage: { ...held.usage, held: { ...held.usage.held!, retryAt: day('03-31') } } },
      at(day('03-31')),
    );
    expect(state.periodIndex).toBe(2);
    expect(types(commands)).toEqual(['billPeriod']);
    expect(dueStep(state)).toEqual({ at: day('04-01'), kind: 'BILL_AGAIN' });
  });

  test('is tried with a change, but no more than twenty times between two days', () => {
    const change = (subscription: Subscription, count: number) =>
      triedWith(
        subscription,
        changeFields(
          subscription,
          { metadata: { count } },
          { metadataProblems: [], ...at(hour(day('02-28'), 1)) },
        ),
      );
    let subscription = held;
    const ordered: string[][] = [];
    for (let count = 1; count <= 22; count += 1) {
      const { state, commands } = change(subscription, count);
      subscription = state;
      ordered.push(types(commands));
    }
    expect(ordered).toEqual([...Array<string[]>(20).fill(['billOwed']), [], []]);
    const { state } = takeDueStep(subscription, at(day('03-01')));
    expect(types(change(state, 0).commands)).toEqual(['billOwed']);
  });

  test('is not tried where a change changes nothing', () => {
    const nothing = changeFields(held, {}, { metadataProblems: [], ...at(day('02-28')) });
    expect(triedWith(held, nothing)).toBe(nothing);
  });

  test('alarms the first time, and a repeat of a try notes nothing', () => {
    expect(isAlarming(entered, held)).toBe(true);
    const settled = [{ key: 'period:0', through: 0, tries: 1 }];
    const repeat = { bill: 1, settled, closing: null, now: day('02-28') };
    expect(holdBill(held, repeat)).toEqual(held);
    expect(isAlarming(held, fail(held, 1, day('03-01')))).toBe(false);
    expect(isAlarming(held, fail(noteBill(held, 1, { refunds: [] }), 2, day('03-31')))).toBe(true);
  });

  test('is not held any more once it was made, not even by a try that was slower', () => {
    const made = noteBill(held, 1, { refunds: [] });
    expect(made.usage).toMatchObject({ held: null, lastBill: 1 });
    expect(fail(made, 1, day('03-01'))).toBe(made);
  });
});

describe('what is tried next', () => {
  const in4th = { ...held, periodIndex: 3 };
  const ended: Subscription = {
    ...in4th,
    status: 'CANCELED',
    phase: 'ENDED',
    endedAt: day('05-10'),
  };
  const closed = closeHeld(ended, closing);
  const after = (subscription: Subscription, bill: number) =>
    noteBill(subscription, bill, { refunds: [] });
  const period = (periodIndex: number): OwedBill => ({ kind: 'PERIOD', periodIndex });

  test.each<[string, Subscription, OwedBill | undefined]>([
    ['is nothing where nothing is held', entered, undefined],
    ['is the bill that came to too much', in4th, period(1)],
    ['is the one after it', after(in4th, 1), period(2)],
    ['is nothing after the last', after(after(after(in4th, 1), 2), 3), undefined],
    ['is the same after the end', closed, period(1)],
    ['is the end instead of the period that did not end', after(after(closed, 1), 2), end()],
    ['is not the end before that was ordered', after(after(ended, 1), 2), undefined],
    ['is nothing once the end is billed', after(closed, 4), undefined],
    ['is what came late', fail(after(ended, 4), 5, day('12-31')), { kind: 'LATE' }],
  ])('%s', (_name, subscription, owed) => {
    expect(owedBill(subscription)).toEqual(owed);
  });

  function end(): OwedBill {
    return { kind: 'END', closing };
  }
});

describe('the end of a subscription whose bills are held', () => {
  const later = reach(held, day('03-31'));

  test('leaves the invoices alone that are still to be made', () => {
    const { commands } = endedAt(later, day('04-01'));
    // Whoever ended the collection of period 1's would take its place.
    expect(commands).toEqual([
      { type: 'endCollection', payload: { invoiceIds: [invoiceIdOf(0)], writeOff: false } },
      {
        type: 'close',
        payload: { invoiceId: invoiceIdOf(2), periodIndex: 2, isOwed: true },
      },
    ]);
  });

  test('gives up no invoice for want of payment that is still to be made', () => {
    const unpaid = {
      invoiceId: invoiceIdOf(0),
      resultNumber: 1,
      outcome: 'UNCOLLECTIBLE',
      collectionMethod: 'CHARGE_AUTOMATICALLY',
      payment: { invoice: null, attempt: 4, nextAttemptAt: null },
    } as const;
    const { commands } = applyCollectionResult(later, unpaid, at(day('04-01')));
    expect(commands.filter(({ type }) => type === 'endCollection')).toEqual([
      { type: 'endCollection', payload: { invoiceIds: [invoiceIdOf(2)], writeOff: true } },
    ]);
  });

  test('owes all of a period that had its last instant', () => {
    const { state, commands } = endedAt(later, periodOf(later, 2).end);
    expect(types(commands).at(-1)).toBe('billEnd');
    expect(owedBill(closeHeld(noteBill(state, 1, { refunds: [] }), closing))).toEqual({
      kind: 'PERIOD',
      periodIndex: 2,
    });
  });
});

describe('the settlements of tries', () => {
  const key = ({ usage }: Subscription, settlement: Settlement) =>
    keyOfTry(nextTry(usage, settlement));

  test('are new ones that know of all that nobody billed', () => {
    const twice = fail(held, 1, day('03-01'));
    expect(nextTry(twice.usage, settlementBefore(1))).toMatchObject({
      unbilledKeys: ['period:0', 'period:0/2'],
    });
    expect(key(twice, settlementBefore(1))).toBe('period:0/3');
    const made = noteBill(twice, 1, { refunds: [] });
    expect(nextTry(made.usage, settlementBefore(2)).unbilledKeys).toEqual([
      'period:0',
      'period:0/2',
    ]);
    expect(key(made, settlementBefore(2))).toBe('period:1');
  });

  test('are forgotten when no later one is about their periods', () => {
    let subscription: Subscription = { ...held, periodIndex: 4 };
    for (const bill of [1, 2, 3]) subscription = noteBill(subscription, bill, { refunds: [] });
    // An end within period 3 may still be.
    expect(subscription.usage.unbilled).toHaveLength(1);
    expect(noteBill(subscription, 4, { refunds: [] }).usage.unbilled).toEqual([]);
    const daily = aSubscription({}, { price: aPrice({ billingInterval: 'DAILY' }) });
    const kept = noteBill({ ...fail(daily, 1, day('02-01')), periodIndex: 36 }, 36, {
      refunds: [],
    });
    expect(kept.usage.unbilled).toHaveLength(1);
  });

  test('are as many as metering takes', () => {
    const settled = [{ key: 'period:0', through: 0, tries: 1000 }];
    const full = holdBill(entered, { bill: 1, settled, closing: null, now: day('02-28') });
    expect(key(full, settlementBefore(1))).toBe('period:0/1000');
    expect(nextTry(full.usage, settlementBefore(1)).unbilledKeys).toHaveLength(1000);
  });
});

test('in whatever order bills fit or do not, each is made once and in order, by a settlement of its own', () => {
  const tries = fc.array(fc.tuple(fc.boolean(), fc.boolean()), { maxLength: 60 });
  fc.assert(
    fc.property(tries, (steps) => {
      let subscription = aSubscription();
      const used = new Set<string>();
      const made: number[] = [];
      const attempt = (bill: number, isFitting: boolean) => {
        const next = nextTry(subscription.usage, settlementBefore(bill));
        expect(used).not.toContain(keyOfTry(next));
        expect([...used]).toEqual(expect.arrayContaining([...next.unbilledKeys]));
        used.add(keyOfTry(next));
        const now = periodOf(subscription, subscription.periodIndex ?? 0).start;
        subscription = isFitting
          ? noteBill(subscription, bill, { refunds: [] })
          : fail(subscription, bill, now);
        if (isFitting) made.push(bill);
      };
      for (const [isEntering, isFitting] of steps) {
        const periodIndex = (subscription.periodIndex ?? 0) + 1;
        if (isEntering) subscription = { ...subscription, periodIndex };
        if (isEntering && subscription.usage.held === null) attempt(periodIndex, isFitting);
        const owed = owedBill(subscription);
        if (owed?.kind === 'PERIOD') attempt(owed.periodIndex, isFitting);
      }
      const last = subscription.periodIndex ?? 0;
      const first = subscription.usage.held?.bill ?? last + 1;
      expect(made).toEqual(Array.from({ length: first - 1 }, (_, index) => index + 1));
    }),
    { numRuns: 300 },
  );
});
