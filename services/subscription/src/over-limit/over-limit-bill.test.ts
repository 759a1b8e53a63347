import fc from 'fast-check';
import { recordBill } from '../billing/bill';
import { cancel } from '../lifecycle/cancellation';
import { changeFields } from '../lifecycle/change';
import { applyCollectionResult } from '../lifecycle/collection';
import { dueStep, takeDueStep } from '../lifecycle/due-steps';
import { periodOf } from '../subscription/billing-cycle';
import type { Subscription } from '../subscription/subscription';
import { aPrice, aSubscription, at, day, invoiceIdOf } from '../testing/fixtures';
import { type Settlement, settlementBefore } from '../usage/settlement';
import { attemptKey, nextSettlement } from '../usage/settlement-attempt';
import {
  closeOverLimitBills,
  isAlarming,
  type OwedBill,
  owedBill,
  recordOverLimitBill,
  retriedWithChange,
} from './over-limit-bill';

const hour = (date: Date, hours: number) => new Date(date.getTime() + hours * 3_600_000);
const closing = { voidedInvoiceId: null };

/** In its second period, whose bill is over the limit. */
const entered = takeDueStep(aSubscription(), at(day('02-28'))).state;
const waiting = fail(entered, 1, day('02-28'));

function fail(subscription: Subscription, bill: number, now: Date): Subscription {
  const { key, through, tries } = nextSettlement(subscription.usage, settlementBefore(bill));
  return recordOverLimitBill(subscription, {
    bill,
    settled: [{ key, through, tries }],
    closing: null,
    now,
  });
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

describe('a bill over the largest invoice amount', () => {
  test('is retried every day, the last time when no event can be accepted any more', () => {
    const tried: Date[] = [];
    let subscription = waiting;
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

  test('does not keep a period from beginning, and is retried with the bill of that period', () => {
    const { state, commands } = takeDueStep(
      {
        ...waiting,
        usage: {
          ...waiting.usage,
          overLimit: { ...waiting.usage.overLimit!, retryAt: day('03-31') },
        },
      },
      at(day('03-31')),
    );
    expect(state.periodIndex).toBe(2);
    expect(types(commands)).toEqual(['billPeriod']);
    expect(dueStep(state)).toEqual({ at: day('04-01'), kind: 'BILL_AGAIN' });
  });

  test('is retried with a change, at most twenty times between two daily retries', () => {
    const change = (subscription: Subscription, count: number) =>
      retriedWithChange(
        subscription,
        changeFields(
          subscription,
          { metadata: { count } },
          { metadataProblems: [], ...at(hour(day('02-28'), 1)) },
        ),
      );
    let subscription = waiting;
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

  test('is not retried when a change changes nothing', () => {
    const nothing = changeFields(waiting, {}, { metadataProblems: [], ...at(day('02-28')) });
    expect(retriedWithChange(waiting, nothing)).toBe(nothing);
  });

  test('raises an alarm the first time, and a duplicate attempt records nothing', () => {
    expect(isAlarming(entered, waiting)).toBe(true);
    const settled = [{ key: 'period:0', through: 0, tries: 1 }];
    const repeat = { bill: 1, settled, closing: null, now: day('02-28') };
    expect(recordOverLimitBill(waiting, repeat)).toEqual(waiting);
    expect(isAlarming(waiting, fail(waiting, 1, day('03-01')))).toBe(false);
    expect(
      isAlarming(waiting, fail(recordBill(waiting, 1, { refunds: [] }), 2, day('03-31'))),
    ).toBe(true);
  });

  test('is no longer recorded as over the limit once it was created, even after a slower attempt', () => {
    const made = recordBill(waiting, 1, { refunds: [] });
    expect(made.usage).toMatchObject({ overLimit: null, lastBill: 1 });
    expect(fail(made, 1, day('03-01'))).toBe(made);
  });
});

describe('the next retry', () => {
  const in4th = { ...waiting, periodIndex: 3 };
  const ended: Subscription = {
    ...in4th,
    status: 'CANCELED',
    phase: 'ENDED',
    endedAt: day('05-10'),
  };
  const closed = closeOverLimitBills(ended, closing);
  const after = (subscription: Subscription, bill: number) =>
    recordBill(subscription, bill, { refunds: [] });
  const period = (periodIndex: number): OwedBill => ({ kind: 'PERIOD', periodIndex });

  test.each<[string, Subscription, OwedBill | undefined]>([
    ['is nothing where no bill waits', entered, undefined],
    ['is the bill that came to too much', in4th, period(1)],
    ['is the one after it', after(in4th, 1), period(2)],
    ['is nothing after the last', after(after(after(in4th, 1), 2), 3), undefined],
    ['is the same after the end', closed, period(1)],
    ['is the end instead of the period that did not end', after(after(closed, 1), 2), end()],
    ['is not the end before that was ordered', after(after(ended, 1), 2), undefined],
    ['is nothing once the end is billed', after(closed, 4), undefined],
    ['is what came late', fail(after(ended, 4), 5, day('12-31')), { kind: 'LATE', round: 1 }],
  ])('%s', (_name, subscription, owed) => {
    expect(owedBill(subscription)).toEqual(owed);
  });

  function end(): OwedBill {
    return { kind: 'END', closing };
  }
});

describe('the end of a subscription with bills over the limit', () => {
  const later = reach(waiting, day('03-31'));

  test('leaves alone the invoices that are still to be created', () => {
    const { commands } = endedAt(later, day('04-01'));
    // Ending the collection of period 1's invoice would take its id.
    expect(commands).toEqual([
      { type: 'endCollection', payload: { invoiceIds: [invoiceIdOf(0)], writeOff: false } },
      {
        type: 'close',
        payload: { invoiceId: invoiceIdOf(2), periodIndex: 2, isOwed: true },
      },
    ]);
  });

  test('abandons no invoice for non-payment that is still to be created', () => {
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

  test("owes a period completely when it comes after the period's last instant", () => {
    const { state, commands } = endedAt(later, periodOf(later, 2).end);
    expect(types(commands).at(-1)).toBe('billEnd');
    expect(owedBill(closeOverLimitBills(recordBill(state, 1, { refunds: [] }), closing))).toEqual({
      kind: 'PERIOD',
      periodIndex: 2,
    });
  });
});

describe('the settlements of attempts', () => {
  const key = ({ usage }: Subscription, settlement: Settlement) =>
    attemptKey(nextSettlement(usage, settlement));

  test('are new ones that name all settlements without a bill', () => {
    const twice = fail(waiting, 1, day('03-01'));
    expect(nextSettlement(twice.usage, settlementBefore(1))).toMatchObject({
      unbilledKeys: ['period:0', 'period:0/2'],
    });
    expect(key(twice, settlementBefore(1))).toBe('period:0/3');
    const made = recordBill(twice, 1, { refunds: [] });
    expect(nextSettlement(made.usage, settlementBefore(2)).unbilledKeys).toEqual([
      'period:0',
      'period:0/2',
    ]);
    expect(key(made, settlementBefore(2))).toBe('period:1');
  });

  test('are removed when no later settlement is about their periods', () => {
    let subscription: Subscription = { ...waiting, periodIndex: 4 };
    for (const bill of [1, 2, 3]) subscription = recordBill(subscription, bill, { refunds: [] });
    // The subscription may still end within period 3.
    expect(subscription.usage.unbilled).toHaveLength(1);
    expect(recordBill(subscription, 4, { refunds: [] }).usage.unbilled).toEqual([]);
    const daily = aSubscription({}, { price: aPrice({ billingInterval: 'DAILY' }) });
    const kept = recordBill({ ...fail(daily, 1, day('02-01')), periodIndex: 36 }, 36, {
      refunds: [],
    });
    expect(kept.usage.unbilled).toHaveLength(1);
  });

  test('are limited to the number that metering accepts', () => {
    const settled = [{ key: 'period:0', through: 0, tries: 1000 }];
    const full = recordOverLimitBill(entered, {
      bill: 1,
      settled,
      closing: null,
      now: day('02-28'),
    });
    expect(key(full, settlementBefore(1))).toBe('period:0/1000');
    expect(nextSettlement(full.usage, settlementBefore(1)).unbilledKeys).toHaveLength(1000);
  });
});

test('bills that fit or do not, in any order, are each created once and in order, from a settlement of their own', () => {
  const tries = fc.array(fc.tuple(fc.boolean(), fc.boolean()), { maxLength: 60 });
  fc.assert(
    fc.property(tries, (steps) => {
      let subscription = aSubscription();
      const used = new Set<string>();
      const made: number[] = [];
      const attempt = (bill: number, isFitting: boolean) => {
        const next = nextSettlement(subscription.usage, settlementBefore(bill));
        expect(used).not.toContain(attemptKey(next));
        expect([...used]).toEqual(expect.arrayContaining([...next.unbilledKeys]));
        used.add(attemptKey(next));
        const now = periodOf(subscription, subscription.periodIndex ?? 0).start;
        subscription = isFitting
          ? recordBill(subscription, bill, { refunds: [] })
          : fail(subscription, bill, now);
        if (isFitting) made.push(bill);
      };
      for (const [isEntering, isFitting] of steps) {
        const periodIndex = (subscription.periodIndex ?? 0) + 1;
        if (isEntering) subscription = { ...subscription, periodIndex };
        if (isEntering && subscription.usage.overLimit === null) attempt(periodIndex, isFitting);
        const owed = owedBill(subscription);
        if (owed?.kind === 'PERIOD') attempt(owed.periodIndex, isFitting);
      }
      const last = subscription.periodIndex ?? 0;
      const first = subscription.usage.overLimit?.bill ?? last + 1;
      expect(made).toEqual(Array.from({ length: first - 1 }, (_, index) => index + 1));
    }),
    { numRuns: 300 },
  );
});
