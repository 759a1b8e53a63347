import type { Stored } from '@billing/chassis/aggregate';
import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import type { CallContext } from '@billing/chassis/call-context';
import { isId } from '@billing/chassis/ids';
import type { Clock } from '@billing/chassis/clock';
import type { Logger } from '@billing/chassis/logging';
import { rpcService } from '@billing/chassis/rpc';
import { invalidInput, unlessNotFound } from '@billing/kernel/domain-error';
import {
  type PayerAction,
  type PayInvoiceRequest,
  type PaymentServiceServer,
  PaymentServiceService,
} from '@billing/proto/billing/checkout/v1/payment';
import { checkOfNoSession } from './collection';
import type { Invoice, InvoiceRecord } from './invoice';
import { type InvoicePages, toProtoInvoice } from './invoice-rpc';
import { methodRemoved } from './payment-method';
import type { PaymentMethodStore } from './payment-method-store';
import type { PaymentMethodWorker } from './payment-method-worker';
import type { ChargeSource } from './payment-provider';
import type { PaymentWorker } from './payment-worker';
import type { AnnouncedPayment, ProviderEvents } from './provider-events';
import { readAuthorization, readId } from './request-rpc';

/** What the calls are answered from. */
export interface PaymentRpcParts {
  readonly invoices: AggregateCollection<InvoiceRecord>;
  readonly payments: PaymentWorker;
  readonly methods: PaymentMethodStore;
  readonly keeper: PaymentMethodWorker;
  readonly pages: InvoicePages;
  readonly events: ProviderEvents;
  readonly clock: Clock;
  readonly logger: Pick<Logger, 'error'>;
}

/** The RPCs of payments that somebody asks for. */
export function paymentRpc(parts: PaymentRpcParts) {
  const { payments, keeper, events, clock } = parts;
  return rpcService<PaymentServiceServer>(
    PaymentServiceService,
    {
      payInvoice: async (request, context) => {
        const invoice = await payableInvoice(request.id, context, parts);
        const source = await fromProtoSource(request.source, { invoice, context, parts });
        const presence = { callId: context.resourceSeed, returnUrl: request.returnUrl };
        const paid = await payments.pay({ invoiceId: invoice.id, source }, presence, context);
        return toProtoPayment(paid, parts);
      },
      answerInvoiceChallenge: async ({ id, attempt, approved }, context) => {
        const { id: invoiceId } = await payableInvoice(id, context, parts);
        const answer = { invoiceId, attempt, approved };
        return toProtoPayment(await payments.answerChallenge(answer, context), parts);
      },
      savePaymentMethod: async ({ customerId: sent, card }, context) => {
        const customerId = readId(sent, 'customerId');
        if (card === undefined) throw invalidInput({ number: ['Required'] });
        return { paymentMethodId: await keeper.enterCard({ customerId, card }, context) };
      },
      beginCardEntry: ({ customerId, returnUrl }, context) =>
        keeper.beginEntry({ customerId: readId(customerId, 'customerId'), returnUrl }, context),
      finishCardEntry: async ({ customerId: sent, setupId }, context) => {
        const customerId = readId(sent, 'customerId');
        return { paymentMethodId: await keeper.finishEntry({ customerId, setupId }, context) };
      },
      receiveProviderEvent: async (event) => {
        const announced = await events.read(event);
        if (announced === undefined) return {};
        const { tenant, invoiceId } = announced;
        const looked = payments.lookAgain(invoiceId, { tenant, now: clock.now() });
        // The provider's account may serve others, too; asked to send it again, it would for days.
        const stored = await unlessNotFound(looked);
        if (stored !== undefined) alarmOfContradiction(announced, stored.state, parts);
        return {};
      },
    },
    { withoutTenant: ['receiveProviderEvent'] },
  );
}

// Somebody has paid, by hand at the provider perhaps, and nothing here can tell what for: people must look at it.
function alarmOfContradiction(
  { tenant, invoiceId, succeeded }: AnnouncedPayment,
  record: InvoiceRecord,
  { logger }: PaymentRpcParts,
): void {
  if (succeeded === undefined || record.isTombstone) return;
  const recorded = record.payments.find((payment) => payment.providerPaymentId === succeeded);
  if (recorded?.status !== 'FAILED') return;
  const { environmentId } = tenant;
  const facts = { environmentId, invoiceId, paymentId: recorded.id, providerPaymentId: succeeded };
  logger.error(facts, 'the provider took money for a payment that is recorded as failed');
}

async function payableInvoice(
  id: string,
  context: CallContext,
  { invoices }: PaymentRpcParts,
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
    parts,
  }: {
    readonly invoice: Invoice;
    readonly context: CallContext;
    readonly parts: PaymentRpcParts;
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
        ? await parts.methods.find(paymentMethodId, context)
        : undefined;
      if (method?.customerId !== invoice.customerId) {
        throw invalidInput({ paymentMethodId: ['Payment method not found'] });
      }
      // A page that was opened before may still offer it.
      if (await parts.methods.isRemoved(method, context)) throw methodRemoved();
      return { kind: 'METHOD', paymentMethodId };
    }
  }
}

function toProtoPayment(stored: Stored<InvoiceRecord>, { pages }: PaymentRpcParts) {
  return { invoice: toProtoInvoice(stored, pages), action: actionOf(stored.state) };
}

function actionOf(record: InvoiceRecord): PayerAction | undefined {
  if (record.isTombstone || record.attempt?.status !== 'REQUIRES_ACTION') return undefined;
  const { number: attempt, redirectUrl } = record.attempt;
  return { attempt, redirectUrl };
}
