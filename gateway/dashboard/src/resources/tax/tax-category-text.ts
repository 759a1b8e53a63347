import { STANDARD_CATEGORY } from '@billing/kernel/tax/tax-rate';

/** Text of a tax category in a field, which is empty for the default. */
export function categoryToType(category: string | null): string {
  return category === null || category === STANDARD_CATEGORY ? '' : category;
}
