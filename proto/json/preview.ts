import { z } from 'zod';
import type {
  PreviewCancellationResponse,
  PreviewChangeResponse,
  PreviewCreditNote,
  PreviewNextInvoiceResponse,
  PreviewInvoice,
} from '../gen/billing/subscription/v1/change_service';
import type { LineItem } from '../gen/billing/checkout/v1/checkout';
import { TaxStatus } from '../gen/billing/checkout/v1/invoice_tax';
import { billingReasons } from '../values/checkout';
import { changeSettlements } from '../values/subscription';
import { InvoiceJson, LineItemJson, toJsonDiscount, toJsonLineItem } from './invoice';
import { toJsonTaxes } from './tax/invoice-tax';
import { amount, id, time, toJsonAmount, toJsonTime } from './scalars';

const LineJson = LineItemJson.omit({ id: true, invoiceId: true }).meta({ id: 'PreviewLineItem' });

const PreviewInvoiceJson = InvoiceJson.pick({
  billingReason: true,
  currency: true,
  periodStart: true,
  periodEnd: true,
  subtotal: true,
  discountAmount: true,
  tax: true,
  taxes: true,
  total: true,
  balanceApplied: true,
  amountDue: true,
  discounts: true,
})
  .extend({ lineItems: z.array(LineJson) })
  .meta({ id: 'PreviewInvoice' });
type PreviewInvoiceJson = z.infer<typeof PreviewInvoiceJson>;

const NextInvoiceJson = PreviewInvoiceJson.extend({
  estimated: z.boolean().meta({ description: 'Whether usage may be added.' }),
}).meta({ id: 'PreviewNextInvoice' });

export const PreviewJson = z
  .object({
    kind: z.enum(['CHANGE', 'CANCEL', 'NEXT_INVOICE']),
    at: time,
    validUntil: time,
    token: z.string().max(1_000).nullable().meta({
      description: 'Null: nothing is promised.',
    }),
    effectiveAt: time,
    invoice: PreviewInvoiceJson.nullable().meta({
      description: 'What is charged at once. Null: nothing.',
    }),
    linesPutOff: z.array(LineJson).meta({
      description: 'Lines of the change that the next invoice of the subscription bills.',
    }),
    creditNotes: z.array(
      z.object({ invoiceId: id, amount, settledBy: z.enum(['AMOUNT_DUE', 'BALANCE']) }),
    ),
    dueNow: amount,
    usageInvoice: NextInvoiceJson.nullable(),
    nextInvoice: NextInvoiceJson.nullable().meta({
      description: 'Invoice of the next period, without usage. Not promised.',
    }),
    monthlyAmountBefore: amount,
    monthlyAmountAfter: amount,
  })
  .meta({ id: 'Preview' });
export type PreviewJson = z.infer<typeof PreviewJson>;

/** A preview of a change in REST responses. */
export function toJsonPreview(preview: PreviewChangeResponse): PreviewJson {
  const { invoice } = preview;
  return {
    kind: 'CHANGE',
    ...toJsonTimes(preview),
    token: preview.token,
    invoice: invoice === undefined ? null : toJsonPreviewInvoice(invoice),
    linesPutOff: preview.linesPutOff.map(toJsonPreviewLine),
    creditNotes: preview.creditNotes.map(toJsonCreditNote),
    dueNow: toJsonAmount(preview.dueNow),
    usageInvoice: null,
    nextInvoice: toJsonNextInvoice(preview),
    monthlyAmountBefore: toJsonAmount(preview.monthlyAmountBefore),
    monthlyAmountAfter: toJsonAmount(preview.monthlyAmountAfter),
  };
}

/** A preview of the end of a subscription in REST responses. */
export function toJsonCancellationPreview(preview: PreviewCancellationResponse): PreviewJson {
  return {
    kind: 'CANCEL',
    ...toJsonTimes(preview),
    token: preview.token,
    ...{ invoice: null, linesPutOff: [], dueNow: 0, usageInvoice: null, nextInvoice: null },
    creditNotes: preview.creditNotes.map(toJsonCreditNote),
    monthlyAmountBefore: toJsonAmount(preview.monthlyAmountBefore),
    monthlyAmountAfter: 0,
  };
}

/** A preview of the next invoice in REST responses. */
export function toJsonNextInvoicePreview(preview: PreviewNextInvoiceResponse): PreviewJson {
  const monthlyAmount = toJsonAmount(preview.monthlyAmount);
  return {
    kind: 'NEXT_INVOICE',
    ...toJsonTimes(preview),
    token: null,
    ...{ invoice: null, linesPutOff: [], creditNotes: [], dueNow: 0, usageInvoice: null },
    nextInvoice: toJsonNextInvoice(preview),
    monthlyAmountBefore: monthlyAmount,
    monthlyAmountAfter: monthlyAmount,
  };
}

function toJsonTimes({
  at,
  validUntil,
  effectiveAt,
}: Pick<PreviewChangeResponse, 'at' | 'validUntil' | 'effectiveAt'>) {
  return {
    at: toJsonTime(at),
    validUntil: toJsonTime(validUntil),
    effectiveAt: toJsonTime(effectiveAt),
  };
}

function toJsonNextInvoice({
  nextInvoice,
  nextInvoiceEstimated: estimated,
}: Pick<PreviewChangeResponse, 'nextInvoice' | 'nextInvoiceEstimated'>) {
  return nextInvoice === undefined ? null : { ...toJsonPreviewInvoice(nextInvoice), estimated };
}

function toJsonCreditNote({
  invoiceId,
  amount: credited,
  settledBy,
}: PreviewCreditNote): PreviewJson['creditNotes'][number] {
  return {
    invoiceId,
    amount: toJsonAmount(credited),
    settledBy: changeSettlements.nameOf(settledBy),
  };
}

// The terms of a quote are those of a final invoice.
const quoted = { taxStatus: TaxStatus.TAX_STATUS_FINAL };

function toJsonPreviewInvoice(invoice: PreviewInvoice): PreviewInvoiceJson {
  return {
    billingReason: billingReasons.nameOf(invoice.billingReason),
    currency: invoice.currency,
    periodStart: toJsonTime(invoice.periodStart),
    periodEnd: toJsonTime(invoice.periodEnd),
    subtotal: toJsonAmount(invoice.subtotal),
    discountAmount: toJsonAmount(invoice.discountAmount),
    tax: toJsonAmount(invoice.tax),
    taxes: toJsonTaxes(invoice.taxes),
    total: toJsonAmount(invoice.total),
    balanceApplied: toJsonAmount(invoice.balanceApplied),
    amountDue: toJsonAmount(invoice.amountDue),
    discounts: invoice.discounts.map(toJsonDiscount),
    lineItems: invoice.lineItems.map(toJsonPreviewLine),
  };
}

function toJsonPreviewLine(line: LineItem): PreviewInvoiceJson['lineItems'][number] {
  const { id: _id, invoiceId: _invoiceId, ...shown } = toJsonLineItem(line, quoted);
  return shown;
}
