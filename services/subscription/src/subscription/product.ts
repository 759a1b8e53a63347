import type { BillingInterval } from '@billing/kernel/billing-period';
import { invalidInput } from '@billing/kernel/domain-error';
import type { PriceSnapshot } from './subscription';

/** The product as described by the catalog service. */
export interface ProductFacts {
  readonly id: string;
  readonly name: string;
  readonly active: boolean;
  /** Number of the meter price set in force. */
  readonly meterPriceSet: number;
  /** Undefined: `standard`. */
  readonly taxCategory?: string | undefined;
  readonly price: Omit<PriceSnapshot, 'billingInterval'> & {
    readonly billingInterval: BillingInterval;
  };
}

/** Returns a price only if it is recurring. */
export function recurringPrice(
  price: ProductFacts['price'],
  field: 'productId' | 'priceId' = 'productId',
): PriceSnapshot {
  const { billingInterval } = price;
  if (billingInterval === 'ONE_TIME') {
    throw invalidInput({ [field]: ['A one-time product cannot be subscribed to'] });
  }
  return { ...price, billingInterval };
}
