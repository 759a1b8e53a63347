import type { Stored } from '@billing/chassis/aggregate';
import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import { isId } from '@billing/chassis/ids';
import { filterByIds } from '@billing/chassis/request-fields';
import type { AsyncHandlers } from '@billing/chassis/rpc';
import { invalidInput, notFound } from '@billing/kernel/domain-error';
import { authorizedTransactionIdProblems } from '@billing/kernel/input/subscription';
import { refuseProblems } from '@billing/kernel/input-problems';
import {
  BillingReason as ProtoBillingReason,
  type CheckoutServiceServer,
  type Invoice as ProtoInvoice,
  type InvoiceStatus as ProtoInvoiceStatus,
  type LineLeft,
  type LineItem as ProtoLineItem,
  type ListInvoicesRequest,
  type Payment as ProtoPayment,
  type QuoteInvoiceResponse,
} from '@billing/proto/billing/checkout/v1/checkout';
import { CollectionMethod as ProtoCollectionMethod } from '@billing/proto/billing/customer/v1/customer';
import {
  billingReasons,
  invoiceStatuses,
  lineKinds,
  paymentMethodTypes,
  paymentStatuses,
} from '@billing/proto/values/checkout';
import { collectionMethods } from '@billing/proto/values/customer';
import type { Attempt, RecordedPayment } from './attempt';
import { billedCurrency } from './billed-currency-store';
import { amountOf } from './collection';
import { amountCredited, amountReduced, amountRefunded } from './credit/credit';
import { leftOfLine } from './line-credit';
import { shownPayments } from './kept-payments';
import type { HostedResource } from '../hosted-page/hosted-page';
import { payerMessage } from '../provider/port/payer-message';
import {
  amountDue,
  amountPaid,
  discountAmountOf,
  type CollectionMethod,
  type Invoice,
  type InvoiceRecord,
  isVerification,
  type LineItem,
  type Payment,
  type PaymentError,
  sessionIdOf,
  subtotalOf,
  taxOf,
  totalOf,
} from './invoice';
import { paymentIdOf } from './payment-id-store';
import { shownInvoices } from './shown-invoices';
import { toProtoFinalization, toProtoLineTax } from '../tax/finalization-message';

const perPageMax = 100;

/** Addresses of public pages. */
export interface InvoicePages {
  /** `pageHash` is the hash by which a stored session's page is found. */
  urlOf(resource: HostedResource, pageHash?: string): string;
}

export interface InvoiceRpcDependencies {
  readonly invoices: AggregateCollection<InvoiceRecord>;
  readonly pages: InvoicePages;
}

/** RPCs that read invoices. */
export function invoiceHandlers({
  invoices,
  pages,
}: InvoiceRpcDependencies): Pick<
  AsyncHandlers<CheckoutServiceServer>,
  'getInvoice' | 'listInvoices' | 'getBilledCurrency'
> {
  const toProto = (stored: Stored<InvoiceRecord>) => toProtoInvoice(stored, pages);
  return {
    getInvoice: async ({ id, changeId }, context) => {
      const stored = await invoices.within(context).get(id);
      const { state } = stored;
      if (state.isTombstone) throw notFound('Invoice');
      const { reservation } = state;
      return {
        invoice: toProto(stored),
        left: toProtoLeft(state, changeId),
        reservedByOtherChange: reservation !== undefined && reservation.changeId !== changeId,
      };
    },
    listInvoices: async (request, context) => {
      const { page, perPage, oldestFirst, ids, ...filter } = fromProtoListInvoices(request);
      if (!matchesAnything(filter)) return { invoices: [], total: 0 };
      const found = await invoices.within(context).list({
        filter: { ...shownInvoices(filter), ...filterByIds(ids) },
        page,
        perPage,
        oldestFirst: oldestFirst ?? false,
      });
      return { invoices: found.data.map(toProto), total: found.total };
    },
    getBilledCurrency: async ({ customerId }, context) => ({
      currency: await billedCurrency(customerId, invoices.within(context)),
    }),
  };
}

function fromProtoListInvoices({
  page,
  perPage,
  status,
  billingReason,
  ...filter
}: ListInvoicesRequest) {
  if (page < 1) throw invalidInput({ page: ['Must be at least 1'] });
  if (perPage < 1 || perPage > perPageMax) {
    throw invalidInput({ perPage: [`Must be between 1 and ${String(perPageMax)}`] });
  }
  return {
    page,
    perPage,
    ...filter,
    status: status === undefined ? undefined : fromProtoInvoiceStatus(status),
    billingReason: billingReason === undefined ? undefined : billingReasons.nameOf(billingReason),
  };
}

function matchesAnything({
  subscriptionId,
  customerId,
}: Pick<ListInvoicesRequest, 'subscriptionId' | 'customerId'>): boolean {
  return [subscriptionId, customerId].every((id) => id === undefined || isId(id));
}

/** Status filter of a list; refuses an unknown status. */
function fromProtoInvoiceStatus(sent: ProtoInvoiceStatus): string {
  const status = invoiceStatuses.knownName(sent);
  if (status === undefined) throw invalidInput({ status: ['Invalid status'] });
  return status;
}

/** Reads a UUID; refuses any other text under the field's name. */
export function readId(id: string, field: string): string {
  if (!isId(id)) throw invalidInput({ [field]: ['Invalid uuid'] });
  return id;
}

export function readAuthorization(authorizedTransactionId: string): string {
  const problems = authorizedTransactionIdProblems(authorizedTransactionId);
  refuseProblems({ authorizedTransactionId: problems });
  return authorizedTransactionId;
}

/** Refuses a missing value under the field's name. */
export function required<T>(value: T | undefined, field: string): T {
  if (value === undefined) throw invalidInput({ [field]: ['Required'] });
  return value;
}

/** An invoice as stored, tombstones included: a caller that tried to create it finds it void. */
export function toProtoInvoice(stored: Stored<InvoiceRecord>, pages: InvoicePages): ProtoInvoice {
  const { state, tenant, version, createdAt, updatedAt } = stored;
  return {
    id: state.id,
    organizationId: tenant.organizationId,
    customerId: state.customerId,
    subscriptionId: state.subscriptionId,
    status: invoiceStatuses.valueOf(state.status),
    currency: state.currency,
    checkoutSessionId: sessionIdOf(state),
    metadata: state.isTombstone ? {} : (state.oneOff?.metadata ?? {}),
    createdAt,
    updatedAt,
    version: BigInt(version),
    ...(state.isTombstone ? tombstoneFields : invoiceFields(state, stored, pages)),
  };
}

/** The amounts of an invoice that is not stored. */
export function toProtoQuote(invoice: Invoice, balanceApplied: bigint): QuoteInvoiceResponse {
  return {
    lineItems: invoice.lineItems.map((line) => toProtoLineItem(line, invoice)),
    discounts: [...invoice.discounts],
    taxes: toProtoFinalization(invoice.finalization).taxes,
    subtotal: subtotalOf(invoice),
    discountAmount: discountAmountOf(invoice),
    tax: taxOf(invoice),
    total: totalOf(invoice),
    balanceApplied,
  };
}

const tombstoneFields = {
  number: undefined,
  collectionMethod: ProtoCollectionMethod.COLLECTION_METHOD_UNSPECIFIED,
  billingReason: ProtoBillingReason.BILLING_REASON_UNSPECIFIED,
  subtotal: 0n,
  discountAmount: 0n,
  tax: 0n,
  total: 0n,
  amountPaid: 0n,
  amountDue: 0n,
  balanceApplied: 0n,
  amountReduced: 0n,
  amountCredited: 0n,
  amountRefunded: 0n,
  creditNoteIds: [],
  memo: undefined,
  purchaseOrder: undefined,
  locale: undefined,
  dueDate: undefined,
  paidAt: undefined,
  periodStart: undefined,
  periodEnd: undefined,
  hostedUrl: undefined,
  discounts: [],
  lineItems: [],
  payments: [],
  lastPaymentError: undefined,
  ...toProtoFinalization(undefined),
};

function invoiceFields(
  invoice: Invoice,
  { tenant }: Pick<Stored<InvoiceRecord>, 'tenant'>,
  pages: InvoicePages,
) {
  const { attempt } = invoice;
  const running =
    attempt === undefined || isVerification({ amount: amountOf(attempt, invoice) })
      ? []
      : [
          {
            ...toProtoAttempt(attempt, invoice),
            id: paymentIdOf({ id: invoice.id, attemptNumber: attempt.number }, tenant),
          },
        ];
  const ended = shownPayments(invoice.payments, { isRunning: running.length > 0 })
    .filter((payment) => !isVerification(payment))
    .map((payment) => toProtoPayment(payment, invoice));
  return {
    number: invoice.number,
    collectionMethod: collectionMethods.valueOf(invoice.collectionMethod),
    billingReason: billingReasons.valueOf(invoice.billingReason),
    subtotal: subtotalOf(invoice),
    discountAmount: discountAmountOf(invoice),
    tax: taxOf(invoice),
    total: totalOf(invoice),
    amountPaid: amountPaid(invoice),
    amountDue: amountDue(invoice),
    amountReduced: amountReduced(invoice),
    amountCredited: amountCredited(invoice),
    amountRefunded: amountRefunded(invoice),
    creditNoteIds: invoice.creditNotes.map((note) => note.id),
    balanceApplied: invoice.balanceApplied,
    memo: invoice.oneOff?.memo,
    purchaseOrder: invoice.oneOff?.purchaseOrder,
    locale: invoice.status === 'DRAFT' ? undefined : invoice.finalization?.locale,
    dueDate: invoice.dueDate,
    paidAt: invoice.paidAt,
    periodStart: invoice.periodStart,
    periodEnd: invoice.periodEnd,
    hostedUrl: invoice.status === 'DRAFT' ? undefined : pages.urlOf(pageOf(invoice)),
    discounts: [...invoice.discounts],
    lineItems: invoice.lineItems.map((line) => toProtoLineItem(line, invoice)),
    payments: [...ended, ...running],
    lastPaymentError: toProtoPaymentError(invoice.lastPaymentError),
    ...toProtoFinalization(invoice.finalization, invoice.keptBuyer),
  };
}

function toProtoLineItem(line: LineItem, { id: invoiceId }: Invoice): ProtoLineItem {
  const { tax: _tax, taxCategory: _category, kind, details, ...fields } = line;
  const named = kind === undefined ? undefined : lineKinds.valueOf(kind);
  return { ...fields, invoiceId, details, kind: named, ...toProtoLineTax(line) };
}

function toProtoPayment(payment: Payment, invoice: Invoice): ProtoPayment {
  const { id: invoiceId, currency } = invoice;
  const { id, number: attempt, amount, provider, providerPaymentId, failureCode } = payment;
  const { createdAt, overpayment, recorded, card } = payment;
  const status = paymentStatuses.valueOf(payment.status);
  const shown = { id, attempt, amount, provider, providerPaymentId, failureCode, createdAt };
  const refunds = invoice.refunds.filter(({ paymentId }) => paymentId === id);
  return {
    ...{ ...shown, invoiceId, currency, status, overpayment, card, ...toProtoRecorded(recorded) },
    amountRefunded: amountRefunded({ refunds }),
    disputeId: invoice.disputes.findLast(({ paymentId }) => paymentId === id)?.id,
  };
}

function toProtoRecorded(recorded: RecordedPayment | undefined) {
  const { method = 'CARD', reference, receivedAt, metadata = {} } = recorded ?? {};
  return { method: paymentMethodTypes.valueOf(method), reference, receivedAt, metadata };
}

function toProtoAttempt(attempt: Attempt, invoice: Invoice): Omit<ProtoPayment, 'id'> {
  return {
    invoiceId: invoice.id,
    amount: amountOf(attempt, invoice),
    currency: invoice.currency,
    provider: attempt.provider,
    providerPaymentId: attempt.providerPaymentId,
    status: paymentStatuses.valueOf(attempt.status),
    failureCode: undefined,
    createdAt: attempt.startedAt,
    attempt: attempt.number,
    overpayment: 0n,
    amountRefunded: 0n,
    disputeId: undefined,
    card: undefined,
    ...toProtoRecorded(attempt.recorded),
  };
}

/** Reason why nothing was charged, as shown to the payer. */
export function toProtoPaymentError(error: PaymentError | undefined) {
  return error === undefined ? undefined : { ...error, message: payerMessage(error.code) };
}

/** The only page on which an invoice is paid. */
function pageOf({ id, session }: Invoice): HostedResource {
  return session === undefined
    ? { kind: 'INVOICE', resourceId: id }
    : { kind: 'CHECKOUT_SESSION', resourceId: session.sessionId };
}

/** Collection method of a customer; undefined for an unknown value. */
export function fromProtoCollectionMethod(
  method: ProtoCollectionMethod,
): CollectionMethod | undefined {
  if (method === ProtoCollectionMethod.COLLECTION_METHOD_UNSPECIFIED) return 'CHARGE_AUTOMATICALLY';
  return collectionMethods.knownName(method);
}

/** Returns the rest of each line; the reservation of the change itself counts as left. */
function toProtoLeft(invoice: Invoice, changeId: string | undefined): LineLeft[] {
  const isOwn = invoice.reservation !== undefined && invoice.reservation.changeId === changeId;
  const creditable = isOwn ? { ...invoice, reservation: undefined } : invoice;
  return invoice.lineItems.map((line) => ({
    lineItemId: line.id,
    amount: leftOfLine(line, creditable),
  }));
}
