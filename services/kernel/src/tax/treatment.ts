import { isInEu } from './european-union';
import { isTaxIdOf, type TaxId } from './tax-id';

/** Registration that stands for the one-stop shop of the European Union. */
export const EU_REGISTRATION = 'EU';

/** Exemption of a customer, set by the seller. */
export type TaxExempt = 'NONE' | 'EXEMPT' | 'REVERSE';

/** Country and state of an address; null: unknown. */
export interface TaxPlace {
  readonly country: string | null;
  readonly state: string | null;
}

/** Facts about the seller that decide the treatment. */
export interface TaxSeller {
  readonly country: string;
  readonly state: string | null;
  /** Country codes, and `EU` for the one-stop shop. */
  readonly registrations: readonly string[];
}

/** Facts about the buyer that decide the treatment. */
export interface TaxBuyer {
  readonly address: TaxPlace;
  readonly taxIds: readonly TaxId[];
  /** Country of the card; undefined: unknown. Recorded as evidence only. */
  readonly cardCountry?: string | undefined;
}

/** Treatment of all lines: taxed in one country, or not taxed for one reason. */
export type Treatment =
  | {
      readonly kind: 'TAXED';
      readonly place: { readonly country: string; readonly state: string | null };
    }
  | { readonly kind: 'EXEMPT' | 'REVERSE_CHARGE' | 'OUT_OF_SCOPE'; readonly country: string };

/** One fact about the place of the buyer. */
export interface TaxEvidence {
  readonly kind: 'ADDRESS' | 'TAX_ID' | 'CARD_COUNTRY' | 'DEFAULT';
  readonly value: string;
  readonly at: Date;
}

interface Parties {
  readonly seller: TaxSeller;
  readonly buyer: TaxBuyer;
}

/** Decides where an invoice is taxed. All products count as electronic services. */
export function treatmentOf({
  seller,
  buyer,
  taxExempt,
}: Parties & { readonly taxExempt: TaxExempt }): Treatment {
  const home = seller.country;
  const country = buyer.address.country ?? home;
  const { registrations } = seller;
  if (taxExempt === 'EXEMPT') return { kind: 'EXEMPT', country };
  if (taxExempt === 'REVERSE') return { kind: 'REVERSE_CHARGE', country };
  if (country === home) return taxedIn(home, { seller, buyer });
  if (businessIdOf(buyer.taxIds, country) !== undefined) {
    return { kind: 'REVERSE_CHARGE', country };
  }
  const isRegistered =
    registrations.includes(country) || (isInEu(country) && registrations.includes(EU_REGISTRATION));
  if (isRegistered) return taxedIn(country, { seller, buyer });
  // Below the threshold of Art. 59c of Directive 2006/112/EC.
  if (isInEu(home) && isInEu(country)) return taxedIn(home, { seller, buyer });
  return { kind: 'OUT_OF_SCOPE', country };
}

/** Facts about the place of the buyer. They are a record only and change no treatment. */
export function taxEvidenceOf({ seller, buyer }: Parties, at: Date): TaxEvidence[] {
  const { address, taxIds, cardCountry } = buyer;
  const taxId = businessIdOf(taxIds, address.country ?? seller.country);
  const found: readonly (Omit<TaxEvidence, 'at'> | undefined)[] = [
    address.country === null ? undefined : { kind: 'ADDRESS', value: regionOf(address) },
    taxId === undefined ? undefined : { kind: 'TAX_ID', value: taxId.value },
    cardCountry === undefined ? undefined : { kind: 'CARD_COUNTRY', value: cardCountry },
    address.country === null ? { kind: 'DEFAULT', value: seller.country } : undefined,
  ];
  return found.flatMap((evidence) => (evidence === undefined ? [] : [{ ...evidence, at }]));
}

/** Tax id that makes the buyer a business of the country; undefined: none. */
function businessIdOf(taxIds: readonly TaxId[], country: string): TaxId | undefined {
  const isReversible = isInEu(country) || country === 'GB' || country === 'NO';
  return isReversible ? taxIds.find((taxId) => isTaxIdOf(taxId, country)) : undefined;
}

/** The state is the buyer's in the buyer's country, otherwise the seller's. */
function taxedIn(country: string, { seller, buyer }: Parties): Treatment {
  const { state } = buyer.address.country === country ? buyer.address : seller;
  return { kind: 'TAXED', place: { country, state } };
}

// Codes of ISO 3166-2 have at most three characters after the country. A state is free text.
const subdivision = /^[A-Z0-9]{1,3}$/u;

function regionOf({ country, state }: TaxPlace): string {
  const code = (state ?? '').trim().toUpperCase();
  return subdivision.test(code) ? `${country ?? ''}-${code}` : (country ?? '');
}
