import { unitPriceOf } from '@billing/presentation/unit-price';
import type { Invoice, LineItem, Payment } from '@billing/proto/billing/checkout/v1/checkout';
import { InvoiceStatus, PaymentStatus } from '@billing/proto/billing/checkout/v1/checkout';
import type { CreditNote } from '@billing/proto/billing/checkout/v1/credit_note';
import { CollectionMethod, type Customer } from '@billing/proto/billing/customer/v1/customer';
import { amountText, quantityText, rateText } from './amount-text';
import { dateText, periodText } from './date-text';
import { issueDateOf } from './issue-date';
import { calculationOf, lineText } from './line-text';
import { buyerLines, sellerLines, sellerTexts, transferLines } from './party-text';
import { type PhraseKey, say } from './say';
import { shownAmount, sumRows } from './tax-text';
import {
  accent,
  columns,
  contentWidth,
  faint,
  margin,
  type PdfWriter,
  renderPdf,
} from './pdf-writer';

/** Data of an invoice document. */
export interface InvoiceDocument {
  readonly invoice: Invoice;
  /** Buyer, if the invoice has none. Undefined: customer deleted. */
  readonly customer: Customer | undefined;
  /** Listed below the payments. */
  readonly creditNotes?: readonly CreditNote[];
  /** PNG or JPEG image of the seller. */
  readonly logo?: Uint8Array | undefined;
  /** Overrides the locale of the invoice. */
  readonly locale?: string | undefined;
  /** True for an invoice of a sandbox. */
  readonly isTest?: boolean;
  /** XML to embed as Factur-X. */
  readonly facturX?: string | undefined;
}

const statusTexts: Readonly<Record<number, PhraseKey>> = {
  [InvoiceStatus.INVOICE_STATUS_DRAFT]: 'invoice.draft',
  [InvoiceStatus.INVOICE_STATUS_OPEN]: 'invoice.open',
  [InvoiceStatus.INVOICE_STATUS_PAID]: 'invoice.paid',
  [InvoiceStatus.INVOICE_STATUS_VOID]: 'invoice.void',
  [InvoiceStatus.INVOICE_STATUS_UNCOLLECTIBLE]: 'invoice.uncollectible',
};

/** Renders an invoice as PDF: the same invoice gives the same bytes. */
export function renderInvoicePdf({
  invoice,
  customer,
  creditNotes = [],
  logo,
  locale = invoice.locale,
  isTest = false,
  facturX,
}: InvoiceDocument): Promise<Buffer> {
  const title = say('invoice.title', { number: invoice.number ?? '' });
  const frame = { title, locale, date: invoice.createdAt, logo, isTest, facturX };
  return renderPdf(frame, (writer) => {
    writeHead(writer, invoice);
    writeParties(writer, invoice, customer);
    writeLines(writer, invoice);
    writeTotals(writer, invoice);
    writePayments(writer, invoice);
    writeCreditNotes(writer, creditNotes);
    writeSellerTexts(writer, invoice);
  });
}

function writeHead(writer: PdfWriter, invoice: Invoice): void {
  writer.write(say('invoice.invoice'), { size: 22, isBold: true });
  const status = statusTexts[invoice.status];
  writer.write(status === undefined ? '' : say(status), { size: 11, isBold: true, align: 'right' });
  writer.y += 36;
  writer.fact(say('invoice.number'), invoice.number ?? '—');
  const issued = issueDateOf(invoice);
  if (issued !== undefined) writer.fact(say('invoice.date'), dateText(issued));
  if (invoice.dueDate !== undefined) writer.fact(say('invoice.due'), dateText(invoice.dueDate));
  const { periodStart: start, periodEnd: end } = invoice;
  if (start !== undefined && end !== undefined)
    writer.fact(say('invoice.period'), periodText({ start, end }));
  const { seller, purchaseOrder } = invoice;
  if (seller !== undefined && purchaseOrder !== undefined)
    writer.fact(say('invoice.order'), purchaseOrder);
  writer.y += 14;
}

function writeParties(
  writer: PdfWriter,
  { hostedUrl, status, seller, buyer }: Invoice,
  customer: Customer | undefined,
): void {
  if (seller !== undefined) {
    writer.party(say('invoice.from'), sellerLines(seller));
    writer.y += 10;
  }
  writer.party(say('invoice.billedTo'), buyerLines(buyer, customer));
  if (status === InvoiceStatus.INVOICE_STATUS_OPEN && hostedUrl !== undefined) {
    writer.y += 10;
    writePayButton(writer, hostedUrl);
  }
  writer.y += 18;
}

function writeLines(writer: PdfWriter, invoice: Invoice): void {
  writeColumnHeads(writer);
  for (const line of invoice.lineItems) writeLine(writer, line, invoice);
  writer.y += 6;
}

function writeTotals(writer: PdfWriter, invoice: Invoice): void {
  const { currency, amountDue } = invoice;
  for (const [label, amount] of sumRows(invoice)) {
    writer.total(label, amountText(amount, currency));
  }
  writer.total(say('invoice.amountDue'), amountText(amountDue, currency), true);
}

function writePayments(writer: PdfWriter, { payments }: Invoice): void {
  const successful = payments.filter(
    ({ status }) => status === PaymentStatus.PAYMENT_STATUS_SUCCEEDED,
  );
  if (successful.length === 0) return;
  writer.y += 20;
  for (const payment of successful) writePayment(writer, payment);
}

function writeCreditNotes(writer: PdfWriter, creditNotes: readonly CreditNote[]): void {
  if (creditNotes.length === 0) return;
  writer.y += 20;
  for (const { number, total, currency, issuedAt } of creditNotes) {
    writer.ensureSpace(18);
    const note = { number: number ?? '', amount: amountText(total, currency) };
    writer.paragraph(
      issuedAt === undefined
        ? say('pdf.creditNote', note)
        : say('pdf.creditNoteOn', { ...note, date: dateText(issuedAt) }),
    );
  }
}

/** Memo, bank account of a sent invoice, registration and footer. */
function writeSellerTexts(
  writer: PdfWriter,
  { seller, memo, number, collectionMethod }: Invoice,
): void {
  if (seller === undefined) return;
  const isSent = collectionMethod === CollectionMethod.COLLECTION_METHOD_SEND_INVOICE;
  const transfer = isSent ? transferLines(seller, number) : [];
  writer.blocks([transfer, ...sellerTexts(seller, memo)]);
}

/** Button with the link, and its address for readers of the printed page. */
function writePayButton(writer: PdfWriter, url: string): void {
  const { document } = writer;
  const label = say('pdf.payInvoice');
  const size = { width: Math.max(120, writer.widthOf(label, true) + 28), height: 24 };
  document.roundedRect(margin, writer.y, size.width, size.height, 4).fill(accent);
  document.link(margin, writer.y, size.width, size.height, url);
  writer.y += 6;
  writer.write(label, { isBold: true, color: '#ffffff', left: 14 });
  writer.y += size.height;
  const style = { size: 8, width: contentWidth };
  writer.write(url, { ...style, color: faint, link: url });
  writer.y += writer.heightOf(url, style) + 2;
}

function writeColumnHeads(writer: PdfWriter): void {
  const head = { size: 9, color: faint } as const;
  writer.write(say('invoice.description'), head);
  writer.write(say('invoice.quantity'), { ...head, right: columns.quantity });
  writer.write(say('invoice.unitPrice'), { ...head, right: columns.unit });
  writer.write(say('invoice.amount'), { ...head, right: columns.amount });
  writer.y += 15;
  writer.rule();
}

function writeLine(writer: PdfWriter, line: LineItem, invoice: Invoice): void {
  const { currency } = invoice;
  const { quantity, periodStart, periodEnd } = line;
  const description = lineText(line);
  const width = columns.description;
  const height = writer.heightOf(description, { size: 10, width });
  const hasPeriod = periodStart !== undefined && periodEnd !== undefined;
  // A single tier without a flat amount is shown by the unit price.
  const tiers = line.details?.tiers ?? [];
  const isExplained = tiers.length > 1 || tiers.some(({ flatAmount }) => flatAmount !== '0');
  const calculation = isExplained ? calculationOf(line, currency) : [];
  writer.ensureSpace(height + (hasPeriod ? 30 : 16));
  writer.write(description, { width });
  writer.write(quantityText(quantity), { right: columns.quantity });
  const unit = unitPriceOf(line);
  writer.write(unit === undefined ? '—' : rateText(unit, currency), { right: columns.unit });
  const shown = amountText(shownAmount(line, invoice), currency);
  writer.write(shown, { right: columns.amount });
  writer.y += height + 3;
  if (hasPeriod) {
    const period = periodText({ start: periodStart, end: periodEnd });
    writer.write(period, { size: 8.5, color: faint });
    writer.y += 13;
  }
  for (const text of calculation) {
    writer.ensureSpace(13);
    writer.write(text, { size: 8.5, color: faint });
    writer.y += 13;
  }
  writer.y += 3;
  writer.rule();
}

function writePayment(writer: PdfWriter, { amount, currency, createdAt }: Payment): void {
  writer.ensureSpace(18);
  const paid = { amount: amountText(amount, currency) };
  writer.paragraph(
    createdAt === undefined
      ? say('pdf.paid', paid)
      : say('pdf.paidOn', { ...paid, date: dateText(createdAt) }),
  );
}
