import type { FormValues } from '../../parts/form/form-values';
import { typedCount } from '../../parts/text/amount';
import { countText } from '../../parts/text/text';
import type { CheckoutLink } from './link-form';

/** Facts that the page of a link can ask for, with their labels. */
export const collectLabels: Readonly<Record<CheckoutLink['collect'][number], string>> = {
  NAME: 'Name',
  ADDRESS: 'Address',
};

/** Offers of a link that a form marks, with their labels. */
export const codeLabels = { ALLOWED: 'Customers may type a discount code' } as const;

/**
 * Bounds of the quantity from a form: none if both are empty; a minimum of 1 if only the maximum is
 * given. What is no number is left to the API to refuse.
 */
export function typedBounds(values: Pick<FormValues, 'optional'>): object | null {
  const [min, max] = [values.optional('quantity.min'), values.optional('quantity.max')];
  if (min === undefined && max === undefined) return null;
  return { min: typedCount(min) ?? 1, max: typedCount(max) };
}

/** Quantities that visitors of a link choose from: “1 to 10”. */
export function boundsText({ quantity }: Pick<CheckoutLink, 'quantity'>): string {
  if (quantity === null) return '1';
  const { min, max } = quantity;
  return min === max ? countText(min) : `${countText(min)} to ${countText(max)}`;
}
