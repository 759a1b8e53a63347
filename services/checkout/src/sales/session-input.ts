import { localeProblems } from '@billing/presentation/locale';
import { invalidInput, notFound } from '@billing/kernel/domain-error';
import {
  optionalProblems,
  refuseProblems,
  wholeNumberProblems,
} from '@billing/kernel/input-problems';
import { chosenQuantityProblems } from '@billing/kernel/input/checkout-link';
import { isAmount } from '@billing/kernel/money';
import { recurringCharge } from '@billing/kernel/pricing';
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
}

/** Throws one error that names every invalid field that can be judged from the input alone. */
export function checkSessionInput(
  input: SessionInput,
  { isId, metadataProblems }: { isId: (text: string) => boolean; metadataProblems: string[] },
): void {
  const { customerId, priceId, productId, quantity, successUrl, cancelUrl } = input;
  const idProblems = (id: string | undefined) =>
    id === undefined || isId(id) ? [] : ['Invalid uuid'];
  const isMissing = priceId === undefined && productId === undefined;
  refuseProblems({
    customerId: idProblems(customerId),
    priceId: isMissing ? ['Required'] : idProblems(priceId),
    productId: idProblems(productId),
    quantity: wholeNumberProblems(quantity, { min: 1, max: quantityMax }),
    successUrl: optionalProblems(successUrl, webAddressProblems),
    cancelUrl: optionalProblems(cancelUrl, webAddressProblems),
    locale: localeProblems(input.locale),
    metadata: metadataProblems,
  });
}

/**
 * Refuses a product that cannot be bought, and a quantity that costs more than the maximum charge.
 */
export function checkProduct(
  { id, active, price }: ProductFacts,
  { productId, quantity }: Pick<SessionInput, 'productId' | 'quantity'>,
): void {
  const isAnother = productId !== undefined && productId !== id;
  if (!active || !price.active || isAnother) throw notFound('Product');
  if (isAmount(recurringCharge({ ...price, quantity }).amount)) return;
  throw invalidInput({ quantity: ['The total exceeds the maximum amount'] });
}

/** Refuses another currency than that of the customer's first invoice. */
export function checkCurrency(
  { price }: Pick<ProductFacts, 'price'>,
  { priceId }: Pick<SessionInput, 'priceId'>,
  fixedCurrency: string | undefined,
): void {
  const { currency } = price;
  if (fixedCurrency === undefined || currency === fixedCurrency) return;
  const problem = `Currency ${currency} differs from the customer's, ${fixedCurrency}`;
  throw invalidInput({ [priceId === undefined ? 'productId' : 'priceId']: [problem] });
}

/**
 * Refuses a product that the link does not offer, and a visitor's quantity outside the bounds of
 * the link. A caller with a key chooses any quantity; without a link everything is allowed.
 */
export function checkLink(
  link: Pick<CheckoutLink, 'productIds' | 'quantity'> | undefined,
  { id }: Pick<ProductFacts, 'id'>,
  { quantity, isForVisitor }: Pick<SessionInput, 'quantity' | 'isForVisitor'>,
): void {
  if (link === undefined) return;
  if (!link.productIds.includes(id)) {
    throw invalidInput({ checkoutLinkId: ['Does not offer this product'] });
  }
  refuseProblems({ quantity: isForVisitor ? chosenQuantityProblems(quantity, link.quantity) : [] });
}
