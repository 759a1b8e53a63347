import { z } from 'zod';
import {
  type Invoice,
  type InvoiceDiscount,
  type LineItem,
  type LineItemDetails,
  type LineItemTier,
  type Payment,
  type PaymentError,
  PaymentMethodType,
} from '../gen/billing/checkout/v1/checkout';
import { collectionMethod, toJsonCollectionMethod } from './customer';
import { invoiceTaxShape, lineTaxShape, toJsonInvoiceTax, toJsonLineTax } from './invoice-tax';
import { PricingTierJson } from './product';
import {
  amount,
  currency,
  decimal,
  id,
  metadata,
  time,
  toJsonAmount,
  toJsonMetadata,
  toJsonOptionalTime,
  toJsonTime,
  timestamps,
} from './scalars';
import {
  billingReasons,
  invoiceStatuses,
  lineKinds,
  paymentMethodTypes,
  paymentStatuses,
} from '../values/checkout';

const text = z.string().nullable();

const LineDetailsJson = z
  .object({
    tiers: z.array(PricingTierJson.extend({ quantity: decimal, amount: decimal })),
    includedUnits: decimal,
    creditsUsed: z.array(z.object({ grantId: id, quantity: decimal })),
    billedQuantity: decimal,
    exactAmount: decimal,
    proration: z.object({ numerator: amount, denominator: amount, of: decimal }).optional().meta({
      description:
        'Only on lines of a change: the part of a period that the line charges or takes back, in milliseconds, and the amount that the fraction multiplies.',
    }),
  })
  .meta({ id: 'LineDetails', description: 'Calculation of the amount of a line.' });
type LineDetailsJson = z.infer<typeof LineDetailsJson>;

export const LineItemJson = z
  .object({
    id,
    invoiceId: id,
    description: z.string(),
    quantity: decimal,
    unitAmount: decimal.nullable(),
    amount: z.int().meta({ description: "In the currency's smallest unit." }),
    discountAmount: amount,
    priceId: id.nullable(),
    meterId: id.nullable(),
    itemId: id.nullable().meta({ description: 'Item of the subscription.' }),
    productId: id.nullable().meta({ description: 'Product of the item.' }),
    kind: z.enum(['RECURRING', 'UNUSED_TIME', 'REMAINING_TIME', 'USAGE']).nullable(),
    periodStart: time.nullable(),
    periodEnd: time.nullable(),
    details: LineDetailsJson.nullable(),
    metadata,
    ...lineTaxShape,
  })
  .meta({ id: 'LineItem' });
type LineItemJson = z.infer<typeof LineItemJson>;

const PaymentCardJson = z.object({
  brand: z.string().meta({ examples: ['visa'] }),
  last4: z.string().meta({ description: 'Last four digits.', examples: ['4242'] }),
});

export const PaymentJson = z
  .object({
    id,
    invoiceId: id,
    amount,
    currency,
    provider: z.string(),
    providerPaymentId: text,
    status: z.enum(['PENDING', 'REQUIRES_ACTION', 'SUCCEEDED', 'FAILED']),
    failureCode: text,
    method: z.enum(['CARD', 'BANK_TRANSFER', 'CASH', 'CHECK', 'OTHER', 'BALANCE']),
    reference: text.meta({ description: "The seller's reference of a recorded payment." }),
    receivedAt: time
      .nullable()
      .meta({ description: 'When the seller received a recorded payment. Null for charges.' }),
    overpayment: amount.meta({
      description:
        "Part of the amount beyond what was outstanding. It went to the customer's balance.",
    }),
    amountRefunded: amount,
    disputeId: id.nullable(),
    card: PaymentCardJson.nullable().meta({
      description:
        'The charged card. Null while the payment runs, for payments without a card, and for payments of releases before 0.2.',
    }),
    metadata,
    createdAt: time,
  })
  .meta({ id: 'Payment' });
export type PaymentJson = z.infer<typeof PaymentJson>;

export const PaymentErrorJson = z.object({ code: z.string(), message: z.string(), at: time });

export const InvoiceJson = z
  .object({
    id,
    organizationId: id,
    customerId: id,
    subscriptionId: id.nullable(),
    number: text.meta({ examples: ['INV-000001'] }),
    status: z.enum(['DRAFT', 'OPEN', 'PAID', 'VOID', 'UNCOLLECTIBLE']),
    collectionMethod,
    billingReason: z.enum([
      'CHECKOUT',
      'SUBSCRIPTION_CREATE',
      'SUBSCRIPTION_CYCLE',
      'SUBSCRIPTION_CANCEL',
      'SUBSCRIPTION_CHANGE',
      'MANUAL',
    ]),
    currency,
    subtotal: amount,
    discountAmount: amount,
    tax: amount,
    total: amount.meta({ description: 'subtotal − discountAmount + tax.' }),
    amountPaid: amount,
    amountDue: amount,
    amountReduced: amount.meta({
      description: 'Part of the total that credit notes have lowered while it was owed.',
    }),
    amountCredited: amount.meta({ description: 'Sum of the credit notes, with tax.' }),
    amountRefunded: amount.meta({ description: 'Sum of the refunds that succeeded.' }),
    creditNoteIds: z.array(id),
    balanceApplied: amount.meta({
      description: "Part of the total that the customer's balance has paid.",
    }),
    memo: text,
    purchaseOrder: text.meta({ description: 'Order number of the payer.' }),
    locale: text.meta({
      description:
        'BCP 47 tag of the document. Null for drafts and for older documents, shown in English.',
    }),
    dueDate: time.nullable(),
    paidAt: time.nullable(),
    periodStart: time.nullable(),
    periodEnd: time.nullable(),
    hostedUrl: text.meta({
      description: 'URL of the page on which the payer can view and pay the invoice.',
    }),
    discounts: z.array(z.object({ discountId: id, name: z.string(), amount })),
    lastPaymentError: PaymentErrorJson.nullable().meta({
      description: 'Reason of the latest failed payment. Null once the invoice is paid.',
    }),
    metadata,
    ...timestamps,
    ...invoiceTaxShape,
    lineItems: z.array(LineItemJson),
    payments: z.array(PaymentJson),
  })
  .meta({ id: 'Invoice' });
export type InvoiceJson = z.infer<typeof InvoiceJson>;

/** Invoice in REST responses and webhooks. */
export function toJsonInvoice(invoice: Invoice): InvoiceJson {
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
    amountReduced: toJsonAmount(invoice.amountReduced),
    amountCredited: toJsonAmount(invoice.amountCredited),
    amountRefunded: toJsonAmount(invoice.amountRefunded),
    creditNoteIds: invoice.creditNoteIds,
    balanceApplied: toJsonAmount(invoice.balanceApplied),
    memo: invoice.memo ?? null,
    purchaseOrder: invoice.purchaseOrder ?? null,
    locale: invoice.locale ?? null,
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
    ...toJsonInvoiceTax(invoice),
    lineItems: invoice.lineItems.map((line) => toJsonLineItem(line, invoice)),
    payments: invoice.payments.map(toJsonPayment),
  };
}

/** Error of the last failed charge; null if none failed. */
export function toJsonPaymentError(
  error: PaymentError | undefined,
): InvoiceJson['lastPaymentError'] {
  return error === undefined
    ? null
    : { code: error.code, message: error.message, at: toJsonTime(error.at) };
}

/** Discount of an invoice in REST responses and webhooks. */
export function toJsonDiscount({
  discountId,
  name,
  amount,
}: InvoiceDiscount): InvoiceJson['discounts'][number] {
  return { discountId, name, amount: toJsonAmount(amount) };
}

/** Line of an invoice in REST responses and webhooks. */
export function toJsonLineItem(
  line: LineItem,
  invoice: Parameters<typeof toJsonLineTax>[1],
): LineItemJson {
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
    itemId: line.itemId ?? null,
    productId: line.itemProductId ?? null,
    kind: line.kind === undefined ? null : (lineKinds.knownName(line.kind) ?? null),
    periodStart: toJsonOptionalTime(line.periodStart),
    periodEnd: toJsonOptionalTime(line.periodEnd),
    details: line.details === undefined ? null : toJsonDetails(line.details),
    metadata: toJsonMetadata(line.metadata),
    ...toJsonLineTax(line, invoice),
  };
}

function toJsonDetails(details: LineItemDetails): LineDetailsJson {
  return {
    tiers: details.tiers.map(toJsonTier),
    includedUnits: details.includedUnits,
    creditsUsed: details.creditsUsed.map(({ grantId, quantity }) => ({ grantId, quantity })),
    billedQuantity: details.billedQuantity,
    exactAmount: details.exactAmount,
    ...(details.proration !== undefined && { proration: toJsonProration(details.proration) }),
  };
}

function toJsonProration({
  numerator,
  denominator,
  of,
}: NonNullable<LineItemDetails['proration']>) {
  return { numerator: Number(numerator), denominator: Number(denominator), of };
}

function toJsonTier({
  upTo,
  quantity,
  unitAmount,
  flatAmount,
  amount,
}: LineItemTier): LineDetailsJson['tiers'][number] {
  return { upTo: upTo ?? null, quantity, unitAmount, flatAmount, amount };
}

/** Payment in REST responses and webhooks. */
export function toJsonPayment(payment: Payment): PaymentJson {
  return {
    id: payment.id,
    invoiceId: payment.invoiceId,
    amount: toJsonAmount(payment.amount),
    currency: payment.currency,
    provider: payment.provider,
    providerPaymentId: payment.providerPaymentId ?? null,
    status: paymentStatuses.nameOf(payment.status),
    failureCode: payment.failureCode ?? null,
    method: toJsonPaymentMethod(payment),
    reference: payment.reference ?? null,
    receivedAt: toJsonOptionalTime(payment.receivedAt),
    overpayment: toJsonAmount(payment.overpayment),
    amountRefunded: toJsonAmount(payment.amountRefunded),
    disputeId: payment.disputeId ?? null,
    card: payment.card ?? null,
    metadata: toJsonMetadata(payment.metadata),
    createdAt: toJsonTime(payment.createdAt),
  };
}

// An event of an earlier release has no method; all payments were charges.
function toJsonPaymentMethod({ method }: Payment): PaymentJson['method'] {
  const isOld = method === PaymentMethodType.PAYMENT_METHOD_TYPE_UNSPECIFIED;
  return isOld ? 'CARD' : paymentMethodTypes.nameOf(method);
}
