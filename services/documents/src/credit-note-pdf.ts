import type { Invoice } from '@billing/proto/billing/checkout/v1/checkout';
import type { CreditNote, CreditNoteLine } from '@billing/proto/billing/checkout/v1/credit_note';
import type { Customer } from '@billing/proto/billing/customer/v1/customer';
import { amountText } from './amount-text';
import { creditRows } from './credit-text';
import { dateText } from './date-text';
import { issueDateOf } from './issue-date';
import { buyerLines, sellerLines, sellerTexts } from './party-text';
import { say } from './say';
import { taxRows } from './tax-text';
import { columns, faint, type PdfWriter, renderPdf } from './pdf-writer';

/** Data of a credit note document. */
export interface CreditNoteDocument {
  readonly note: CreditNote;
  /** The credited invoice. */
  readonly invoice: Pick<Invoice, 'number' | 'finalizedAt' | 'createdAt' | 'locale'>;
  /** Buyer, if the credit note has none. Undefined: customer deleted. */
  readonly customer: Customer | undefined;
  /** PNG or JPEG image of the seller. */
  readonly logo?: Uint8Array | undefined;
  /** Overrides the locale of the invoice. */
  readonly locale?: string | undefined;
  /** True for a credit note of a sandbox. */
  readonly isTest?: boolean;
  /** XML to embed as Factur-X. */
  readonly facturX?: string | undefined;
}

/** Renders a credit note as PDF: the same note gives the same bytes. */
export function renderCreditNotePdf({
  note,
  invoice,
  customer,
  logo,
  locale = invoice.locale,
  isTest = false,
  facturX,
}: CreditNoteDocument): Promise<Buffer> {
  const title = say('creditNote.title', { number: note.number ?? '' });
  const frame = { title, locale, date: note.issuedAt, logo, isTest, facturX };
  return renderPdf(frame, (writer) => {
    writeHead(writer, note, invoice);
    writeParties(writer, note, customer);
    writeLines(writer, note);
    writeTotals(writer, note);
    if (note.seller !== undefined) writer.blocks(sellerTexts(note.seller, note.memo));
    else if (note.memo !== undefined) writer.blocks([note.memo.split(/\r?\n/u)]);
  });
}

function writeHead(
  writer: PdfWriter,
  { number, issuedAt }: CreditNote,
  invoice: CreditNoteDocument['invoice'],
): void {
  writer.write(say('creditNote.creditNote'), { size: 22, isBold: true });
  writer.y += 36;
  writer.fact(say('invoice.number'), number ?? '—');
  if (issuedAt !== undefined) writer.fact(say('invoice.date'), dateText(issuedAt));
  const credited = invoice.number ?? '—';
  const invoiceDate = issueDateOf(invoice);
  writer.fact(
    say('invoice.invoice'),
    invoiceDate === undefined
      ? credited
      : say('creditNote.invoiceOf', { number: credited, date: dateText(invoiceDate) }),
  );
  writer.y += 14;
}

function writeParties(
  writer: PdfWriter,
  { seller, buyer }: CreditNote,
  customer: Customer | undefined,
): void {
  if (seller !== undefined) {
    writer.party(say('invoice.from'), sellerLines(seller));
    writer.y += 10;
  }
  writer.party(say('creditNote.creditedTo'), buyerLines(buyer, customer));
  writer.y += 18;
}

function writeLines(writer: PdfWriter, note: CreditNote): void {
  const isTaxed = note.taxes.length > 0;
  const head = { size: 9, color: faint } as const;
  writer.write(say('invoice.description'), head);
  if (isTaxed) {
    writer.write(say('creditNote.net'), { ...head, right: columns.quantity });
    writer.write(say('invoice.tax'), { ...head, right: columns.unit });
  }
  writer.write(say(isTaxed ? 'invoice.total' : 'invoice.amount'), {
    ...head,
    right: columns.amount,
  });
  writer.y += 15;
  writer.rule();
  for (const line of note.lines) writeLine(writer, line, note);
  writer.y += 6;
}

function writeLine(
  writer: PdfWriter,
  { description, amount, taxAmount, total }: CreditNoteLine,
  { currency, taxes }: CreditNote,
): void {
  const width = columns.description - 60;
  const height = writer.heightOf(description, { size: 10, width });
  writer.ensureSpace(height + 16);
  writer.write(description, { width });
  if (taxes.length > 0) {
    writer.write(amountText(amount, currency), { right: columns.quantity });
    writer.write(amountText(taxAmount, currency), { right: columns.unit });
  }
  writer.write(amountText(total, currency), { right: columns.amount });
  writer.y += height + 6;
  writer.rule();
}

function writeTotals(writer: PdfWriter, note: CreditNote): void {
  const { currency, subtotal, total } = note;
  const print = (amount: bigint) => amountText(amount, currency);
  writer.total(say('invoice.subtotal'), print(subtotal));
  // The lines are shown without tax, so the tax is added.
  const taxes = taxRows({ ...note, pricesIncludeTax: false });
  for (const [label, amount] of taxes) writer.total(label, print(amount));
  writer.total(say('creditNote.totalCredited'), print(total), true);
  for (const [label, amount] of creditRows(note)) writer.total(label, print(amount));
}
