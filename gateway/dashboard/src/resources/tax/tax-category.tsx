import { useId } from 'react';
import { EXEMPT_CATEGORY, STANDARD_CATEGORY } from '@billing/kernel/tax/tax-rate';
import type { Page } from '../../api/client';
import { useResource } from '../../api/queries';
import { TextField } from '../../parts/form/form';
import type { TaxRate } from '../seller';
import { categoryToType } from './tax-category-text';

/** Maximum length of a category. */
export const categoryLengthMax = 40;

/** Optional tax category of a product. */
export function TaxCategoryField({ category = null }: { category?: string | null }) {
  const list = useId();
  return (
    <>
      <TextField
        name="taxCategory"
        label="Tax category"
        list={list}
        autoComplete="off"
        maxLength={categoryLengthMax}
        defaultValue={categoryToType(category)}
        hint="Optional. Decides the tax rate; “exempt” is never taxed. Default: standard."
      />
      <TaxCategoryList id={list} />
    </>
  );
}

/** Suggestions of fields for a category: those of the seller's own rates. */
export function TaxCategoryList({ id }: { id: string }) {
  const { data } = useResource<Page<TaxRate>>('/v1/tax-rates', {
    query: { source: 'OWN', perPage: 100 },
  });
  const own = (data?.data ?? []).map(({ category }) => category);
  return (
    <datalist id={id}>
      {[...new Set([STANDARD_CATEGORY, EXEMPT_CATEGORY, ...own])].map((category) => (
        <option key={category} value={category} />
      ))}
    </datalist>
  );
}
