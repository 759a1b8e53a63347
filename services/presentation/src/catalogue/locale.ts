/** Languages of the texts. */
export const languages = ['en', 'de', 'fr', 'it', 'es', 'pt', 'nl', 'pl', 'ja', 'zh'] as const;

export type Language = (typeof languages)[number];

/** Language of an environment that has chosen none. */
export const defaultLocale = 'en';

const tagLengthMax = 35;
// Browsers send less than twenty.
const rangesMax = 50;

/**
 * Canonical form of a supported locale: `de-ch` is `de-CH`. Undefined for a tag that is malformed
 * or whose language has no texts. The Chinese texts have simplified characters.
 */
export function supportedLocale(tag: string): string | undefined {
  if (tag.length > tagLengthMax) return undefined;
  const locale = parsed(tag);
  if (locale === undefined || !isLanguage(locale.language)) return undefined;
  return locale.maximize().script === 'Hant' ? undefined : locale.toString();
}

/** Problems of an optional locale as sent. */
export function localeProblems(tag: string | null | undefined): string[] {
  const isWrong = typeof tag === 'string' && supportedLocale(tag) === undefined;
  return isWrong ? ['Unsupported locale'] : [];
}

/** Languages with their own names, in the order in which pages offer them. */
export const languageNames: readonly (readonly [Language, string])[] = [
  ['en', 'English'],
  ['de', 'Deutsch'],
  ['es', 'Español'],
  ['fr', 'Français'],
  ['it', 'Italiano'],
  ['nl', 'Nederlands'],
  ['pl', 'Polski'],
  ['pt', 'Português'],
  ['ja', '日本語'],
  ['zh', '简体中文'],
];

/**
 * Supported locale that a header `Accept-Language` prefers: by quality, equal ones in order.
 * Wildcards and unsupported languages match nothing.
 */
export function preferredLocale(header: string): string | undefined {
  return header
    .split(',', rangesMax)
    .flatMap((range) => rangeOf(range) ?? [])
    .toSorted((one, other) => other.quality - one.quality)
    .find(({ quality }) => quality > 0)?.locale;
}

function rangeOf(range: string): { locale: string; quality: number } | undefined {
  const [, tag = '', quality = '1'] =
    /^\s*([\w-]+)\s*(?:;\s*q\s*=\s*(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)\s*)?$/i.exec(range) ?? [];
  const locale = supportedLocale(tag);
  return locale === undefined ? undefined : { locale, quality: Number(quality) };
}

/** Language of the texts of a supported locale. */
export function languageOf(locale: string): Language {
  const { language } = new Intl.Locale(locale);
  if (!isLanguage(language)) throw new Error(`No texts for ${locale}`);
  return language;
}

function parsed(tag: string): Intl.Locale | undefined {
  try {
    return new Intl.Locale(tag);
  } catch {
    return undefined;
  }
}

function isLanguage(language: string): language is Language {
  return (languages as readonly string[]).includes(language);
}
