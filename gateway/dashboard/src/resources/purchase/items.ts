import { fieldProblem, fieldsProblem } from '../../api/problem';
import type { FormValues } from '../../parts/form/form-values';
import { typedCount } from '../../parts/text/amount';
import { periodText, type Product } from '../product';

/** An item as the form asks for it. */
export interface WantedItem {
  readonly productId: string;
  /** A text that is no number stays as typed: the server names the problem. */
  readonly quantity: number | string;
}

/** Name of a field of one of several items. */
export function itemField(index: number, field: keyof WantedItem): string {
  return `items.${String(index)}.${field}`;
}

/** What a form asks for: the only item, or a list. */
export type WantedItems = WantedItem | { readonly items: readonly WantedItem[] };

/** All items that a form asks for. */
export function itemsOf(wanted: WantedItems): readonly WantedItem[] {
  return 'items' in wanted ? wanted.items : [wanted];
}

/** Items that a form asks for; an empty quantity is 1. Throws if an item has no product. */
export function wantedItems(values: Pick<FormValues, 'text' | 'optional' | 'has'>): WantedItems {
  const itemAt = (productId: string, quantity: string): WantedItem => ({
    productId: values.text(productId),
    quantity: typedCount(values.optional(quantity)) ?? 1,
  });
  const items: WantedItem[] = [];
  for (let at = 0; values.has(itemField(at, 'productId')); at += 1) {
    items.push(itemAt(itemField(at, 'productId'), itemField(at, 'quantity')));
  }
  if (items.length === 0) {
    if (values.text('productId') === '') throw fieldProblem('productId', 'Required');
    return itemAt('productId', 'quantity');
  }
  const missing = [...items.keys()].filter((at) => items[at]?.productId === '');
  if (missing.length === 0) return { items };
  throw fieldsProblem(
    Object.fromEntries(missing.map((at) => [itemField(at, 'productId'), ['Required']])),
  );
}

/** Terms that all items of a subscription share. */
type SharedTerms = Pick<Product, 'currency' | 'billingInterval' | 'intervalCount'>;

/** Terms that the first item sets for the others; undefined: no product is chosen for it yet. */
export function termsOfOthers(first: SharedTerms | undefined): Partial<SharedTerms> {
  if (first === undefined) return {};
  const { currency, billingInterval, intervalCount } = first;
  return { currency, billingInterval, intervalCount };
}

/** Reason why a product cannot be an item together with the first one; undefined if it can. */
export function misfitText(
  product: SharedTerms | undefined,
  first: SharedTerms | undefined,
): string | undefined {
  if (product === undefined || first === undefined) return undefined;
  if (product.currency !== first.currency) return `Must be in ${first.currency}, like item 1`;
  const isSame =
    product.billingInterval === first.billingInterval &&
    product.intervalCount === first.intervalCount;
  return isSame ? undefined : `Must be billed every ${periodText(first)}, like item 1`;
}
