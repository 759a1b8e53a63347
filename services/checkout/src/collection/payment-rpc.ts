import { type Stored, tenantOf } from '@billing/chassis/aggregate';
import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import type { CallContext } from '@billing/chassis/call-context';
import { isId } from '@billing/chassis/ids';
import type { Clock } from '@billing/chassis/clock';
import { retryTransient } from '@billing/chassis/mongo';
import { rpcService } from '@billing/chassis/rpc';
import { invalidInput, unlessNotFound } from '@billing/kernel/domain-error';
import {
  type PayerAction,
  type PayInvoiceRequest,
  type PaymentServiceServer,
  PaymentServiceService,
} from '@billing/proto/billing/checkout/v1/payment';
import { paymentCallers } from '../callers';
import { lastAttemptNumber } from '../invoice/attempt-slot';
import { checkOfNoSession } from '../invoice/collection';
import type { Invoice, InvoiceRecord } from '../invoice/invoice';
import { type InvoicePages, toProtoInvoice } from '../invoice/rpc';
import { methodRemoved } from '../payment-method/payment-method';
import type { PaymentMethodStore } from '../payment-method/store';
import type { PaymentMethodWorker } from '../payment-method/payment-method-worker';
import type { ChargeSource } from '../provider/port/payment-provider';
import type { PaymentWorker } from './payment-worker';
import type { ConfiguredProviders } from '../provider/configured-provider';
import { contradictedPayment } from '../invoice/late-payment';
import type {
  ProviderEvents,
  ProviderReport,
  ReceivedProviderEvent,
} from '../provider/port/provider-events';
import type { ProviderReportStore } from '../provider/report-store';
import type { RefusedAttemptStore } from './refused-attempt-store';
import { readAuthorization, readId } from '../invoice/request-rpc';
import type { SessionListener } from './session-invoice-client';

export interface PaymentRpcDependencies {
  readonly invoices: AggregateCollection<InvoiceRecord>;
  readonly payments: PaymentWorker;
  readonly sessions: Pick<SessionListener, 'holdForLatePayment'>;
  readonly methods: PaymentMethodStore;
  readonly refused: RefusedAttemptStore;
  readonly saver: PaymentMethodWorker;
  readonly pages: InvoicePages;
  readonly events: ProviderEvents;
  readonly reports: ProviderReportStore;
  /** Invoice of a provider's payment; undefined if the payment is not ours. */
  readonly chargeOf: ConfiguredProviders['chargeOf'];
  readonly clock: Clock;
}

/** RPCs of payments that a payer or a caller requests. */
export function paymentRpc(dependencies: PaymentRpcDependencies) {
  const { payments, saver, refused, events } = dependencies;
  return rpcService<PaymentServiceServer>(
    PaymentServiceService,
    {
      payInvoice: async (request, context) => {
        const invoice = await payableInvoice(request.id, context, dependencies);
        const source = await fromProtoSource(request.source, { invoice, context, dependencies });
        const client = { resourceId: invoice.id, network: request.clientNetwork };
        await refused.check(client, context);
        const presence = { callId: context.resourceSeed, returnUrl: request.returnUrl };
        const paid = await payments.pay({ invoiceId: invoice.id, source }, presence, context);
        if (wasRefused(invoice, paid.state)) await refused.record(client, context);
        return toProtoPayment(paid, dependencies);
      },
      answerInvoiceChallenge: async (
        { id, attempt, approved, clientNetwork: network },
        context,
      ) => {
        const invoice = await payableInvoice(id, context, dependencies);
        const { id: invoiceId } = invoice;
        const client = { resourceId: invoiceId, network };
        const answered = await payments.answerChallenge({ invoiceId, attempt, approved }, context);
        if (wasRefused(invoice, answered.state)) await refused.record(client, context);
        return toProtoPayment(answered, dependencies);
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
        const report = await events.readReport(event);
        if (report === undefined) await followPayment(event, dependencies);
        else await keepReport(report, dependencies);
        return {};
      },
      listProviderReports: async ({ invoiceId }, context) => ({
        reports: await dependencies.reports.listOf(invoiceId, context),
      }),
    },
    { withoutTenant: ['receiveProviderEvent'], callers: paymentCallers },
  );
}

async function followPayment(
  event: ReceivedProviderEvent,
  { payments, sessions, events, reports, clock }: PaymentRpcDependencies,
): Promise<void> {
  const announced = await events.read(event);
  if (announced === undefined) return;
  const { tenant, invoiceId, succeeded } = announced;
  const context = { tenant, now: clock.now() };
  // The provider's account may serve other installations. A refusal would make the provider resend
  // the event for days.
  const stored = await unlessNotFound(payments.checkAtProvider(invoiceId, context));
  if (stored === undefined || succeeded === undefined) return;
  const failed = contradictedPayment(stored.state, succeeded);
  if (failed === undefined || stored.state.isTombstone) return;
  const { session } = stored.state;
  const holdSession = () =>
    session === undefined
      ? Promise.resolve(true)
      : sessions.holdForLatePayment({ ...session, payment: failed }, context);
  const late = { payment: failed, holdSession };
  if ((await payments.settleLate(stored, late, context)) === 'SETTLED') return;
  // The provider took the money, but no invoice can be settled with it: an operator must look at
  // it.
  const { currency } = stored.state;
  const taken = {
    kind: 'CONTRADICTION',
    amount: failed.amount,
    currency,
    status: 'succeeded',
  } as const;
  const id = `${failed.provider}:${succeeded}:contradiction`;
  const facts = { invoiceId, ...context };
  await reports.add({ id, providerPaymentId: succeeded, ...taken }, facts);
}

async function keepReport(
  report: ProviderReport,
  { reports, chargeOf, invoices, clock }: PaymentRpcDependencies,
): Promise<void> {
  const charge = await chargeOf(report.providerPaymentId);
  // The provider's account may serve other installations.
  if (charge === undefined) return;
  const { invoiceId: _id, environmentId } = charge;
  const document = await retryTransient(() => invoices.documents.findOne({ _id, environmentId }));
  if (document === null) return;
  const tenant = tenantOf(document);
  await reports.add(report, { invoiceId: _id, tenant, now: clock.now() });
}

// True if a payment has been refused since the invoice was read.
function wasRefused(before: Invoice, after: InvoiceRecord): boolean {
  if (after.isTombstone) return false;
  const last = after.payments.at(-1);
  return last?.status === 'FAILED' && last.number > lastAttemptNumber(before);
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

function toProtoPayment(stored: Stored<InvoiceRecord>, { pages }: PaymentRpcDependencies) {
  return { invoice: toProtoInvoice(stored, pages), action: actionOf(stored.state) };
}

function actionOf(record: InvoiceRecord): PayerAction | undefined {
  if (record.isTombstone || record.attempt?.status !== 'REQUIRES_ACTION') return undefined;
  const { number: attempt, redirectUrl } = record.attempt;
  return { attempt, redirectUrl };
}
