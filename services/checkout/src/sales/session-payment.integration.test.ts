import { newId } from '@billing/chassis/ids';
import type { CallContext } from '@billing/chassis/call-context';
import { testContext } from '@billing/chassis/testing';
import { DomainError } from '@billing/kernel/domain-error';
import { BillingInterval } from '@billing/proto/billing/catalog/v1/catalog';
import { InvoiceStatus, PaymentStatus } from '@billing/proto/billing/checkout/v1/checkout';
import { SessionStatus } from '@billing/proto/billing/checkout/v1/session';
import { CollectionMethod } from '@billing/proto/billing/customer/v1/customer';
import { DiscountType } from '@billing/proto/billing/discount/v1/discount';
import { inParallel } from '../testing/store';
import { outcomeOf, type RunningShop, startShop } from '../testing/session-rpc';

const good = '4242424242424242';
const declined = '4000000000000002';
const challenging = '4000002500003155';
const { SESSION_STATUS_OPEN, SESSION_STATUS_COMPLETE } = SessionStatus;
const { INVOICE_STATUS_OPEN, INVOICE_STATUS_PAID } = InvoiceStatus;

let shop: RunningShop;
let context: CallContext;

beforeAll(async () => {
  shop = await startShop();
});

beforeEach(() => {
  context = testContext();
});

afterAll(() => shop.stop());

describe('paying a session', () => {
  test('makes one charge, creates one subscription and makes the card the default', async () => {
    const discount = shop.peers.aDiscount();
    const { session, invoice } = await shop.create(context, { discountId: discount.id });
    const paid = await shop.pay(session, good, context);

    expect(paid.session).toMatchObject({
      status: SESSION_STATUS_COMPLETE,
      completedAt: paid.invoice?.paidAt,
      lastPaymentError: undefined,
    });
    expect(paid.invoice).toMatchObject({
      status: INVOICE_STATUS_PAID,
      amountPaid: 1450n,
      subscriptionId: paid.session?.subscriptionId,
      periodStart: paid.invoice?.paidAt,
      payments: [{ status: PaymentStatus.PAYMENT_STATUS_SUCCEEDED }],
    });
    expect(shop.peers.subscribed.get(paid.session?.subscriptionId ?? '')).toMatchObject([
      {
        customer: { id: session.customerId },
        productName: 'Pro',
        attempt: 1,
        completedAt: paid.session?.completedAt,
        discount: { id: discount.id },
        invoice: { id: invoice.id, status: INVOICE_STATUS_PAID },
      },
    ]);
    await shop.quiet(context);
    expect(shop.peers.redemptions.get(session.id)).toBe('CONFIRMED');
    expect(await shop.defaultMethod(session, context)).toBeDefined();
  });

  test('again finds it complete and charges nothing', async () => {
    const { session } = await shop.create(context);
    await shop.pay(session, good, context);
    const again = await shop.pay(session, good, context);
    expect(again).toMatchObject({
      session: { status: SESSION_STATUS_COMPLETE },
      action: undefined,
    });
    expect(await shop.charges(session)).toBe(1);
  });

  test('20 times in parallel makes one charge and one subscription; all others find it paid or in progress', async () => {
    const { session } = await shop.create(context);
    const methods = await inParallel(20, () => shop.aMethod(session, good, context));
    const outcomes = await inParallel(20, (index) =>
      outcomeOf(
        shop.sessions.paySession(
          { id: session.id, paymentMethodId: methods[index], returnUrl: 'https://pay.example' },
          context,
        ),
      ),
    );
    const known = ['PAYMENT_IN_PROGRESS', SESSION_STATUS_COMPLETE];
    for (const outcome of outcomes) expect(known).toContain(outcome);
    const { session: read, invoice } = await shop.read(session.id, context);
    expect(read?.status).toBe(SESSION_STATUS_COMPLETE);
    expect(invoice?.payments).toHaveLength(1);
    expect(await shop.charges(session)).toBe(1);
    await shop.quiet(context);
    expect(shop.peers.subscribed.get(read?.subscriptionId ?? '')).toHaveLength(1);
  });

  test('with a declined card leaves it open with the reason; another card pays', async () => {
    const { session } = await shop.create(context);
    const failed = await shop.pay(session, declined, context);
    expect(failed).toMatchObject({
      session: {
        status: SESSION_STATUS_OPEN,
        lastPaymentError: { code: 'card_declined', message: 'Your card was declined.' },
      },
      invoice: { status: INVOICE_STATUS_OPEN },
    });
    expect(await shop.defaultMethod(session, context)).toBeUndefined();
    const paid = await shop.pay(session, good, context);
    expect(paid).toMatchObject({
      session: { status: SESSION_STATUS_COMPLETE, lastPaymentError: undefined },
      invoice: { payments: [{ failureCode: 'card_declined' }, { failureCode: undefined }] },
    });
    expect(shop.peers.subscribed.get(paid.session?.subscriptionId ?? '')).toMatchObject([
      { attempt: 2 },
    ]);
  });

  test("creates the subscription with the customer's current data", async () => {
    const customer = shop.peers.aCustomer({ name: 'Ada' });
    const { session } = await shop.create(context, { customerId: customer.id });
    const collectionMethod = CollectionMethod.COLLECTION_METHOD_SEND_INVOICE;
    const now = { name: 'Ada King', email: 'king@example.com', collectionMethod };
    shop.peers.customers.set(customer.id, { ...customer, ...now });
    const paid = await shop.pay(session, good, context);
    expect(shop.peers.subscribed.get(paid.session?.subscriptionId ?? '')).toMatchObject([
      { customer: { id: customer.id, ...now } },
    ]);
  });

  test('creates the subscription with the stored data of a customer who has been deleted', async () => {
    const customer = shop.peers.aCustomer({ name: 'Ada' });
    const { session } = await shop.create(context, { customerId: customer.id });
    shop.peers.customers.delete(customer.id);
    const paid = await shop.pay(session, good, context);
    expect(shop.peers.subscribed.get(paid.session?.subscriptionId ?? '')).toMatchObject([
      { customer: { id: customer.id, name: 'Ada' } },
    ]);
  });

  test('for a one-time purchase creates no subscription and no period', async () => {
    const billingInterval = BillingInterval.BILLING_INTERVAL_ONE_TIME;
    const { id: productId } = shop.peers.aProduct({ billingInterval });
    const { session } = await shop.create(context, { productId });
    expect(await shop.pay(session, good, context)).toMatchObject({
      session: { status: SESSION_STATUS_COMPLETE, subscriptionId: undefined },
      invoice: { status: INVOICE_STATUS_PAID, subscriptionId: undefined, periodStart: undefined },
    });
  });

  test('with a trial requires a card, saves it and charges nothing', async () => {
    const { id: productId } = shop.peers.aProduct({ trialDays: 14 });
    const { session, invoice } = await shop.create(context, { productId });
    expect(invoice).toMatchObject({ total: 0n, status: INVOICE_STATUS_OPEN });
    const confirm = { id: session.id, returnUrl: '' };
    await expect(shop.sessions.paySession(confirm, context)).rejects.toMatchObject(
      wrong('paymentMethodId', 'Required'),
    );

    const { session: done, invoice: paid } = await shop.pay(session, good, context);
    expect(done).toMatchObject({ status: SESSION_STATUS_COMPLETE });
    expect(paid).toMatchObject({ status: INVOICE_STATUS_PAID, payments: [] });
    expect(paid?.periodStart).toEqual(done?.completedAt);
    expect(paid?.periodEnd?.getTime()).toBe((done?.completedAt?.getTime() ?? 0) + 14 * 86_400_000);
    expect(shop.peers.subscribed.get(done?.subscriptionId ?? '')).toMatchObject([{ attempt: 0 }]);
    expect(await shop.charges(session)).toBe(0);
    await shop.quiet(context);
    expect(await shop.defaultMethod(session, context)).toBeDefined();
  });

  test("with a discount that leaves nothing due needs only the payer's confirmation", async () => {
    const type = DiscountType.DISCOUNT_TYPE_FIXED;
    const discount = shop.peers.aDiscount({ type, value: '5000', currency: 'USD' });
    const { session, invoice } = await shop.create(context, { discountId: discount.id });
    expect(invoice).toMatchObject({ subtotal: 2900n, total: 0n, status: INVOICE_STATUS_OPEN });
    const confirm = { id: session.id, returnUrl: '' };
    expect(await shop.sessions.paySession(confirm, context)).toMatchObject({
      session: { status: SESSION_STATUS_COMPLETE },
      invoice: { status: INVOICE_STATUS_PAID, payments: [] },
    });
  });

  test('with a lost redemption still completes', async () => {
    const discountId = shop.peers.aDiscount().id;
    const { session } = await shop.create(context, { discountId });
    let asked = 0;
    // Sessions of earlier tests may still confirm theirs.
    shop.peers.before = (call, { holderId }: { holderId?: string }) => {
      if (call !== 'confirmRedemption' || holderId !== session.id) return;
      asked += 1;
      throw new DomainError('not_found', 'REDEMPTION_NOT_FOUND', 'Redemption not found');
    };
    try {
      await shop.pay(session, good, context);
      await shop.quiet(context);
    } finally {
      shop.peers.before = () => undefined;
    }
    expect(asked).toBe(1);
  });

  test('with a method of another customer is refused like an unknown method', async () => {
    const { session } = await shop.create(context);
    const { session: other } = await shop.create(context);
    const stolen = await shop.aMethod(other, good, context);
    for (const paymentMethodId of [stolen, newId(), 'method']) {
      const call = { id: session.id, paymentMethodId, returnUrl: '' };
      await expect(shop.sessions.paySession(call, context)).rejects.toMatchObject(
        wrong('paymentMethodId', 'Payment method not found'),
      );
    }
  });

  test('of another environment, or an unknown session, fails with not found', async () => {
    const { session } = await shop.create(context);
    for (const [id, asked] of [
      [newId(), context],
      ['session', context],
      [session.id, testContext()],
    ] as const) {
      await expect(shop.read(id, asked)).rejects.toMatchObject(notFound('CHECKOUT_SESSION'));
    }
  });
});

describe('a challenge', () => {
  test('leaves the session open until its payer has answered', async () => {
    const { session } = await shop.create(context);
    const asked = await shop.pay(session, challenging, context);
    expect(asked).toMatchObject({
      session: { status: SESSION_STATUS_OPEN, lastPaymentError: undefined },
      invoice: { payments: [{ status: PaymentStatus.PAYMENT_STATUS_REQUIRES_ACTION }] },
      action: { attempt: 1 },
    });
    const answer = { id: session.id, attempt: 1, approved: true };
    expect(await shop.sessions.answerSessionChallenge(answer, context)).toMatchObject({
      session: { status: SESSION_STATUS_COMPLETE },
      invoice: { status: INVOICE_STATUS_PAID, payments: [{}] },
      action: undefined,
    });
    expect(await shop.sessions.answerSessionChallenge(answer, context)).toMatchObject({
      session: { status: SESSION_STATUS_COMPLETE },
    });
  });

  test('that is refused is a failure; the payer may try again', async () => {
    const { session } = await shop.create(context);
    await shop.pay(session, challenging, context);
    const refused = { id: session.id, attempt: 1, approved: false };
    expect(await shop.sessions.answerSessionChallenge(refused, context)).toMatchObject({
      session: {
        status: SESSION_STATUS_OPEN,
        lastPaymentError: { code: 'authentication_required' },
      },
    });
    expect(await shop.pay(session, good, context)).toMatchObject({
      session: { status: SESSION_STATUS_COMPLETE },
    });
  });

  test('is replaced by another card, and a late answer to it changes nothing', async () => {
    const { session } = await shop.create(context);
    await shop.pay(session, challenging, context);
    expect(await shop.pay(session, declined, context)).toMatchObject({
      invoice: {
        payments: [{ failureCode: 'authentication_required' }, { failureCode: 'card_declined' }],
      },
    });
    const late = { id: session.id, attempt: 1, approved: true };
    expect(await shop.sessions.answerSessionChallenge(late, context)).toMatchObject({
      session: { status: SESSION_STATUS_OPEN },
      invoice: { payments: [{}, {}] },
    });
  });
});

function notFound(resource: string) {
  return { kind: 'not_found', reason: `${resource}_NOT_FOUND` };
}

function wrong(field: string, ...messages: string[]) {
  const expected = messages.length > 0 ? messages : [expect.any(String)];
  return { kind: 'invalid_input', fields: { [field]: expected } };
}
