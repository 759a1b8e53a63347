import type { CallContext } from '@billing/chassis/call-context';
import { DomainError, unlessNotFound } from '@billing/kernel/domain-error';
import type { Invoice } from '@billing/proto/billing/checkout/v1/checkout';
import type { CreditNote } from '@billing/proto/billing/checkout/v1/credit_note';
import type { InvoiceSeller } from '@billing/proto/billing/checkout/v1/invoice_tax';
import type { Peers } from '../peer/peers';
import { type ApiAnswer, ok, present } from '../http/answer';
import { renderCreditNotePdf } from '@billing/documents/credit-note-pdf';
import { renderInvoicePdf } from '@billing/documents/invoice-pdf';

interface Source {
  /** Locale that the reader has chosen, in place of that of the document. Optional. */
  readonly locale?: string | undefined;
  readonly peers: Pick<Peers, 'customer' | 'seller' | 'creditNote' | 'checkout'>;
  readonly context: CallContext;
}

// An invoice has at most 50 credit notes of callers, and as many of plan changes.
const creditNotesMax = 100;

/** Invoice as a PDF file, generated for each request so that it is always up to date. */
export async function invoiceDownload(invoice: Invoice, source: Source): Promise<ApiAnswer> {
  const [customer, logo, creditNotes] = await Promise.all([
    customerOf(invoice, source),
    logoOf(invoice, source),
    invoice.seller === undefined ? [] : creditNotesOf(invoice, source),
  ]);
  const isTest = !source.context.tenant.live;
  const bytes = await renderInvoicePdf({
    ...{ invoice, customer, creditNotes, logo, isTest },
    ...(source.locale !== undefined && { locale: source.locale }),
  });
  return pdfAnswer(bytes, invoice.number ?? 'invoice');
}

/**
 * Credit note as a PDF file. Throws failed_precondition for one that waits for its number.
 */
export async function creditNoteDownload(note: CreditNote, source: Source): Promise<ApiAnswer> {
  const { number, invoiceId } = note;
  if (number === undefined) throw notNumbered();
  const [customer, logo, { invoice }] = await Promise.all([
    customerOf(note, source),
    logoOf(note, source),
    source.peers.checkout.getInvoice({ id: invoiceId }, source.context),
  ]);
  const isTest = !source.context.tenant.live;
  const document = {
    ...{ note, invoice: present(invoice), customer, logo, isTest },
    ...(source.locale !== undefined && { locale: source.locale }),
  };
  return pdfAnswer(await renderCreditNotePdf(document), number);
}

/** Credit notes of an invoice, the oldest first. */
export async function creditNotesOf(
  { id: invoiceId, creditNoteIds }: Pick<Invoice, 'id' | 'creditNoteIds'>,
  { peers, context }: { readonly peers: Pick<Peers, 'creditNote'>; readonly context: CallContext },
): Promise<readonly CreditNote[]> {
  if (creditNoteIds.length === 0) return [];
  const wanted = { invoiceId, page: 1, perPage: creditNotesMax };
  const { creditNotes } = await peers.creditNote.listCreditNotes(wanted, context);
  return creditNotes.toReversed();
}

async function customerOf({ customerId: id }: { customerId: string }, { peers, context }: Source) {
  return (await unlessNotFound(peers.customer.getCustomer({ id }, context)))?.customer;
}

/** Image of a document's seller, if any. */
export async function logoOf(
  { seller }: { readonly seller?: InvoiceSeller | undefined },
  { peers, context }: { readonly peers: Pick<Peers, 'seller'>; readonly context: CallContext },
): Promise<Uint8Array | undefined> {
  const sha256 = seller?.logo?.sha256;
  return sha256 === undefined ? undefined : (await peers.seller.getLogo({ sha256 }, context)).data;
}

/** Response with a PDF file. */
export function pdfAnswer(bytes: Buffer, name: string): ApiAnswer {
  return ok(bytes, {
    'Content-Type': 'application/pdf',
    'Content-Disposition': `inline; filename="${name.replace(/[^\w-]/g, '')}.pdf"`,
    'Cache-Control': 'no-store',
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
  });
}

/** Refusal of a credit note that waits for its number. */
export function notNumbered(): DomainError {
  const message = 'Credit note has no number yet';
  return new DomainError('failed_precondition', 'CREDIT_NOTE_NOT_NUMBERED', message);
}
