import { endEarlier } from './session-ending';
import { recordPayment, type Session, sessionTombstone, startPayment } from './session';
import {
  aReadySession,
  aSession,
  asSession,
  methodId,
  offeredAt,
  sessionId,
} from '../testing/session';

const checkoutLinkId = '0197a000-0000-7000-8000-00000000000c';
const discountId = '0197a000-0000-7000-8000-00000000000d';
const ordered = { checkoutLinkId, discountId };
const paymentKey = 'first';
const { invoiceId } = aReadySession(ordered);
const paid = { kind: 'PAID', invoiceId, paidAt: offeredAt, invoice: 'as it was paid' } as const;

function paying(): Session {
  const payment = { paymentKey, paymentMethodId: methodId, returnUrl: 'https://pay.example' };
  const start = { ...payment, claimedAt: offeredAt, now: offeredAt };
  return asSession(startPayment(aReadySession(ordered), start).state);
}

function after(result: Parameters<typeof recordPayment>[1]['result']): Session {
  return asSession(recordPayment(paying(), { paymentKey, result }).state);
}

test("a visitor's earlier session of the link ends and gives its redemption back", () => {
  const { state, commands } = endEarlier(aReadySession(ordered), checkoutLinkId);
  expect(asSession(state).phase).toBe('EXPIRED');
  expect(commands.map(({ type }) => type)).toEqual(['voidInvoice', 'releaseRedemption']);
});

test('an earlier session whose payment failed also ends', () => {
  const failed = after({ kind: 'FAILED', failureCode: 'card_declined', at: offeredAt });
  expect(asSession(endEarlier(failed, checkoutLinkId).state).phase).toBe('EXPIRED');
});

test.each([
  ['that is being made', aSession(ordered)],
  ['that is being paid', paying()],
  [
    'whose payer is asked to confirm',
    after({ kind: 'WAITING', attempt: 1, redirectUrl: undefined }),
  ],
  ['that is paid', after(paid)],
  ['of another link', aReadySession({ ...ordered, checkoutLinkId: discountId })],
  ['of no link', aReadySession({ discountId })],
  ['that holds no redemption', aReadySession({ checkoutLinkId })],
  ['that is a tombstone', sessionTombstone(sessionId).state],
])('a session %s stays as it is', (_case, record) => {
  expect(endEarlier(record, checkoutLinkId)).toEqual({ state: record, events: [], commands: [] });
});

test('a call without a link ends nothing', () => {
  const record = aReadySession({ discountId });
  expect(endEarlier(record, undefined).state).toBe(record);
});
