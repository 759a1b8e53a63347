import type { CallContext } from '@billing/chassis/call-context';
import { derivedId } from '@billing/chassis/ids';
import { eventually, testContext } from '@billing/chassis/testing';
import { BillingInterval, type Price } from '@billing/proto/billing/catalog/v1/catalog';
import { BillingReason, InvoiceStatus } from '@billing/proto/billing/checkout/v1/checkout';
import { WorkClass } from '@billing/proto/billing/clock/v1/due_work';
import { CollectionMethod } from '@billing/proto/billing/customer/v1/customer';
import { DiscountDuration } from '@billing/proto/billing/discount/v1/discount';
import {
  type CreateFromCheckoutRequest,
  SubscriptionPhase,
  SubscriptionStatus,
} from '@billing/proto/billing/subscription/v1/subscription';
import { day } from '../testing/fixtures';
import { anInvoice } from '../testing/invoice';
import { aProtoCustomer, aProtoDiscount } from '../testing/customer-facts';
import { serviceForTests } from '../testing/service-for-tests';
import { aProduct } from '../testing/service-under-test';

const under = serviceForTests();

/** A completed session of 31 January, under the ids that it derives. */
function aPurchase(
  { tenant: { environmentId } }: CallContext,
  parts: Partial<CreateFromCheckoutRequest> = {},
  price: Partial<Price> = {},
): CreateFromCheckoutRequest {
  const id = derivedId(environmentId, 'checkout-session', 'session');
  const invoiceId = derivedId(environmentId, id, 'period', 0);
  const invoice = anInvoice(
    {
      invoiceId,
      subscriptionId: id,
      customerId: 'customer',
      billingReason: BillingReason.BILLING_REASON_CHECKOUT,
      collectionMethod: CollectionMethod.COLLECTION_METHOD_CHARGE_AUTOMATICALLY,
      currency: 'USD',
      periodStart: day('01-31'),
      periodEnd: day('02-28'),
      lineItems: [],
      discount: undefined,
      buyer: undefined,
    },
    InvoiceStatus.INVOICE_STATUS_PAID,
  );
  return {
    id,
    customer: aProtoCustomer(),
    productId: 'product',
    productName: 'Pro',
    price: aProduct({}, price).price,
    quantity: 2,
    metadata: { 'a.b': 1 },
    discount: undefined,
    completedAt: day('01-31'),
    invoice,
    attempt: 2,
    ...parts,
  };
}

async function sell(request: CreateFromCheckoutRequest, context: CallContext) {
  const { subscription } = await under.subscription.createFromCheckout(request, context);
  if (subscription === undefined) throw new Error('No subscription came back');
  return subscription;
}

async function announced(id: string, count: number) {
  return eventually(async () => {
    const logged = await under.eventsOf(id);
    expect(logged).toHaveLength(count);
    return logged.map(({ type, data }) => ({
      type: type.replace('billing.subscription.', ''),
      data,
    }));
  });
}

async function renew({ tenant }: CallContext, now: Date) {
  const context = { ...testContext({ now }), tenant };
  const { environmentId } = tenant;
  for (const workClass of [WorkClass.WORK_CLASS_COLLECTION, WorkClass.WORK_CLASS_RENEWAL]) {
    await under.dueWork.runDue({ environmentId, until: now, workClass }, context);
  }
}

describe('a subscription sold by a checkout session', () => {
  test('is created once, however often checkout calls', async () => {
    const context = testContext({ now: day('01-31') });
    const request = aPurchase(context);
    const answers = await Promise.all(Array.from({ length: 20 }, () => sell(request, context)));

    expect(new Set(answers.map(({ id }) => id))).toEqual(new Set([request.id]));
    expect(answers[0]).toMatchObject({
      status: SubscriptionStatus.SUBSCRIPTION_STATUS_ACTIVE,
      phase: SubscriptionPhase.SUBSCRIPTION_PHASE_REGULAR,
      quantity: 2,
      startAt: day('01-31'),
      currentPeriodEnd: day('02-28'),
      latestInvoiceId: request.invoice?.id,
      metadata: { 'a.b': 1 },
      trialEnd: undefined,
    });
    const events = await announced(request.id, 2);
    expect(events).toMatchObject([
      { type: 'created', data: {} },
      { type: 'payment_succeeded', data: { attempt: 2, invoice: { id: request.invoice?.id } } },
    ]);
    expect(events[0]?.data).not.toHaveProperty('invoice');
    // Its first period is paid: no invoice is ordered.
    expect(under.peers.invoices).toEqual([]);
  });

  test('renews from the session on, with the remaining periods of its discount', async () => {
    const context = testContext({ now: day('01-31') });
    const discount = aProtoDiscount({
      duration: DiscountDuration.DISCOUNT_DURATION_REPEATING,
      durationInMonths: 2,
    });
    const request = aPurchase(context, { discount });
    expect(await sell(request, context)).toMatchObject({
      discountId: 'discount',
      discountEndsAt: day('03-31'),
    });
    await renew(context, day('03-31'));
    await renew(context, day('03-31'));

    await eventually(() => {
      const { invoices } = under.peers;
      expect(invoices.map(({ request: { periodStart } }) => periodStart)).toEqual([
        day('02-28'),
        day('03-31'),
      ]);
      expect(invoices.map(({ request: { discount: terms } }) => terms?.value)).toEqual([
        '50',
        undefined,
      ]);
    });
    // A late retry changes nothing.
    expect(await sell(request, context)).toMatchObject({ currentPeriodStart: day('03-31') });
    await announced(request.id, 4);
  });

  test('with a trial is announced alone, and billed when the trial ends', async () => {
    const context = testContext({ now: day('01-17') });
    const parts = { completedAt: day('01-17'), attempt: 0, discount: aProtoDiscount() };
    const request = aPurchase(context, parts, { trialDays: 14 });

    expect(await sell(request, context)).toMatchObject({
      phase: SubscriptionPhase.SUBSCRIPTION_PHASE_TRIAL,
      trialStart: day('01-17'),
      trialEnd: day('01-31'),
      nextInvoiceAt: day('01-31'),
      latestInvoiceId: request.invoice?.id,
      discountEndsAt: undefined,
    });
    await renew(context, day('01-31'));
    expect((await announced(request.id, 3)).map(({ type }) => type)).toEqual([
      'created',
      'trial_ending',
      'renewed',
    ]);
    await eventually(async () => {
      const [received] = under.peers.invoices;
      expect(received?.request).toMatchObject({ discount: { discountId: 'discount' } });
      const { latestInvoiceId, discountEndsAt } = await under.get(request.id, context);
      expect(latestInvoiceId).toBe(received?.request.invoiceId);
      expect(discountEndsAt).toEqual(day('02-28'));
    });
  });

  test('catches up when checkout calls late', async () => {
    const context = testContext({ now: day('04-02') });
    const { id } = await sell(aPurchase(context), context);
    await renew(context, day('04-02'));
    await renew(context, day('04-02'));
    expect(await under.get(id, context)).toMatchObject({ currentPeriodStart: day('03-31') });
  });

  test.each<[string, Partial<CreateFromCheckoutRequest>]>([
    ['customer', { customer: undefined }],
    ['price', { price: undefined }],
    ['invoice', { invoice: undefined }],
    ['completedAt', { completedAt: undefined }],
  ])('is refused without its %s', async (field, parts) => {
    const context = testContext({ now: day('01-31') });
    await expect(sell(aPurchase(context, parts), context)).rejects.toMatchObject({
      kind: 'invalid_input',
      fields: { [field]: ['Required'] },
    });
  });

  test('is refused for a one-time product', async () => {
    const context = testContext({ now: day('01-31') });
    const once = { billingInterval: BillingInterval.BILLING_INTERVAL_ONE_TIME };
    await expect(sell(aPurchase(context, {}, once), context)).rejects.toMatchObject({
      kind: 'invalid_input',
    });
  });
});
