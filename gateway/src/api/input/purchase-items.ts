import { z } from 'zod';
import { type NamedItem, namedItemProblems } from '@billing/kernel/purchase-items';
import { isSent, sentElement } from './field-rules';
import { optional } from './input';

/** An item of a purchase in a request body. */
export const PurchaseItem = z
  .strictObject({
    productId: optional(z.string()).meta({ description: 'Its current price is bought.' }),
    priceId: optional(z.string()).meta({ description: 'Id of a current price.' }),
    quantity: optional(z.int().min(1).max(1_000_000)).meta({ description: 'Defaults to 1.' }),
  })
  .meta({ id: 'PurchaseItem' });

/** The fields of a body that name what is bought. */
interface PurchaseFields extends NamedItem {
  readonly items?: readonly NamedItem[] | undefined;
}

/** Problems of a body that names no item, or items twice. */
export function itemFieldProblems(
  { items, ...single }: PurchaseFields,
  { sent }: { readonly sent: Readonly<Record<string, unknown>> },
): { readonly productId: string[]; readonly items: string[] } {
  const { productId, priceId, quantity } = single;
  const isNamed = productId !== undefined || priceId !== undefined;
  if (items === undefined) {
    // Items of the wrong shape are named already.
    const isMissing = !isNamed && !isSent(sent.items);
    return { productId: isMissing ? ['Required'] : [], items: [] };
  }
  const isTwice = isNamed || quantity !== undefined;
  return {
    productId: [],
    items: [
      ...(isTwice ? ['Not together with productId, priceId or quantity'] : []),
      ...namedItemProblems(namedItems(items, sent.items)),
    ],
  };
}

/** Items for the rules: a product or price of the wrong shape counts as named. */
export function namedItems(items: readonly NamedItem[], sent: unknown): readonly NamedItem[] {
  return items.map((item, index) => {
    const element = sentElement(sent, index);
    const { productId = isSent(element.productId) ? '' : undefined } = item;
    const { priceId = isSent(element.priceId) ? '' : undefined } = item;
    return { ...item, productId, priceId };
  });
}

/** The items of a body as a message; undefined: the body names a single one. */
export function toProtoItems<T>(items: T[] | undefined): { readonly items: T[] } | undefined {
  return items === undefined ? undefined : { items };
}
