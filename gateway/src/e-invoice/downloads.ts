import type { CallContext } from '@billing/chassis/call-context';
import { toCii } from '@billing/presentation/cii';
import type { EInvoice, EInvoiceProfile } from '@billing/presentation/e-invoice';
import { toUbl } from '@billing/presentation/ubl';
import { type Invoice, InvoiceStatus } from '@billing/proto/billing/checkout/v1/checkout';
import type { CreditNote } from '@billing/proto/billing/checkout/v1/credit_note';
import { Customer } from '@billing/proto/billing/customer/v1/customer';
import { type ApiAnswer, ok, present } from '../http/answer';
import { renderCreditNotePdf } from '@billing/documents/credit-note-pdf';
import { logoOf, notNumbered, pdfAnswer } from '../pdf/downloads';
import { renderInvoicePdf } from '@billing/documents/invoice-pdf';
import type { Peers } from '../peer/peers';
import { creditNoteModel } from './credit-note-model';
import { invoiceModel, prepaidOf } from './invoice-model';

/** Syntax and rules of a requested document. */
export interface EInvoiceForm {
  readonly format: 'UBL' | 'CII' | 'FACTUR_X';
  readonly profile: EInvoiceProfile;
}

interface Source {
  readonly peers: Pick<Peers, 'seller' | 'checkout'>;
  readonly context: CallContext;
}

// Documents name their buyer by themselves.
const noCustomer = Customer.fromPartial({});

/** Invoice as an electronic invoice. Throws failed_precondition where a needed fact is missing. */
export async function invoiceEInvoice(
  invoice: Invoice,
  form: EInvoiceForm,
  source: Source,
): Promise<ApiAnswer> {
  const model = invoiceModel(invoice, form.profile);
  if (form.format !== 'FACTUR_X') return xmlAnswer(model, form.format);
  const bytes = await renderInvoicePdf({
    ...(await frameOf(invoice, model, source)),
    invoice: asFinalised(invoice),
  });
  return pdfAnswer(bytes, model.number);
}

/** Credit note as an electronic document. Throws failed_precondition as an invoice does. */
export async function creditNoteEInvoice(
  note: CreditNote,
  form: EInvoiceForm,
  source: Source,
): Promise<ApiAnswer> {
  if (note.number === undefined) throw notNumbered();
  const found = await source.peers.checkout.getInvoice({ id: note.invoiceId }, source.context);
  const invoice = present(found.invoice);
  const model = creditNoteModel(note, invoice, form.profile);
  if (form.format !== 'FACTUR_X') return xmlAnswer(model, form.format);
  const bytes = await renderCreditNotePdf({
    ...(await frameOf(note, model, source)),
    ...{ note: asIssued(note), invoice },
  });
  return pdfAnswer(bytes, model.number);
}

async function frameOf(document: Invoice | CreditNote, model: EInvoice, source: Source) {
  const logo = await logoOf(document, source);
  const isTest = !source.context.tenant.live;
  return { customer: noCustomer, logo, isTest, facturX: toCii(model) };
}

/** Invoice without what happens after its finalisation. */
export function asFinalised(invoice: Invoice): Invoice {
  const { total, balanceApplied } = invoice;
  const amountDue = total - prepaidOf(invoice);
  return {
    ...invoice,
    status: InvoiceStatus.INVOICE_STATUS_UNSPECIFIED,
    ...{ payments: [], amountReduced: 0n, amountDue },
    amountPaid: total - balanceApplied - amountDue,
  };
}

/** Credit note without where its amount went, since a failed refund changes that. */
export function asIssued(note: CreditNote): CreditNote {
  return { ...note, reduced: 0n, toBalance: 0n, refunded: 0n, external: 0n, unsettled: 0n };
}

function xmlAnswer(model: EInvoice, format: 'UBL' | 'CII'): ApiAnswer {
  const xml = format === 'UBL' ? toUbl(model) : toCii(model);
  return ok(Buffer.from(xml), {
    'Content-Type': 'application/xml',
    'Content-Disposition': `attachment; filename="${model.number.replace(/[^\w-]/g, '')}.xml"`,
    'Cache-Control': 'no-store',
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
  });
}
