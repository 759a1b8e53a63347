import { exponentOf, type Currency } from './currency';
import { Decimal } from './decimal';
import { invalidInput } from './domain-error';

/** Maximum amount, in minor units of any currency; a JSON number represents it exactly. */
export const AMOUNT_MAX = 99_999_999_999n;

/**
 * Money in a currency. `amount` is in the smallest unit, from 0 to `AMOUNT_MAX`: 2900n is 29.00 USD
 * or 2,900 JPY.
 */
export interface Money {
  readonly amount: bigint;
  readonly currency: Currency;
}

/** True if `amount`, in minor units, is from 0 to `AMOUNT_MAX`. */
export function isAmount(amount: bigint): boolean {
  return amount >= 0n && amount <= AMOUNT_MAX;
}

/**
 * Returns `amount`, in minor units, unchanged; an amount outside 0…`AMOUNT_MAX` throws
 * invalid_input under `field`.
 */
export function parseAmount(amount: bigint, field = 'amount'): bigint {
  if (!isAmount(amount)) {
    throw invalidInput({ [field]: [`Must be between 0 and ${AMOUNT_MAX.toString()}`] });
  }
  return amount;
}

/**
 * Creates money from an amount in minor units. An amount outside 0…`AMOUNT_MAX` is a bug and throws
 * an Error, since input is parsed before.
 */
export function money(amount: bigint, currency: Currency): Money {
  if (!isAmount(amount)) {
    throw new Error(`Amount out of range: ${amount.toString()} minor units of ${currency}`);
  }
  return { amount, currency };
}

/** Sum of amounts. Throws an Error for two currencies or a sum over `AMOUNT_MAX`. */
export function addMoney(left: Money, right: Money): Money {
  if (left.currency !== right.currency) {
    throw new Error(`Cannot add ${right.currency} to ${left.currency}`);
  }
  return money(left.amount + right.amount, left.currency);
}

/**
 * Splits `total` in proportion to `weights` by largest remainder: each part is its exact share
 * rounded down or up, the parts sum to `total`, and of equal remainders the earlier part gets the
 * unit. A part is at most its weight if `total` is at most the sum of the weights. Throws an Error
 * for negative weights, and for a total above 0 with weights of 0.
 */
export function allocate(total: Money, weights: readonly bigint[]): Money[] {
  if (weights.some((weight) => weight < 0n)) throw new Error('A weight cannot be negative');
  const sum = sumOf(weights);
  if (sum === 0n && total.amount !== 0n) throw new Error('Nothing to allocate to: no weight');
  // If all weights are 0, so are the total and every share; 1 avoids a division by zero.
  const divisor = sum === 0n ? 1n : sum;

  const shares = weights.map((weight, index) => ({
    index,
    amount: (total.amount * weight) / divisor,
    remainder: (total.amount * weight) % divisor,
  }));
  const leftOver = total.amount - sumOf(shares.map(({ amount }) => amount));
  const raised = new Set(
    shares
      .toSorted((left, right) => compareBigInt(right.remainder, left.remainder))
      .slice(0, Number(leftOver))
      .map(({ index }) => index),
  );
  return shares.map(({ index, amount }) =>
    money(raised.has(index) ? amount + 1n : amount, total.currency),
  );
}

/**
 * Converts an amount in major units (10.275 EUR) to minor units (1028), half up, away from zero for
 * negatives. The result is not limited: a difference may be negative.
 */
export function toMinor(major: Decimal, currency: Currency): bigint {
  return major.multiply(Decimal.of(10n ** BigInt(exponentOf(currency)))).roundHalfUp();
}

/** Sum of amounts in minor units, which is not limited. */
export function sumOf(amounts: readonly bigint[]): bigint {
  return amounts.reduce((left, right) => left + right, 0n);
}

/** The smaller of two amounts. */
export function smallerOf(left: bigint, right: bigint): bigint {
  return left < right ? left : right;
}

function compareBigInt(left: bigint, right: bigint): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
