import { unchanged } from '@billing/kernel/transition';
import { startPayment } from './session';
import { resumeUnfinished } from './session-ending';
import { aReadySession, asSession, methodId, offeredAt } from '../testing/session';

const claimedAt = new Date('2031-07-01T00:00:00.000Z');
const after = (ms: number) => new Date(claimedAt.getTime() + ms);
const start = { paymentKey: 'key', paymentMethodId: methodId, returnUrl: '' };
const paying = startPayment(aReadySession(), { ...start, claimedAt, now: offeredAt }).state;

test('a payment is resumed after 30 seconds, by the first worker that writes', () => {
  const { state } = resumeUnfinished(paying, after(30_000));

  expect(asSession(state)).toEqual({ ...paying, payment: { ...start, claimedAt: after(30_000) } });
  expect(resumeUnfinished(state, after(30_000))).toEqual(unchanged(state));
  expect(asSession(resumeUnfinished(state, after(60_000)).state).payment?.claimedAt).toEqual(
    after(60_000),
  );
});

test('a running payment is left to its worker', () => {
  expect(resumeUnfinished(paying, after(29_999))).toEqual(unchanged(paying));
});
