import { readFileSync } from 'node:fs';
import { create, type Font } from 'fontkit';

/** An embedded font with its supported characters. */
export interface PdfFont {
  readonly bytes: Buffer;
  readonly characters: ReadonlySet<number>;
}

/** Font weights of documents. */
export interface PdfFonts {
  readonly regular: PdfFont;
  readonly bold: PdfFont;
}

const missing = '□';

let opened: PdfFonts | undefined;

/**
 * DejaVu Sans, which covers the scripts of Europe, the Caucasus and the Near East. Loaded with the
 * first document.
 */
export function pdfFonts(): PdfFonts {
  opened ??= {
    regular: openFont(require.resolve('dejavu-fonts-ttf/ttf/DejaVuSans.ttf')),
    bold: openFont(require.resolve('dejavu-fonts-ttf/ttf/DejaVuSans-Bold.ttf')),
  };
  return opened;
}

/**
 * Replaces characters that the font lacks, such as those of East Asia, by a box, so that every name
 * can be rendered. Line breaks and other control characters become spaces.
 */
export function showable(text: string, { characters }: PdfFont): string {
  // Special spaces may be missing in the font; a plain space is not.
  const spaced = text.replace(/[\p{Cc}\p{Zs}\p{Zl}\p{Zp}]/gu, ' ').replace(/\p{Cf}/gu, '');
  return Array.from(spaced, (one) => (characters.has(codePoint(one)) ? one : missing)).join('');
}

/**
 * True for text that is entirely right-to-left. The PDF library places words from the left, each in
 * its own direction, which is correct for all other texts.
 */
export function runsRightToLeft(text: string): boolean {
  return /^[\p{sc=Arabic}\p{sc=Hebrew}\p{Zs}]+$/u.test(text) && text.trim() !== '';
}

function openFont(path: string): PdfFont {
  const bytes = readFileSync(path);
  return { bytes, characters: new Set((create(bytes) as Font).characterSet) };
}

function codePoint(character: string): number {
  return character.codePointAt(0) ?? 0;
}
