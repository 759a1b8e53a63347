import { localeProblems } from '@billing/presentation/locale';
import { invalidInput, notFound } from '@billing/kernel/domain-error';
import {
  optionalProblems,
  refuseProblems,
  wholeNumberProblems,
} from '@billing/kernel/input-problems';
import { chosenQuantityProblems } from '@billing/kernel/input/checkout-link';
import {
  type NamedItem,
  namedItemProblems,
  pricedItemProblems,
} from '@billing/kernel/purchase-items';
import { webAddressProblems } from '@billing/kernel/web-address';
import type { ProductFacts } from '../peer/product-facts';
import type { CheckoutLink } from './checkout-link';

const quantityMax = 1_000_000;

/** Input of a session. */
export interface SessionInput {
  readonly customerId: string;
  /** Id of a price or of a product. */
  readonly priceId: string | undefined;
  readonly productId: string | undefined;
  readonly quantity: number;
  /** The main item first; undefined: the fields above name the only one. */
  readonly items: readonly NamedItem[] | undefined;
  /** Undefined: the link says, or false. */
  readonly allowsCodes: boolean | undefined;
  readonly checkoutLinkId: string | undefined;
  readonly successUrl: string | undefined;
  readonly cancelUrl: string | undefined;
  readonly locale: string | undefined;
  readonly discountId: string | undefined;
  /** True if a visitor of the link's public page sends the request. */
  readonly isForVisitor: boolean;
  /** Earlier session of the same visitor, which may hold a redemption; undefined if unknown. */
  readonly earlierSessionId: string | undefined;
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Token of a preview; absent: none. */
  readonly previewToken?: string | undefined;
}

/** Input of a session, or of a preview for any customer. */
export type DescribedInput = Omit<SessionInput, 'customerId'> & {
  /** Undefined: any. */
  readonly customerId: string | undefined;
};

/** Throws one error that names every invalid field that can be judged from the input alone. */
export function checkSessionInput(
  input: DescribedInput,
  { isId, metadataProblems }: { isId: (text: string) => boolean; metadataProblems: string[] },
): void {
  const { customerId, priceId, productId, quantity, successUrl, cancelUrl } = input;
  const idProblems = (id: string | undefined) =>
    id === undefined || isId(id) ? [] : ['Invalid uuid'];
  const { items } = input;
  const isMissing = priceId === undefined && productId === undefined && items === undefined;
  refuseProblems({
    customerId: idProblems(customerId),
    priceId: isMissing ? ['Required'] : idProblems(priceId),
    productId: idProblems(productId),
    quantity: wholeNumberProblems(quantity, { min: 1, max: quantityMax }),
    items: items === undefined ? [] : itemProblems(items, idProblems),
    successUrl: optionalProblems(successUrl, webAddressProblems),
    cancelUrl: optionalProblems(cancelUrl, webAddressProblems),
    locale: localeProblems(input.locale),
    metadata: metadataProblems,
  });
}

function itemProblems(
  items: readonly NamedItem[],
  idProblems: (id: string | undefined) => string[],
): string[] {
  const ids = items.flatMap(({ productId, priceId }, index) =>
    Object.entries({ productId, priceId }).flatMap(([field, id]) =>
      idProblems(id).map((problem) => `${String(index)}.${field}: ${problem}`),
    ),
  );
  return [...ids, ...namedItemProblems(items)];
}

/** The items of a purchase as the caller names them. */
export function namedItems(
  input: Pick<SessionInput, 'priceId' | 'productId' | 'quantity' | 'items'>,
): readonly NamedItem[] {
  const { priceId, productId, quantity } = input;
  return input.items ?? [{ priceId, productId, quantity }];
}

/**
 * Refuses products that cannot be bought, or not together, and quantities that cost more than the
 * maximum charge. The products are in the order of the items.
 */
export function checkProducts(
  products: readonly ProductFacts[],
  input: Pick<SessionInput, 'priceId' | 'productId' | 'quantity' | 'items'>,
): void {
  const named = namedItems(input);
  for (const [index, { id, active, price }] of products.entries()) {
    const productId = named[index]?.productId;
    const isAnother = productId !== undefined && productId !== id;
    if (!active || !price.active || isAnother) throw notFound('Product');
  }
  const priced = products.map(({ id: productId, price }, index) => {
    return { productId, price, quantity: named[index]?.quantity ?? 1 };
  });
  const problems = pricedItemProblems(priced, { named, isOneTimeAllowed: true });
  if (input.items !== undefined) refuseProblems({ items: problems });
  // A single item can only cost too much.
  else if (problems.length > 0) {
    throw invalidInput({ quantity: ['The total exceeds the maximum amount'] });
  }
}

/** Refuses another currency than that of the customer's first invoice. */
export function checkCurrency(
  { price }: Pick<ProductFacts, 'price'>,
  { priceId, items }: Pick<SessionInput, 'priceId' | 'items'>,
  fixedCurrency: string | undefined,
): void {
  const { currency } = price;
  if (fixedCurrency === undefined || currency === fixedCurrency) return;
  const problem = `Currency ${currency} differs from the customer's, ${fixedCurrency}`;
  const field = priceId === undefined ? 'productId' : 'priceId';
  throw invalidInput({ [items === undefined ? field : 'items']: [problem] });
}

/**
 * Refuses products that the link does not offer, and a visitor's quantity outside the bounds of
 * the link. A caller with a key chooses any quantity; without a link everything is allowed.
 */
export function checkLink(
  link: Pick<CheckoutLink, 'productIds' | 'quantity'> | undefined,
  products: readonly Pick<ProductFacts, 'id'>[],
  { quantity, isForVisitor }: Pick<SessionInput, 'quantity' | 'isForVisitor'>,
): void {
  if (link === undefined) return;
  if (!products.every(({ id }) => link.productIds.includes(id))) {
    throw invalidInput({ checkoutLinkId: ['Does not offer this product'] });
  }
  refuseProblems({ quantity: isForVisitor ? chosenQuantityProblems(quantity, link.quantity) : [] });
}
