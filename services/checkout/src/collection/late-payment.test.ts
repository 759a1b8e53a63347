import { unchanged } from '@billing/kernel/transition';
import type { Claim } from '../invoice/attempt';
import { openAndCollect, payNow, recordResult } from '../invoice/collection';
import { declined } from '../provider/port/decline';
import { refundableOf } from '../invoice/refundable';
import { amountPaid, type InvoiceRecord } from '../invoice/invoice';
import { contradictedPayment, settleLate } from './late-payment';
import type { MethodChoice } from '../invoice/method-choice';
import { aClaim, aDraft, anOpened, savedMethod, asInvoice } from '../testing/invoice';

const now = new Date('2026-01-05T12:00:00.000Z');
const methods = { methodId: undefined };
const facts = { claimedAt: now, methods, provider: 'sandbox', retryDays: [3, 7, 14] };
const outcome = declined('card_declined', 'pi_1');
const attempt = { attemptNumber: 1, paymentId: 'payment', outcome, now, ...facts };
const failed = asInvoice(recordResult(anOpened({}, savedMethod), attempt).state);

test('a success after a recorded failure settles the invoice and is reported to the subscription', () => {
  expect(contradictedPayment(failed, 'pi_1')).toMatchObject({ number: 1, status: 'FAILED' });
  const { state, commands } = settleLate(failed, { number: 1, methods, now });
  expect(asInvoice(state)).toMatchObject({
    status: 'PAID',
    paidAt: now,
    collectAt: undefined,
    lastPaymentError: undefined,
    payments: [{ status: 'SUCCEEDED', failureCode: undefined }],
  });
  expect(commands).toMatchObject([
    { payload: { resultNumber: 2, outcome: 'SUCCEEDED', attempt: 1 } },
  ]);
  expect(settleLate(state, { number: 1, methods, now })).toEqual(unchanged(state));
  expect(contradictedPayment(state, 'pi_1')).toBeUndefined();
});

describe('the method of a payment that succeeds late', () => {
  const later = new Date('2026-01-07T12:00:00.000Z');
  const authorization = { kind: 'AUTHORIZATION', authorizedTransactionId: 'txn_1' } as const;
  const presence = { callId: 'call', returnUrl: undefined, methods };
  const lateUse = (record: InvoiceRecord, choice: MethodChoice = methods) => {
    const { commands } = settleLate(record, { number: 1, methods: choice, now: later });
    return commands.find(({ type }) => type === 'preferMethod')?.payload;
  };
  const failedWith = (claim: Partial<Claim>) => {
    const paying = openAndCollect(aDraft(), { number: 'INV-000001', ...aClaim(claim) }).state;
    return recordResult(paying, attempt).state;
  };

  test("is kept like a payer's method, dated at the recorded failure", () => {
    const claim = aClaim({ source: authorization, now, claimedAt: now });
    const paying = payNow(anOpened(), { ...claim, ...presence }).state;
    expect(lateUse(recordResult(paying, attempt).state)).toEqual({
      source: authorization,
      usedAt: now,
      savedAt: now,
      keptAs: 'DEFAULT',
      subscriptionId: anOpened().subscriptionId,
      replaces: true,
    });
  });

  test('becomes the default if a success of the schedule would have made it the default', () => {
    const given = failedWith({ source: savedMethod, becomesDefault: true });
    expect(lateUse(given)).toMatchObject({ source: savedMethod, keptAs: 'GIVEN' });
    expect(lateUse(failedWith({ source: savedMethod }))).toBeUndefined();
  });

  test('is not kept if the payment was stored without its source', () => {
    const record = asInvoice(failedWith({ source: savedMethod, becomesDefault: true }));
    const payments = record.payments.map((payment) => ({ ...payment, charged: undefined }));
    expect(lateUse({ ...record, payments })).toBeUndefined();
  });
});

describe.each([
  ['PAID in another way', { ...failed, status: 'PAID', paidAt: now, collectAt: undefined }],
  ['VOID', { ...failed, status: 'VOID', collectAt: undefined }],
] as const)('on an invoice that is %s', (_case, ended) => {
  test('all of a late success goes to the balance, and nothing else changes', () => {
    const later = new Date(now.getTime() + 1);
    const { state, events, commands } = settleLate(ended, { number: 1, methods, now: later });
    expect(state).toEqual({
      ...ended,
      payments: [
        {
          ...failed.payments[0],
          ...{ status: 'SUCCEEDED', failureCode: undefined, decline: undefined },
          ...{ overpayment: 2900n, endedAt: later },
        },
      ],
    });
    expect([events, commands]).toEqual([
      [],
      [{ type: 'creditOverpayment', payload: { paymentId: 'payment' } }],
    ]);
    expect(amountPaid(asInvoice(state))).toBe(0n);
    expect(refundableOf(asInvoice(state).payments[0]!, asInvoice(state))).toBe(0n);
    expect(settleLate(state, { number: 1, methods, now })).toEqual(unchanged(state));
  });
});

test('the invoice of a session stays as it is if its total has become higher than the payment', () => {
  const paidPeriod = { kind: 'NONE' } as const;
  const session = { sessionId: 'session', subscriptionId: undefined, paidPeriod };
  const payments = failed.payments.map((each) => ({ ...each, amount: each.amount - 1n }));
  const part = { ...failed, session, payments };
  expect(settleLate(part, { number: 1, methods, now })).toEqual(unchanged(part));
  const { state } = settleLate({ ...failed, session }, { number: 1, methods, now });
  expect(asInvoice(state).status).toBe('PAID');
});

test('an invoice that is being paid stays as it is', () => {
  const presence = { callId: undefined, returnUrl: undefined, methods: { methodId: undefined } };
  const claim = aClaim({ source: savedMethod, now });
  const paying = payNow(failed, { ...claim, ...presence }).state;
  expect(settleLate(paying, { number: 1, methods, now })).toEqual(unchanged(paying));
});
