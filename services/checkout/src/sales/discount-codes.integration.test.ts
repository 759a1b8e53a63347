import type { CallContext } from '@billing/chassis/call-context';
import { derivedId } from '@billing/chassis/ids';
import { eventually, testContext } from '@billing/chassis/testing';
import { recoverInTest } from '@billing/chassis/testing/recover';
import { AMOUNT_MAX } from '@billing/kernel/money';
import { InvoiceStatus } from '@billing/proto/billing/checkout/v1/checkout';
import { SessionStatus } from '@billing/proto/billing/checkout/v1/session';
import { RedemptionState } from '@billing/proto/billing/discount/v1/discount';
import { peerUnavailable } from '../testing/shop-rpc';
import { outcomeOf, type RunningShop, startShop } from '../testing/session-rpc';

const { INVOICE_STATUS_OPEN, INVOICE_STATUS_PAID, INVOICE_STATUS_VOID } = InvoiceStatus;
const { SESSION_STATUS_COMPLETE, SESSION_STATUS_EXPIRED, SESSION_STATUS_OPEN } = SessionStatus;
const success = '4242424242424242';
const challenging = '4000002500003155';

let shop: RunningShop;
let context: CallContext;

beforeAll(async () => {
  shop = await startShop();
});

beforeEach(() => {
  context = testContext();
  shop.peers.redemptions.clear();
  shop.peers.discounts.clear();
  shop.peers.before = () => undefined;
});

afterAll(() => shop.stop());

const notValid = { fields: { code: ['This code is not valid.'] } };
const apply = (id: string, code = 'half', of = context) =>
  shop.sessions.applyDiscountCode({ id, code }, of);
const remove = (id: string) => shop.sessions.removeDiscountCode({ id }, context);
const redemptions = () => [...shop.peers.redemptions.values()];

async function aSession() {
  const discount = shop.peers.aDiscount({ code: 'HALF' });
  const { session, invoice } = await shop.create(context, { allowDiscountCodes: true });
  return { discount, session, invoice };
}

test('a typed code replaces the invoice, and is used once the session is paid', async () => {
  const { discount, session, invoice } = await aSession();
  expect(session).toMatchObject({ allowDiscountCodes: true, takesCode: true });
  const answer = await apply(session.id, ' Half ');
  expect(answer).toMatchObject({
    session: { discountId: discount.id, codeTyped: true, status: SESSION_STATUS_OPEN },
    invoice: { status: INVOICE_STATUS_OPEN, total: 1450n, number: 'INV-000002' },
  });
  expect(answer.session?.takesCode).toBeUndefined();
  expect(answer.session?.invoiceId).toBe(answer.invoice?.id);
  expect(await shop.invoiceStatus(invoice.id)).toBe('VOID');
  expect(redemptions()).toEqual(['HELD']);
  // Typed twice.
  expect(await apply(session.id)).toMatchObject({ invoice: { id: answer.invoice?.id } });
  const { session: paid, invoice: charged } = await shop.pay(session, success, context);
  expect(paid?.status).toBe(SESSION_STATUS_COMPLETE);
  expect(charged).toMatchObject({ status: INVOICE_STATUS_PAID, amountPaid: 1450n });
  const [request] = shop.peers.subscribed.get(paid?.subscriptionId ?? '') ?? [];
  expect(request).toMatchObject({
    discount: { id: discount.id },
    invoice: { id: answer.invoice?.id },
  });
  await eventually(() => {
    expect(redemptions()).toEqual(['CONFIRMED']);
  });
});

test('after a restore, sessions that may still be paid hold their redemptions again', async () => {
  const { session } = await aSession();
  await apply(session.id);
  const discount = shop.peers.aDiscount();
  const { session: plain } = await shop.create(context, { discountId: discount.id });
  const before = new Map(shop.peers.redemptions);
  expect([...before.values()]).toEqual(['HELD', 'HELD']);
  expect(before.has(plain.id)).toBe(true);
  shop.peers.redemptions.clear();
  await recoverInTest(shop.configuration, ['reassert']);
  for (const [holderId, state] of before) expect(shop.peers.redemptions.get(holderId)).toBe(state);
});

test('a removed code gives its redemption back, and may be typed again', async () => {
  const { session } = await aSession();
  await apply(session.id);
  const removed = await remove(session.id);
  expect(removed).toMatchObject({
    session: { discountId: undefined, takesCode: true },
    invoice: { status: INVOICE_STATUS_OPEN, total: 2900n },
  });
  expect(await remove(session.id)).toMatchObject({ invoice: { id: removed.invoice?.id } });
  expect(await apply(session.id)).toMatchObject({ invoice: { total: 1450n } });
  await eventually(() => {
    expect(redemptions()).toEqual(['RELEASED', 'HELD']);
  });
});

test('a code whose discount has ended is taken off, and the session sells at the full price', async () => {
  const { discount, session } = await aSession();
  const { invoice: discounted } = await apply(session.id);
  shop.peers.discounts.set(discount.id, { ...discount, active: false });
  const { session: now, invoice } = await shop.read(session.id, context);
  expect(now).toMatchObject({ status: SESSION_STATUS_OPEN, takesCode: true });
  expect(now?.discountId).toBeUndefined();
  expect(invoice).toMatchObject({ status: INVOICE_STATUS_OPEN, total: 2900n });
  expect(await shop.invoiceStatus(discounted?.id ?? '')).toBe('VOID');
  await eventually(() => {
    expect(redemptions()).toEqual(['RELEASED']);
  });
  const { session: paid } = await shop.pay(session, success, context);
  expect(paid?.status).toBe(SESSION_STATUS_COMPLETE);
});

test('a payment that waits for its payer keeps a code whose discount has ended', async () => {
  const { discount, session } = await aSession();
  await apply(session.id);
  await shop.pay(session, challenging, context);
  shop.peers.discounts.set(discount.id, { ...discount, active: false });
  const { session: now, invoice } = await shop.read(session.id, context);
  expect(now).toMatchObject({ status: SESSION_STATUS_OPEN, discountId: discount.id });
  expect(invoice).toMatchObject({ status: INVOICE_STATUS_OPEN, total: 1450n });
});

test('a session whose product is gone ends, and gives the redemption of its code back', async () => {
  const { session } = await aSession();
  const { invoice } = await apply(session.id);
  shop.peers.products.delete(session.productId);
  const ended = await shop.read(session.id, context);
  expect(ended.session?.status).toBe(SESSION_STATUS_EXPIRED);
  // The read waits for two seconds at most.
  await eventually(async () => {
    const { invoice: voided } = await shop.read(session.id, context);
    expect(voided).toMatchObject({ id: invoice?.id, status: INVOICE_STATUS_VOID });
    expect(redemptions()).toEqual(['RELEASED']);
  });
});

describe('a code that is not valid', () => {
  test('leaves the session as it is, and the field is gone after ten of them', async () => {
    const { session, invoice } = await aSession();
    for (let times = 1; times <= 10; times += 1) {
      await expect(apply(session.id, 'wrong')).rejects.toMatchObject(notValid);
      const { session: now } = await shop.read(session.id, context);
      expect([now?.invoiceId, now?.takesCode]).toEqual([invoice.id, times < 10 || undefined]);
    }
    await expect(apply(session.id)).rejects.toMatchObject(notValid);
    expect(redemptions()).toEqual([]);
  });

  test('is one whose redemption is refused', async () => {
    const { discount, session } = await aSession();
    shop.peers.discounts.set(discount.id, { ...discount, active: false });
    await expect(apply(session.id)).rejects.toMatchObject(notValid);
    expect(await shop.read(session.id, context)).toMatchObject({ session: { takesCode: true } });
  });

  test('is any code where the session allows none', async () => {
    shop.peers.aDiscount({ code: 'HALF' });
    const { session } = await shop.create(context);
    await expect(apply(session.id)).rejects.toMatchObject(notValid);
  });
});

test('the field is gone after five replacements, and the last code can be removed', async () => {
  const { session } = await aSession();
  for (const step of ['apply', 'remove', 'apply', 'remove', 'apply']) {
    await (step === 'apply' ? apply(session.id) : remove(session.id));
  }
  expect(await remove(session.id)).toMatchObject({ invoice: { total: 2900n } });
  const { session: now } = await shop.read(session.id, context);
  expect(now?.takesCode).toBeUndefined();
  await expect(apply(session.id)).rejects.toMatchObject(notValid);
});

test('a challenge that waits for its payer comes first', async () => {
  const { session } = await aSession();
  await shop.pay(session, challenging, context);
  await expect(apply(session.id)).rejects.toMatchObject({ reason: 'PAYMENT_IN_PROGRESS' });
  await expect(remove(session.id)).rejects.toMatchObject({ reason: 'PAYMENT_IN_PROGRESS' });
});

test('codes and payments at the same time leave one open or paid invoice and its redemption', async () => {
  for (let times = 1; times <= 4; times += 1) {
    shop.peers.redemptions.clear();
    shop.peers.discounts.clear();
    const { session } = await aSession();
    shop.peers.aDiscount({ code: 'OTHER' });
    await Promise.all([
      outcomeOf(apply(session.id)),
      outcomeOf(apply(session.id, 'other')),
      outcomeOf(shop.pay(session, success, context)),
      outcomeOf(apply(session.id)),
    ]);
    const { session: now, invoice } = await shop.read(session.id, context);
    await shop.quiet(context);
    const isDiscounted = now?.discountId !== undefined;
    expect(invoice?.total).toBe(isDiscounted ? 1450n : 2900n);
    await eventually(() => {
      const inUse = redemptions().filter((state) => state !== 'RELEASED');
      expect(inUse).toHaveLength(isDiscounted ? 1 : 0);
    });
    const isPaid = now?.status === SESSION_STATUS_COMPLETE;
    expect(invoice?.status).toBe(isPaid ? INVOICE_STATUS_PAID : INVOICE_STATUS_OPEN);
  }
});

test('the redemption of a call that stopped before its write is refused once it is asked for', async () => {
  const { discount, session } = await aSession();
  const check = async (round: number) => {
    const question = { sessionId: session.id, discountId: discount.id, round };
    const { state, isLost } = await shop.sessions.checkSessionRedemption(question, context);
    expect(isLost).toBe(false);
    return state;
  };
  expect(await check(1)).toBe(RedemptionState.REDEMPTION_STATE_RELEASED);
  // The next code takes the round after.
  await apply(session.id);
  expect(await check(1)).toBe(RedemptionState.REDEMPTION_STATE_RELEASED);
  expect(await check(2)).toBe(RedemptionState.REDEMPTION_STATE_HELD);
});

test('without the discount service a code is neither taken nor counted', async () => {
  const { session, invoice } = await aSession();
  shop.peers.before = (call) => {
    if (call === 'reserveRedemption') throw peerUnavailable();
  };
  await expect(apply(session.id)).rejects.toMatchObject({ kind: 'unavailable' });
  shop.peers.before = () => undefined;
  const { session: now } = await shop.read(session.id, context);
  expect(now).toMatchObject({ invoiceId: invoice.id, takesCode: true });
});

test('the last redemption, left by a call that died before it wrote the session, is used by the next', async () => {
  shop.peers.aDiscount({ code: 'HALF', maxRedemptions: 1 });
  const { session } = await shop.create(context, { allowDiscountCodes: true });
  const firstRound = derivedId(context.tenant.environmentId, 'redemption', session.id, 1);
  shop.peers.redemptions.set(firstRound, 'HELD');
  expect(await apply(session.id)).toMatchObject({ invoice: { total: 1450n } });
  expect(redemptions()).toEqual(['HELD']);
  const other = await shop.create(context, { allowDiscountCodes: true });
  await expect(apply(other.session.id)).rejects.toMatchObject(notValid);
});

test('a code keeps what the payer has typed about the buyer', async () => {
  await shop.setTax(context);
  const { session } = await aSession();
  const typed = {
    id: session.id,
    country: 'FR',
    state: undefined,
    name: 'Grace',
    taxId: undefined,
  };
  await shop.sessions.changeSessionBuyer(typed, context);
  const { invoice } = await apply(session.id);
  expect(invoice?.buyer).toMatchObject({ name: 'Grace', address: { country: 'FR' } });
});

test('what a payer types about the buyer while a code is removed is on the next invoice', async () => {
  await shop.setTax(context);
  const { session } = await aSession();
  await apply(session.id);
  shop.peers.before = async (call) => {
    if (call !== 'getDiscount') return;
    shop.peers.before = () => undefined;
    await remove(session.id);
  };
  const typed = { country: 'FR', state: undefined, name: 'Grace', taxId: undefined };
  const changed = await shop.sessions.changeSessionBuyer({ id: session.id, ...typed }, context);
  const { session: now, invoice } = await shop.read(session.id, context);
  expect(invoice).toMatchObject({
    ...{ status: INVOICE_STATUS_OPEN, buyer: { name: 'Grace', address: { country: 'FR' } } },
  });
  expect([changed.invoice?.id, now?.invoiceId]).toEqual([invoice?.id, invoice?.id]);
});

test('a country that the next invoice cannot take is refused, and another one is taken', async () => {
  await shop.setTax(context);
  shop.peers.aDiscount({ code: 'HALF' });
  const { id: productId } = shop.peers.aProduct({ amount: AMOUNT_MAX - AMOUNT_MAX / 5n });
  const { session } = await shop.create(context, { allowDiscountCodes: true, productId });
  await apply(session.id);
  shop.peers.before = async (call) => {
    if (call !== 'getDiscount') return;
    shop.peers.before = () => undefined;
    await remove(session.id);
  };
  const change = (country: string) =>
    shop.sessions.changeSessionBuyer(
      { id: session.id, country, state: undefined, name: 'Grace', taxId: undefined },
      context,
    );
  await expect(change('HU')).rejects.toMatchObject({
    fields: { country: ['The total with tax exceeds the maximum amount'] },
  });
  expect((await shop.read(session.id, context)).invoice?.buyer?.address?.country).not.toBe('HU');
  expect((await change('FR')).invoice?.buyer).toMatchObject({ address: { country: 'FR' } });
});
