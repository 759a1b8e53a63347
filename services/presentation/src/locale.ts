/** Languages of the texts. */
export const languages = ['en', 'de', 'fr', 'it', 'es', 'pt', 'nl', 'pl', 'ja', 'zh'] as const;

export type Language = (typeof languages)[number];

/** Language of an environment that has chosen none. */
export const defaultLocale = 'en';

const tagLengthMax = 35;

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
