import { recordBill } from '../billing/bill';
import { createdInvoices } from '../lifecycle/ending';
import { parkedFor } from '../parking/parking';
import { dueStep, takeDueStep } from '../lifecycle/due-steps';
import { endCycle } from '../subscription/billing-cycle';
import { isEntitled } from '../subscription/entitlement';
import { subscriptionDefinition } from '../subscription-document';
import { aSubscription, at, day } from '../testing/fixtures';
import {
  billCycleEnds,
  findCycleEndBill,
  mayHaveUsage,
  oweCycleEnd,
  withCycleEndBill,
} from './cycle-end-bill';
import { settlementAtCycleEnd } from './settlement';
import { withUnbilled } from './settlement-attempt';

const metered = aSubscription({}, { meterPriceSet: 1 });
const cut = {
  ...endCycle(metered, day('02-14')),
  phase: 'PAUSED' as const,
  pausedAt: day('02-14'),
};
const bill = { periodIndex: 0, invoiceId: 'usage-0', discount: null };
const owing = oweCycleEnd(cut, bill);

describe('the bill of the end of a cycle', () => {
  test.each([
    ['with meter prices', metered, true],
    ['without meter prices', aSubscription(), false],
    [
      'whose meter prices are not known',
      takeDueStep(aSubscription(), at(day('02-28'))).state,
      true,
    ],
  ])('may be owed for a period %s', (_name, subscription, expected) => {
    expect(mayHaveUsage(subscription)).toBe(expected);
  });

  test('is ordered once', () => {
    expect(billCycleEnds(cut, owing)).toEqual([
      { type: 'billCycleEnd', payload: { periodIndex: 0 } },
    ]);
    expect(billCycleEnds(owing, owing)).toEqual([]);
  });

  test('has an open invoice that an end does not void before it is billed', () => {
    expect(owing.openInvoices.map(({ invoiceId }) => invoiceId)).toContain('usage-0');
    const voidable = (subscription: typeof owing) =>
      createdInvoices(subscription).map(({ invoiceId }) => invoiceId);
    expect(voidable(owing)).not.toContain('usage-0');
    expect(voidable(withCycleEndBill(owing, 0, { isBilled: true }))).toContain('usage-0');
  });

  test('takes no access away while its invoice is unpaid', () => {
    const paid = { ...cut, openInvoices: [], phase: 'REGULAR' as const, pausedAt: null };
    const next = { ...oweCycleEnd(paid, bill), periodIndex: 1 };
    expect(isEntitled(next, { createdAt: day('01-31') })).toBe(true);
  });

  test('over the limit is retried, and has operators look at the subscription', () => {
    const attempt = { ...settlementAtCycleEnd(0), tries: 1 };
    const retryAt = day('02-15');
    const waiting = withCycleEndBill(withUnbilled(owing, [attempt]), 0, { retryAt });
    expect(parkedFor(owing)).toBeNull();
    expect(parkedFor(waiting)).toBe('USAGE_TOO_LARGE');
    expect(dueStep(waiting)).toEqual({ at: retryAt, kind: 'BILL_AGAIN' });
    const retried = takeDueStep(waiting, at(retryAt));
    expect(retried.commands).toEqual(billCycleEnds(cut, owing));
    expect(findCycleEndBill(retried.state, 0)).toMatchObject({ retryAt: day('02-16') });
    const billed = withCycleEndBill(waiting, 0, { isBilled: true, retryAt: null });
    expect(parkedFor(billed)).toBeNull();
    expect(dueStep(billed)).toBeUndefined();
  });

  test('is kept while late usage may follow', () => {
    const billed = withCycleEndBill(owing, 0, { isBilled: true });
    const next = { ...billed, periodIndex: 1, cycles: [] };
    const kept = (until: typeof next, periodIndex: number) =>
      oweCycleEnd({ ...until, periodIndex }, { ...bill, periodIndex }).cycleEndBills;
    expect(kept(next, 1)).toHaveLength(2);
    expect(kept(next, 3)).toHaveLength(1);
  });

  test.each([
    ['a later bill of its time has made up for it', 1, true],
    ['later bills do not reach its usage', 4, false],
  ])('is not owed any more once %s', (_name, later, expected) => {
    const lived = { ...owing, cycles: [], periodIndex: later };
    const after = recordBill(lived, later, {});
    expect(findCycleEndBill(after, 0)?.isBilled).toBe(expected);
    const isOpen = after.openInvoices.some(({ invoiceId }) => invoiceId === 'usage-0');
    expect(isOpen).toBe(!expected);
  });

  test('is stored', () => {
    const stored = subscriptionDefinition.toDocument(owing) as object;
    expect(subscriptionDefinition.fromDocument({ _id: owing.id, ...stored })).toEqual(owing);
  });
});
