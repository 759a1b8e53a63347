import { derivedId } from '@billing/chassis/ids';
import {
  BillingReason,
  type CreateInvoiceRequest,
  type Invoice,
  InvoiceStatus,
} from '@billing/proto/billing/checkout/v1/checkout';
import { TaxStatus } from '@billing/proto/billing/checkout/v1/invoice_tax';

const createdAt = new Date('2026-01-01T00:00:00.000Z');

/** An invoice in checkout's form, right after it was ordered. */
export function anInvoice(request: CreateInvoiceRequest, status: InvoiceStatus): Invoice {
  const { invoiceId: id, lineItems, discount: _discount, buyer: facts, ...rest } = request;
  const total = lineItems.reduce((sum, { amount }) => sum + amount, 0n);
  return {
    ...rest,
    id,
    organizationId: 'organization',
    number: 'INV-000001',
    status,
    subtotal: total,
    discountAmount: 0n,
    tax: 0n,
    total,
    amountPaid: status === InvoiceStatus.INVOICE_STATUS_PAID ? total : 0n,
    amountDue: status === InvoiceStatus.INVOICE_STATUS_PAID ? 0n : total,
    balanceApplied: 0n,
    amountReduced: 0n,
    amountCredited: 0n,
    amountRefunded: 0n,
    creditNoteIds: [],
    dueDate: undefined,
    paidAt: undefined,
    metadata: {},
    lastPaymentError: undefined,
    createdAt,
    updatedAt: createdAt,
    lineItems: lineItems.map((line, index) => ({
      ...line,
      id: derivedId(id, index),
      invoiceId: id,
      total: line.amount,
    })),
    payments: [],
    version: 1n,
    discounts: [],
    ...{ seller: undefined, buyer: facts?.buyer, finalizedAt: createdAt, taxes: [] },
    ...{ taxStatus: TaxStatus.TAX_STATUS_NONE, pricesIncludeTax: false, taxEvidence: [] },
  };
}

/** What is seen of the invoices of changes. */
export type ChangeInvoices = 'MISSING' | 'DRAFT' | 'OPEN';

/** An invoice as it is seen; undefined: checkout does not have it yet. */
export function seenInvoice(
  request: CreateInvoiceRequest,
  {
    isPaid,
    isVoid,
    changeInvoices,
  }: {
    readonly isPaid: boolean;
    readonly isVoid: boolean;
    readonly changeInvoices: ChangeInvoices;
  },
): Invoice | undefined {
  const isOfChange = request.billingReason === BillingReason.BILLING_REASON_SUBSCRIPTION_CHANGE;
  const seen = isOfChange ? changeInvoices : 'OPEN';
  if (seen === 'MISSING') return undefined;
  if (seen === 'DRAFT') return anInvoice(request, InvoiceStatus.INVOICE_STATUS_DRAFT);
  if (isPaid) return anInvoice(request, InvoiceStatus.INVOICE_STATUS_PAID);
  const { INVOICE_STATUS_OPEN: open, INVOICE_STATUS_VOID: voided } = InvoiceStatus;
  return anInvoice(request, isVoid ? voided : open);
}

/** What an invoice would cost with its tax. */
export function aQuote(request: CreateInvoiceRequest | undefined, taxPercent: bigint) {
  if (request === undefined) throw new Error('No invoice to quote');
  const invoice = anInvoice(request, InvoiceStatus.INVOICE_STATUS_OPEN);
  const tax = (invoice.total * taxPercent + 50n) / 100n;
  return { ...invoice, tax, total: invoice.total + tax, balanceApplied: 0n };
}
