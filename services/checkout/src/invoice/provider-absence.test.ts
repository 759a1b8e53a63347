import { unchanged } from '@billing/kernel/transition';
import {
  collectWhenDue,
  collectWithNewDefault,
  isCollecting,
  openAndCollect,
  payNow,
  recordResult,
  voidForCaller,
} from './collection';
import { declined } from '../provider/port/decline';
import type { FinalOutcome } from '../provider/port/payment-provider';
import { resumeCollection } from './provider-absence';
import { aClaim, aDraft, anOpened, savedMethod, asInvoice } from '../testing/invoice';

const now = new Date('2026-01-05T12:00:00.000Z');
const claimedAt = new Date('2031-07-01T00:00:00.000Z');
const number = 'INV-000001';

const succeeded: FinalOutcome = { status: 'SUCCEEDED', providerPaymentId: 'charge' };
const failed: FinalOutcome = declined('card_declined', 'charge');

function finished(outcome: FinalOutcome, attemptNumber = 1) {
  const facts = {
    claimedAt,
    methods: { methodId: undefined },
    provider: 'sandbox',
    retryDays: [3, 7, 14],
  };
  return { attemptNumber, paymentId: 'payment', outcome, now, ...facts };
}

describe('a charge that the provider cannot take', () => {
  const tooSmall = declined('amount_not_supported', undefined);

  test("is not the customer's failure: nothing is due, and the result reports that nothing was charged", () => {
    const { state, commands } = recordResult(anOpened({}, savedMethod), finished(tooSmall));
    expect(asInvoice(state)).toMatchObject({
      status: 'OPEN',
      collectAt: undefined,
      retriesLeft: [],
      firstFailedAt: undefined,
      lastPaymentError: { code: 'amount_not_supported', at: now },
    });
    expect(commands).toMatchObject([{ payload: { resultNumber: 1, outcome: 'NOT_CHARGED' } }]);
  });

  test('changes nothing if a payer tries it', () => {
    const methods = { methodId: undefined };
    const asked = { ...aClaim({ source: savedMethod, now, claimedAt }), methods };
    const presence = { callId: undefined, returnUrl: undefined };
    const paying = payNow(anOpened(), { ...asked, ...presence }).state;
    const { state, commands } = recordResult(paying, finished(tooSmall));
    expect(asInvoice(state).collectAt).toEqual(anOpened().collectAt);
    expect(commands).toEqual([]);
  });

  test('is followed by a decline with the dates of a first failure', () => {
    const resting = recordResult(anOpened({}, savedMethod), finished(tooSmall)).state;
    const methods = { methodId: 'other' };
    const asked = { ...aClaim({ source: savedMethod, now, claimedAt }), methods };
    const paying = payNow(resting, { ...asked, callId: 'call', returnUrl: undefined }).state;
    const { state, commands } = recordResult(paying, { ...finished(failed, 2), methods });
    const dates = ['2026-01-08', '2026-01-12', '2026-01-19'].map(
      (day) => new Date(`${day}T12:00:00.000Z`),
    );
    const { collectAt, retriesLeft, firstFailedAt } = asInvoice(state);
    expect([collectAt, ...retriesLeft]).toEqual(dates);
    expect(firstFailedAt).toEqual(now);
    expect(commands).toMatchObject([{ payload: { outcome: 'FAILED', nextAttemptAt: dates[0] } }]);
  });

  test('ends dunning, and a later decline begins it again', () => {
    const declinedOnce = recordResult(anOpened({}, savedMethod), finished(failed)).state;
    const day3 = asInvoice(declinedOnce).collectAt!;
    const retried = collectWhenDue(
      declinedOnce,
      aClaim({ source: savedMethod, now: day3, claimedAt }),
    ).state;
    const resting = recordResult(retried, { ...finished(tooSmall, 2), now: day3 });
    expect(resting.commands).toMatchObject([{ payload: { outcome: 'NOT_CHARGED' } }]);
    expect(asInvoice(resting.state)).toMatchObject({ collectAt: undefined, retriesLeft: [] });

    const methods = { methodId: undefined };
    const later = new Date('2026-03-01T12:00:00.000Z');
    const asked = { ...aClaim({ source: savedMethod, now: later, claimedAt }), methods };
    const presence = { callId: 'call', returnUrl: undefined };
    const paying = payNow(resting.state, { ...asked, ...presence }).state;
    const { state } = recordResult(paying, { ...finished(failed, 3), now: later });
    expect(asInvoice(state)).toMatchObject({
      status: 'OPEN',
      collectAt: new Date('2026-03-04T12:00:00.000Z'),
      firstFailedAt: now,
    });
  });

  test('does not hide that another method of the same retry was declined', () => {
    const choice = { methodId: 'a', otherMethodIds: ['b'] };
    const charged = { kind: 'METHOD', paymentMethodId: 'a' } as const;
    const facts = (outcome: FinalOutcome, attempt: number, at: Date) => ({
      ...finished(outcome, attempt),
      now: at,
      methods: choice,
    });
    const first = recordResult(anOpened({}, charged), facts(failed, 1, now)).state;
    const day3 = asInvoice(first).collectAt!;
    const retried = collectWhenDue(first, {
      ...aClaim({ source: charged, now: day3, claimedAt }),
      ...choice,
    }).state;
    const second = recordResult(retried, facts(failed, 2, day3)).state;
    expect(asInvoice(second).attempt).toMatchObject({ number: 3, methodId: 'b', retry: 1 });
    const { state, commands } = recordResult(second, facts(tooSmall, 3, day3));
    expect(asInvoice(state).collectAt).toEqual(new Date('2026-01-12T12:00:00.000Z'));
    expect(commands).toMatchObject([{ payload: { outcome: 'FAILED', attempt: 3 } }]);
  });
});

describe('without a payment provider', () => {
  const missing = { ...aClaim({ source: savedMethod, now, claimedAt }), isProviderMissing: true };
  const waiting = asInvoice(openAndCollect(aDraft(), { number, ...missing }).state);
  const presence = { callId: 'call', returnUrl: undefined, methods: { methodId: 'a' } };

  test('nothing is begun, and collection waits', () => {
    expect(waiting).toMatchObject({
      status: 'OPEN',
      attempt: undefined,
      collectAt: undefined,
      awaitsProviderSince: now,
      lastPaymentError: { code: 'no_payment_provider' },
    });
    expect(isCollecting(waiting)).toBe(false);
    const paid = payNow(anOpened(), { ...missing, ...presence });
    expect(asInvoice(paid.state)).toMatchObject({ payments: [], attempt: undefined });
    expect(paid.commands).toEqual([]);
    expect(collectWithNewDefault(waiting, missing)).toEqual(unchanged(waiting));
  });

  test('a retry keeps its later dates and is made once there is a provider', () => {
    const declinedOnce = asInvoice(recordResult(anOpened({}, savedMethod), finished(failed)).state);
    const put = asInvoice(
      collectWhenDue(declinedOnce, { ...missing, now: declinedOnce.collectAt! }).state,
    );
    expect(put).toMatchObject({ collectAt: undefined, retriesLeft: declinedOnce.retriesLeft });
    const later = new Date('2026-01-20T00:00:00.000Z');
    const resumed = asInvoice(resumeCollection(put, aClaim({ now: later })).state);
    expect(resumed).toMatchObject({ collectAt: later, awaitsProviderSince: undefined });
    const { state } = collectWhenDue(resumed, aClaim({ source: savedMethod, now: later }));
    expect(asInvoice(state).attempt).toMatchObject({ number: 2, retry: 1 });
  });

  test('an authorized payment waits and is captured first', () => {
    const source = { kind: 'AUTHORIZATION', authorizedTransactionId: 'pi_1' } as const;
    const authorized = aDraft({ authorizedTransactionId: 'pi_1' });
    const opened = openAndCollect(authorized, { number, ...missing, source }).state;
    expect(asInvoice(opened).authorizedTransactionId).toBe('pi_1');
    const resumed = resumeCollection(opened, aClaim({ now })).state;
    const { state } = collectWhenDue(resumed, aClaim({ source, now, claimedAt }));
    expect(asInvoice(state)).toMatchObject({
      authorizedTransactionId: undefined,
      attempt: { source },
    });
  });

  test('a payment that was authorized for a sent invoice waits, and so does its due date', () => {
    const source = { kind: 'AUTHORIZATION', authorizedTransactionId: 'pi_1' } as const;
    const sent = aDraft({ collectionMethod: 'SEND_INVOICE', authorizedTransactionId: 'pi_1' });
    const opened = asInvoice(openAndCollect(sent, { number, ...missing, source }).state);
    expect(opened).toMatchObject({
      authorizedTransactionId: 'pi_1',
      awaitsProviderSince: now,
      collectAt: opened.dueDate,
      lastPaymentError: { code: 'no_payment_provider' },
    });
    const overdue = collectWhenDue(opened, { ...missing, now: opened.dueDate! });
    expect(overdue.commands).toMatchObject([{ payload: { outcome: 'OVERDUE' } }]);
    expect(asInvoice(overdue.state).authorizedTransactionId).toBe('pi_1');

    const claim = aClaim({ source, now, claimedAt });
    const resumed = asInvoice(resumeCollection(opened, claim).state);
    expect(resumed).toMatchObject({
      attempt: { source, origin: 'COLLECTION', retry: 0 },
      collectAt: opened.dueDate,
    });
    expect(resumed.awaitsProviderSince).toBeUndefined();
    const paying = payNow(opened, { ...claim, ...presence }).state;
    expect(resumeCollection(paying, claim)).toEqual(unchanged(paying));
  });

  test('a void or paid invoice is not resumed', () => {
    const voided = voidForCaller(waiting, now).state;
    expect(asInvoice(voided).awaitsProviderSince).toBeUndefined();
    expect(resumeCollection(voided, aClaim({ now }))).toEqual(unchanged(voided));
  });
});

describe('an uncollectible invoice', () => {
  const givenUp = { ...anOpened(), status: 'UNCOLLECTIBLE' as const, collectAt: undefined };
  const claim = { ...aClaim({ source: savedMethod, now, claimedAt }), methods: { methodId: 'a' } };
  const paying = payNow(givenUp, { ...claim, callId: undefined, returnUrl: undefined }).state;

  test('can be paid, and reports nothing to its ended subscription', () => {
    const { state, commands } = recordResult(paying, finished(succeeded));
    expect(state).toMatchObject({ status: 'PAID', paidAt: now });
    expect(commands.map(({ type }) => type)).toEqual(['preferMethod']);
  });

  test('stays uncollectible if the payment fails', () => {
    const { state, commands } = recordResult(paying, finished(failed));
    expect(asInvoice(state)).toMatchObject({ status: 'UNCOLLECTIBLE', attempt: undefined });
    expect(asInvoice(state).lastPaymentError).toEqual({ code: 'card_declined', at: now });
    expect(commands).toEqual([]);
  });
});
