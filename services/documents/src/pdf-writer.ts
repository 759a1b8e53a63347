import PDFDocument from 'pdfkit';
import { defaultLocale } from '@billing/presentation/locale';
import { type Reader, type Text, textFor } from './reader';
import { say } from './say';
import { attachFacturX, isCmyk } from './factur-x';
import { fontFor, type PdfFont, type PdfFonts, pdfFonts, runsRightToLeft, showable } from './fonts';
import { openLogo } from './logo-image';
import { cutLongWords } from './long-words';

export const margin = 56;
const pageWidth = 595;
const pageHeight = 842;
export const contentWidth = pageWidth - 2 * margin;
const bottom = pageHeight - margin - 24;
const ink = '#1a1a1a';
export const faint = '#666666';
export const accent = '#2447c9';

/** Columns of the lines by their right edges. The first column starts at the left margin. */
export const columns = { description: 225, quantity: 283, unit: 383, amount: contentWidth };

const numberWidth = 94;
// Left edge of the values of facts.
const factLeft = 80;
const logoWidth = 160;
const logoHeight = 48;

/** Properties of a document apart from its content. */
export interface PdfFrame {
  /** Title of the file: `Invoice INV-000001`. */
  readonly title: Text;
  /**
   * Locale of the document. Undefined: a document from before locales, in English and with the
   * fonts of then.
   */
  readonly locale: string | undefined;
  /** The id of the file derives from this date; the current time would change the bytes. */
  readonly date: Date | undefined;
  /** PNG or JPEG image of the seller. */
  readonly logo: Uint8Array | undefined;
  /** True for a document of a sandbox. */
  readonly isTest: boolean;
  /** XML to embed; the file is then PDF/A-3b. Optional. */
  readonly facturX?: string | undefined;
}

/** Renders a PDF. The output is deterministic: the same content gives the same bytes. */
export function renderPdf(
  { title, locale, date = new Date(0), logo, isTest, facturX }: PdfFrame,
  write: (writer: PdfWriter) => void,
): Promise<Buffer> {
  const reader = { locale: locale ?? defaultLocale };
  const document = new PDFDocument({
    size: [pageWidth, pageHeight],
    margin,
    // Page numbers are added after all pages are rendered.
    bufferPages: true,
    autoFirstPage: true,
    lang: reader.locale,
    displayTitle: true,
    info: {
      Title: `${isTest ? 'TEST ' : ''}${textFor(title, reader)}`.trim(),
      CreationDate: date,
    },
    ...(facturX !== undefined && ({ subset: 'PDF/A-3b', pdfVersion: '1.7' } as const)),
  });
  const chunks: Buffer[] = [];
  const done = new Promise<Buffer>((resolve, reject) => {
    document.on('data', (chunk: Buffer) => chunks.push(chunk));
    document.on('end', () => {
      resolve(Buffer.concat(chunks));
    });
    document.on('error', reject);
  });
  const writer = new PdfWriter(document, { reader, fonts: pdfFonts(locale) });
  if (isTest) writer.testMark();
  if (logo !== undefined) writer.logo(logo, { isArchived: facturX !== undefined });
  write(writer);
  writer.pageNumbers();
  if (facturX !== undefined) attachFacturX(document, { xml: facturX, date });
  document.end();
  return done;
}

/** Writes from top to bottom; `y` is the position of the next element. */
export class PdfWriter {
  y = margin;
  private readonly registered = new Set<string>();
  private readonly reader: Reader;
  private readonly fonts: readonly PdfFonts[];

  constructor(
    readonly document: PDFKit.PDFDocument,
    { reader, fonts }: { readonly reader: Reader; readonly fonts: readonly PdfFonts[] },
  ) {
    this.reader = reader;
    this.fonts = fonts;
  }

  /** PDF/A describes its colors in sRGB, so an archived document leaves out an image in CMYK. */
  logo(image: Uint8Array, { isArchived }: { readonly isArchived: boolean }): void {
    const bytes = Buffer.from(image);
    if (isArchived && isCmyk(bytes)) return;
    const fit = [logoWidth, logoHeight] as [number, number];
    const opened = openLogo(this.document, bytes) as unknown as PDFKit.Mixins.ImageSrc;
    this.document.image(opened, margin, this.y, { fit });
    this.y += logoHeight + 16;
  }

  /** Says at the top that no money is owed. */
  testMark(): void {
    this.write(say('pdf.testMark'), {
      size: 10,
      isBold: true,
      color: accent,
    });
    this.y += 20;
  }

  pageNumbers(): void {
    const { start, count } = this.document.bufferedPageRange();
    for (let page = start; page < start + count; page += 1) {
      this.document.switchToPage(page);
      this.y = bottom + 10;
      const text = say('pdf.page', { page: page - start + 1, pages: count });
      this.write(text, { size: 8, color: faint, align: 'right' });
    }
  }

  party(label: Text, lines: readonly Text[]): void {
    this.write(label, { size: 9, color: faint });
    this.y += 14;
    for (const line of lines) this.paragraph(line);
  }

  total(label: Text, amount: Text, isBold = false): void {
    const width = columns.unit;
    const height = this.heightOf(label, { size: 10, width });
    this.ensureSpace(height + 6);
    this.write(label, { width, isBold, align: 'right' });
    this.write(amount, { right: columns.amount, isBold });
    this.y += height + 6;
  }

  fact(label: Text, value: Text): void {
    this.write(label, { color: faint });
    this.write(value, { left: Math.max(factLeft, this.widthOf(label) + 12) });
    this.y += 16;
  }

  /** Blocks of lines below each other; empty blocks take no space. */
  blocks(blocks: readonly (readonly Text[])[]): void {
    for (const block of blocks) {
      if (block.length === 0) continue;
      this.y += 16;
      for (const line of block) this.paragraph(line);
    }
  }

  paragraph(text: Text): void {
    const height = this.heightOf(text, { size: 10, width: contentWidth });
    this.ensureSpace(height);
    this.write(text, { width: contentWidth });
    this.y += height + 2;
  }

  rule(): void {
    const { document } = this;
    document.moveTo(margin, this.y).lineTo(margin + contentWidth, this.y);
    document.lineWidth(0.5).strokeColor('#cccccc').stroke();
    this.y += 7;
  }

  ensureSpace(height: number): void {
    if (this.y + height <= bottom) return;
    this.document.addPage();
    this.y = margin;
  }

  heightOf(text: Text, { size, width }: { size: number; width: number }): number {
    const { shown } = this.use(text, { size });
    return this.document.heightOfString(this.cut(shown, width), { width });
  }

  /** Width of a text of the usual size on one line. */
  widthOf(text: Text, isBold = false): number {
    const { shown } = this.use(text, { isBold });
    return this.document.widthOfString(shown);
  }

  /** Selects the font of a text, which is one for all of it, and its size. */
  private use(text: Text, { size = 10, isBold = false }: TextStyle): { readonly shown: string } {
    const weight = isBold ? 'bold' : 'regular';
    const full = textFor(text, this.reader);
    const font: PdfFont = fontFor(
      full,
      this.fonts.map((fonts) => fonts[weight]),
    );
    const { document } = this;
    // The library takes parsed fonts, which its types do not say.
    const source = font.parsed as unknown as PDFKit.Mixins.PDFFontSource;
    if (!this.registered.has(font.name)) document.registerFont(font.name, source);
    this.registered.add(font.name);
    document.font(font.name).fontSize(size);
    return { shown: showable(full, font) };
  }

  /** Cuts words that are too long for a width of the selected font. */
  private cut(shown: string, width: number): string {
    const widthOf = (part: string) => this.document.widthOfString(part);
    return cutLongWords(shown, { width, widthOf });
  }

  /**
   * Writes text at `y` without moving it. `right` is the right edge of the text, from the left
   * margin.
   */
  write(
    text: Text,
    { size = 10, isBold = false, color = ink, left = 0, right, width, align, link }: TextStyle = {},
  ): void {
    const { document } = this;
    const { shown: full } = this.use(text, { size, isBold });
    const shown = width === undefined ? full : this.cut(full, width);
    document.fillColor(color);
    // Long numbers get a smaller font, so that columns do not overlap.
    const natural = right === undefined ? 0 : document.widthOfString(shown);
    if (natural > numberWidth) document.fontSize((size * numberWidth) / natural);
    const start = right === undefined ? left : right - document.widthOfString(shown);
    const fits = !shown.includes('\n') && document.widthOfString(shown) <= (width ?? contentWidth);
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
