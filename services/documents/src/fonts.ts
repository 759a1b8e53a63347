import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { create, type Font } from 'fontkit';
import { languageOf } from '@billing/presentation/locale';

/** An embedded font with its supported characters. */
export interface PdfFont {
  readonly name: string;
  /** Parsed once for all documents: that takes several times as long as a document. */
  readonly parsed: Font;
  readonly characters: ReadonlySet<number>;
}

/** Font weights of documents. */
export interface PdfFonts {
  readonly regular: () => PdfFont;
  readonly bold: () => PdfFont;
}

const missing = '□';

// DejaVu Sans covers the scripts of Europe, the Caucasus and the Near East; the others those of
// East Asia. The same character is drawn differently in Japan and in China.
const dejaVu = once({
  regular: () => require.resolve('dejavu-fonts-ttf/ttf/DejaVuSans.ttf'),
  bold: () => require.resolve('dejavu-fonts-ttf/ttf/DejaVuSans-Bold.ttf'),
});
const japanese = once({
  regular: () => fontNextTo(require.resolve('@embedpdf/fonts-jp'), 'NotoSansJP-Regular.otf'),
  bold: () => fontNextTo(require.resolve('@embedpdf/fonts-jp'), 'NotoSansJP-Bold.otf'),
});
const chinese = once({
  regular: () => fontNextTo(require.resolve('@embedpdf/fonts-sc'), 'NotoSansHans-Regular.otf'),
  bold: () => fontNextTo(require.resolve('@embedpdf/fonts-sc'), 'NotoSansHans-Bold.otf'),
});

/**
 * Fonts of a document in a locale, in the order in which they are tried; only the first is opened
 * unless it lacks a character. A document without a locale has the one font of then.
 */
export function pdfFonts(locale: string | undefined): readonly PdfFonts[] {
  if (locale === undefined) return [dejaVu];
  return languageOf(locale) === 'ja' ? [dejaVu, japanese, chinese] : [dejaVu, chinese, japanese];
}

/** The first of the fonts that lacks the fewest characters of a text. */
export function fontFor(text: string, fonts: Iterable<() => PdfFont>): PdfFont {
  let best: { readonly font: PdfFont; readonly missing: number } | undefined;
  for (const open of fonts) {
    const font = open();
    const missing = missingIn(text, font);
    if (best === undefined || missing < best.missing) best = { font, missing };
    if (missing === 0) break;
  }
  if (best === undefined) throw new Error('A document needs a font');
  return best.font;
}

function missingIn(text: string, { characters }: PdfFont): number {
  return Array.from(plain(text)).filter((one) => !characters.has(codePoint(one))).length;
}

/**
 * Replaces characters that the font lacks, such as those of East Asia, by a box, so that every name
 * can be rendered. Line breaks and other control characters become spaces.
 */
export function showable(text: string, { characters }: PdfFont): string {
  return Array.from(plain(text), (one) => (characters.has(codePoint(one)) ? one : missing)).join(
    '',
  );
}

/**
 * True for text that is entirely right-to-left. The PDF library places words from the left, each in
 * its own direction, which is correct for all other texts.
 */
export function runsRightToLeft(text: string): boolean {
  return /^[\p{sc=Arabic}\p{sc=Hebrew}\p{Zs}]+$/u.test(text) && text.trim() !== '';
}

// Special spaces may be missing in the font; a plain space is not.
function plain(text: string): string {
  return text.replace(/[\p{Cc}\p{Zs}\p{Zl}\p{Zp}]/gu, ' ').replace(/\p{Cf}/gu, '');
}

/** Opens the fonts with the first text that needs them. */
function once(paths: Readonly<Record<keyof PdfFonts, () => string>>): PdfFonts {
  const open = (path: () => string) => {
    let opened: PdfFont | undefined;
    return () => (opened ??= openFont(path()));
  };
  return { regular: open(paths.regular), bold: open(paths.bold) };
}

// A font is no export of its package; its folder is next to that of the code.
function fontNextTo(code: string, font: string): string {
  return join(dirname(code), '../fonts', font);
}

function openFont(path: string): PdfFont {
  const parsed = create(readFileSync(path)) as Font;
  return { name: path, parsed, characters: new Set(parsed.characterSet) };
}

function codePoint(character: string): number {
  return character.codePointAt(0) ?? 0;
}
