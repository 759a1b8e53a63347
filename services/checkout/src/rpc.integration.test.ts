import type { CallContext } from '@billing/chassis/call-context';
import { newId } from '@billing/chassis/ids';
import { testContext } from '@billing/chassis/testing';
import { BillingReason, InvoiceStatus } from '@billing/proto/billing/checkout/v1/checkout';
import { CollectionOutcome } from '@billing/proto/billing/subscription/v1/subscription';
import {
  aLineItem,
  aRequest,
  periodStart,
  type RunningCheckout,
  startCheckout,
} from './testing/rpc';

let running: RunningCheckout;
let checkout: RunningCheckout['checkout'];
let dueWork: RunningCheckout['dueWork'];
let subscription: RunningCheckout['subscription'];

beforeAll(async () => {
  running = await startCheckout();
  ({ checkout, dueWork, subscription } = running);
});

afterAll(() => running.stop());

describe('a new invoice', () => {
  test.each([
    ['invoiceId', { invoiceId: 'x' }],
    ['subscriptionId', { subscriptionId: '' }],
    ['customerId', { customerId: 'x' }],
    ['currency', { currency: 'XYZ' }],
    ['billingReason', { billingReason: BillingReason.BILLING_REASON_UNSPECIFIED }],
    ['billingReason', { billingReason: BillingReason.BILLING_REASON_CHECKOUT }],
    ['periodStart', { periodStart: undefined }],
    ['lineItems', { lineItems: [] }],
    ['lineItems', { lineItems: [aLineItem(-1n)] }],
    ['authorizedTransactionId', { authorizedTransactionId: 'x'.repeat(256) }],
    ['balanceRound', { balanceRound: 0 }],
    ['balanceRound', { balanceRound: 1, authorizedTransactionId: 'txn_1' }],
  ])('with an invalid %s is refused under it', async (field, wrong) => {
    await expect(checkout.createInvoice(aRequest(wrong), testContext())).rejects.toMatchObject({
      kind: 'invalid_input',
      fields: { [field]: [expect.any(String)] },
    });
  });
});

describe('voiding', () => {
  test('an unknown invoice leaves only a tombstone, so that a late invoice is void', async () => {
    const context = testContext();
    const { invoiceId, subscriptionId, customerId, currency } = aRequest();
    const holder = { invoiceId, subscriptionId, customerId, currency };
    const first = await checkout.voidDerivedInvoice(holder, context);
    const second = await checkout.voidDerivedInvoice(holder, context);
    const late = await checkout.createInvoice(
      aRequest({ ...holder, authorizedTransactionId: 'txn_1' }),
      context,
    );

    expect([first.invoice, second.invoice]).toEqual([undefined, undefined]);
    expect(late).toMatchObject({
      collecting: false,
      invoice: { status: InvoiceStatus.INVOICE_STATUS_VOID, number: undefined, lineItems: [] },
    });
    await expect(checkout.getInvoice({ id: invoiceId }, context)).rejects.toMatchObject({
      reason: 'INVOICE_NOT_FOUND',
    });
    expect(
      await checkout.listInvoices({ page: 1, perPage: 20, subscriptionId, customerId }, context),
    ).toEqual({ invoices: [], total: 0 });
  });

  test('an open invoice ends it, also when retried, and stops its collection', async () => {
    const context = testContext({ now: periodStart });
    const request = aRequest();
    await checkout.createInvoice(request, context);
    const first = await checkout.voidDerivedInvoice(request, context);
    const second = await checkout.voidDerivedInvoice(request, context);
    const until = new Date('2027-01-01T00:00:00.000Z');
    const { environmentId } = context.tenant;

    expect(first.invoice).toMatchObject({
      status: InvoiceStatus.INVOICE_STATUS_VOID,
      number: 'INV-000001',
      amountDue: 0n,
    });
    expect(second).toEqual(first);
    expect(await dueWork.getNextDue({ environmentId, until }, context)).toEqual({
      dueAt: undefined,
    });
    expect(subscription.of(request.subscriptionId)).toEqual([]);
  });

  test('an invoice of another subscription is refused', async () => {
    const context = testContext();
    const request = aRequest();
    await checkout.createInvoice(request, context);
    const foreign = { ...request, subscriptionId: newId() };

    await expect(checkout.voidDerivedInvoice(foreign, context)).rejects.toThrow();
    const { invoice } = await checkout.getInvoice({ id: request.invoiceId }, context);
    expect(invoice?.status).toBe(InvoiceStatus.INVOICE_STATUS_OPEN);
  });
});

describe('resolving an authorization', () => {
  test('saves its method for the next invoice and charges nothing, however often', async () => {
    const context = testContext();
    const customerId = newId();
    const request = { subscriptionId: newId(), customerId, authorizedTransactionId: 'txn_1' };
    const first = await checkout.resolveAuthorization(request, context);
    const second = await checkout.resolveAuthorization(request, context);
    const renewal = aRequest({ customerId });
    await checkout.createInvoice(renewal, context);

    expect(first.paymentMethodId).toBeDefined();
    expect(second).toEqual(first);
    expect(await subscription.first(renewal.subscriptionId)).toMatchObject({
      outcome: CollectionOutcome.COLLECTION_OUTCOME_SUCCEEDED,
    });
  });

  test.each([
    ['a card that the sandbox does not know', 'txn_4111111111111111', false],
    ['an environment without a provider', 'pi_1', true],
  ])('of %s saves nothing', async (_case, authorizedTransactionId, live) => {
    const request = { subscriptionId: newId(), customerId: newId(), authorizedTransactionId };
    const answer = await checkout.resolveAuthorization(request, testContext({ tenant: { live } }));
    expect(answer).toEqual({ paymentMethodId: undefined });
  });
});

describe('the billed currency of a customer', () => {
  const billed = (customerId: string, context: CallContext) =>
    checkout.getBilledCurrency({ customerId }, context);

  test('is that of the first invoice, however many follow', async () => {
    const context = testContext({ now: periodStart });
    const customerId = newId();
    await checkout.createInvoice(aRequest({ customerId, currency: 'EUR' }), context);
    const later = { ...context, now: new Date(periodStart.getTime() + 60_000) };
    for (const count of [50, 51]) {
      const requests = Array.from({ length: count }, () => aRequest({ customerId }));
      await checkout.createInvoices({ requests }, later);
    }
    expect(await billed(customerId, context)).toEqual({ currency: 'EUR' });
    expect(await billed(customerId, testContext())).toEqual({ currency: undefined });
  });

  test('is not set by a tombstone', async () => {
    const context = testContext();
    const { invoiceId, subscriptionId, customerId, currency } = aRequest();
    await checkout.voidDerivedInvoice({ invoiceId, subscriptionId, customerId, currency }, context);
    expect(await billed(customerId, context)).toEqual({ currency: undefined });
    expect(await billed('x', context)).toEqual({ currency: undefined });
  });
});

describe('reading', () => {
  test('a list returns the newest invoice first, with pages and an exact total', async () => {
    const context = testContext({ now: periodStart });
    const customerId = newId();
    const ids: string[] = [];
    for (const day of [1, 2, 3]) {
      const { invoiceId } = aRequest();
      const now = new Date(Date.UTC(2026, 0, day));
      await checkout.createInvoice(aRequest({ invoiceId, customerId }), { ...context, now });
      ids.unshift(invoiceId);
    }
    const page = (number: number) =>
      checkout.listInvoices(
        { page: number, perPage: 2, customerId, subscriptionId: undefined },
        context,
      );

    const [first, second, beyond] = [await page(1), await page(2), await page(3)];
    expect([...first.invoices, ...second.invoices].map(({ id }) => id)).toEqual(ids);
    expect([first.total, second.total]).toEqual([3, 3]);
    expect(beyond).toEqual({ invoices: [], total: 3 });
  });

  test.each([
    ['a malformed subscription', { subscriptionId: 'x' }],
    ['a malformed customer', { customerId: 'x' }],
    ['an unknown customer', { customerId: newId() }],
  ])('a list of %s is empty', async (_case, filter) => {
    const request = { page: 1, perPage: 20, customerId: undefined, subscriptionId: undefined };
    const answer = await checkout.listInvoices({ ...request, ...filter }, testContext());
    expect(answer).toEqual({ invoices: [], total: 0 });
  });

  test.each([
    [InvoiceStatus.INVOICE_STATUS_DRAFT, 0],
    [InvoiceStatus.INVOICE_STATUS_OPEN, 1],
    [InvoiceStatus.INVOICE_STATUS_PAID, 0],
    [InvoiceStatus.INVOICE_STATUS_VOID, 0],
    [InvoiceStatus.INVOICE_STATUS_UNCOLLECTIBLE, 0],
  ])(
    'a list by status %d contains the open invoice and no tombstone %d times',
    async (status, total) => {
      const context = testContext();
      const [open, never] = [aRequest(), aRequest()];
      await checkout.createInvoice(open, context);
      const { invoiceId, subscriptionId, customerId, currency } = never;
      await checkout.voidDerivedInvoice(
        { invoiceId, subscriptionId, customerId, currency },
        context,
      );
      const answer = await checkout.listInvoices({ page: 1, perPage: 20, status }, context);
      expect([answer.total, answer.invoices.length]).toEqual([total, total]);
    },
  );

  test('a list by an unspecified status is refused', async () => {
    const status = InvoiceStatus.INVOICE_STATUS_UNSPECIFIED;
    await expect(
      checkout.listInvoices({ page: 1, perPage: 20, status }, testContext()),
    ).rejects.toMatchObject({ fields: { status: ['Invalid status'] } });
  });

  test('in another environment finds nothing', async () => {
    const request = aRequest();
    await checkout.createInvoice(request, testContext());
    const other = testContext();
    const { invoiceId: id, subscriptionId } = request;

    await expect(checkout.getInvoice({ id }, other)).rejects.toMatchObject({
      reason: 'INVOICE_NOT_FOUND',
    });
    const page = { page: 1, perPage: 20, subscriptionId, customerId: undefined };
    expect(await checkout.listInvoices(page, other)).toEqual({ invoices: [], total: 0 });
  });

  test.each(['x', newId()])('an unknown invoice %s fails with not found', async (id) => {
    await expect(checkout.getInvoice({ id }, testContext())).rejects.toMatchObject({
      kind: 'not_found',
      message: 'Invoice not found',
    });
  });
});
