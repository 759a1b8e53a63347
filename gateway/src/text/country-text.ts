import { COUNTRIES } from '@billing/kernel/input/countries';

const names = new Intl.DisplayNames('en', { type: 'region' });

/** Name of a country by its ISO 3166-1 code: CH is Switzerland. Unknown codes stay as they are. */
export function countryText(code: string): string {
  return COUNTRIES.has(code) ? (names.of(code) ?? code) : code;
}

const codes = new Map(Array.from(COUNTRIES, (code) => [countryText(code), code]));

/** Names of all countries in alphabetical order. */
export const countryNames: readonly string[] = [...codes.keys()].toSorted((a, b) =>
  a.localeCompare(b, 'en'),
);

/** Code of a country by its name; another text, such as a code, stays as it is. */
export function countryCode(text: string): string {
  return codes.get(text) ?? text;
}
