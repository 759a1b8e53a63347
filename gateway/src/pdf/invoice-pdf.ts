import type { Invoice, LineItem, Payment } from '@billing/proto/billing/checkout/v1/checkout';
import { InvoiceStatus, PaymentStatus } from '@billing/proto/billing/checkout/v1/checkout';
import type { CreditNote } from '@billing/proto/billing/checkout/v1/credit_note';
import { CollectionMethod, type Customer } from '@billing/proto/billing/customer/v1/customer';
import { amountText, printedAmount, quantityText, rateText } from '../text/amount-text';
import { dateText, periodText } from '../text/date-text';
import { calculationOf, unitPriceOf } from '../text/line-text';
import { buyerLines, sellerLines, sellerTexts, transferLines } from '../text/party-text';
import { shownAmount, sumRows } from '../text/tax-text';
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
  /** Shown if the invoice has no buyer of its own. */
  readonly customer: Customer;
  /** Listed below the payments. */
  readonly creditNotes?: readonly CreditNote[];
  /** PNG or JPEG image of the seller. */
  readonly logo?: Uint8Array | undefined;
  /** True for an invoice of a sandbox. */
  readonly isTest?: boolean;
  /** XML to embed as Factur-X. */
  readonly facturX?: string | undefined;
}

const statusTexts: Readonly<Record<number, string>> = {
  [InvoiceStatus.INVOICE_STATUS_DRAFT]: 'Draft',
  [InvoiceStatus.INVOICE_STATUS_OPEN]: 'Open',
  [InvoiceStatus.INVOICE_STATUS_PAID]: 'Paid',
  [InvoiceStatus.INVOICE_STATUS_VOID]: 'Void',
  [InvoiceStatus.INVOICE_STATUS_UNCOLLECTIBLE]: 'Uncollectible',
};

/** Renders an invoice as PDF: the same invoice gives the same bytes. */
export function renderInvoicePdf({
  invoice,
  customer,
  creditNotes = [],
  logo,
  isTest = false,
  facturX,
}: InvoiceDocument): Promise<Buffer> {
  const title = `Invoice ${invoice.number ?? ''}`;
  return renderPdf({ title, date: invoice.createdAt, logo, isTest, facturX }, (writer) => {
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
  writer.write('Invoice', { size: 22, isBold: true });
  writer.write(statusTexts[invoice.status] ?? '', { size: 11, isBold: true, align: 'right' });
  writer.y += 36;
  writer.fact('Number', invoice.number ?? '—');
  if (invoice.createdAt !== undefined) writer.fact('Date', dateText(invoice.createdAt));
  if (invoice.dueDate !== undefined) writer.fact('Due', dateText(invoice.dueDate));
  const { periodStart: start, periodEnd: end } = invoice;
  if (start !== undefined && end !== undefined) writer.fact('Period', periodText({ start, end }));
  const { seller, purchaseOrder } = invoice;
  if (seller !== undefined && purchaseOrder !== undefined) writer.fact('Order', purchaseOrder);
  writer.y += 14;
}

function writeParties(
  writer: PdfWriter,
  { hostedUrl, status, seller, buyer }: Invoice,
  customer: Customer,
): void {
  if (seller !== undefined) {
    writer.party('From', sellerLines(seller));
    writer.y += 10;
  }
  writer.party('Billed to', buyerLines(buyer, customer));
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
    writer.total(label, printedAmount(amount, currency));
  }
  writer.total('Amount due', printedAmount(amountDue, currency), true);
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
    const at = issuedAt === undefined ? '' : ` on ${dateText(issuedAt)}`;
    writer.paragraph(`Credit note ${number ?? ''}${at}: ${amountText(total, currency)}`);
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
  const size = { width: 120, height: 24 };
  document.roundedRect(margin, writer.y, size.width, size.height, 4).fill(accent);
  document.link(margin, writer.y, size.width, size.height, url);
  writer.y += 6;
  writer.write('Pay this invoice', { isBold: true, color: '#ffffff', left: 14 });
  writer.y += size.height;
  const style = { size: 8, width: contentWidth };
  writer.write(url, { ...style, color: faint, link: url });
  writer.y += writer.heightOf(url, style) + 2;
}

function writeColumnHeads(writer: PdfWriter): void {
  const head = { size: 9, color: faint } as const;
  writer.write('Description', head);
  writer.write('Quantity', { ...head, right: columns.quantity });
  writer.write('Unit price', { ...head, right: columns.unit });
  writer.write('Amount', { ...head, right: columns.amount });
  writer.y += 15;
  writer.rule();
}

function writeLine(writer: PdfWriter, line: LineItem, invoice: Invoice): void {
  const { currency } = invoice;
  const { description, quantity, periodStart, periodEnd } = line;
  const width = columns.description;
  const height = writer.heightOf(description, { size: 10, width });
  const hasPeriod = periodStart !== undefined && periodEnd !== undefined;
  // A single tier without a flat amount is told by the unit price.
  const tiers = line.details?.tiers ?? [];
  const isExplained = tiers.length > 1 || tiers.some(({ flatAmount }) => flatAmount !== '0');
  const calculation = isExplained ? calculationOf(line, currency) : [];
  writer.ensureSpace(height + (hasPeriod ? 30 : 16));
  writer.write(description, { width });
  writer.write(quantityText(quantity), { right: columns.quantity });
  const unit = unitPriceOf(line);
  writer.write(unit === undefined ? '—' : rateText(unit, currency), { right: columns.unit });
  const shown = printedAmount(shownAmount(line, invoice), currency);
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
  const at = createdAt === undefined ? '' : ` on ${dateText(createdAt)}`;
  writer.paragraph(`${amountText(amount, currency)} paid${at}.`);
}
