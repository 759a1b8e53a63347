import type { Stored } from '@billing/chassis/aggregate';
import type { CallContext } from '@billing/chassis/call-context';
import { isId } from '@billing/chassis/ids';
import { checkMetadata } from '@billing/chassis/request-fields';
import { rpcService } from '@billing/chassis/rpc';
import { invalidInput } from '@billing/kernel/domain-error';
import { recordedPaymentProblems } from '@billing/kernel/input/recorded-payment';
import { refuseProblems } from '@billing/kernel/input-problems';
import {
  type PayerAction,
  type PayInvoiceRequest,
  type RecordPaymentRequest,
  type PaymentServiceServer,
  PaymentServiceService,
} from '@billing/proto/billing/checkout/v1/payment';
import { paymentMethodTypes } from '@billing/proto/values/checkout';
import { paymentCallers } from '../peer/callers';
import { lastAttemptNumber } from '../invoice/attempt-slot';
import { checkOfNoSession } from '../invoice/collection';
import type { RecordedPayment } from '../invoice/attempt';
import type { Invoice, InvoiceRecord } from '../invoice/invoice';
import { type InvoicePages, readAuthorization, readId, toProtoInvoice } from '../invoice/rpc';
import type { IsCustomerDeleted } from '../peer/customer';
import { methodRemoved } from '../payment-method/payment-method';
import type { PaymentMethodStore } from '../payment-method/store';
import type { PaymentMethodWorker } from '../payment-method/payment-method-worker';
import type { ChargeSource } from '../provider/port/payment-provider';
import { type ProviderEventDependencies, receiveProviderEvent } from './receive-provider-event';
import type { NewRecordedPayment, RecordedPaymentWorker } from './recorded-payment-worker';
import type { RefusedAttemptStore } from './refused-attempt-store';

export interface PaymentRpcDependencies extends ProviderEventDependencies {
  readonly methods: PaymentMethodStore;
  readonly recordedPayments: RecordedPaymentWorker;
  readonly refused: RefusedAttemptStore;
  readonly saver: PaymentMethodWorker;
  readonly pages: InvoicePages;
  readonly isCustomerDeleted: IsCustomerDeleted;
}

/** RPCs of payments that a payer or a caller requests. */
export function paymentRpc(dependencies: PaymentRpcDependencies) {
  const { payments, recordedPayments, saver, refused } = dependencies;
  return rpcService<PaymentServiceServer>(
    PaymentServiceService,
    {
      payInvoice: async (request, context) => {
        const invoice = await payableInvoice(request.id, context, dependencies);
        const source = await fromProtoSource(request.source, { invoice, context, dependencies });
        const client = { resourceId: invoice.id, network: request.clientNetwork };
        const { returnUrl, expectedAmount } = request;
        const presence = { callId: context.resourceSeed, returnUrl, expectedAmount };
        const pay = () => payments.pay({ invoiceId: invoice.id, source }, presence, context);
        const counted = { client, pay, isCounted: countedFor(invoice) };
        return toProtoPayment(await refused.count(counted, context), dependencies);
      },
      answerInvoiceChallenge: async (
        { id, attempt, approved, clientNetwork: network },
        context,
      ) => {
        const invoice = await payableInvoice(id, context, dependencies);
        const { id: invoiceId } = invoice;
        const client = { resourceId: invoiceId, network };
        const pay = () => payments.answerChallenge({ invoiceId, attempt, approved }, context);
        const counted = { client, pay, isCounted: countedFor(invoice) };
        const answered = await refused.count(counted, context, { isBegun: true });
        return toProtoPayment(answered, dependencies);
      },
      recordPayment: async (request, context) => {
        const payment = {
          ...fromProtoRecordedPayment(request),
          isCustomerDeleted: await isDeleted(request, context, dependencies),
        };
        const { stored, number } = await recordedPayments.record(payment, context);
        const { payments: shown } = toProtoInvoice(stored, dependencies.pages);
        return { payment: shown.find(({ attempt }) => attempt === number) };
      },
      savePaymentMethod: async ({ customerId: sent, card }, context) => {
        const customerId = readId(sent, 'customerId');
        if (card === undefined) throw invalidInput({ number: ['Required'] });
        return { paymentMethodId: await saver.enterCard({ customerId, card }, context) };
      },
      beginCardEntry: ({ customerId, returnUrl }, context) =>
        saver.beginEntry({ customerId: readId(customerId, 'customerId'), returnUrl }, context),
      finishCardEntry: async ({ customerId: sent, setupId }, context) => {
        const customerId = readId(sent, 'customerId');
        return {
          paymentMethodId: await saver.finishEntry({ customerId, setupId }, context),
        };
      },
      receiveProviderEvent: async (event) => {
        await receiveProviderEvent(event, dependencies);
        return {};
      },
      listProviderReports: async ({ invoiceId }, context) => ({
        reports: await dependencies.reports.listOf(invoiceId, context),
      }),
    },
    { withoutTenant: ['receiveProviderEvent'], callers: paymentCallers },
  );
}

// The outstanding amount never exceeds the amount that a deleted customer may still pay.
async function isDeleted(
  { invoiceId, amount }: Pick<RecordPaymentRequest, 'invoiceId' | 'amount'>,
  context: CallContext,
  { invoices, isCustomerDeleted }: PaymentRpcDependencies,
): Promise<boolean> {
  if (amount === undefined) return false;
  const { state } = await invoices.within(context).get(invoiceId);
  return isCustomerDeleted(state.customerId, context);
}

// A payment that waits for its payer is not refused yet; one that has no outcome may be.
function countedFor(before: Invoice) {
  return ({ state: after }: Stored<InvoiceRecord>): boolean => {
    if (after.isTombstone || after.status !== 'OPEN') return true;
    if (after.attempt !== undefined) return after.attempt.status === 'PENDING';
    const last = after.payments.at(-1);
    return last?.status === 'FAILED' && last.number > lastAttemptNumber(before);
  };
}

async function payableInvoice(
  id: string,
  context: CallContext,
  { invoices }: PaymentRpcDependencies,
): Promise<Invoice> {
  const { state } = await invoices.within(context).get(id);
  checkOfNoSession(state);
  return state;
}

async function fromProtoSource(
  source: PayInvoiceRequest['source'],
  {
    invoice,
    context,
    dependencies,
  }: {
    readonly invoice: Invoice;
    readonly context: CallContext;
    readonly dependencies: PaymentRpcDependencies;
  },
): Promise<ChargeSource | undefined> {
  switch (source?.$case) {
    case undefined:
      return undefined;
    case 'authorizedTransactionId': {
      const authorizedTransactionId = readAuthorization(source.value);
      return { kind: 'AUTHORIZATION', authorizedTransactionId };
    }
    case 'paymentMethodId': {
      const { value: paymentMethodId } = source;
      const method = isId(paymentMethodId)
        ? await dependencies.methods.find(paymentMethodId, context)
        : undefined;
      if (method?.customerId !== invoice.customerId) {
        throw invalidInput({ paymentMethodId: ['Payment method not found'] });
      }
      // A page opened before the removal may still offer the method.
      if (await dependencies.methods.isRemoved(method, context)) throw methodRemoved();
      return { kind: 'METHOD', paymentMethodId };
    }
  }
}

function fromProtoRecordedPayment(request: RecordPaymentRequest): NewRecordedPayment {
  const { invoiceId, amount, reference, receivedAt, metadata } = request;
  refuseProblems({ ...recordedPaymentProblems(request), metadata: checkMetadata(metadata) });
  const method = readRecordedMethod(request);
  return {
    invoiceId,
    amount,
    details: { method, reference, receivedAt, metadata: metadata ?? {} },
  };
}

function readRecordedMethod({ method }: RecordPaymentRequest): RecordedPayment['method'] {
  const name = paymentMethodTypes.knownName(method);
  if (name === undefined || name === 'CARD') throw invalidInput({ method: ['Invalid method'] });
  return name;
}

function toProtoPayment(stored: Stored<InvoiceRecord>, { pages }: PaymentRpcDependencies) {
  return { invoice: toProtoInvoice(stored, pages), action: actionOf(stored.state) };
}

function actionOf(record: InvoiceRecord): PayerAction | undefined {
  if (record.isTombstone || record.attempt?.status !== 'REQUIRES_ACTION') return undefined;
  const { number: attempt, redirectUrl } = record.attempt;
  return { attempt, redirectUrl };
}
