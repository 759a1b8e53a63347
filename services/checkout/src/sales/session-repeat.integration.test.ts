import type { CallContext } from '@billing/chassis/call-context';
import { systemClock } from '@billing/chassis/clock';
import { newId } from '@billing/chassis/ids';
import { eventually, testContext } from '@billing/chassis/testing';
import {
  type CreateSessionRequest,
  SessionStatus,
} from '@billing/proto/billing/checkout/v1/session';
import { RedemptionState } from '@billing/proto/billing/discount/v1/discount';
import { inParallel } from '../testing/store';
import { type RunningShop, startShop } from '../testing/session-rpc';
import { peerUnavailable } from '../testing/shop-rpc';

const good = '4242424242424242';
// A caller does not know the outcome of the call, with either of these errors or without an answer.
const unanswered = /^(Service unavailable|Timed out)$/;

let shop: RunningShop;
let context: CallContext;

beforeAll(async () => {
  shop = await startShop();
});

beforeEach(() => {
  context = testContext();
});

afterEach(() => {
  shop.peers.before = () => undefined;
});

afterAll(() => shop.stop());

describe('creating a session with a key', () => {
  test('resumes the work of an earlier call, and creates one session', async () => {
    const request = aRequest({ discountId: shop.peers.aDiscount().id });
    shop.peers.before = unavailableFor('reserveRedemption');
    const key = newId();
    await expect(shop.create(within(6_000, key), request)).rejects.toThrow(unanswered);
    shop.peers.before = () => undefined;
    // The key is free again once the first call can no longer be running.
    const { session } = await eventually(() => shop.create(within(10_000, key), request));
    expect(session.discount).toBeDefined();
    const stored = await shop.storedSessions(context);
    expect(stored.filter(({ phase }) => phase !== 'EXPIRED')).toMatchObject([
      { _id: session.id, phase: 'READY' },
    ]);
  });

  test('and getting an error ends the session, and a retry creates another one', async () => {
    const request = aRequest({ discountId: shop.peers.aDiscount().id });
    shop.peers.before = unavailableFor('reserveRedemption');
    const key = newId();
    await expect(shop.create(within(6_000, key), request)).rejects.toThrow(unanswered);
    const [ended] = await eventually(async () => {
      const stored = await shop.storedSessions(context);
      expect(stored).toMatchObject([{ phase: 'EXPIRED', refusal: 'ABANDONED' }]);
      return stored;
    });
    shop.peers.before = () => undefined;
    const { session } = await shop.create(within(25_000, key), request);
    expect(session).toMatchObject({ status: SessionStatus.SESSION_STATUS_OPEN });
    expect(session.id).not.toBe(ended?._id);
    await shop.quiet(context);
    expect(shop.peers.redemptions.get(ended?._id ?? '')).not.toBe('HELD');
    expect(await shop.read(ended?._id ?? '', context)).toMatchObject({
      session: { status: SessionStatus.SESSION_STATUS_EXPIRED },
      invoice: undefined,
    });
    expect(await shop.takenNumbers(context)).toBe(1);
  });

  test('50 times in parallel creates one session', async () => {
    const request = aRequest();
    const key = newId();
    const made = await inParallel(50, () =>
      shop.create(within(25_000, key), request).then(
        ({ session }) => session.id,
        () => undefined,
      ),
    );
    const ids = new Set(made.filter((id) => id !== undefined));
    expect(ids.size).toBe(1);
    expect(await shop.storedSessions(context)).toHaveLength(1);
    expect(await shop.takenNumbers(context)).toBe(1);
  });
});

describe('the state of a redemption', () => {
  const stateOf = async (sessionId: string, discountId: string) =>
    (await shop.sessions.checkSessionRedemption({ sessionId, discountId }, context)).state;

  test('follows the state of the session', async () => {
    const discountId = shop.peers.aDiscount().id;
    const open = (await shop.create(context, { discountId })).session;
    const paid = (await shop.create(context, { discountId })).session;
    await shop.pay(paid, good, context);
    expect(await stateOf(open.id, discountId)).toBe(RedemptionState.REDEMPTION_STATE_HELD);
    expect(await stateOf(paid.id, discountId)).toBe(RedemptionState.REDEMPTION_STATE_CONFIRMED);
    expect(await stateOf(open.id, newId())).toBe(RedemptionState.REDEMPTION_STATE_RELEASED);
    expect(await stateOf('session', discountId)).toBe(RedemptionState.REDEMPTION_STATE_RELEASED);
  });

  test('of an unknown session makes its creation impossible', async () => {
    const id = newId();
    const discountId = newId();
    for (let repeat = 0; repeat < 2; repeat += 1) {
      expect(await stateOf(id, discountId)).toBe(RedemptionState.REDEMPTION_STATE_RELEASED);
    }
    await expect(shop.read(id, context)).rejects.toMatchObject({
      reason: 'CHECKOUT_SESSION_NOT_FOUND',
    });
    const pay = { id, paymentMethodId: newId(), returnUrl: '' };
    await expect(shop.sessions.paySession(pay, context)).rejects.toMatchObject({
      reason: 'CHECKOUT_SESSION_NOT_FOUND',
    });
  });
});

describe('a peer that is unavailable', () => {
  test('does not prevent a payment, and creates the subscription when it returns', async () => {
    const { session } = await shop.create(context);
    shop.peers.before = unavailableFor('createFromCheckout');
    const paymentMethodId = await shop.aMethod(session, good, context);
    const hurried = () => ({ ...context, deadline: new Date(systemClock.now().getTime() + 6_000) });
    const pay = { id: session.id, paymentMethodId, returnUrl: '' };
    // A busy machine may need more than one call.
    const { session: paid } = await eventually(() => shop.sessions.paySession(pay, hurried()));
    expect(paid).toMatchObject({ status: SessionStatus.SESSION_STATUS_COMPLETE });
    expect(shop.peers.subscribed.get(paid?.subscriptionId ?? '')).toBeUndefined();

    shop.peers.before = () => undefined;
    await shop.quiet(context);
    expect(shop.peers.subscribed.get(paid?.subscriptionId ?? '')).toHaveLength(1);
  });

  test('a payer who disconnects has paid once, and gets the purchase', async () => {
    const { session } = await shop.create(context);
    const leaving = new AbortController();
    const paymentMethodId = await shop.aMethod(session, good, context);
    const left = shop.sessions.paySession(
      { id: session.id, paymentMethodId, returnUrl: '' },
      { ...context, signal: leaving.signal },
    );
    shop.peers.before = (call) => {
      if (call !== 'createFromCheckout' || leaving.signal.aborted) return;
      leaving.abort();
      throw peerUnavailable();
    };
    await expect(left).rejects.toThrow('Timed out');
    const { session: paid } = await eventually(async () => {
      const read = await shop.read(session.id, context);
      expect(read.session?.status).toBe(SessionStatus.SESSION_STATUS_COMPLETE);
      return read;
    });
    expect(await shop.charges(session)).toBe(1);
    await shop.quiet(context);
    expect(shop.peers.subscribed.get(paid?.subscriptionId ?? '')).toHaveLength(1);
  });
});

function aRequest(request: Partial<CreateSessionRequest> = {}): Partial<CreateSessionRequest> {
  return { customerId: shop.peers.aCustomer().id, productId: shop.peers.aProduct().id, ...request };
}

/** The same call, with the given time and key. */
function within(deadlineMs: number, key: string): CallContext {
  const deadline = new Date(systemClock.now().getTime() + deadlineMs);
  return { ...context, deadline, idempotency: { key, requestHash: 'the same' } };
}

function unavailableFor(call: string) {
  return (name: string) => {
    if (name === call) throw peerUnavailable();
  };
}
