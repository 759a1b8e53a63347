import type { CallContext } from '@billing/chassis/call-context';
import { eventually, testContext } from '@billing/chassis/testing';
import { InvoiceStatus, PaymentStatus } from '@billing/proto/billing/checkout/v1/checkout';
import { type Session, SessionStatus } from '@billing/proto/billing/checkout/v1/session';
import { inParallel } from '../testing/store';
import { outcomeOf, type RunningShop, startShop } from '../testing/session-rpc';

// Payers, answers to a challenge, readers and the scanner compete at the end of sessions.

const start = new Date('2026-03-01T12:00:00.000Z');
const end = new Date('2026-03-02T12:00:00.000Z');
const late = new Date('2026-03-02T12:00:00.001Z');
const rounds = 6;

let shop: RunningShop;

beforeAll(async () => {
  shop = await startShop();
});

afterAll(() => shop.stop());

test.each([
  ['without a challenge', false],
  ['with a challenge that waits', true],
])('a session %s ends paid once or never charged, in any order', async (_case, isChallenged) => {
  // The acts of all rounds share the machine, and each round has several phases.
  await inParallel(rounds, async (round) => {
    const context = testContext({ now: start, deadlineMs: 100_000 });
    const discount = shop.peers.aDiscount();
    const { session } = await shop.create(context, { discountId: discount.id });
    if (isChallenged) await shop.pay(session, '4000002500003155', context);
    const methods = await inParallel(4, (index) =>
      shop.aMethod(session, index % 2 === 0 ? '4242424242424242' : '4000000000000002', context),
    );

    // Each round starts with another actor, so that every actor is first once.
    const acts = actsOn(session, methods, context);
    const order = [...acts.slice(round), ...acts.slice(0, round)];
    await Promise.all(order.map((act) => outcomeOf(act())));

    await shop.quiet(context);
    const { status, succeeded, invoice } = await eventually(() => endOf(session, context));
    // Reading the end may itself have ended the session.
    await shop.quiet(context);
    expect([status, succeeded, invoice]).toEqual(
      status === SessionStatus.SESSION_STATUS_COMPLETE
        ? [SessionStatus.SESSION_STATUS_COMPLETE, 1, InvoiceStatus.INVOICE_STATUS_PAID]
        : [SessionStatus.SESSION_STATUS_EXPIRED, 0, InvoiceStatus.INVOICE_STATUS_VOID],
    );
    const isComplete = status === SessionStatus.SESSION_STATUS_COMPLETE;
    expect(shop.peers.redemptions.get(session.id)).toBe(isComplete ? 'CONFIRMED' : 'RELEASED');
    const subscriptions = [...shop.peers.subscribed.values()].flat();
    const made = subscriptions.filter(({ customer }) => customer?.id === session.customerId);
    expect(made).toHaveLength(isComplete ? 1 : 0);
  });
});

function actsOn(
  { id }: Session,
  methods: readonly string[],
  context: CallContext,
): (() => Promise<{ session?: Session | undefined }>)[] {
  const atTheEnd = { ...context, now: end };
  const afterIt = { ...context, now: late };
  const pays = methods.map(
    (paymentMethodId) => () =>
      shop.sessions.paySession({ id, paymentMethodId, returnUrl: '' }, atTheEnd),
  );
  const answer = { id, attempt: 1, approved: true };
  return [
    ...pays,
    () => shop.sessions.answerSessionChallenge(answer, atTheEnd),
    () => shop.runDue(end, context).then(() => ({})),
    () => shop.read(id, afterIt),
    () => shop.sessions.answerSessionChallenge(answer, afterIt),
  ];
}

/** Final state of the session, after all running work. */
async function endOf({ id }: Session, context: CallContext) {
  const { session, invoice } = await shop.read(id, { ...context, now: late });
  expect(session?.status).not.toBe(SessionStatus.SESSION_STATUS_OPEN);
  expect(invoice?.status).not.toBe(InvoiceStatus.INVOICE_STATUS_OPEN);
  const succeeded = invoice?.payments.filter(
    ({ status }) => status === PaymentStatus.PAYMENT_STATUS_SUCCEEDED,
  ).length;
  return { status: session?.status, succeeded, invoice: invoice?.status };
}
