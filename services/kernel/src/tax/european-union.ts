/** Members of the European Union, by ISO 3166-1 alpha-2 code. */
const members = `
  AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK
`;

/** Country codes of the members of the European Union. */
export const EU_COUNTRIES: ReadonlySet<string> = new Set(members.trim().split(/\s+/u));

/** True for a member of the European Union. */
export function isInEu(country: string): boolean {
  return EU_COUNTRIES.has(country);
}

/** Prefix of a member's VAT ids: its country code, `EL` for Greece. */
export function vatPrefixOf(country: string): string {
  return country === 'GR' ? 'EL' : country;
}

/** Country of an id by its first two characters: its country code, or `EL` for Greece. */
export function countryOfTaxId(value: string): string {
  const prefix = value.slice(0, 2);
  return prefix === 'EL' ? 'GR' : prefix;
}
