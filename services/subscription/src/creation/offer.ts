import { invalidInput, notFound } from '@billing/kernel/domain-error';
import { isAmount } from '@billing/kernel/money';
import { recurringCharge } from '@billing/kernel/pricing';
import { type ProductFacts, recurringPrice } from '../subscription/product';
import type { PriceSnapshot } from '../subscription/subscription';

/** A product that a customer subscribes to, at its present price. */
export interface Offer {
  readonly productName: string;
  readonly price: PriceSnapshot;
  /** Number of the product's meter price set in force. */
  readonly meterPriceSet: number;
  /** Undefined: `standard`. */
  readonly taxCategory?: string | undefined;
}

/**
 * Refuses a product that cannot be subscribed to, and a quantity at which the charge of a period
 * exceeds the largest amount.
 */
export function offerOf(product: ProductFacts, quantity: number): Offer {
  if (!product.active) throw notFound('Product');
  const price = recurringPrice(product.price);
  if (!isAmount(recurringCharge({ ...price, quantity }).amount)) {
    throw invalidInput({ quantity: ['The total exceeds the maximum amount'] });
  }
  const { name: productName, meterPriceSet, taxCategory } = product;
  return { productName, price, meterPriceSet, taxCategory };
}

/**
 * Checks that a customer keeps the currency of their first invoice; undefined: no invoice has set
 * one.
 */
export function checkCurrency(
  price: Pick<PriceSnapshot, 'currency'>,
  billed: string | undefined,
): void {
  if (billed === undefined || price.currency === billed) return;
  throw invalidInput({
    productId: [`Currency ${price.currency} differs from the customer's, ${billed}`],
  });
}
