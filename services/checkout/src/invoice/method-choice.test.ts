import fc from 'fast-check';
import { hasNoChargeableMethod, nextMethod, nextRetry, type TriedPayment } from './method-choice';

function failure(payment: Partial<TriedPayment> = {}): TriedPayment {
  return { methodId: 'own', decline: 'SOFT', origin: 'COLLECTION', retry: 1, ...payment };
}

const choice = { methodId: 'own', otherMethodIds: ['default', 'newest'] };

describe('a retry', () => {
  test.each([
    ['at first the own method', [failure({ retry: 0 })], 'own'],
    ['then the default', [failure()], 'default'],
    ['then the newest', [failure(), failure({ methodId: 'default' })], 'newest'],
    ['no method that was permanently refused', [failure({ retry: 0, decline: 'HARD' })], 'default'],
    ['a method that only a payer tried at that time', [failure({ origin: 'PAYER' })], 'own'],
  ])('charges %s', (_case, payments, methodId) => {
    expect(nextMethod(choice, { payments, retry: 1 })).toEqual({ methodId });
  });

  test('has failed once each method has failed', () => {
    const payments = ['own', 'default', 'newest'].map((methodId) => failure({ methodId }));
    expect(nextMethod(choice, { payments, retry: 1 })).toBeUndefined();
    expect(nextMethod(choice, { payments, retry: 2 })).toEqual({ methodId: 'own' });
  });

  test('of a customer without a method is one attempt without one', () => {
    const none = { methodId: undefined };
    expect(nextMethod(none, { payments: [], retry: 1 })).toEqual(none);
    const payments = [failure({ methodId: undefined })];
    expect(nextMethod(none, { payments, retry: 1 })).toBeUndefined();
    expect(hasNoChargeableMethod(payments, none)).toBe(false);
  });
});

test('retries are counted from the latest one, regardless of other payments in between', () => {
  const ofPayer = failure({ origin: 'PAYER', retry: undefined });
  expect(nextRetry([])).toBe(0);
  expect(nextRetry([failure({ retry: 0 }), ofPayer])).toBe(1);
  expect(nextRetry([failure({ retry: 0 }), failure(), failure(), ofPayer])).toBe(2);
});

const methodIds = ['a', 'b', 'c', 'd'];
const anyMethod = fc.constantFrom(...methodIds);
const anyPayment = fc.record({
  methodId: anyMethod,
  decline: fc.constantFrom('SOFT' as const, 'HARD' as const),
  origin: fc.constantFrom('COLLECTION' as const, 'PAYER' as const),
  retry: fc.constantFrom(0, 1, 2),
});

test('a retry tries each remaining method exactly once and ends', () => {
  fc.assert(
    fc.property(
      fc.array(anyPayment, { maxLength: 12 }),
      fc.subarray(methodIds, { minLength: 1 }),
      fc.array(fc.constantFrom('SOFT' as const, 'HARD' as const), { minLength: 4, maxLength: 4 }),
      (before, [methodId, ...otherMethodIds], declines) => {
        const customer = { methodId, otherMethodIds };
        const retry = nextRetry(before);
        const payments: TriedPayment[] = [...before];
        const tried: (string | undefined)[] = [];
        for (const decline of [...declines, 'SOFT' as const]) {
          const next = nextMethod(customer, { payments, retry });
          if (next === undefined) break;
          tried.push(next.methodId);
          payments.push({ ...next, decline, origin: 'COLLECTION', retry });
        }
        const allowed = [methodId, ...otherMethodIds].filter(
          (id) => !hasNoChargeableMethod(before, { methodId: id }),
        );
        expect(tried).toEqual(allowed);
        expect(nextMethod(customer, { payments, retry })).toBeUndefined();
      },
    ),
  );
});
