import type { toJsonTaxId } from '@billing/proto/json/customer';
import type { FormValues } from '../../parts/form/form-values';

export type TaxId = ReturnType<typeof toJsonTaxId>;

export const taxIdsMax = 5;

/** Types of tax ids with their labels. */
export const taxIdTypes = [
  ['EU_VAT', 'EU VAT'],
  ['GB_VAT', 'UK VAT'],
  ['CH_VAT', 'Swiss VAT'],
  ['NO_VAT', 'Norwegian VAT'],
  ['OTHER', 'Other'],
] as const;

/** Name of the field of a tax id; the server reports problems under the same name. */
export function taxIdField(index: number, field: keyof TaxId): string {
  return `taxIds.${String(index)}.${field}`;
}

/** Tax ids of a form, in the order of its rows. */
export function typedTaxIds(values: Pick<FormValues, 'text' | 'has'>): TaxId[] {
  const rows: TaxId[] = [];
  for (let index = 0; values.has(taxIdField(index, 'value')); index += 1) {
    const type = values.text(taxIdField(index, 'type')) as TaxId['type'];
    rows.push({ type, value: values.text(taxIdField(index, 'value')).trim() });
  }
  return rows;
}
