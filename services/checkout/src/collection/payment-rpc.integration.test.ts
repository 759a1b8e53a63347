import type { CallContext } from '@billing/chassis/call-context';
import { newId } from '@billing/chassis/ids';
import { eventually, testContext } from '@billing/chassis/testing';
import { DomainError } from '@billing/kernel/domain-error';
import { InvoiceStatus, PaymentStatus } from '@billing/proto/billing/checkout/v1/checkout';
import type { PayInvoiceRequest } from '@billing/proto/billing/checkout/v1/payment';
import { CollectionMethod } from '@billing/proto/billing/customer/v1/customer';
import { DiscountType } from '@billing/proto/billing/discount/v1/discount';
import { CollectionOutcome } from '@billing/proto/billing/subscription/v1/subscription';
import { aLineItem, aRequest, type RunningCheckout, startCheckout } from '../testing/rpc';

let running: RunningCheckout;
let checkout: RunningCheckout['checkout'];
let payments: RunningCheckout['payments'];

beforeAll(async () => {
  running = await startCheckout();
  ({ checkout, payments } = running);
});

afterAll(() => running.stop());

const returnUrl = 'https://shop.example/back';
const {
  INVOICE_STATUS_OPEN: open,
  INVOICE_STATUS_PAID: paid,
  INVOICE_STATUS_VOID: voided,
} = InvoiceStatus;

/** An open invoice of a customer without a method. */
async function anOpenInvoice(context: CallContext, input = {}) {
  const request = aRequest(input);
  await checkout.createInvoice(request, context);
  return request;
}

function payWith(id: string, source: PayInvoiceRequest['source'], there?: string) {
  return { id, source, returnUrl: there };
}

const authorized = (value: string) => ({ $case: 'authorizedTransactionId' as const, value });
const method = (value: string) => ({ $case: 'paymentMethodId' as const, value });

function enter(customerId: string, number: string, context: CallContext) {
  const card = { number, expiry: '12/60', code: '123', name: undefined };
  return payments.savePaymentMethod({ customerId, card }, context);
}

async function codeOf(call: Promise<unknown>): Promise<string> {
  const error: unknown = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  return error instanceof DomainError ? error.reason : 'none';
}

describe('paying', () => {
  test('with an authorization settles the invoice, saves its card and reports to the subscription', async () => {
    const context = testContext();
    const { invoiceId, subscriptionId, customerId } = await anOpenInvoice(context);
    const { invoice, action } = await payments.payInvoice(
      payWith(invoiceId, authorized('txn_5555555555554444')),
      context,
    );

    expect(action).toBeUndefined();
    expect(invoice).toMatchObject({ status: paid, amountPaid: 2900n });
    expect(await running.subscription.first(subscriptionId)).toMatchObject({
      outcome: CollectionOutcome.COLLECTION_OUTCOME_SUCCEEDED,
    });
    // The card becomes the default a moment after it has paid.
    const next = await eventually(async () => {
      const request = aRequest({ customerId });
      const { collecting } = await checkout.createInvoice(request, context);
      expect(collecting).toBe(true);
      return request;
    });
    await eventually(async () => {
      const { invoice: charged } = await checkout.getInvoice({ id: next.invoiceId }, context);
      expect(charged?.payments).toHaveLength(1);
    });
  });

  test('with a card that fails adds one failed payment, and saves no card', async () => {
    const context = testContext();
    const { invoiceId, customerId } = await anOpenInvoice(context);
    const { invoice } = await payments.payInvoice(
      payWith(invoiceId, authorized('txn_4000000000009987')),
      context,
    );
    const next = await checkout.createInvoice(aRequest({ customerId }), context);

    expect(invoice).toMatchObject({
      status: open,
      payments: [{ status: PaymentStatus.PAYMENT_STATUS_FAILED, failureCode: 'lost_card' }],
    });
    expect(next.collecting).toBe(false);
  });

  test('without any method fails for that reason', async () => {
    const context = testContext();
    const { invoiceId } = await anOpenInvoice(context);
    const { invoice } = await payments.payInvoice(payWith(invoiceId, undefined), context);
    expect(invoice?.payments).toMatchObject([{ failureCode: 'no_payment_method' }]);
  });

  test('20 times in parallel charges once', async () => {
    const context = testContext();
    const { invoiceId, customerId } = await anOpenInvoice(context);
    const cards = await Promise.all(
      Array.from({ length: 20 }, () => enter(customerId, '4242424242424242', context)),
    );
    const outcomes = await Promise.allSettled(
      cards.map(({ paymentMethodId }) =>
        payments.payInvoice(payWith(invoiceId, method(paymentMethodId), returnUrl), context),
      ),
    );
    const { invoice } = await checkout.getInvoice({ id: invoiceId }, context);

    expect(invoice?.payments).toHaveLength(1);
    expect(invoice?.status).toBe(paid);
    const refusals = outcomes.flatMap((each) =>
      each.status === 'rejected' ? [(each.reason as DomainError).reason] : [],
    );
    const known = ['PAYMENT_IN_PROGRESS', 'INVOICE_NOT_OPEN'];
    expect(refusals.filter((reason) => !known.includes(reason))).toEqual([]);
    expect(refusals.length).toBeGreaterThanOrEqual(19);
  });

  test('under one idempotency key makes one attempt', async () => {
    const context = testContext();
    const { invoiceId } = await anOpenInvoice(context);
    const idempotency = { key: newId(), requestHash: 'same' };
    const pay = () =>
      payments.payInvoice(payWith(invoiceId, authorized('txn_4000000000000002')), {
        ...context,
        idempotency,
      });
    const first = await pay();
    expect(await pay()).toEqual(first);
    expect(first.invoice?.payments).toHaveLength(1);
  });

  test('is refused for an invoice that is paid, void, unknown, or of another customer', async () => {
    const context = testContext();
    const { invoiceId } = await anOpenInvoice(context);
    const foreign = await enter(newId(), '4242424242424242', context);
    const pay = (id: string, source?: PayInvoiceRequest['source']) =>
      codeOf(payments.payInvoice(payWith(id, source), context));

    await expect(
      payments.payInvoice(payWith(invoiceId, method(foreign.paymentMethodId)), context),
    ).rejects.toMatchObject({ fields: { paymentMethodId: [expect.any(String)] } });
    expect(await pay(newId())).toBe('INVOICE_NOT_FOUND');
    await payments.payInvoice(payWith(invoiceId, authorized('txn_1')), context);
    expect(await pay(invoiceId)).toBe('INVOICE_NOT_OPEN');
  });
});

describe('a payer', () => {
  const waiting = async (context: CallContext, number = '4000002500003155') => {
    const request = await anOpenInvoice(context);
    const { invoiceId, customerId } = request;
    const { paymentMethodId } = await enter(customerId, number, context);
    const answer = await payments.payInvoice(
      payWith(invoiceId, method(paymentMethodId), returnUrl),
      context,
    );
    return { ...request, ...answer, paymentMethodId };
  };

  test.each([
    ['4000002500003155', true, paid, undefined],
    ['4000002500003155', false, open, 'authentication_required'],
    ['4000008400001629', true, open, 'card_declined'],
  ])(
    'whose card %s asks for confirmation answers %s',
    async (number, approved, status, failureCode) => {
      const context = testContext({ now: new Date('2026-01-05T12:00:00.000Z') });
      const { invoiceId: id, invoice, action } = await waiting(context, number);
      const answer = { id, attempt: 1, approved };
      const later = { ...context, now: new Date(context.now.getTime() + 3 * 60 * 60 * 1000) };
      const answered = await payments.answerInvoiceChallenge(answer, later);
      const again = await payments.answerInvoiceChallenge(
        { ...answer, approved: !approved },
        context,
      );

      expect(action).toEqual({ attempt: 1, redirectUrl: undefined });
      expect(invoice?.payments).toMatchObject([
        { status: PaymentStatus.PAYMENT_STATUS_REQUIRES_ACTION },
      ]);
      expect(answered.action).toBeUndefined();
      expect(answered.invoice).toMatchObject({ status, payments: [{ failureCode }] });
      const { id: paymentId, createdAt } = invoice!.payments[0]!;
      expect(answered.invoice?.payments[0]).toMatchObject({ id: paymentId, createdAt });
      expect(answered.invoice?.paidAt).toEqual(status === paid ? later.now : undefined);
      expect(again.invoice?.payments).toEqual(answered.invoice?.payments);
    },
  );

  test('with another card ends the challenge of the first', async () => {
    const context = testContext();
    const { invoiceId, customerId } = await waiting(context);
    const { paymentMethodId } = await enter(customerId, '4242424242424242', context);
    const { invoice } = await payments.payInvoice(
      payWith(invoiceId, method(paymentMethodId), returnUrl),
      context,
    );
    const late = await payments.answerInvoiceChallenge(
      { id: invoiceId, attempt: 1, approved: true },
      context,
    );

    expect(invoice).toMatchObject({
      status: paid,
      payments: [{ failureCode: 'authentication_required' }, { failureCode: undefined }],
    });
    expect(late.invoice?.payments).toHaveLength(2);
  });

  test('with a waiting challenge does not block a void', async () => {
    const context = testContext();
    const { invoiceId, subscriptionId } = await waiting(context);
    const { invoice } = await checkout.voidInvoice(
      { id: invoiceId, expectedVersion: undefined },
      context,
    );

    expect(invoice).toMatchObject({
      status: voided,
      payments: [{ failureCode: 'authentication_required' }],
    });
    expect(await running.subscription.first(subscriptionId)).toMatchObject({
      outcome: CollectionOutcome.COLLECTION_OUTCOME_VOIDED,
    });
  });

  test('with 20 different answers in parallel gets one outcome', async () => {
    const context = testContext();
    const { invoiceId: id } = await waiting(context);
    await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        payments.answerInvoiceChallenge({ id, attempt: 1, approved: index % 2 === 0 }, context),
      ),
    );
    const { invoice } = await checkout.getInvoice({ id }, context);
    expect(invoice?.payments).toHaveLength(1);
  });
});

describe('voiding for a caller', () => {
  test('ends an open invoice once, at the version that the caller saw', async () => {
    const context = testContext();
    const { invoiceId: id } = await anOpenInvoice(context);
    const { invoice } = await checkout.getInvoice({ id }, context);
    const voidAt = (expectedVersion: bigint | undefined) =>
      codeOf(checkout.voidInvoice({ id, expectedVersion }, context));

    expect(await voidAt(invoice!.version + 1n)).toBe('STALE_VERSION');
    expect(await voidAt(invoice!.version)).toBe('none');
    expect(await voidAt(undefined)).toBe('INVOICE_NOT_OPEN');
    expect(
      await codeOf(checkout.voidInvoice({ id: newId(), expectedVersion: undefined }, context)),
    ).toBe('INVOICE_NOT_FOUND');
  });
});

describe('a card', () => {
  test('that is typed is saved and not charged automatically', async () => {
    const context = testContext();
    const customerId = newId();
    const entry = await payments.beginCardEntry({ customerId, returnUrl }, context);
    await enter(customerId, '4242 4242 4242 4242', context);
    const { collecting } = await checkout.createInvoice(aRequest({ customerId }), context);

    expect(entry).toEqual({ redirectUrl: undefined, testCards: true, providerPage: false });
    expect(collecting).toBe(false);
  });

  test.each([
    ['number', { number: '4111111111111111' }],
    ['expiry', { expiry: '01/20' }],
    ['code', { code: 'x' }],
  ])('with an invalid %s is refused under it', async (field, wrong) => {
    const card = { number: '4242424242424242', expiry: '12/60', code: '123', name: undefined };
    const request = { customerId: newId(), card: { ...card, ...wrong } };
    await expect(payments.savePaymentMethod(request, testContext())).rejects.toMatchObject({
      kind: 'invalid_input',
      fields: { [field]: [expect.any(String)] },
    });
  });

  test('is not accepted if no provider is configured', async () => {
    const context = testContext({ tenant: { live: true } });
    expect(await codeOf(enter(newId(), '4242424242424242', context))).toBe('NO_PAYMENT_PROVIDER');
    const setup = { customerId: newId(), setupId: 'x' };
    expect(await codeOf(payments.finishCardEntry(setup, context))).toBe('CARD_ENTRY_UNFINISHED');
  });
});

test('an event of an unknown provider is refused with not found', async () => {
  const event = { provider: 'unknown', body: Buffer.from('{}'), signature: 'x' };
  expect(await codeOf(payments.receiveProviderEvent(event, testContext()))).toBe(
    'PROVIDER_NOT_FOUND',
  );
});

describe('a discount', () => {
  const discountId = newId();
  const off = (type: DiscountType, value: string) => ({
    ...{ discountId, name: 'Spring', type, value, productIds: [] },
  });
  const { DISCOUNT_TYPE_PERCENTAGE: percentage, DISCOUNT_TYPE_FIXED: fixed } = DiscountType;

  test.each([
    [percentage, '33.33', [10000n, 10000n], [3333n, 3333n], 13334n],
    [percentage, '33.35', [10001n, 10000n], [3335n, 3335n], 13331n],
    [fixed, '100', [200n, 100n], [67n, 33n], 200n],
  ])(
    'of type %d and value %s is split over the lines',
    async (type, value, amounts, parts, total) => {
      const context = testContext();
      const lineItems = amounts.map((amount) => aLineItem(amount));
      const request = aRequest({ lineItems, discount: off(type, value) });
      const { invoice } = await checkout.createInvoice(request, context);

      expect(invoice?.lineItems.map(({ discountAmount }) => discountAmount)).toEqual(parts);
      const discountAmount = parts.reduce((sum, part) => sum + part, 0n);
      expect(invoice).toMatchObject({
        discountAmount,
        total,
        amountDue: total,
        discounts: [{ discountId, name: 'Spring', amount: discountAmount }],
      });
    },
  );

  test('larger than the invoice leaves nothing due, and the invoice is paid immediately', async () => {
    const context = testContext();
    const request = aRequest({ discount: off(fixed, '5000') });
    const { invoice } = await checkout.createInvoice(request, context);

    expect(invoice).toMatchObject({
      status: paid,
      subtotal: 2900n,
      discountAmount: 2900n,
      total: 0n,
      payments: [],
    });
  });

  test('lowers the charged amount', async () => {
    const context = testContext();
    const request = aRequest({ authorizedTransactionId: 'txn_1', discount: off(percentage, '50') });
    await checkout.createInvoice(request, context);
    const { invoice } = await running.subscription.first(request.subscriptionId);
    expect(invoice).toMatchObject({ status: paid, payments: [{ amount: 1450n }] });
  });
});

test('an invoice has its own page', async () => {
  const context = testContext();
  const [one, other] = [await anOpenInvoice(context), await anOpenInvoice(context)];
  const urls = await Promise.all(
    [one, other].map(async ({ invoiceId: id }) => {
      const { invoice } = await checkout.getInvoice({ id }, context);
      return invoice?.hostedUrl;
    }),
  );
  expect(urls[0]).toMatch(/^https:\/\/pay\.example\/invoice\/[\w-]{43}$/);
  expect(urls[0]).not.toBe(urls[1]);
});

test('an invoice that is sent can be paid on its page before and after its due date', async () => {
  const context = testContext();
  const collectionMethod = CollectionMethod.COLLECTION_METHOD_SEND_INVOICE;
  const { invoiceId, customerId } = await anOpenInvoice(context, { collectionMethod });
  const { paymentMethodId } = await enter(customerId, '4000000000000002', context);
  const failed = await payments.payInvoice(
    payWith(invoiceId, method(paymentMethodId), returnUrl),
    context,
  );
  expect(failed.invoice?.status).toBe(open);
});
