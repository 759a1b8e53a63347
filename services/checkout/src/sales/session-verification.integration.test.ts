import type { CallContext } from '@billing/chassis/call-context';
import { testContext } from '@billing/chassis/testing';
import { InvoiceStatus } from '@billing/proto/billing/checkout/v1/checkout';
import { SessionStatus } from '@billing/proto/billing/checkout/v1/session';
import { DiscountType } from '@billing/proto/billing/discount/v1/discount';
import { type RunningShop, startShop } from '../testing/session-rpc';

const good = '4242424242424242';
const challenging = '4000002500003155';
const { SESSION_STATUS_OPEN, SESSION_STATUS_COMPLETE, SESSION_STATUS_EXPIRED } = SessionStatus;
const { INVOICE_STATUS_OPEN, INVOICE_STATUS_PAID } = InvoiceStatus;

let shop: RunningShop;
let context: CallContext;

beforeAll(async () => {
  shop = await startShop();
});

beforeEach(() => {
  context = testContext({ now: new Date('2026-03-01T12:00:00.000Z') });
});

afterAll(() => shop.stop());

async function aTrial() {
  const { id: productId } = shop.peers.aProduct({ trialDays: 14 });
  return (await shop.create(context, { productId })).session;
}

const completed = {
  session: { status: SESSION_STATUS_COMPLETE, lastPaymentError: undefined },
  invoice: { status: INVOICE_STATUS_PAID, payments: [] },
  action: undefined,
};

describe("a trial's card", () => {
  test.each([
    ['4000000000000002', 'card_declined', 'Your card was declined.'],
    ['4000000000009995', 'insufficient_funds', 'Your card has insufficient funds.'],
    ['4000000000000119', 'processing_error', expect.any(String)],
    ['4000000000000069', 'expired_card', 'Your card has expired.'],
    ['4000000000009987', 'lost_card', 'Your card was declined.'],
    ['4000000000009979', 'stolen_card', 'Your card was declined.'],
  ])('%s is refused: %s, and another one is requested', async (number, code, message) => {
    const session = await aTrial();
    expect(await shop.pay(session, number, context)).toMatchObject({
      session: {
        status: SESSION_STATUS_OPEN,
        lastPaymentError: { code, message, at: context.now },
        subscriptionId: undefined,
      },
      invoice: { status: INVOICE_STATUS_OPEN, payments: [] },
      action: undefined,
    });
    expect(await shop.defaultMethod(session, context)).toBeUndefined();
    expect(await shop.pay(session, good, context)).toMatchObject(completed);
    expect(await shop.charges(session)).toBe(0);
  });

  test.each([good, '4000000000000341', '4000000000005126'])(
    '%s is saved as the default, and nothing is charged',
    async (number) => {
      const session = await aTrial();
      const done = await shop.pay(session, number, context);
      expect(done).toMatchObject(completed);
      expect(await shop.charges(session)).toBe(0);
      expect(shop.peers.subscribed.get(done.session?.subscriptionId ?? '')).toMatchObject([
        { attempt: 0, invoice: { payments: [] } },
      ]);
      await shop.quiet(context);
      expect(await shop.defaultMethod(session, context)).toBeDefined();
    },
  );

  test("that needs its payer's confirmation is saved after the answer", async () => {
    const session = await aTrial();
    const asked = {
      session: { status: SESSION_STATUS_OPEN },
      invoice: { status: INVOICE_STATUS_OPEN, payments: [] },
      action: { attempt: 1, redirectUrl: undefined },
    };
    expect(await shop.pay(session, challenging, context)).toMatchObject(asked);
    expect(await shop.read(session.id, context)).toMatchObject({ ...asked, isPaying: false });
    const answer = { id: session.id, attempt: 1, approved: true };
    expect(await shop.sessions.answerSessionChallenge(answer, context)).toMatchObject(completed);
    await shop.quiet(context);
    expect(await shop.defaultMethod(session, context)).toBeDefined();
  });

  test.each([
    ['whose payer refuses', challenging, false, 'authentication_required'],
    ['that its bank declines afterwards', '4000008400001629', true, 'card_declined'],
  ])('%s is refused', async (_case, number, approved, code) => {
    const session = await aTrial();
    await shop.pay(session, number, context);
    const answer = { id: session.id, attempt: 1, approved };
    expect(await shop.sessions.answerSessionChallenge(answer, context)).toMatchObject({
      session: { status: SESSION_STATUS_OPEN, lastPaymentError: { code } },
      invoice: { status: INVOICE_STATUS_OPEN, payments: [] },
    });
    expect(await shop.pay(session, good, context)).toMatchObject(completed);
  });

  test('that waits for its payer is replaced by another card', async () => {
    const session = await aTrial();
    await shop.pay(session, challenging, context);
    expect(await shop.pay(session, good, context)).toMatchObject(completed);
    const late = { id: session.id, attempt: 1, approved: true };
    expect(await shop.sessions.answerSessionChallenge(late, context)).toMatchObject(completed);
  });

  test('that waits for its payer does not delay the end of the session', async () => {
    const session = await aTrial();
    await shop.pay(session, challenging, context);
    const late = { ...context, now: new Date('2026-03-03T12:00:00.000Z') };
    expect(await shop.read(session.id, late)).toMatchObject({
      session: { status: SESSION_STATUS_EXPIRED },
      invoice: { payments: [] },
      action: undefined,
    });
  });
});

test('a card for a session with nothing due after its discount is also verified', async () => {
  const type = DiscountType.DISCOUNT_TYPE_FIXED;
  const discount = shop.peers.aDiscount({ type, value: '5000', currency: 'USD' });
  const { session } = await shop.create(context, { discountId: discount.id });
  expect(await shop.pay(session, '4000000000000002', context)).toMatchObject({
    session: { status: SESSION_STATUS_OPEN, lastPaymentError: { code: 'card_declined' } },
    invoice: { payments: [] },
  });
  const confirm = { id: session.id, returnUrl: '' };
  expect(await shop.sessions.paySession(confirm, context)).toMatchObject(completed);
});
