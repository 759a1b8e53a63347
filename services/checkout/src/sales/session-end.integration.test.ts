import type { CallContext } from '@billing/chassis/call-context';
import { monotonicMs, sleep } from '@billing/chassis/clock';
import { eventually, testContext } from '@billing/chassis/testing';
import { DomainError } from '@billing/kernel/domain-error';
import { InvoiceStatus } from '@billing/proto/billing/checkout/v1/checkout';
import { SessionStatus } from '@billing/proto/billing/checkout/v1/session';
import { type RunningShop, startShop } from '../testing/session-rpc';

const good = '4242424242424242';
const challenging = '4000002500003155';
const { SESSION_STATUS_OPEN, SESSION_STATUS_COMPLETE, SESSION_STATUS_EXPIRED } = SessionStatus;
const { INVOICE_STATUS_PAID, INVOICE_STATUS_VOID } = InvoiceStatus;

let shop: RunningShop;
let context: CallContext;

beforeAll(async () => {
  shop = await startShop();
});

afterAll(() => shop.stop());

describe('the end of a session', () => {
  const start = new Date('2026-03-01T12:00:00.000Z');
  const end = new Date('2026-03-02T12:00:00.000Z');
  const late = new Date('2026-03-02T12:00:00.001Z');
  const at = (now: Date): CallContext => ({ ...context, now });

  beforeEach(() => {
    shop.peers.before = () => undefined;
    context = testContext({ now: start });
  });

  test('comes after a day, voids the invoice and gives the redemption back', async () => {
    const { session } = await shop.create(context, { discountId: shop.peers.aDiscount().id });
    await shop.runDue(end, context);
    await shop.quiet(context);
    expect(await shop.read(session.id, at(end))).toMatchObject({
      session: { status: SESSION_STATUS_EXPIRED },
      invoice: { status: INVOICE_STATUS_VOID },
    });
    expect(shop.peers.redemptions.get(session.id)).toBe('RELEASED');
  });

  test('is applied by a read or a payment, however late its scanner is', async () => {
    const read = (await shop.create(context)).session;
    const paid = (await shop.create(context)).session;
    const intime = (await shop.create(context)).session;
    expect(await shop.read(read.id, at(late))).toMatchObject({
      session: { status: SESSION_STATUS_EXPIRED },
    });
    expect(await shop.pay(paid, good, at(late))).toMatchObject({
      session: { status: SESSION_STATUS_EXPIRED },
    });
    expect(await shop.charges(paid)).toBe(0);
    expect(await shop.pay(intime, good, at(end))).toMatchObject({
      session: { status: SESSION_STATUS_COMPLETE, completedAt: end },
    });
  });

  test.each([
    ['the scanner', (id: string) => shop.runDue(end, context).then(() => shop.read(id, at(end)))],
    ['a reader', (id: string) => shop.read(id, at(late))],
    [
      'an answer',
      (id: string) =>
        shop.sessions.answerSessionChallenge({ id, attempt: 1, approved: true }, at(late)),
    ],
  ])('by %s cancels a waiting challenge', async (_by, endBy) => {
    const { session } = await shop.create(context);
    await shop.pay(session, challenging, context);
    expect(await endBy(session.id)).toMatchObject({ session: { status: SESSION_STATUS_EXPIRED } });
    await shop.quiet(context);
    expect(await shop.read(session.id, at(late))).toMatchObject({
      invoice: {
        status: INVOICE_STATUS_VOID,
        payments: [{ failureCode: 'authentication_required' }],
      },
    });
  });

  test('does not come if the challenge had succeeded before: the session is complete', async () => {
    const { session } = await shop.create(context);
    await shop.pay(session, challenging, context);
    await shop.answerAtProvider(session, context);
    await shop.runDue(end, context);
    expect(await shop.read(session.id, at(late))).toMatchObject({
      session: { status: SESSION_STATUS_COMPLETE },
      invoice: { status: INVOICE_STATUS_PAID },
    });
  });

  test('comes when its product is removed', async () => {
    const { id: productId } = shop.peers.aProduct();
    const { session } = await shop.create(context, { productId });
    shop.peers.products.delete(productId);
    expect(await shop.pay(session, good, context)).toMatchObject({
      session: { status: SESSION_STATUS_EXPIRED },
    });
    expect(await shop.charges(session)).toBe(0);
  });

  test.each([
    ['inactive', { active: false }, SESSION_STATUS_EXPIRED],
    ['over', { endsAt: start }, SESSION_STATUS_EXPIRED],
    ['used up', { maxRedemptions: 1, redemptionCount: 1 }, SESSION_STATUS_OPEN],
  ])('follows a change of its discount: %s', async (_case, change, status) => {
    const discount = shop.peers.aDiscount();
    const { session } = await shop.create(context, { discountId: discount.id });
    shop.peers.discounts.set(discount.id, { ...discount, ...change });
    expect(await shop.read(session.id, context)).toMatchObject({ session: { status } });
  });

  test('is returned once its invoice is void and its redemption free', async () => {
    shop.peers.before = (call) => (call === 'releaseRedemption' ? sleep(100) : undefined);
    for (;;) {
      const discount = shop.peers.aDiscount();
      const { id: productId } = shop.peers.aProduct();
      const { session } = await shop.create(context, { productId, discountId: discount.id });
      shop.peers.products.delete(productId);
      const startMs = monotonicMs();
      const answer = await shop.read(session.id, context);
      // A read waits for two seconds at most: on a busy machine another session is read.
      if (monotonicMs() - startMs >= 2_000) continue;
      expect(answer).toMatchObject({
        session: { status: SESSION_STATUS_EXPIRED },
        invoice: { status: INVOICE_STATUS_VOID },
      });
      expect(shop.peers.redemptions.get(session.id)).toBe('RELEASED');
      return;
    }
  });

  test('is returned soon, although its redemption cannot be given back for a long time', async () => {
    const discount = shop.peers.aDiscount();
    const { session } = await shop.create(context, { discountId: discount.id });
    shop.peers.discounts.set(discount.id, { ...discount, active: false });
    shop.peers.before = (call) => {
      if (call !== 'releaseRedemption') return;
      throw new DomainError('unavailable', 'DOWN', 'Service unavailable');
    };
    expect(await shop.read(session.id, context)).toMatchObject({
      session: { status: SESSION_STATUS_EXPIRED },
    });
    await eventually(async () => {
      expect(await shop.read(session.id, context)).toMatchObject({
        invoice: { status: INVOICE_STATUS_VOID },
      });
    });
    expect(shop.peers.redemptions.get(session.id)).toBe('HELD');
  });

  test('never comes to a complete session', async () => {
    const { id: productId } = shop.peers.aProduct();
    const { session } = await shop.create(context, { productId });
    await shop.pay(session, good, context);
    shop.peers.products.delete(productId);
    await shop.runDue(end, context);
    expect(await shop.read(session.id, at(late))).toMatchObject({
      session: { status: SESSION_STATUS_COMPLETE },
    });
  });
});
