import { COUNTRIES } from '@billing/kernel/input/countries';
import { type Language, languageOf, languages } from '@billing/presentation/locale';
import type { Reader, Shown } from './reader';

const namesByLanguage = new Map<Language, Intl.DisplayNames>();

/** Name of a country by its ISO 3166-1 code: CH is Switzerland. Unknown codes stay as they are. */
export function countryText(code: string): Shown {
  return ({ locale }) => nameOf(code, languageOf(locale));
}

/** Codes and names of all countries in the alphabetical order of the reader. */
export function countriesFor({ locale }: Reader): readonly (readonly [string, string])[] {
  return Array.from(
    COUNTRIES,
    (code) => [code, nameOf(code, languageOf(locale))] as const,
  ).toSorted(([, one], [, other]) => one.localeCompare(other, locale));
}

// No name means another country in another language, so a form need not say its language.
const codes = new Map(
  languages.flatMap((language) =>
    Array.from(COUNTRIES, (code) => [nameOf(code, language), code] as const),
  ),
);

/** Code of a country by its name in any language; another text, such as a code, stays as it is. */
export function countryCode(text: string): string {
  return codes.get(text) ?? text;
}

function nameOf(code: string, language: Language): string {
  if (!COUNTRIES.has(code)) return code;
  const names =
    namesByLanguage.get(language) ??
    new Intl.DisplayNames(language, { type: 'region', fallback: 'code' });
  namesByLanguage.set(language, names);
  return names.of(code) ?? code;
}
