import fc from 'fast-check';
import {
  applyCode,
  codeRedemptionOf,
  countWrongCode,
  nextCodeRound,
  refuseRound,
  removeCode,
  removesCode,
  takesCode,
} from './discount-code';
import { redemptionOf } from './session-ending';
import { expire, recordPayment, type Session, type SessionRecord, startPayment } from './session';
import { aReadySession, asSession, methodId, offeredAt } from '../testing/session';

const discountId = '0197a000-0000-7000-8000-0000000000d1';
const ofCode = { discountId, discount: '{"name":"Half"}', total: 1450n, now: offeredAt };
const open = aReadySession({ allowsCodes: true });

function applied(session: SessionRecord = open): Session {
  const round = nextCodeRound(asSession(session));
  const ids = { holderId: `holder ${String(round)}`, invoiceId: `invoice ${String(round)}` };
  return asSession(applyCode(session, { ...ofCode, ...ids, round }).state);
}

function removed(session: Session): Session {
  const round = nextCodeRound(session);
  const plain = { round, total: 2900n, invoiceId: `invoice ${String(round)}` };
  return asSession(removeCode(session, plain).state);
}

const payment = {
  ...{ paymentKey: 'key', paymentMethodId: methodId, returnUrl: '' },
  ...{ claimedAt: offeredAt, now: offeredAt },
};
const paying = asSession(startPayment(open, payment).state);
const waiting = { kind: 'WAITING', attempt: 1, redirectUrl: undefined } as const;
const challenged = asSession(recordPayment(paying, { paymentKey: 'key', result: waiting }).state);

const paid = (invoiceId: string) =>
  ({ kind: 'PAID', invoiceId, paidAt: offeredAt, invoice: {} }) as const;

describe('a session takes a code', () => {
  const tries = { round: 0, replacements: 0, held: undefined, replacedInvoiceId: undefined };
  test.each<[string, SessionRecord, boolean]>([
    ['while it is open and allows codes', open, true],
    ['not unless it allows codes', aReadySession(), false],
    ['not with a discount', aReadySession({ allowsCodes: true, discountId }), false],
    ['not while a payment runs', paying, false],
    ['not while a challenge waits', challenged, false],
    ['not after its end', expire(open).state, false],
    ['not as a tombstone', { id: open.id, isTombstone: true }, false],
    ['after 9 wrong codes', { ...open, codes: { ...tries, wrong: 9 } }, true],
    ['not after 10 wrong codes', { ...open, codes: { ...tries, wrong: 10 } }, false],
    [
      'not after 5 replacements',
      { ...open, codes: { ...tries, wrong: 0, replacements: 5 } },
      false,
    ],
  ])('%s', (_name, session, isTaken) => {
    expect(takesCode(session)).toBe(isTaken);
    expect(countWrongCode(session).state !== session).toBe(isTaken);
  });
});

test('a code replaces the invoice, and orders what follows from it', () => {
  const { invoiceId } = open;
  const code = { ...ofCode, round: 1, holderId: 'holder', invoiceId: 'other' };
  const { state, commands } = applyCode(open, code);
  expect(state).toMatchObject({
    ...{ phase: 'READY', discountId, invoiceId: 'other', total: 1450n },
    snapshots: { discount: ofCode.discount },
    codes: { round: 1, replacements: 1, held: { round: 1 }, replacedInvoiceId: invoiceId },
  });
  expect(commands).toEqual([
    { type: 'createInvoice', payload: {} },
    { type: 'voidReplaced', payload: { invoiceId } },
  ]);
  expect([takesCode(state), removesCode(state)]).toEqual([false, true]);
});

test('a late payment of the invoice that a code has replaced does not complete the session', () => {
  const session = applied();
  const record = (invoiceId: string) =>
    recordPayment(session, { paymentKey: '', result: paid(invoiceId) }).state;
  expect(record(open.invoiceId)).toBe(session);
  expect(record(session.invoiceId)).toMatchObject({ phase: 'COMPLETE' });
});

test('a removed code gives its redemption back, and the full price', () => {
  const session = applied();
  const { state, commands } = removeCode(session, { round: 2, total: 2900n, invoiceId: 'third' });
  expect(state).toMatchObject({ discountId: undefined, invoiceId: 'third', total: 2900n });
  expect(asSession(state).snapshots.discount).toBeUndefined();
  expect(commands.at(-1)).toEqual({
    type: 'releaseCode',
    payload: { discountId, holderId: 'holder 1' },
  });
});

test('a code on a session of a link holds a redemption for half an hour', () => {
  const ofLink = aReadySession({ allowsCodes: true, checkoutLinkId: 'link' });
  expect(applied(ofLink).expiresAt.getTime() - offeredAt.getTime()).toBe(30 * 60 * 1000);
  expect(applied().expiresAt).toEqual(open.expiresAt);
});

test('a session of a link has its own expiry again once the code is removed', () => {
  const ofLink = aReadySession({ allowsCodes: true, checkoutLinkId: 'link' });
  expect(removed(applied(removed(applied(ofLink)))).expiresAt).toEqual(ofLink.expiresAt);
});

test('one of two codes decides a round', () => {
  const code = { ...ofCode, round: 1, holderId: 'first', invoiceId: 'first' };
  const first = applyCode(open, code).state;
  expect(applyCode(first, { ...code, holderId: 'second' }).state).toBe(first);
  const again = removed(asSession(first));
  // A call of the first round that is still in flight.
  expect(applyCode(again, { ...code, holderId: 'second' }).state).toBe(again);
});

describe('the redemption of a code', () => {
  const code = { discountId, round: 1 };
  const { invoiceId } = applied();
  const complete = recordPayment(applied(), { paymentKey: '', result: paid(invoiceId) }).state;
  test.each<[string, SessionRecord, ReturnType<typeof codeRedemptionOf>]>([
    ['is not decided before its round', open, undefined],
    ['is released once its round is refused', refuseRound(open, 1).state, 'RELEASED'],
    ['is held by an open session', applied(), 'HELD'],
    ['is confirmed by a paid one', complete, 'CONFIRMED'],
    ['is released by an expired one', expire(applied()).state, 'RELEASED'],
    ['is released once the code is removed', removed(applied()), 'RELEASED'],
    ['is released once another round has it', applied(removed(applied())), 'RELEASED'],
    ['is released where the session ended before', expire(open).state, 'RELEASED'],
  ])('%s', (_name, session, state) => {
    expect(codeRedemptionOf(session, code)).toBe(state);
    // Never that of the session itself.
    expect(redemptionOf(session, discountId)).toBe('RELEASED');
  });

  test('a refused round takes no code any more', () => {
    const refused = refuseRound(open, 1).state;
    const late = { ...ofCode, round: 1, holderId: 'late', invoiceId: 'late' };
    expect(applyCode(refused, late).state).toBe(refused);
    expect(nextCodeRound(asSession(refused))).toBe(2);
  });
});

test('at any time at most one redemption of a session is in use, and every other is decided', () => {
  const step = fc.constantFrom('apply', 'remove', 'refuse', 'wrong', 'pay', 'fail', 'expire');
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      let session: SessionRecord = open;
      const reserved = new Set<number>();
      for (const next of steps) {
        const round = nextCodeRound(asSession(session));
        const ids = { holderId: `holder ${String(round)}`, invoiceId: `invoice ${String(round)}` };
        if (next === 'apply') {
          reserved.add(round);
          session = applyCode(session, { ...ofCode, ...ids, round }).state;
        }
        if (next === 'remove') session = removeCode(session, { ...ids, round, total: 2900n }).state;
        if (next === 'refuse') session = refuseRound(session, round).state;
        if (next === 'wrong') session = countWrongCode(session).state;
        if (next === 'pay') session = startPayment(session, payment).state;
        if (next === 'expire') session = expire(session).state;
        if (next === 'fail') {
          const result = { kind: 'FAILED', failureCode: 'card_declined', at: offeredAt } as const;
          session = recordPayment(session, { paymentKey: 'key', result }).state;
        }
        const current = asSession(session);
        const states = [...reserved].map((one) =>
          codeRedemptionOf(current, { discountId, round: one }),
        );
        const inUse = states.filter((state) => state === 'HELD' || state === 'CONFIRMED').length;
        const { phase, codes } = current;
        expect(inUse).toBe(phase !== 'EXPIRED' && codes?.held !== undefined ? 1 : 0);
        expect(current.discountId !== undefined).toBe(codes?.held !== undefined);
        expect(current.total).toBe(codes?.held === undefined ? 2900n : 1450n);
      }
    }),
  );
});
