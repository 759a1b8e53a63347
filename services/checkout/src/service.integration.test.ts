import { AggregateCollection } from '@billing/chassis/aggregate-collection';
import { type Clock, systemClock } from '@billing/chassis/clock';
import { newId } from '@billing/chassis/ids';
import { connectMongo } from '@billing/chassis/mongo';
import { testContext } from '@billing/chassis/testing';
import { DomainError, notFound } from '@billing/kernel/domain-error';
import { InvoiceStatus, PaymentStatus } from '@billing/proto/billing/checkout/v1/checkout';
import { WorkClass } from '@billing/proto/billing/clock/v1/due_work';
import { CollectionMethod } from '@billing/proto/billing/customer/v1/customer';
import { CollectionOutcome } from '@billing/proto/billing/subscription/v1/subscription';
import { openAndCollect } from './invoice/collection';
import { draft } from './draft/draft';
import type { InvoiceRecord } from './invoice/invoice';
import { invoiceDefinition } from './invoice/document/store';
import { aClaim, aNewInvoice } from './testing/invoice';
import {
  aLineItem,
  aRequest,
  periodStart,
  type RunningCheckout,
  startCheckout,
} from './testing/rpc';

let realOffsetMs = 0;
const clock: Clock = { now: () => new Date(systemClock.now().getTime() + realOffsetMs) };
let running: RunningCheckout;
let checkout: RunningCheckout['checkout'];
let dueWork: RunningCheckout['dueWork'];
let subscription: RunningCheckout['subscription'];

beforeAll(async () => {
  running = await startCheckout(clock);
  ({ checkout, dueWork, subscription } = running);
});

afterAll(() => running.stop());

describe('an invoice', () => {
  test('is numbered, charged, paid, and reported to its subscription once', async () => {
    const context = testContext({ now: periodStart });
    const request = aRequest({ authorizedTransactionId: 'txn_4242424242424242' });
    const created = await checkout.createInvoice(request, context);
    const result = await subscription.first(request.subscriptionId);
    const { invoice } = await checkout.getInvoice({ id: request.invoiceId }, context);

    expect(created.collecting).toBe(true);
    expect(created.invoice?.number).toBe('INV-000001');
    expect(invoice).toMatchObject({
      id: request.invoiceId,
      organizationId: context.tenant.organizationId,
      number: 'INV-000001',
      status: InvoiceStatus.INVOICE_STATUS_PAID,
      subtotal: 2900n,
      total: 2900n,
      amountPaid: 2900n,
      amountDue: 0n,
      dueDate: undefined,
      paidAt: periodStart,
      createdAt: periodStart,
      payments: [
        { status: PaymentStatus.PAYMENT_STATUS_SUCCEEDED, provider: 'sandbox', amount: 2900n },
      ],
      lineItems: [{ invoiceId: request.invoiceId, amount: 2900n, metadata: { 'a.b': 'kept' } }],
    });
    expect(result).toMatchObject({
      resultNumber: 1,
      outcome: CollectionOutcome.COLLECTION_OUTCOME_SUCCEEDED,
      attempt: 1,
      invoice,
      nextAttemptAt: undefined,
    });
    expect(subscription.of(request.subscriptionId)).toHaveLength(1);
  });

  test('is created once, however often it is requested', async () => {
    const context = testContext();
    const request = aRequest({ authorizedTransactionId: 'txn_1' });
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => checkout.createInvoice(request, context)),
    );
    await subscription.first(request.subscriptionId);
    const again = await checkout.createInvoice(request, context);

    expect(new Set(answers.map(({ invoice }) => invoice?.number))).toEqual(new Set(['INV-000001']));
    expect(again.invoice?.payments).toHaveLength(1);
    expect(again.collecting).toBe(true);
    expect(subscription.of(request.subscriptionId)).toHaveLength(1);
  });

  test('whose charge fails stays open, and reports the failure to its subscription', async () => {
    const context = testContext();
    const request = aRequest({ authorizedTransactionId: 'txn_4000000000000002' });
    await checkout.createInvoice(request, context);

    expect(await subscription.first(request.subscriptionId)).toMatchObject({
      resultNumber: 1,
      outcome: CollectionOutcome.COLLECTION_OUTCOME_FAILED,
      attempt: 1,
      invoice: {
        status: InvoiceStatus.INVOICE_STATUS_OPEN,
        amountDue: 2900n,
        payments: [{ status: PaymentStatus.PAYMENT_STATUS_FAILED, failureCode: 'card_declined' }],
      },
    });
  });

  test('with nothing due is paid immediately, without a payment', async () => {
    const context = testContext();
    const request = aRequest({ lineItems: [aLineItem(0n)] });
    const { invoice } = await checkout.createInvoice(request, context);

    expect(invoice).toMatchObject({ status: InvoiceStatus.INVOICE_STATUS_PAID, payments: [] });
    expect(await subscription.first(request.subscriptionId)).toMatchObject({
      outcome: CollectionOutcome.COLLECTION_OUTCOME_NOTHING_DUE,
      attempt: 0,
    });
  });

  test('that is sent is due after 30 days and is not collected', async () => {
    const context = testContext({ now: periodStart });
    const collectionMethod = CollectionMethod.COLLECTION_METHOD_SEND_INVOICE;
    const created = await checkout.createInvoice(aRequest({ collectionMethod }), context);

    expect(created).toMatchObject({
      collecting: false,
      invoice: {
        status: InvoiceStatus.INVOICE_STATUS_OPEN,
        dueDate: new Date('2026-01-31T00:00:00.000Z'),
        amountDue: 2900n,
      },
    });
  });

  test('without a method fails an hour later, by the clock of its environment', async () => {
    const context = testContext({ now: periodStart });
    const request = aRequest();
    const { collecting } = await checkout.createInvoice(request, context);
    const { environmentId } = context.tenant;
    const until = new Date('2026-03-01T00:00:00.000Z');
    const { dueAt } = await dueWork.getNextDue({ environmentId, until }, context);
    const workClass = WorkClass.WORK_CLASS_COLLECTION;
    await dueWork.runDue({ environmentId, until: dueAt, workClass }, context);

    expect(collecting).toBe(false);
    expect(dueAt).toEqual(new Date('2026-01-01T01:00:00.000Z'));
    expect(await subscription.first(request.subscriptionId)).toMatchObject({
      outcome: CollectionOutcome.COLLECTION_OUTCOME_FAILED,
      attempt: 1,
      invoice: { payments: [{ failureCode: 'no_payment_method', createdAt: dueAt }] },
    });
  });
});

describe('a result', () => {
  const unavailable = new DomainError('unavailable', 'EARLIER_RESULT_MISSING', 'Try again');

  test.each([
    ['is busy', Array.from({ length: 6 }, () => unavailable)],
    ['does not exist', [notFound('Subscription'), notFound('Subscription')]],
  ])('is retried while the subscription %s, and never dropped', async (_case, refusals) => {
    const request = aRequest({ authorizedTransactionId: 'txn_1' });
    subscription.refuse(request.subscriptionId, ...refusals);
    await checkout.createInvoice(request, testContext());

    expect(await subscription.first(request.subscriptionId)).toMatchObject({
      resultNumber: 1,
      attempt: 1,
    });
  });

  test('carries the time of the decision, also when it is sent later', async () => {
    const context = testContext({ now: periodStart });
    const request = aRequest({ authorizedTransactionId: 'txn_1' });
    await checkout.createInvoice(request, context);
    await subscription.first(request.subscriptionId);
    const [sent] = subscription.of(request.subscriptionId);

    expect(sent?.context.now).toEqual(periodStart);
    expect(sent?.context.tenant).toEqual(context.tenant);
  });
});

test('an attempt of a process that stopped is resumed after 30 seconds, with its own source', async () => {
  const { MONGODB_URI: uri, MONGODB_DATABASE: database } = running.configuration;
  const mongo = await connectMongo({ uri, database, service: 'test' });
  const dependencies = { clock };
  const context = testContext();
  const invoice = draft(aNewInvoice({ id: newId(), subscriptionId: newId(), customerId: newId() }));
  const claim = {
    number: 'INV-000001',
    ...aClaim({
      source: { kind: 'AUTHORIZATION', authorizedTransactionId: 'txn_1' },
      now: context.now,
      claimedAt: clock.now(),
    }),
  };
  const { state } = openAndCollect(invoice.state, claim);
  await new AggregateCollection<InvoiceRecord>(mongo.db, invoiceDefinition, dependencies)
    .within(context)
    .insert({ state, events: [], commands: [] });
  await mongo.close();

  const { invoice: waiting } = await checkout.getInvoice({ id: state.id }, context);
  realOffsetMs += 31_000;

  expect(waiting?.status).toBe(InvoiceStatus.INVOICE_STATUS_OPEN);
  expect(await subscription.first(invoice.state.subscriptionId!)).toMatchObject({
    outcome: CollectionOutcome.COLLECTION_OUTCOME_SUCCEEDED,
    attempt: 1,
    invoice: { status: InvoiceStatus.INVOICE_STATUS_PAID },
  });
  realOffsetMs = 0;
});
