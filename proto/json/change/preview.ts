import { z } from 'zod';
import type {
  PreviewCancellationResponse,
  PreviewChangeResponse,
  PreviewCreditNote,
  PreviewNextInvoiceResponse,
  PreviewInvoice,
  PreviewPurchaseResponse,
} from '../../gen/billing/subscription/v1/change_service';
import { BillingReason, type LineItem } from '../../gen/billing/checkout/v1/checkout';
import { TaxStatus } from '../../gen/billing/checkout/v1/invoice_tax';
import type { PreviewSessionResponse } from '../../gen/billing/checkout/v1/session';
import { billingReasons } from '../../values/checkout';
import { changeSettlements } from '../../values/subscription';
import { InvoiceJson, LineItemJson, toJsonDiscount, toJsonLineItem } from '../invoice';
import { toJsonTaxes } from '../invoice-tax';
import { amount, id, time, toJsonAmount, toJsonOptionalTime, toJsonTime } from '../scalars';

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
    kind: z.enum(['PURCHASE', 'CHANGE', 'CANCEL', 'NEXT_INVOICE']),
    at: time,
    validUntil: time,
    token: z.string().max(1_000).nullable().meta({
      description: 'Null: nothing is promised, as for a next invoice and without a customer.',
    }),
    effectiveAt: time,
    invoice: PreviewInvoiceJson.nullable().meta({
      description: 'Invoice that is charged immediately. Null: nothing.',
    }),
    linesPutOff: z.array(LineJson).meta({
      description: 'Lines of the change that the next invoice of the subscription bills.',
    }),
    creditNotes: z.array(
      z.object({ invoiceId: id, amount, settledBy: z.enum(['AMOUNT_DUE', 'BALANCE']) }),
    ),
    dueNow: amount,
    usageInvoice: NextInvoiceJson.nullable().meta({
      description:
        'Invoice of a cancellation, a new cycle or a pause now: usage so far, and deferred ' +
        'lines at a cancellation. Not promised. Null: none.',
    }),
    nextInvoice: NextInvoiceJson.nullable().meta({
      description: 'Invoice of the next period, with the usage so far. Not promised.',
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
    usageInvoice: toJsonEstimate(preview.usageInvoice, preview.usageInvoiceEstimated),
    nextInvoice: toJsonEstimate(preview.nextInvoice, preview.nextInvoiceEstimated),
    monthlyAmountBefore: toJsonAmount(preview.monthlyAmountBefore),
    monthlyAmountAfter: toJsonAmount(preview.monthlyAmountAfter),
  };
}

/** A preview of a creation in REST responses. */
export function toJsonPurchasePreview(preview: PreviewPurchaseResponse): PreviewJson {
  const { invoice, token } = preview;
  return {
    kind: 'PURCHASE',
    ...toJsonTimes(preview),
    token: token ?? null,
    invoice: invoice === undefined ? null : toJsonPreviewInvoice(invoice),
    ...{ linesPutOff: [], creditNotes: [], usageInvoice: null },
    dueNow: toJsonAmount(preview.dueNow),
    nextInvoice: toJsonEstimate(preview.nextInvoice, preview.nextInvoiceEstimated),
    monthlyAmountBefore: 0,
    monthlyAmountAfter: toJsonAmount(preview.monthlyAmountAfter),
  };
}

/** A preview of a checkout session in REST responses, and of the subscription that follows it. */
export function toJsonSessionPreview(
  preview: PreviewSessionResponse,
  subscription: PreviewPurchaseResponse | undefined,
): PreviewJson {
  const { at, validUntil, token, currency, chargedAutomatically } = preview;
  const quote = preview.invoice;
  if (quote === undefined) throw new Error('A preview has no invoice');
  const { total: amountDue } = quote;
  const billingReason = BillingReason.BILLING_REASON_CHECKOUT;
  const bounds = { periodStart: undefined, periodEnd: undefined };
  return {
    kind: 'PURCHASE',
    ...toJsonTimes({ at, validUntil, effectiveAt: at }),
    token: token ?? null,
    invoice: toJsonPreviewInvoice({ ...quote, billingReason, currency, ...bounds, amountDue }),
    ...{ linesPutOff: [], creditNotes: [], usageInvoice: null },
    dueNow: chargedAutomatically ? toJsonAmount(amountDue) : 0,
    nextInvoice:
      subscription === undefined
        ? null
        : toJsonEstimate(subscription.nextInvoice, subscription.nextInvoiceEstimated),
    monthlyAmountBefore: 0,
    monthlyAmountAfter: toJsonAmount(subscription?.monthlyAmountAfter ?? 0n),
  };
}

/** A preview of the end of a subscription in REST responses. */
export function toJsonCancellationPreview(preview: PreviewCancellationResponse): PreviewJson {
  return {
    kind: 'CANCEL',
    ...toJsonTimes(preview),
    token: preview.token,
    ...{ invoice: null, linesPutOff: [], dueNow: 0, nextInvoice: null },
    usageInvoice: toJsonEstimate(preview.usageInvoice, preview.usageInvoiceEstimated),
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
    nextInvoice: toJsonEstimate(preview.nextInvoice, preview.nextInvoiceEstimated),
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

function toJsonEstimate(invoice: PreviewInvoice | undefined, estimated: boolean) {
  return invoice === undefined ? null : { ...toJsonPreviewInvoice(invoice), estimated };
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
    periodStart: toJsonOptionalTime(invoice.periodStart),
    periodEnd: toJsonOptionalTime(invoice.periodEnd),
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
