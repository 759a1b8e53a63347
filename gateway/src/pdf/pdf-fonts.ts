import { readFileSync } from 'node:fs';
import { create, type Font } from 'fontkit';
import { fontOfWoff } from './woff';

/** A typeface that is embedded in documents, and what it can show. */
export interface PdfFont {
  readonly bytes: Buffer;
  readonly characters: ReadonlySet<number>;
}

/** The weights that documents use. */
export interface PdfFonts {
  readonly regular: PdfFont;
  readonly bold: PdfFont;
}

const missing = '□';

let opened: PdfFonts | undefined;

/**
 * DejaVu Sans, which has the scripts of Europe, the Caucasus and the Near East; read once, when the
 * first document is made.
 */
export function pdfFonts(): PdfFonts {
  opened ??= {
    regular: openFont(
      require.resolve('@fontsource/dejavu-sans/files/dejavu-sans-latin-400-normal.woff'),
    ),
    bold: openFont(
      require.resolve('@fontsource/dejavu-sans/files/dejavu-sans-latin-700-normal.woff'),
    ),
  };
  return opened;
}

/**
 * The text with a box for every character that the font lacks, as those of East Asia: a name that
 * cannot be shown must not make the document impossible. Line breaks and other controls become
 * spaces.
 */
export function showable(text: string, { characters }: PdfFont): string {
  // A space of another width may be missing where the plain one is not.
  const spaced = text.replace(/[\p{Cc}\p{Zs}\p{Zl}\p{Zp}]/gu, ' ').replace(/\p{Cf}/gu, '');
  return Array.from(spaced, (one) => (characters.has(codePoint(one)) ? one : missing)).join('');
}

/**
 * Whether a text runs from right to left throughout. The PDF library sets word by word from the
 * left, each in its own direction, which is right for all other texts.
 */
export function runsRightToLeft(text: string): boolean {
  return /^[\p{sc=Arabic}\p{sc=Hebrew}\p{Zs}]+$/u.test(text) && text.trim() !== '';
}

function openFont(path: string): PdfFont {
  const bytes = fontOfWoff(readFileSync(path));
  return { bytes, characters: new Set((create(bytes) as Font).characterSet) };
}

function codePoint(character: string): number {
  return character.codePointAt(0) ?? 0;
}
