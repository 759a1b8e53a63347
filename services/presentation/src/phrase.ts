import { IntlMessageFormat } from 'intl-messageformat';
import { catalogueOf, type PhraseKey } from './catalogue/catalogue';
import { languageOf } from './catalogue/locale';

export type { PhraseKey };

// A reader may ask for any locale, so without a limit the cache would grow for ever.
const formatsMax = 10_000;
const formats = new Map<string, IntlMessageFormat>();

/** Composes a phrase of the catalogue in a supported locale. */
export function phrase(
  key: PhraseKey,
  locale: string,
  values: Readonly<Record<string, string | number>> = {},
): string {
  const cached = `${locale} ${key}`;
  let format = formats.get(cached);
  if (format === undefined) {
    const text = catalogueOf(languageOf(locale)).phrases[key];
    // Texts contain no markup: what looks like a tag is text.
    format = new IntlMessageFormat(text, locale, undefined, { ignoreTag: true });
    if (formats.size >= formatsMax) formats.clear();
    formats.set(cached, format);
  }
  return String(format.format(values));
}

const reasonPrefix = 'paymentReason.';

/** Reason of a failed payment in words for payers, by its code. */
export function paymentReasonText(code: string | null, locale: string): string {
  const { phrases } = catalogueOf(languageOf(locale));
  const key = `${reasonPrefix}${code ?? ''}`;
  const known = Object.hasOwn(phrases, key) ? (key as PhraseKey) : 'paymentReason.other';
  return phrase(known, locale);
}
