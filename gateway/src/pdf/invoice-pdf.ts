import PDFDocument from 'pdfkit';
import type { Invoice, LineItem, Payment } from '@billing/proto/billing/checkout/v1/checkout';
import { InvoiceStatus, PaymentStatus } from '@billing/proto/billing/checkout/v1/checkout';
import { CollectionMethod, type Customer } from '@billing/proto/billing/customer/v1/customer';
import { amountText, printedAmount, quantityText, rateText } from '../text/amount-text';
import { dateText, periodText } from '../text/date-text';
import { calculationOf, unitPriceOf } from '../text/line-text';
import { buyerLines, sellerLines, transferLines } from '../text/party-text';
import { shownAmount, sumRows } from '../text/tax-text';
import { type PdfFont, pdfFonts, runsRightToLeft, showable } from './fonts';

/** Data of an invoice document. */
export interface InvoiceDocument {
  readonly invoice: Invoice;
  /** Shown if the invoice has no buyer of its own. */
  readonly customer: Customer;
  /** PNG or JPEG image of the seller. */
  readonly logo?: Uint8Array | undefined;
  /** True for an invoice of a sandbox. */
  readonly isTest?: boolean;
}

const margin = 56;
const pageWidth = 595;
const pageHeight = 842;
const contentWidth = pageWidth - 2 * margin;
const bottom = pageHeight - margin - 24;
const ink = '#1a1a1a';
const faint = '#666666';
const accent = '#2447c9';

/** Columns of the lines by their right edges. The first column starts at the left margin. */
const columns = { description: 225, quantity: 283, unit: 383, amount: contentWidth };

const numberWidth = 94;
const logoWidth = 160;
const logoHeight = 48;

const statusTexts: Readonly<Record<number, string>> = {
  [InvoiceStatus.INVOICE_STATUS_DRAFT]: 'Draft',
  [InvoiceStatus.INVOICE_STATUS_OPEN]: 'Open',
  [InvoiceStatus.INVOICE_STATUS_PAID]: 'Paid',
  [InvoiceStatus.INVOICE_STATUS_VOID]: 'Void',
  [InvoiceStatus.INVOICE_STATUS_UNCOLLECTIBLE]: 'Uncollectible',
};

/**
 * Renders an invoice as PDF. The output is deterministic: the same invoice gives the same bytes.
 */
export function renderInvoicePdf({
  invoice,
  customer,
  logo,
  isTest = false,
}: InvoiceDocument): Promise<Buffer> {
  const document = new PDFDocument({
    size: [pageWidth, pageHeight],
    margin,
    // Page numbers are added after all pages are rendered.
    bufferPages: true,
    autoFirstPage: true,
    lang: 'en',
    displayTitle: true,
    info: {
      Title: `${isTest ? 'TEST ' : ''}Invoice ${invoice.number ?? ''}`.trim(),
      // The id of the document derives from this date. The current time would change the bytes each
      // time.
      CreationDate: invoice.createdAt ?? new Date(0),
    },
  });
  const chunks: Buffer[] = [];
  const done = new Promise<Buffer>((resolve, reject) => {
    document.on('data', (chunk: Buffer) => chunks.push(chunk));
    document.on('end', () => {
      resolve(Buffer.concat(chunks));
    });
    document.on('error', reject);
  });
  const writer = new InvoiceWriter(document);
  if (isTest) writer.testMark();
  if (logo !== undefined) writer.logo(logo);
  writer.head(invoice);
  writer.parties(invoice, customer);
  writer.lines(invoice);
  writer.totals(invoice);
  writer.payments(invoice);
  writer.sellerTexts(invoice);
  writer.pageNumbers();
  document.end();
  return done;
}

/** Writes from top to bottom; `y` is the position of the next element. */
class InvoiceWriter {
  private y = margin;
  private readonly fonts = pdfFonts();

  constructor(private readonly document: PDFKit.PDFDocument) {
    document.registerFont('regular', this.fonts.regular.bytes);
    document.registerFont('bold', this.fonts.bold.bytes);
  }

  logo(image: Uint8Array): void {
    const fit = [logoWidth, logoHeight] as [number, number];
    this.document.image(Buffer.from(image), margin, this.y, { fit });
    this.y += logoHeight + 16;
  }

  /** Says at the top that no money is owed. */
  testMark(): void {
    this.write('TEST: a sandbox document, not a demand for payment', {
      size: 10,
      isBold: true,
      color: accent,
    });
    this.y += 20;
  }

  head(invoice: Invoice): void {
    this.write('Invoice', { size: 22, isBold: true });
    this.write(statusTexts[invoice.status] ?? '', { size: 11, isBold: true, align: 'right' });
    this.y += 36;
    this.fact('Number', invoice.number ?? '—');
    if (invoice.createdAt !== undefined) this.fact('Date', dateText(invoice.createdAt));
    if (invoice.dueDate !== undefined) this.fact('Due', dateText(invoice.dueDate));
    const { periodStart: start, periodEnd: end } = invoice;
    if (start !== undefined && end !== undefined) this.fact('Period', periodText({ start, end }));
    const { seller, purchaseOrder } = invoice;
    if (seller !== undefined && purchaseOrder !== undefined) this.fact('Order', purchaseOrder);
    this.y += 14;
  }

  parties({ hostedUrl, status, seller, buyer }: Invoice, customer: Customer): void {
    if (seller !== undefined) {
      this.party('From', sellerLines(seller));
      this.y += 10;
    }
    this.party('Billed to', buyerLines(buyer, customer));
    if (status === InvoiceStatus.INVOICE_STATUS_OPEN && hostedUrl !== undefined) {
      this.y += 10;
      this.payButton(hostedUrl);
    }
    this.y += 18;
  }

  lines(invoice: Invoice): void {
    this.columnHeads();
    for (const line of invoice.lineItems) this.line(line, invoice);
    this.y += 6;
  }

  totals(invoice: Invoice): void {
    const { currency, amountDue } = invoice;
    for (const [label, amount] of sumRows(invoice)) {
      this.total(label, printedAmount(amount, currency));
    }
    this.total('Amount due', printedAmount(amountDue, currency), true);
  }

  payments({ payments }: Invoice): void {
    const successful = payments.filter(
      ({ status }) => status === PaymentStatus.PAYMENT_STATUS_SUCCEEDED,
    );
    if (successful.length === 0) return;
    this.y += 20;
    for (const payment of successful) this.payment(payment);
  }

  /** Memo, bank account of a sent invoice, registration and footer. */
  sellerTexts({ seller, memo, number, collectionMethod }: Invoice): void {
    if (seller === undefined) return;
    const isSent = collectionMethod === CollectionMethod.COLLECTION_METHOD_SEND_INVOICE;
    const transfer = isSent ? transferLines(seller, number) : [];
    const texts = [memo, seller.registrationText, seller.footer].filter(
      (text) => text !== undefined,
    );
    for (const block of [transfer, ...texts.map((text) => text.split(/\r?\n/u))]) {
      if (block.length === 0) continue;
      this.y += 16;
      for (const line of block) this.paragraph(line);
    }
  }

  pageNumbers(): void {
    const { start, count } = this.document.bufferedPageRange();
    for (let page = start; page < start + count; page += 1) {
      this.document.switchToPage(page);
      this.y = bottom + 10;
      const text = `Page ${String(page - start + 1)} of ${String(count)}`;
      this.write(text, { size: 8, color: faint, align: 'right' });
    }
  }

  /** Button with the link, and its address for readers of the printed page. */
  private payButton(url: string): void {
    const { document } = this;
    const size = { width: 120, height: 24 };
    document.roundedRect(margin, this.y, size.width, size.height, 4).fill(accent);
    document.link(margin, this.y, size.width, size.height, url);
    this.y += 6;
    this.write('Pay this invoice', { isBold: true, color: '#ffffff', left: 14 });
    this.y += size.height;
    const style = { size: 8, width: contentWidth };
    this.write(url, { ...style, color: faint, link: url });
    this.y += this.heightOf(url, style) + 2;
  }

  private columnHeads(): void {
    const head = { size: 9, color: faint } as const;
    this.write('Description', head);
    this.write('Quantity', { ...head, right: columns.quantity });
    this.write('Unit price', { ...head, right: columns.unit });
    this.write('Amount', { ...head, right: columns.amount });
    this.y += 15;
    this.rule();
  }

  private party(label: string, lines: readonly string[]): void {
    this.write(label, { size: 9, color: faint });
    this.y += 14;
    for (const line of lines) this.paragraph(line);
  }

  private line(line: LineItem, invoice: Invoice): void {
    const { currency } = invoice;
    const { description, quantity, periodStart, periodEnd } = line;
    const width = columns.description;
    const height = this.heightOf(description, { size: 10, width });
    const hasPeriod = periodStart !== undefined && periodEnd !== undefined;
    // A single tier without a flat amount is told by the unit price.
    const tiers = line.details?.tiers ?? [];
    const isExplained = tiers.length > 1 || tiers.some(({ flatAmount }) => flatAmount !== '0');
    const calculation = isExplained ? calculationOf(line, currency) : [];
    this.ensureSpace(height + (hasPeriod ? 30 : 16));
    this.write(description, { width });
    this.write(quantityText(quantity), { right: columns.quantity });
    const unit = unitPriceOf(line);
    this.write(unit === undefined ? '—' : rateText(unit, currency), { right: columns.unit });
    const shown = printedAmount(shownAmount(line, invoice), currency);
    this.write(shown, { right: columns.amount });
    this.y += height + 3;
    if (hasPeriod) {
      const period = periodText({ start: periodStart, end: periodEnd });
      this.write(period, { size: 8.5, color: faint });
      this.y += 13;
    }
    for (const text of calculation) {
      this.ensureSpace(13);
      this.write(text, { size: 8.5, color: faint });
      this.y += 13;
    }
    this.y += 3;
    this.rule();
  }

  private total(label: string, amount: string, isBold = false): void {
    const width = columns.unit;
    const height = this.heightOf(label, { size: 10, width });
    this.ensureSpace(height + 6);
    this.write(label, { width, isBold, align: 'right' });
    this.write(amount, { right: columns.amount, isBold });
    this.y += height + 6;
  }

  private payment({ amount, currency, createdAt }: Payment): void {
    this.ensureSpace(18);
    const at = createdAt === undefined ? '' : ` on ${dateText(createdAt)}`;
    this.paragraph(`${amountText(amount, currency)} paid${at}.`);
  }

  private fact(label: string, value: string): void {
    this.write(label, { color: faint });
    this.write(value, { left: 80 });
    this.y += 16;
  }

  private paragraph(text: string): void {
    const height = this.heightOf(text, { size: 10, width: contentWidth });
    this.ensureSpace(height);
    this.write(text, { width: contentWidth });
    this.y += height + 2;
  }

  private rule(): void {
    const { document } = this;
    document.moveTo(margin, this.y).lineTo(margin + contentWidth, this.y);
    document.lineWidth(0.5).strokeColor('#cccccc').stroke();
    this.y += 7;
  }

  private ensureSpace(height: number): void {
    if (this.y + height <= bottom) return;
    this.document.addPage();
    this.y = margin;
  }

  private heightOf(text: string, { size, width }: { size: number; width: number }): number {
    this.document.font('regular').fontSize(size);
    return this.document.heightOfString(showable(text, this.fonts.regular), { width });
  }

  /**
   * Writes text at `y` without moving it. `right` is the right edge of the text, from the left
   * margin.
   */
  private write(
    text: string,
    { size = 10, isBold = false, color = ink, left = 0, right, width, align, link }: TextStyle = {},
  ): void {
    const font: PdfFont = isBold ? this.fonts.bold : this.fonts.regular;
    const { document } = this;
    document
      .font(isBold ? 'bold' : 'regular')
      .fontSize(size)
      .fillColor(color);
    const shown = showable(text, font);
    // Long numbers get a smaller font, so that columns do not overlap.
    const natural = right === undefined ? 0 : document.widthOfString(shown);
    if (natural > numberWidth) document.fontSize((size * numberWidth) / natural);
    const start = right === undefined ? left : right - document.widthOfString(shown);
    const fits = document.widthOfString(shown) <= (width ?? contentWidth);
    const lineBreak = align !== undefined || (width !== undefined && !fits);
    document.text(shown, margin + start, this.y, {
      width: width ?? contentWidth - start + 1,
      align: right === undefined ? (align ?? 'left') : 'left',
      lineBreak,
      // A features list, even an empty one, makes the library shape a line as a whole.
      ...(!lineBreak && runsRightToLeft(shown) && { features: [] }),
      ...(link !== undefined && { link }),
    });
  }
}

interface TextStyle {
  readonly size?: number;
  readonly isBold?: boolean;
  readonly color?: string;
  readonly left?: number;
  readonly right?: number;
  readonly width?: number;
  readonly align?: 'left' | 'right';
  readonly link?: string;
}
