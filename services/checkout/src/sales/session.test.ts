import {
  abandon,
  abandonUnanswered,
  asksForCard,
  createSession,
  expire,
  expireWhenDue,
  expiryOf,
  isAbandoned,
  isPastExpiry,
  isSettled,
  makeReady,
  type PaymentResult,
  recordPayment,
  refuseSession,
  resumeChallenge,
  type Session,
  type SessionPhase,
  type SessionRecord,
  sessionResumeAt,
  sessionTombstone,
  startPayment,
  resumeCreation,
} from './session';
import { recordDelivered, recordVoided, redemptionOf } from './session-ending';
import {
  aNewSession,
  aReadySession,
  aSession,
  asSession,
  methodId,
  offeredAt,
} from '../testing/session';

const discountId = '0197a000-0000-7000-8000-00000000000d';
const claimedAt = new Date('2026-01-01T09:00:00.000Z');
const plan = { paymentKey: 'first', paymentMethodId: methodId, returnUrl: 'https://pay.example' };
const challenge = { attempt: 1, redirectUrl: undefined };
const { invoiceId } = aReadySession();
const paid: PaymentResult = {
  kind: 'PAID',
  invoiceId,
  paidAt: claimedAt,
  invoice: 'as it was paid',
};

const expiresAt = new Date('2026-01-02T00:00:00.000Z');
const before = new Date(expiresAt.getTime() - 1);
const after = new Date(expiresAt.getTime() + 1);

function paying(session: SessionRecord = aReadySession(), now = offeredAt): Session {
  return asSession(startPayment(session, { ...plan, claimedAt, now }).state);
}

function waiting(session: SessionRecord = paying()): Session {
  const result: PaymentResult = { kind: 'WAITING', ...challenge };
  return asSession(recordPayment(session, { paymentKey: 'first', result }).state);
}

function completed(session: SessionRecord = paying()): Session {
  return asSession(recordPayment(session, { paymentKey: 'first', result: paid }).state);
}

const expired = (): Session => asSession(expire(aReadySession()).state);

const inPhase: Readonly<Record<SessionPhase, () => Session>> = {
  CREATING: aSession,
  READY: aReadySession,
  PAYING: paying,
  COMPLETE: completed,
  EXPIRED: expired,
};
const phases = Object.keys(inPhase) as SessionPhase[];
const not = (...left: SessionPhase[]) => phases.filter((phase) => !left.includes(phase));

const typesOf = ({ commands }: { commands: readonly { type: string }[] }) =>
  commands.map(({ type }) => type);

describe('creating a session', () => {
  test('requests its invoice, and expires a day later', () => {
    const transition = createSession(aNewSession(), offeredAt);
    expect(typesOf(transition)).toEqual(['createInvoice']);
    expect(transition.state).toMatchObject({ phase: 'READY', expiresAt, total: 2900n });
  });

  test('reserves its discount before the invoice is created on the terms', () => {
    const input = aNewSession({ discountId, total: undefined });
    const transition = createSession(input, offeredAt);
    expect(typesOf(transition)).toEqual(['reserveRedemption', 'createInvoice']);
    expect(transition.state).toMatchObject({ phase: 'CREATING', total: undefined });
    const { state } = makeReady(transition.state, { total: 1450n, discount: 'terms' });
    expect(state).toMatchObject({
      phase: 'READY',
      total: 1450n,
      snapshots: { discount: 'terms' },
    });
    expect(makeReady(state, { total: 1n, discount: 'other' }).state).toBe(state);
  });

  test('with a refusal ends it, voids its invoice, and gives the redemption back', () => {
    const transition = refuseSession(aSession({ discountId }), 'DISCOUNT_NOT_VALID');
    expect(transition.state).toMatchObject({ phase: 'EXPIRED', refusal: 'DISCOUNT_NOT_VALID' });
    expect(typesOf(transition)).toEqual(['voidInvoice', 'releaseRedemption']);
  });

  test('past its deadline abandons it, unless a retry resumes it', () => {
    const session = aSession();
    const { abandonAt } = session;
    const tooEarly = new Date(abandonAt.getTime() - 1);
    expect(sessionResumeAt(session)).toEqual(abandonAt);
    expect(abandon(session, tooEarly).state).toBe(session);
    expect(abandon(session, abandonAt).state).toMatchObject({
      phase: 'EXPIRED',
      refusal: 'ABANDONED',
    });
    const later = new Date(abandonAt.getTime() + 1);
    const taken = resumeCreation(session, later).state;
    expect(abandon(taken, abandonAt).state).toBe(taken);
    expect(resumeCreation(taken, abandonAt).state).toBe(taken);
  });

  test.each(not('CREATING'))('with a late step leaves a session that is %s unchanged', (phase) => {
    const session = inPhase[phase]();
    const late = new Date('2030-01-01T00:00:00.000Z');
    for (const { state } of [
      makeReady(session, { total: 1n, discount: 'other' }),
      refuseSession(session, 'DISCOUNT_NOT_VALID'),
      abandon(session, late),
    ]) {
      expect(state).toBe(session);
    }
  });

  test.each(['CREATING', 'READY'] as const)(
    'with an error for the caller ends a %s session, unless a retry has resumed it',
    (phase) => {
      const session = asSession(inPhase[phase]());
      const { abandonAt } = session;
      const later = new Date(abandonAt.getTime() + 1);
      const transition = abandonUnanswered(session, abandonAt);
      expect(transition.state).toMatchObject({ phase: 'EXPIRED', refusal: 'ABANDONED' });
      expect(typesOf(transition)).toContain('voidInvoice');
      expect(isAbandoned(transition.state)).toBe(true);
      const taken = resumeCreation(session, later).state;
      expect(abandonUnanswered(taken, abandonAt).state).toBe(taken);
      expect(abandonUnanswered(taken, later).state).toMatchObject({ phase: 'EXPIRED' });
    },
  );

  test.each(not('CREATING', 'READY'))(
    'a second time neither resumes nor abandons a %s session',
    (phase) => {
      const session = inPhase[phase]();
      const late = new Date('2030-01-01T00:00:00.000Z');
      expect(resumeCreation(session, late).state).toBe(session);
      expect(abandonUnanswered(session, asSession(session).abandonAt).state).toBe(session);
    },
  );
});

describe('paying', () => {
  test('claims the session with the method and the key of the payment', () => {
    expect(paying()).toMatchObject({ phase: 'PAYING', payment: { ...plan, claimedAt } });
    expect(sessionResumeAt(paying())).toEqual(new Date('2026-01-01T09:00:30.000Z'));
    expect(expiryOf(paying())).toBeUndefined();
  });

  test.each(not('READY'))('claims no session that is %s', (phase) => {
    const session = inPhase[phase]();
    expect(startPayment(session, { ...plan, claimedAt, now: offeredAt }).state).toBe(session);
  });

  test.each([
    [before, 'PAYING'],
    [expiresAt, 'PAYING'],
    [after, 'EXPIRED'],
  ] as const)('at %s leads to %s', (now, phase) => {
    expect(paying(aReadySession(), now).phase).toBe(phase);
  });

  test('a session that has expired with a waiting challenge is left to its worker', () => {
    const session = waiting();
    expect(isPastExpiry(session, after)).toBe(true);
    expect(paying(session, after)).toBe(session);
  });

  test('a failure leaves the session open with the reason', () => {
    const result: PaymentResult = { kind: 'FAILED', failureCode: 'card_declined', at: offeredAt };
    const { state } = recordPayment(paying(), { paymentKey: 'first', result });
    expect(state).toMatchObject({
      phase: 'READY',
      payment: undefined,
      lastPaymentError: { code: 'card_declined', at: offeredAt },
    });
    expect(expiryOf(state)).toEqual(expiresAt);
  });

  test('a success completes the session at the time of the payment, clears failures and requests the subscription', () => {
    const session = {
      ...paying(aReadySession({ discountId })),
      lastPaymentError: { code: 'card_declined', at: offeredAt },
    };
    const transition = recordPayment(session, { paymentKey: 'first', result: paid });
    expect(transition.state).toMatchObject({
      phase: 'COMPLETE',
      completedAt: claimedAt,
      lastPaymentError: undefined,
      payment: undefined,
    });
    expect(typesOf(transition)).toEqual(['createSubscription', 'confirmRedemption']);
    expect(isSettled(transition.state)).toBe(false);
    expect(isSettled(recordDelivered(transition.state).state)).toBe(true);
  });

  test('for a one-time purchase creates no subscription, and fixes the currency', () => {
    const session = paying(aReadySession({ subscriptionId: undefined }));
    const transition = recordPayment(session, { paymentKey: 'first', result: paid });
    expect(typesOf(transition)).toEqual(['fixCurrency']);
    expect(isSettled(transition.state)).toBe(true);
  });

  test('an invoice that is void ends the session, which can no longer be paid', () => {
    const result: PaymentResult = { kind: 'NOT_OPEN' };
    expect(recordPayment(paying(), { paymentKey: 'first', result }).state).toMatchObject({
      phase: 'EXPIRED',
    });
  });

  test.each<PaymentResult>([
    { kind: 'FAILED', failureCode: 'card_declined', at: offeredAt },
    { kind: 'WAITING', ...challenge },
    { kind: 'NOT_OPEN' },
  ])('the outcome of another payment changes nothing: $kind', (result) => {
    const session = paying();
    expect(recordPayment(session, { paymentKey: 'other', result }).state).toBe(session);
  });

  test('a paid invoice completes the session, with any payment', () => {
    for (const session of [paying(), waiting(), aReadySession()]) {
      expect(recordPayment(session, { paymentKey: 'other', result: paid }).state).toMatchObject({
        phase: 'COMPLETE',
      });
    }
  });

  test('a session that has ended is never charged', () => {
    expect(() => recordPayment(expired(), { paymentKey: 'first', result: paid })).toThrow(
      'EXPIRED, but its invoice was paid',
    );
    const done = completed();
    expect(recordPayment(done, { paymentKey: 'first', result: paid }).state).toBe(done);
  });

  test.each([
    [{ total: 2900n, trialDays: 0 }, true],
    [{ total: 0n, trialDays: 14 }, true],
    [{ total: 0n, trialDays: 0 }, false],
  ])('a session with %j requires a card: %s', (session, expected) => {
    expect(asksForCard(session)).toBe(expected);
  });
});

describe('a challenge', () => {
  test('waits in a READY session, which its answer claims again', () => {
    const session = waiting();
    expect(session).toMatchObject({ phase: 'READY', challenge: { ...plan, ...challenge } });
    expect(session.payment).toBeUndefined();
    expect(resumeChallenge(session, { attempt: 1, claimedAt }).state).toMatchObject({
      phase: 'PAYING',
      payment: { ...plan, claimedAt },
      challenge: undefined,
    });
  });

  test('ignores an answer to another attempt, or without one', () => {
    for (const session of [waiting(), aReadySession(), paying(), completed(), expired()]) {
      expect(resumeChallenge(session, { attempt: 2, claimedAt }).state).toBe(session);
    }
  });

  test('is replaced by another card', () => {
    const next = { ...plan, paymentKey: 'second', claimedAt, now: offeredAt };
    const state = asSession(startPayment(waiting(), next).state);
    expect(state).toMatchObject({ phase: 'PAYING', challenge: undefined });
    const late: PaymentResult = { kind: 'FAILED', failureCode: 'x', at: offeredAt };
    expect(recordPayment(state, { paymentKey: 'first', result: late }).state).toBe(state);
  });

  test('that still waits changes nothing', () => {
    const session = waiting();
    const result: PaymentResult = { kind: 'WAITING', ...challenge };
    expect(recordPayment(session, { paymentKey: 'first', result }).state).toBe(session);
  });

  test('that fails is recorded without an answer too', () => {
    const result: PaymentResult = { kind: 'FAILED', failureCode: 'x', at: offeredAt };
    expect(recordPayment(waiting(), { paymentKey: 'first', result }).state).toMatchObject({
      phase: 'READY',
      challenge: undefined,
      lastPaymentError: { code: 'x' },
    });
  });
});

describe('the end', () => {
  test('comes at its time, and not before', () => {
    const session = aReadySession();
    expect(expireWhenDue(session, before).state).toBe(session);
    expect(expireWhenDue(session, expiresAt).state).toMatchObject({ phase: 'EXPIRED' });
  });

  test('voids the invoice before the redemption is given back', () => {
    const transition = expire(aReadySession({ discountId }));
    expect(typesOf(transition)).toEqual(['voidInvoice', 'releaseRedemption']);
  });

  test('waits for a running payment and for a challenge', () => {
    for (const session of [paying(), waiting()]) expect(expire(session).state).toBe(session);
  });

  test.each(not('READY'))('leaves a session that is %s unchanged', (phase) => {
    const session = inPhase[phase]();
    expect(expireWhenDue(session, after).state).toBe(session);
  });
});

describe('the redemption of a session', () => {
  test.each([
    ['CREATING', 'HELD'],
    ['READY', 'HELD'],
    ['PAYING', 'HELD'],
    ['COMPLETE', 'CONFIRMED'],
    ['EXPIRED', 'RELEASED'],
  ] as const)('in the phase %s is %s', (phase, expected) => {
    expect(redemptionOf({ ...inPhase[phase](), discountId }, discountId)).toBe(expected);
  });

  test('is released for another discount, and for a tombstone', () => {
    expect(redemptionOf(aSession({ discountId }), 'other')).toBe('RELEASED');
    expect(redemptionOf(sessionTombstone('id').state, discountId)).toBe('RELEASED');
  });

  test('a tombstone waits for nothing and never changes', () => {
    const { state } = sessionTombstone('id');
    expect([expiryOf(state), sessionResumeAt(state), isSettled(state)]).toEqual([
      undefined,
      undefined,
      true,
    ]);
    expect(startPayment(state, { ...plan, claimedAt, now: offeredAt }).state).toBe(state);
    expect(recordPayment(state, { paymentKey: 'first', result: paid }).state).toBe(state);
  });
});

describe('announcing the end of a session', () => {
  test('happens in the write that completes it, with the paid invoice', () => {
    const { events } = recordPayment(paying(), { paymentKey: 'first', result: paid });
    expect(events).toEqual([{ type: 'checkout.completed', data: { invoice: 'as it was paid' } }]);
  });

  test('happens once after it has expired, with the void invoice', () => {
    expect(expire(aReadySession()).events).toEqual([]);
    const { state, events } = recordVoided(expired(), 'as it was voided');
    expect(events).toEqual([{ type: 'checkout.expired', data: { invoice: 'as it was voided' } }]);
    expect(recordVoided(state, 'as it was voided').state).toBe(state);
  });

  test('is omitted for a session that was never offered', () => {
    const refused = refuseSession(aSession(), 'DISCOUNT_NOT_VALID').state;
    expect(recordVoided(refused, 'void')).toMatchObject({
      state: { isDelivered: true },
      events: [],
    });
  });

  test('does not wait for the redemption to be given back', () => {
    const session = asSession(expire(aReadySession({ discountId })).state);
    const { state, events } = recordVoided(session, 'void');
    expect(asSession(state).isDelivered).toBe(false);
    expect(events).toHaveLength(1);
    expect(recordDelivered(state)).toMatchObject({ state: { isDelivered: true }, events: [] });
  });

  test.each(not('EXPIRED'))('leaves a session that is %s unchanged', (phase) => {
    const session = inPhase[phase]();
    expect(recordVoided(session, 'void').state).toBe(session);
  });
});
