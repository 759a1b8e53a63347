import { countryOfTaxId } from '@billing/kernel/tax/european-union';
import { TAX_IDS_MAX, type TaxId, taxIdOf, taxIdTypeOf } from '@billing/kernel/tax/tax-id';
import type { Customer } from '@billing/proto/billing/customer/v1/customer';
import { toJsonTaxId } from '@billing/proto/json/customer';
import type { Text } from '@billing/documents/reader';
import { say } from '@billing/documents/say';
import type { TypedTexts } from '../pages/frame/address-fields';
import { type FormProblems, textField } from '../pages/frame/form-fields';
import type { Html } from '../pages/frame/html';

const label = say('field.taxId');
const field = {
  label,
  hint: say('field.taxIdHint'),
  autocomplete: 'off',
  lengthMax: 60,
  isOptional: true,
};

/** Names of the fields of tax ids. */
export const taxIdNames = Array.from({ length: TAX_IDS_MAX }, (_, index) => nameAt(index));
export const taxIdLabels: Readonly<Record<string, Text>> = {
  taxIds: label,
  ...Object.fromEntries(taxIdNames.map((name) => [name, label])),
};

/** The fields up to the last typed tax id, and an empty one for another. */
export function taxIdFields(typed: TypedTexts, problems: FormProblems | undefined): Html[] {
  const last = taxIdNames.findLastIndex((name) => (typed[name] ?? '') !== '');
  return taxIdNames
    .slice(0, last + 2)
    .map((name) => textField({ ...field, name, value: typed[name] ?? '' }, problems));
}

/** Texts of the fields of a customer's tax ids. */
export function taxIdTexts({ taxIds }: Pick<Customer, 'taxIds'>): TypedTexts {
  return Object.fromEntries(taxIds.map(({ value }, index) => [nameAt(index), value]));
}

/**
 * Typed tax ids. A known id keeps its kind. The kind of a new one is that of the country of the
 * address, or without one of its own first two characters.
 */
export function readTaxIds(typed: TypedTexts, known: readonly TaxId[]): TaxId[] {
  const country = typed.country ?? '';
  return taxIdNames.flatMap((name) => {
    const value = typed[name] ?? '';
    if (value === '') return [];
    const stored = known.find((taxId) => taxIdOf({ ...taxId, value }).value === taxId.value);
    if (stored !== undefined) return [stored];
    const place = country === '' ? countryOfTaxId(value.toUpperCase()) : country;
    return [taxIdOf({ type: taxIdTypeOf(place), value })];
  });
}

/** Tax ids of a customer. */
export function taxIdsOf({ taxIds }: Pick<Customer, 'taxIds'>): TaxId[] {
  return taxIds.map(toJsonTaxId);
}

/** Moves problems such as `0.value: Invalid EU VAT id` to the fields with the refused ids. */
export function withTaxIdProblems(
  { taxIds = [], ...fields }: FormProblems,
  typed: TypedTexts,
): FormProblems {
  const filled = taxIdNames.filter((name) => (typed[name] ?? '') !== '');
  const parts = taxIds.map((message) => {
    const [, place = '', text = message] = /^(\d+)\.value: (.*)$/.exec(message) ?? [];
    return [filled[Number(place)] ?? 'taxIds', [text]] as const;
  });
  return { ...fields, ...Object.fromEntries(parts) };
}

function nameAt(index: number): string {
  return index === 0 ? 'taxId' : `taxId${String(index + 1)}`;
}
