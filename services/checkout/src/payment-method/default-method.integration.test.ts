import { newId } from '@billing/chassis/ids';
import { eventually, testContext } from '@billing/chassis/testing';
import { InvoiceStatus } from '@billing/proto/billing/checkout/v1/checkout';
import { CollectionOutcome } from '@billing/proto/billing/subscription/v1/subscription';
import { aLineItem, aRequest, type RunningCheckout, startCheckout } from '../testing/rpc';

let running: RunningCheckout;

beforeAll(async () => {
  running = await startCheckout();
});

afterAll(() => running.stop());

const works = '4242424242424242';
const challenged = '4000002500003155';
const expired = '4000000000000069';
const declined = '4000000000000002';
const { COLLECTION_OUTCOME_SUCCEEDED: paid, COLLECTION_OUTCOME_FAILED: failed } = CollectionOutcome;

/** A customer whose clock stands still until a test advances it. */
function aCustomer() {
  const { checkout, payments, methods, subscription } = running;
  const context = testContext({ now: new Date('2026-01-05T12:00:00.000Z') });
  const afterHours = (hours: number) => ({
    ...context,
    now: new Date(context.now.getTime() + hours * 60 * 60 * 1000),
  });
  const customerId = newId();
  /** An invoice, with the outcome of its first attempt. */
  const bill = async (input: Parameters<typeof aRequest>[0] = {}) => {
    const request = aRequest({ customerId, ...input });
    await checkout.createInvoice(request, context);
    return { ...request, ...(await subscription.first(request.subscriptionId)) };
  };
  const read = async (id: string) => (await checkout.getInvoice({ id }, context)).invoice!;
  const enter = async (number: string) => {
    const card = { number, expiry: '12/60', code: '123', name: undefined };
    return (await payments.savePaymentMethod({ customerId, card }, context)).paymentMethodId;
  };
  const makeDefault = (paymentMethodId: string, hours = 0) =>
    methods.keepPaymentMethod({ customerId, paymentMethodId, asDefault: true }, afterHours(hours));
  /** The subscriptions charged to each card, by its last digits. */
  const ownCards = async () => {
    const { paymentMethods } = await methods.listPaymentMethods({ customerId }, context);
    return paymentMethods.map(({ last4, subscriptionIds }) => [last4, subscriptionIds]);
  };
  const cards = async () => {
    const { paymentMethods } = await methods.listPaymentMethods({ customerId }, context);
    return paymentMethods.map(({ last4, isDefault }) => [last4, isDefault]);
  };
  return { context, afterHours, bill, read, enter, makeDefault, cards, ownCards };
}

describe('the card of an authorized payment', () => {
  const authorized = (number: string) => ({ authorizedTransactionId: `txn_${number}` });

  test('that is declined does not replace the default: renewals are charged to the card that works', async () => {
    const { bill, cards } = aCustomer();
    await bill(authorized(works));
    expect(await bill(authorized('4000000000009979'))).toMatchObject({ outcome: failed });
    expect(await cards()).toEqual([['4242', true]]);
    expect(await bill()).toMatchObject({ outcome: paid });
  });

  test('that is captured becomes the default', async () => {
    const { bill, cards } = aCustomer();
    await bill(authorized(works));
    await bill(authorized('5555555555554444'));
    await eventually(async () => {
      expect(await cards()).toEqual([
        ['4444', true],
        ['4242', false],
      ]);
    });
  });

  test('becomes the default immediately if there is none, so that retries have a card', async () => {
    const { bill, cards } = aCustomer();
    await bill(authorized(declined));
    expect(await cards()).toEqual([['0002', true]]);
  });

  test('without an amount due is saved, and becomes the default only if there is none', async () => {
    const { bill, cards, ownCards } = aCustomer();
    const paidNow = await bill(authorized(works));
    const free = await bill({ ...authorized('5555555555554444'), lineItems: [aLineItem(0n)] });
    expect(await cards()).toEqual([
      ['4242', true],
      ['4444', false],
    ]);
    expect(await ownCards()).toEqual([
      ['4242', [paidNow.subscriptionId]],
      ['4444', [free.subscriptionId]],
    ]);
  });
});

describe('a new default', () => {
  /** An invoice that permanently refused the default card. */
  async function aRefusedInvoice() {
    const customer = aCustomer();
    const { enter, makeDefault, bill } = customer;
    const refused = await enter(expired);
    await makeDefault(refused);
    const { invoiceId } = await bill();
    return { ...customer, refused, invoiceId };
  }

  /** The invoice with the status and the codes of its payments, once it is as expected. */
  const becomes = (
    { read, invoiceId }: Awaited<ReturnType<typeof aRefusedInvoice>>,
    status: InvoiceStatus,
    codes: readonly (string | undefined)[],
  ) =>
    eventually(async () => {
      const invoice = await read(invoiceId);
      expect([invoice.status, ...invoice.payments.map(({ failureCode }) => failureCode)]).toEqual([
        status,
        ...codes,
      ]);
    });

  test('is charged immediately, also while a challenge waits for its answer', async () => {
    const customer = await aRefusedInvoice();
    const { context, enter, makeDefault, invoiceId: id } = customer;
    const source = { $case: 'paymentMethodId' as const, value: await enter(challenged) };
    const asked = { id, source, returnUrl: 'https://shop.example/back' };
    const { action } = await running.payments.payInvoice(asked, context);
    expect(action).toBeDefined();
    await makeDefault(await enter(works), 1);

    const codes = ['expired_card', 'authentication_required', undefined];
    await becomes(customer, InvoiceStatus.INVOICE_STATUS_PAID, codes);
  });

  test('that was permanently refused for the invoice is not charged again', async () => {
    const customer = await aRefusedInvoice();
    const { refused, enter, makeDefault } = customer;
    await makeDefault(await enter(declined), 1);
    const codes = ['expired_card', 'card_declined'];
    await becomes(customer, InvoiceStatus.INVOICE_STATUS_OPEN, codes);
    await makeDefault(refused, 2);
    await makeDefault(await enter(works), 3);
    await becomes(customer, InvoiceStatus.INVOICE_STATUS_PAID, [...codes, undefined]);
  });
});
