import { lineProblems } from '../input-problems';
import { COUNTRIES } from './countries';

const partLengthMax = 200;

/** Postal address, for invoices and taxes; no part is required. */
export interface Address {
  readonly line1: string | null;
  readonly line2: string | null;
  readonly city: string | null;
  readonly state: string | null;
  readonly postalCode: string | null;
  /** Country code of ISO 3166-1 alpha-2. */
  readonly country: string | null;
}

/** Address as sent; parts may be absent. */
export type AddressInput = { readonly [Part in keyof Address]?: string | null | undefined };

/** Problems of the address, each prefixed with its part. */
export function addressProblems(input: AddressInput): string[] {
  const { country, ...parts } = addressOf(input);
  const problems = Object.entries(parts).flatMap(([part, text]) =>
    lineProblems(text ?? '', { max: partLengthMax }).map((problem) => `${part}: ${problem}`),
  );
  if (country !== null && !COUNTRIES.has(country)) problems.push('country: Invalid country');
  return problems;
}

/** Address with every part; null for parts that were not sent. */
export function addressOf(input: AddressInput): Address {
  return {
    line1: input.line1 ?? null,
    line2: input.line2 ?? null,
    city: input.city ?? null,
    state: input.state ?? null,
    postalCode: input.postalCode ?? null,
    country: input.country ?? null,
  };
}
