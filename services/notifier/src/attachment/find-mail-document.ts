import type { CallContext } from '@billing/chassis/call-context';
import { Invoice } from '@billing/proto/billing/checkout/v1/checkout';
import type { CreditNote } from '@billing/proto/billing/checkout/v1/credit_note';
import type { Customer } from '@billing/proto/billing/customer/v1/customer';
import type { MailDocument } from '@billing/proto/billing/notifier/v1/mail_document';
import { logIdOf, readEvent } from '../message/events';
import { type Message, messageId } from '../message/message-store';
import type { EventLogOwner, MailPeers } from '../peer/peers';

/** Sources of documents. */
export interface DocumentSources {
  readonly peers: Pick<MailPeers, 'creditNote'>;
  /** The customer as it is now. */
  readonly recipient: Customer;
  readonly context: CallContext;
}

// An invoice has at most 50 credit notes of callers, and as many of plan changes.
const creditNotesMax = 100;

/**
 * Finds the document of a message about an invoice or credit note, as it was right after the event;
 * undefined if its owner has deleted the event.
 */
export async function findMailDocument(
  message: Message,
  { invoices, ...sources }: DocumentSources & { readonly invoices: EventLogOwner },
): Promise<MailDocument | undefined> {
  const { entries } = await invoices.find([logIdOf(message)]);
  const [entry] = entries;
  const event = entry && readEvent(entry.envelope);
  // After a restore, the log may have another event of this number.
  const data = event !== undefined && messageId(event) === message._id ? event.data : undefined;
  if (data?.kind === 'credit_note') {
    const { creditNote, invoice } = data.event;
    return creditNote && invoice && creditNoteDocument(creditNote, invoice, sources.recipient);
  }
  const invoice = data?.kind === 'invoice' ? data.event.invoice : undefined;
  return invoice && invoiceDocument(invoice, sources);
}

/** Document of an invoice: with its credit notes, and with the customer if it names no buyer. */
export async function invoiceDocument(
  invoice: Invoice,
  sources: DocumentSources,
): Promise<MailDocument> {
  const { seller, buyer } = invoice;
  const customer = buyer === undefined ? sources.recipient : undefined;
  const creditNotes = seller === undefined ? [] : await creditNotesOf(invoice, sources);
  return { invoice, creditNote: undefined, customer, creditNotes };
}

function creditNoteDocument(
  creditNote: CreditNote,
  { number, createdAt, finalizedAt, locale }: Invoice,
  recipient: Customer,
): MailDocument {
  // What the document of a note shows of its invoice.
  const invoice = Invoice.fromPartial({ number, createdAt, finalizedAt, locale });
  const customer = creditNote.buyer === undefined ? recipient : undefined;
  return { invoice, creditNote, customer, creditNotes: [] };
}

/** The credit notes that an invoice names, oldest first. */
async function creditNotesOf(
  { id: invoiceId, creditNoteIds }: Invoice,
  { peers, context }: DocumentSources,
): Promise<CreditNote[]> {
  if (creditNoteIds.length === 0) return [];
  const wanted = { invoiceId, page: 1, perPage: creditNotesMax };
  const { creditNotes } = await peers.creditNote.listCreditNotes(wanted, context);
  return creditNotes.filter(({ id }) => creditNoteIds.includes(id)).toReversed();
}
