import type { CallContext } from '@billing/chassis/call-context';
import { systemClock } from '@billing/chassis/clock';
import { newId } from '@billing/chassis/ids';
import { createLogger } from '@billing/chassis/logging';
import { testContext } from '@billing/chassis/testing';
import { only } from '@billing/kernel/transition';
import { RecordedPaymentWorker } from '../collection/recorded-payment-worker';
import { issueCreditNote, type NewCreditNote } from '../credit-note/issue-credit-note';
import { voidForCaller } from '../invoice/collection';
import type { ProviderDispute } from '../provider/port/refund';
import { recordDispute } from '../refund/dispute';
import { recordRefund, settleRefund } from '../refund/refund';
import { all, asked } from '../testing/credit-note';
import { asInvoice } from '../testing/invoice';
import { processOn, type SceneProcess } from '../testing/scene-store';
import { openReplicas, type Replicas } from '../testing/store';
import { obligationsOf } from './obligation-rpc';

// Money on its way: the invoice has decided, and its command has not run.

let replicas: Replicas;
let process: SceneProcess;
let context: CallContext;

beforeAll(async () => {
  replicas = await openReplicas();
  process = processOn(replicas.db);
});

beforeEach(() => {
  context = testContext();
});

afterAll(() => replicas.close());

const nothing = {
  hasOpenSession: false,
  hasOpenInvoice: false,
  hasPendingRefundOrDispute: false,
  hasBalance: false,
};

async function obligations(invoiceId: string) {
  const { customerId } = await replicas.read(invoiceId, context);
  return obligationsOf(customerId, context, process);
}

/** An invoice that a card has paid. */
async function paidByCard(): Promise<string> {
  const authorizedTransactionId = `txn_4242424242424242_${newId()}`;
  const id = await replicas.insertDraft(context, { authorizedTransactionId });
  await process.collection.open(id, context);
  return id;
}

/** A credit note of all of an invoice, before its command. */
function credit(id: string, settle: NewCreditNote['settle']) {
  const note = { ...asked(all, settle), id: newId() };
  const refundIdOf = () => newId();
  const facts = { methods: { methodId: undefined }, realNow: systemClock.now(), refundIdOf };
  return process.invoices
    .within(context)
    .mutate(id, (record, now) => issueCreditNote(record, note, { ...facts, now }));
}

test('a customer whose invoices are paid and settled has no obligation', async () => {
  const id = await paidByCard();
  expect(await obligations(id)).toEqual(nothing);
  await credit(id, 'EXTERNAL');
  expect(await obligations(id)).toEqual(nothing);
});

test('an overpayment that could not be posted yet is a balance', async () => {
  const id = await replicas.insertDraft(context, { collectionMethod: 'SEND_INVOICE' });
  await process.collection.open(id, context);
  const logger = createLogger({ service: 'test', level: 'silent' });
  const credit = () => Promise.reject(new Error('database down'));
  const broken = Object.assign(Object.create(process.balances) as typeof process.balances, {
    credit,
  });
  const worker = new RecordedPaymentWorker({
    ...{ ...process, balances: broken, clock: systemClock, logger },
  });
  const details = { method: 'CASH', reference: undefined, metadata: {} } as const;
  const payment = { invoiceId: id, amount: 3449n, isCustomerDeleted: false };
  await worker.record({ ...payment, details: { ...details, receivedAt: undefined } }, context);
  expect(await obligations(id)).toEqual({ ...nothing, hasBalance: true });
});

test('a credit note to the balance is a balance before its entry', async () => {
  const id = await paidByCard();
  await credit(id, 'BALANCE');
  expect(await obligations(id)).toEqual({ ...nothing, hasBalance: true });
});

test('a refund is pending before its row is copied, and replaced it is a balance', async () => {
  const id = await paidByCard();
  await credit(id, 'REFUND');
  expect(await obligations(id)).toEqual({ ...nothing, hasPendingRefundOrDispute: true });
  const [refund] = (await replicas.read(id, context)).refunds;
  const outcome = { status: 'FAILED', failureCode: 'x', providerRefundId: undefined } as const;
  const settlement = { refundId: refund!.id, reference: undefined, callId: undefined };
  const invoices = process.invoices.within(context);
  await invoices.mutate(id, (record, now) => recordRefund(record, { ...refund!, outcome, now }));
  expect(await obligations(id)).toEqual(nothing);
  await invoices.mutate(id, (record, now) =>
    settleRefund(record, { ...settlement, to: 'BALANCE', now, realNow: now }),
  );
  expect(await obligations(id)).toEqual({ ...nothing, hasBalance: true });
});

test('a dispute is open before its row is copied', async () => {
  const id = await paidByCard();
  const [payment] = (await replicas.read(id, context)).payments;
  const found: ProviderDispute = {
    ...{ providerDisputeId: 'dp', providerPaymentId: payment!.providerPaymentId ?? '' },
    ...{ amount: 2900n, reason: 'fraudulent', status: 'OPEN', evidenceDueBy: undefined },
  };
  await process.invoices
    .within(context)
    .mutate(id, (record, now) =>
      recordDispute(record, { id: newId(), payment: payment!, found, now }),
    );
  expect(await obligations(id)).toEqual({ ...nothing, hasPendingRefundOrDispute: true });
});

test('what a voided invoice had taken from the balance is a balance until it is returned', async () => {
  const id = await replicas.insertDraft(context, { collectionMethod: 'SEND_INVOICE' });
  await process.collection.open(id, context);
  const invoices = process.invoices.within(context);
  // Taken at its opening; the entry is of no matter here.
  await invoices.mutate(id, (record) => only({ ...asInvoice(record), balanceApplied: 549n }));
  await invoices.mutate(id, (record, now) => voidForCaller(record, now));
  expect(await obligations(id)).toEqual({ ...nothing, hasBalance: true });
});
