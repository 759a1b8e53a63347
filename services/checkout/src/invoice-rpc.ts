import type { Stored } from '@billing/chassis/aggregate';
import { invalidInput } from '@billing/kernel/domain-error';
import {
  type LineItem as ProtoLineItem,
  BillingReason as ProtoBillingReason,
  type Invoice as ProtoInvoice,
  InvoiceStatus as ProtoInvoiceStatus,
  type Payment as ProtoPayment,
  PaymentStatus as ProtoPaymentStatus,
} from '@billing/proto/billing/checkout/v1/checkout';
import { CollectionMethod as ProtoCollectionMethod } from '@billing/proto/billing/customer/v1/customer';
import { type Attempt } from './attempt';
import { paymentIdOf } from './attempt-worker';
import type { HostedResource } from './hosted-page';
import {
  amountDue,
  amountPaid,
  discountAmountOf,
  type BillingReason,
  type CollectionMethod,
  type Invoice,
  type InvoiceRecord,
  type InvoiceStatus,
  isVerification,
  type LineItem,
  type Payment,
  sessionIdOf,
  subtotalOf,
  totalOf,
} from './invoice';

const protoStatus: Readonly<Record<InvoiceStatus, ProtoInvoiceStatus>> = {
  DRAFT: ProtoInvoiceStatus.INVOICE_STATUS_DRAFT,
  OPEN: ProtoInvoiceStatus.INVOICE_STATUS_OPEN,
  PAID: ProtoInvoiceStatus.INVOICE_STATUS_PAID,
  VOID: ProtoInvoiceStatus.INVOICE_STATUS_VOID,
  UNCOLLECTIBLE: ProtoInvoiceStatus.INVOICE_STATUS_UNCOLLECTIBLE,
};

const protoReason: Readonly<Record<BillingReason, ProtoBillingReason>> = {
  CHECKOUT: ProtoBillingReason.BILLING_REASON_CHECKOUT,
  SUBSCRIPTION_CREATE: ProtoBillingReason.BILLING_REASON_SUBSCRIPTION_CREATE,
  SUBSCRIPTION_CYCLE: ProtoBillingReason.BILLING_REASON_SUBSCRIPTION_CYCLE,
  SUBSCRIPTION_CANCEL: ProtoBillingReason.BILLING_REASON_SUBSCRIPTION_CANCEL,
};

const protoMethod: Readonly<Record<CollectionMethod, ProtoCollectionMethod>> = {
  CHARGE_AUTOMATICALLY: ProtoCollectionMethod.COLLECTION_METHOD_CHARGE_AUTOMATICALLY,
  SEND_INVOICE: ProtoCollectionMethod.COLLECTION_METHOD_SEND_INVOICE,
};

const protoPaymentStatus: Readonly<Record<Payment['status'], ProtoPaymentStatus>> = {
  SUCCEEDED: ProtoPaymentStatus.PAYMENT_STATUS_SUCCEEDED,
  FAILED: ProtoPaymentStatus.PAYMENT_STATUS_FAILED,
};

const protoAttemptStatus: Readonly<Record<Attempt['status'], ProtoPaymentStatus>> = {
  PENDING: ProtoPaymentStatus.PAYMENT_STATUS_PENDING,
  REQUIRES_ACTION: ProtoPaymentStatus.PAYMENT_STATUS_REQUIRES_ACTION,
};

const filterStatus: Readonly<Partial<Record<ProtoInvoiceStatus, string>>> = {
  [ProtoInvoiceStatus.INVOICE_STATUS_DRAFT]: 'DRAFT',
  [ProtoInvoiceStatus.INVOICE_STATUS_OPEN]: 'OPEN',
  [ProtoInvoiceStatus.INVOICE_STATUS_PAID]: 'PAID',
  [ProtoInvoiceStatus.INVOICE_STATUS_VOID]: 'VOID',
  [ProtoInvoiceStatus.INVOICE_STATUS_UNCOLLECTIBLE]: 'UNCOLLECTIBLE',
};

/** The status that a list is filtered by; refuses what is none. */
export function fromProtoInvoiceStatus(sent: ProtoInvoiceStatus): string {
  const status = filterStatus[sent];
  if (status === undefined) throw invalidInput({ status: ['Invalid status'] });
  return status;
}

/** Where public pages are. */
export interface InvoicePages {
  urlOf(resource: HostedResource): string;
}

/** An invoice as it is stored, a tombstone included: whoever tried to make it finds it void. */
export function toProtoInvoice(stored: Stored<InvoiceRecord>, pages: InvoicePages): ProtoInvoice {
  const { state, tenant, version, createdAt, updatedAt } = stored;
  return {
    id: state.id,
    organizationId: tenant.organizationId,
    customerId: state.customerId,
    subscriptionId: state.subscriptionId,
    status: protoStatus[state.status],
    currency: state.currency,
    tax: 0n,
    checkoutSessionId: sessionIdOf(state),
    metadata: {},
    createdAt,
    updatedAt,
    version: BigInt(version),
    ...(state.isTombstone ? tombstoneFields : invoiceFields(state, stored, pages)),
  };
}

const tombstoneFields = {
  number: undefined,
  collectionMethod: ProtoCollectionMethod.COLLECTION_METHOD_UNSPECIFIED,
  billingReason: ProtoBillingReason.BILLING_REASON_UNSPECIFIED,
  subtotal: 0n,
  discountAmount: 0n,
  total: 0n,
  amountPaid: 0n,
  amountDue: 0n,
  dueDate: undefined,
  paidAt: undefined,
  periodStart: undefined,
  periodEnd: undefined,
  hostedUrl: undefined,
  discounts: [],
  lineItems: [],
  payments: [],
};

function invoiceFields(
  invoice: Invoice,
  { tenant }: Pick<Stored<InvoiceRecord>, 'tenant'>,
  pages: InvoicePages,
) {
  const { attempt } = invoice;
  const ended = invoice.payments
    .filter((payment) => !isVerification(payment))
    .map((payment) => toProtoPayment(payment, invoice));
  const running =
    attempt === undefined || isVerification({ amount: totalOf(invoice) })
      ? []
      : [
          {
            ...toProtoAttempt(attempt, invoice),
            id: paymentIdOf({ id: invoice.id, attemptNumber: attempt.number }, tenant),
          },
        ];
  return {
    number: invoice.number,
    collectionMethod: protoMethod[invoice.collectionMethod],
    billingReason: protoReason[invoice.billingReason],
    subtotal: subtotalOf(invoice),
    discountAmount: discountAmountOf(invoice),
    total: totalOf(invoice),
    amountPaid: amountPaid(invoice),
    amountDue: amountDue(invoice),
    dueDate: invoice.dueDate,
    paidAt: invoice.paidAt,
    periodStart: invoice.periodStart,
    periodEnd: invoice.periodEnd,
    hostedUrl: invoice.status === 'DRAFT' ? undefined : pages.urlOf(pageOf(invoice)),
    discounts: [...invoice.discounts],
    lineItems: invoice.lineItems.map((line) => toProtoLineItem(line, invoice)),
    payments: [...ended, ...running],
  };
}

function toProtoLineItem(line: LineItem, { id: invoiceId }: Invoice): ProtoLineItem {
  return { ...line, invoiceId };
}

function toProtoPayment(payment: Payment, { id: invoiceId, currency }: Invoice): ProtoPayment {
  const { id, amount, provider, providerPaymentId, failureCode, createdAt } = payment;
  const status = protoPaymentStatus[payment.status];
  const shown = { id, amount, provider, providerPaymentId, failureCode, createdAt };
  return { ...shown, invoiceId, currency, status };
}

function toProtoAttempt(attempt: Attempt, invoice: Invoice): Omit<ProtoPayment, 'id'> {
  return {
    invoiceId: invoice.id,
    amount: totalOf(invoice),
    currency: invoice.currency,
    provider: attempt.provider,
    providerPaymentId: attempt.providerPaymentId,
    status: protoAttemptStatus[attempt.status],
    failureCode: undefined,
    createdAt: attempt.startedAt,
  };
}

/** The only page on which an invoice is paid. */
function pageOf({ id, session }: Invoice): HostedResource {
  return session === undefined
    ? { kind: 'INVOICE', resourceId: id }
    : { kind: 'CHECKOUT_SESSION', resourceId: session.sessionId };
}

/** A billing reason that an invoice can be made for; undefined for all others. */
export function fromProtoBillingReason(reason: ProtoBillingReason): BillingReason | undefined {
  return keyOf(protoReason, reason);
}

/** A customer's collection method; undefined for a value that is unknown here. */
export function fromProtoCollectionMethod(
  method: ProtoCollectionMethod,
): CollectionMethod | undefined {
  if (method === ProtoCollectionMethod.COLLECTION_METHOD_UNSPECIFIED) return 'CHARGE_AUTOMATICALLY';
  return keyOf(protoMethod, method);
}

function keyOf<K extends string, V>(values: Readonly<Record<K, V>>, value: V): K | undefined {
  return (Object.keys(values) as K[]).find((key) => values[key] === value);
}
