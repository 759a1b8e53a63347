import type { EInvoice, EInvoiceLine, EInvoiceProfile } from '@billing/presentation/e-invoice';
import type { Invoice, LineItem } from '@billing/proto/billing/checkout/v1/checkout';
import type { CreditNote, CreditNoteLine } from '@billing/proto/billing/checkout/v1/credit_note';
import { present } from '../http/answer';
import { daysOf, notesOf, once, periodAround } from './invoice-model';
import { buyerOf, sellerOf, transferOf } from './parties';
import { checkedDecimals, checkedParties, checkFinalised } from './refusals';
import { categoryOf, percentOf, taxGroups } from './taxes';

/**
 * Credit note by EN 16931 as it was issued: refunds do not change it. Throws failed_precondition
 * where a needed fact is missing.
 */
export function creditNoteModel(
  note: CreditNote,
  invoice: Invoice,
  profile: EInvoiceProfile,
): EInvoice {
  checkFinalised(invoice);
  const { currency, number, subtotal, tax, memo } = note;
  const decimals = checkedDecimals(currency);
  const taxes = taxGroups(note.taxes);
  const categories = taxes.map(({ category }) => category);
  const { seller, buyer } = checkedParties({ ...note, categories, profile });
  const terms = { isOutOfScope: categories.includes('O') };
  const lines = note.lines.map((line) => lineOf(line, note, invoice));
  const credited = { number: present(invoice.number), issuedAt: present(invoice.finalizedAt) };
  return {
    ...{ profile, kind: 'CREDIT_NOTE', number: present(number), currency, decimals },
    issuedAt: present(note.issuedAt),
    dueDate: undefined,
    terms: 'Credited to the buyer; no payment is due',
    buyerReference: buyer.buyerReference,
    purchaseOrder: invoice.purchaseOrder,
    notes: notesOf(memo, seller),
    preceding: credited,
    period: periodAround(lines),
    seller: sellerOf(seller, terms),
    buyer: buyerOf(buyer, terms),
    transfer: profile === 'XRECHNUNG' ? transferOf(seller) : undefined,
    lines,
    ...{ taxes, net: subtotal, tax, prepaid: 0n },
  };
}

function lineOf(
  { lineItemId, description, amount }: CreditNoteLine,
  note: CreditNote,
  invoice: Invoice,
): EInvoiceLine {
  const { taxReason, taxPercent, periodStart, periodEnd } = sourceOf(lineItemId, invoice);
  const category = categoryOf(present(taxReason), note.taxes);
  return {
    name: description,
    ...once(amount),
    ...{ description: undefined, discount: undefined, net: amount },
    period: daysOf(periodStart, periodEnd),
    category,
    percent: percentOf(category, present(taxPercent)),
  };
}

function sourceOf(lineItemId: string, { lineItems }: Invoice): LineItem {
  return present(lineItems.find(({ id }) => id === lineItemId));
}
