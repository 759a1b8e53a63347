import { unchanged } from '@billing/kernel/transition';
import { payNow, recordResult } from './collection';
import { declined } from './decline';
import { contradictedPayment, settleLate } from './late-payment';
import { aClaim, anOpened, savedMethod, shown } from './testing';

const now = new Date('2026-01-05T12:00:00.000Z');
const facts = { claimedAt: now, methods: { methodId: undefined }, retryDays: [3, 7, 14] };
const outcome = declined('card_declined', 'pi_1');
const attempt = { attemptNumber: 1, paymentId: 'payment', outcome, now, ...facts };
const failed = shown(recordResult(anOpened({}, savedMethod), attempt).state);

test('a success after a recorded failure settles the invoice and tells the subscription', () => {
  expect(contradictedPayment(failed, 'pi_1')).toMatchObject({ number: 1, status: 'FAILED' });
  const { state, commands } = settleLate(failed, { number: 1, now });
  expect(shown(state)).toMatchObject({
    status: 'PAID',
    paidAt: now,
    collectAt: undefined,
    lastPaymentError: undefined,
    payments: [{ status: 'SUCCEEDED', failureCode: undefined }],
  });
  expect(commands).toMatchObject([
    { payload: { resultNumber: 2, outcome: 'SUCCEEDED', attempt: 1 } },
  ]);
  expect(settleLate(state, { number: 1, now })).toEqual(unchanged(state));
  expect(contradictedPayment(state, 'pi_1')).toBeUndefined();
});

test('an invoice that is void, or being paid, stays as it is', () => {
  const voided = { ...failed, status: 'VOID' as const };
  expect(settleLate(voided, { number: 1, now })).toEqual(unchanged(voided));
  const presence = { callId: undefined, returnUrl: undefined, methods: { methodId: undefined } };
  const claim = aClaim({ source: savedMethod, now });
  const paying = payNow(failed, { ...claim, ...presence }).state;
  expect(settleLate(paying, { number: 1, now })).toEqual(unchanged(paying));
});
