import type { Parts } from '../input-problems';
import { digitAt, mod11CheckDigit, weightedSum } from './check-digits';
import { isEuVatId } from './eu-vat-id';
import { isInEu, vatPrefixOf } from './european-union';

/** Kinds of tax ids. OTHER is not checked. */
export const TAX_ID_TYPES = ['EU_VAT', 'GB_VAT', 'CH_VAT', 'NO_VAT', 'OTHER'] as const;

export type TaxIdType = (typeof TAX_ID_TYPES)[number];

/** Tax id of a seller or buyer. */
export interface TaxId {
  readonly type: TaxIdType;
  /** Upper case, without spaces, dots and hyphens; ids of countries start with their prefix. */
  readonly value: string;
}

/** Maximum number of tax ids of a seller or buyer. */
export const TAX_IDS_MAX = 5;

const otherLengthMax = 40;

// A map, because the country may be any text from outside, also the name of an object's property.
const typesOutsideEu: ReadonlyMap<string, TaxIdType> = new Map([
  ['CH', 'CH_VAT'],
  ['GB', 'GB_VAT'],
  ['NO', 'NO_VAT'],
]);

const rules: Record<TaxIdType, { readonly isValid: (value: string) => boolean; problem: string }> =
  {
    EU_VAT: { isValid: isEuVatId, problem: 'Invalid EU VAT id' },
    GB_VAT: { isValid: isBritish, problem: 'Invalid GB VAT id' },
    CH_VAT: { isValid: isSwiss, problem: 'Invalid CH VAT id' },
    NO_VAT: { isValid: isNorwegian, problem: 'Invalid NO VAT id' },
    OTHER: {
      isValid: ({ length }) => length >= 1 && length <= otherLengthMax,
      problem: `Must have 1 to ${String(otherLengthMax)} characters`,
    },
  };

/** Kind of the tax ids of a country. */
export function taxIdTypeOf(country: string): TaxIdType {
  if (isInEu(country)) return 'EU_VAT';
  return typesOutsideEu.get(country) ?? 'OTHER';
}

/** True for a tax id of the country. An id that is not checked may be of any other country. */
export function isTaxIdOf({ type, value }: TaxId, country: string): boolean {
  if (type !== taxIdTypeOf(country)) return false;
  return type !== 'EU_VAT' || value.startsWith(vatPrefixOf(country));
}

/** Tax id in its stored form. Does not check it. */
export function taxIdOf({ type, value }: TaxId): TaxId {
  const plain = value.replaceAll(/[\s.-]/gu, '').toUpperCase();
  const isShort = type === 'NO_VAT' && !plain.startsWith('NO');
  return { type, value: isShort ? `NO${plain}` : plain };
}

/** Problems of a list of tax ids, each prefixed with its place: `0.value: Invalid EU VAT id`. */
export function taxIdsProblems(taxIds: readonly Parts<TaxId>[]): string[] {
  if (taxIds.length > TAX_IDS_MAX) return [`Must have at most ${String(TAX_IDS_MAX)} elements`];
  const stored = taxIds.map(({ type, value }) =>
    type === undefined || value === undefined ? undefined : taxIdOf({ type, value }),
  );
  return stored.flatMap((taxId, index) => {
    if (taxId === undefined) return [];
    const { type, value } = taxId;
    if (!rules[type].isValid(value)) return [`${String(index)}.value: ${rules[type].problem}`];
    const first = stored.findIndex((other) => other?.type === type && other.value === value);
    return first < index ? [`${String(index)}.value: Repeated tax id`] : [];
  });
}

// Twelve digits are a branch: nine digits of the company, three of the branch.
function isBritish(value: string): boolean {
  if (!/^GB(?:\d{9}|\d{12})$/u.test(value)) return false;
  const number = value.slice(2);
  const check = Number.parseInt(number.slice(7, 9), 10);
  const sum = weightedSum(number, [8, 7, 6, 5, 4, 3, 2]) + check;
  // Numbers given out since 2010 have 55 added.
  return sum % 97 === 0 || (sum + 55) % 97 === 0;
}

function isSwiss(value: string): boolean {
  if (!/^CHE\d{9}(?:MWST|TVA|IVA)$/u.test(value)) return false;
  const number = value.slice(3, 12);
  return mod11CheckDigit(number, [5, 4, 3, 2, 7, 6, 5, 4]) === digitAt(number, 8);
}

function isNorwegian(value: string): boolean {
  if (!/^NO\d{9}MVA$/u.test(value)) return false;
  const number = value.slice(2, 11);
  return mod11CheckDigit(number, [3, 2, 7, 6, 5, 4, 3, 2]) === digitAt(number, 8);
}
