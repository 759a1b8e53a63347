import { Decimal } from './decimal';

/** Units are sold in packages of `size` (above 0) at `amount` each, in minor units. */
export interface PackagePrice {
  readonly amount: Decimal;
  readonly size: Decimal;
}

/**
 * A package that is started is charged whole: 121 units in packages of 10 cost 13 packages. No
 * units cost nothing.
 */
export function packagePrice({ amount, size }: PackagePrice, quantity: Decimal): Decimal {
  return Decimal.of(quantity.stepsOf(size)).multiply(amount);
}
