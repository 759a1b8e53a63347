import type { BillingInterval } from '@billing/kernel/billing-period';
import type { Currency } from '@billing/kernel/currency';
import type { PricingType } from '@billing/kernel/pricing';
import type { Tier } from '@billing/kernel/tiers';

/** Terms of a price version. */
export interface PriceTerms {
  readonly id: string;
  readonly type: PricingType;
  readonly currency: Currency;
  readonly amount: bigint;
  readonly tiers: readonly Tier[] | null;
  readonly billingInterval: BillingInterval;
  readonly intervalCount: number;
  /** 0: none. */
  readonly trialDays: number;
  /** False once a later version has replaced it. */
  readonly active: boolean;
}

/** Data of the product and of the requested price version from their owner. */
export interface ProductFacts {
  readonly id: string;
  readonly name: string;
  readonly description: string | undefined;
  readonly active: boolean;
  readonly price: PriceTerms;
  /** Undefined: `standard`. */
  readonly taxCategory?: string | undefined;
}
