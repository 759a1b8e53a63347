import { Decimal } from '../decimal';

/** Price of packages of `size` units (above 0) at `amount` each, in minor units. */
export interface PackagePrice {
  readonly amount: Decimal;
  readonly size: Decimal;
}

/**
 * Charges started packages in full: 121 units in packages of 10 cost 13 packages. No units cost
 * nothing.
 */
export function packagePrice({ amount, size }: PackagePrice, quantity: Decimal): Decimal {
  return Decimal.of(quantity.stepsOf(size)).multiply(amount);
}
