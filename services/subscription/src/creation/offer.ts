import { invalidInput, notFound } from '@billing/kernel/domain-error';
import { isAmount } from '@billing/kernel/money';
import { refuseProblems } from '@billing/kernel/input-problems';
import { type NamedItem, pricedItemProblems } from '@billing/kernel/purchase-items';
import { recurringCharge } from '@billing/kernel/pricing';
import { type ProductFacts, recurringPrice } from '../subscription/product';
import type { PriceSnapshot } from '../subscription/subscription';

/** The present terms of a product that a customer subscribes to. */
export interface Offer {
  readonly productName: string;
  readonly price: PriceSnapshot;
  /** Number of the product's meter price set in force. */
  readonly meterPriceSet: number;
  /** Undefined: `standard`. */
  readonly taxCategory?: string | undefined;
}

/** An item that is bought. */
export interface OfferedItem extends Offer {
  readonly id: string;
  readonly productId: string;
  readonly quantity: number;
}

/**
 * Refuses a product that cannot be subscribed to, and a quantity at which the charge of a period
 * exceeds the largest amount.
 */
export function offerOf(
  product: ProductFacts,
  quantity: number,
  field: 'productId' | 'priceId' = 'productId',
): Offer {
  if (!product.active) throw notFound('Product');
  const price = recurringPrice(product.price, field);
  if (!isAmount(recurringCharge({ ...price, quantity }).amount)) {
    throw invalidInput({ quantity: ['The total exceeds the maximum amount'] });
  }
  const { name: productName, meterPriceSet, taxCategory } = product;
  return { productName, price, meterPriceSet, taxCategory };
}

/** Refuses products that cannot be subscribed to together. */
export function offersOf(
  products: readonly ProductFacts[],
  named: readonly NamedItem[],
): (Offer & Pick<OfferedItem, 'productId' | 'quantity'>)[] {
  const priced = products.map((product, index) => ({
    productId: product.id,
    price: product.price,
    quantity: named[index]?.quantity ?? 1,
  }));
  refuseProblems({ items: pricedItemProblems(priced, { named, isOneTimeAllowed: false }) });
  return products.map((product, index) => {
    const quantity = named[index]?.quantity ?? 1;
    return { productId: product.id, quantity, ...offerOf(product, quantity) };
  });
}

/**
 * Checks that a customer keeps the currency of their first invoice; undefined: no invoice has set
 * one.
 */
export function checkCurrency(
  price: Pick<PriceSnapshot, 'currency'>,
  billed: string | undefined,
  field: 'productId' | 'priceId' | 'items' = 'productId',
): void {
  if (billed === undefined || price.currency === billed) return;
  throw invalidInput({
    [field]: [`Currency ${price.currency} differs from the customer's, ${billed}`],
  });
}
