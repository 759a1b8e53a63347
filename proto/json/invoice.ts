import {
  type Invoice,
  type InvoiceDiscount,
  type LineItem,
  type LineItemDetails,
  type LineItemTier,
  type Payment,
  type PaymentError,
} from '../gen/billing/checkout/v1/checkout';
import { toJsonCollectionMethod } from './customer';
import { toJsonAmount, toJsonMetadata, toJsonOptionalTime, toJsonTime } from './scalars';
import { billingReasons, invoiceStatuses, paymentStatuses } from '../values/checkout';

/** Invoice in REST responses and webhooks. */
export function toJsonInvoice(invoice: Invoice) {
  return {
    id: invoice.id,
    organizationId: invoice.organizationId,
    customerId: invoice.customerId,
    subscriptionId: invoice.subscriptionId ?? null,
    number: invoice.number ?? null,
    status: invoiceStatuses.nameOf(invoice.status),
    collectionMethod: toJsonCollectionMethod(invoice.collectionMethod),
    billingReason: billingReasons.nameOf(invoice.billingReason),
    currency: invoice.currency,
    subtotal: toJsonAmount(invoice.subtotal),
    discountAmount: toJsonAmount(invoice.discountAmount),
    tax: toJsonAmount(invoice.tax),
    total: toJsonAmount(invoice.total),
    amountPaid: toJsonAmount(invoice.amountPaid),
    amountDue: toJsonAmount(invoice.amountDue),
    dueDate: toJsonOptionalTime(invoice.dueDate),
    paidAt: toJsonOptionalTime(invoice.paidAt),
    periodStart: toJsonOptionalTime(invoice.periodStart),
    periodEnd: toJsonOptionalTime(invoice.periodEnd),
    hostedUrl: invoice.hostedUrl ?? null,
    discounts: invoice.discounts.map(toJsonDiscount),
    lastPaymentError: toJsonPaymentError(invoice.lastPaymentError),
    metadata: toJsonMetadata(invoice.metadata),
    createdAt: toJsonTime(invoice.createdAt),
    updatedAt: toJsonTime(invoice.updatedAt),
    lineItems: invoice.lineItems.map(toJsonLineItem),
    payments: invoice.payments.map(toJsonPayment),
  };
}

/** Error of the last failed charge; null if none failed. */
export function toJsonPaymentError(error: PaymentError | undefined) {
  return error === undefined
    ? null
    : { code: error.code, message: error.message, at: toJsonOptionalTime(error.at) };
}

function toJsonDiscount({ discountId, name, amount }: InvoiceDiscount) {
  return { discountId, name, amount: toJsonAmount(amount) };
}

function toJsonLineItem(line: LineItem) {
  return {
    id: line.id,
    invoiceId: line.invoiceId,
    description: line.description,
    quantity: line.quantity,
    unitAmount: line.unitAmount ?? null,
    amount: toJsonAmount(line.amount),
    discountAmount: toJsonAmount(line.discountAmount),
    priceId: line.priceId ?? null,
    meterId: line.meterId ?? null,
    periodStart: toJsonOptionalTime(line.periodStart),
    periodEnd: toJsonOptionalTime(line.periodEnd),
    details: line.details === undefined ? null : toJsonDetails(line.details),
    metadata: toJsonMetadata(line.metadata),
  };
}

function toJsonDetails(details: LineItemDetails) {
  return {
    tiers: details.tiers.map(toJsonTier),
    includedUnits: details.includedUnits,
    creditsUsed: details.creditsUsed.map(({ grantId, quantity }) => ({ grantId, quantity })),
    billedQuantity: details.billedQuantity,
    exactAmount: details.exactAmount,
  };
}

function toJsonTier({ upTo, quantity, unitAmount, flatAmount, amount }: LineItemTier) {
  return { upTo: upTo ?? null, quantity, unitAmount, flatAmount, amount };
}

function toJsonPayment(payment: Payment) {
  return {
    id: payment.id,
    invoiceId: payment.invoiceId,
    amount: toJsonAmount(payment.amount),
    currency: payment.currency,
    provider: payment.provider,
    providerPaymentId: payment.providerPaymentId ?? null,
    status: paymentStatuses.nameOf(payment.status),
    failureCode: payment.failureCode ?? null,
    createdAt: toJsonTime(payment.createdAt),
  };
}
