import type { FormValues } from '../parts/form/form-values';

const addressParts = ['line1', 'line2', 'city', 'state', 'postalCode', 'country'] as const;
type AddressPart = (typeof addressParts)[number];

/** Postal address of a customer or a seller. */
export type Address = Readonly<Record<AddressPart, string | null>>;

/** Address of a form; null if all of its fields are empty. */
export function typedAddress(values: Pick<FormValues, 'optional'>): Address | null {
  const parts = addressParts.map(
    (part) => [part, values.optional(`address.${part}`) ?? null] as const,
  );
  if (parts.every(([, value]) => value === null)) return null;
  return Object.fromEntries(parts) as Address;
}

export function isSameAddress(a: Address | null, b: Address | null): boolean {
  return addressParts.every((part) => (a?.[part] ?? null) === (b?.[part] ?? null));
}

const countryNames = new Intl.DisplayNames('en', { type: 'region', fallback: 'code' });

/** Name of a country: “Switzerland” of CH. A code that is none stays. */
export function countryText(code: string): string {
  return /^[A-Z]{2}$/.test(code) ? (countryNames.of(code) ?? code) : code;
}

/** Address on one line, with the name of the country, or a dash. */
export function addressText(address: Address | null): string {
  const texts = { ...address, country: address?.country && countryText(address.country) };
  const lines = addressParts.map((part) => texts[part] ?? '').filter((line) => line !== '');
  return lines.length === 0 ? '–' : lines.join(', ');
}
