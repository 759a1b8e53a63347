import { isAmount } from './money';

/** How a recurring charge follows the quantity. */
export type PricingType = 'FLAT' | 'PER_UNIT' | 'TIERED' | 'VOLUME';

/** `amount` in minor units of the price's currency; `quantity` a whole number of units from 1 on. */
export interface RecurringPrice {
  readonly type: PricingType;
  readonly amount: bigint;
  readonly quantity: number;
}

/**
 * What one period costs before usage: `amount` in minor units, rounded once; `quantity` and `unitAmount` (a rate, in
 * minor units) are decimal strings that multiply to it exactly.
 */
export interface RecurringCharge {
  readonly quantity: string;
  readonly unitAmount: string;
  readonly amount: bigint;
}

/**
 * The recurring charge of one period. FLAT ignores the quantity: the line shows one unit at the whole amount. Another
 * type, an amount out of range or a quantity below 1 is a bug and throws an Error: the services refuse them earlier.
 */
export function recurringCharge({ type, amount, quantity }: RecurringPrice): RecurringCharge {
  if (!Number.isSafeInteger(quantity) || quantity < 1) {
    throw new Error(`A quantity is a whole number from 1 on, not ${String(quantity)}`);
  }
  if (!isAmount(amount)) throw new Error(`Amount out of range: ${amount.toString()}`);
  if (type !== 'FLAT') throw new Error(`No recurring charge is defined for ${type}`);
  return { quantity: '1', unitAmount: amount.toString(), amount };
}
