import {
  BillingInterval as ProtoBillingInterval,
  Price,
} from '@billing/proto/billing/catalog/v1/catalog';
import { PricingType as ProtoPricingType } from '@billing/proto/billing/catalog/v1/catalog';
import { Customer } from '@billing/proto/billing/customer/v1/customer';
import {
  Discount,
  DiscountType as ProtoDiscountType,
} from '@billing/proto/billing/discount/v1/discount';
import type { BillingInterval } from '@billing/kernel/billing-period';
import { parseCurrency } from '@billing/kernel/currency';
import type { DiscountType } from '@billing/kernel/discounting';
import type { PricingType } from '@billing/kernel/pricing';
import type { DiscountOnInvoice } from './invoice-discount';
import type { PriceTerms } from './session-input';

// Snapshots of other services' messages are kept as their JSON mapping, which stays readable when the messages grow.

export const customerSnapshot = snapshotsOf(Customer);
export const priceSnapshot = snapshotsOf(Price);
export const discountSnapshot = snapshotsOf(Discount);

const pricingTypes: Readonly<Record<PricingType, ProtoPricingType>> = {
  FLAT: ProtoPricingType.PRICING_TYPE_FLAT,
  PER_UNIT: ProtoPricingType.PRICING_TYPE_PER_UNIT,
  TIERED: ProtoPricingType.PRICING_TYPE_TIERED,
  VOLUME: ProtoPricingType.PRICING_TYPE_VOLUME,
};

const billingIntervals: Readonly<Record<BillingInterval, ProtoBillingInterval>> = {
  DAILY: ProtoBillingInterval.BILLING_INTERVAL_DAILY,
  WEEKLY: ProtoBillingInterval.BILLING_INTERVAL_WEEKLY,
  MONTHLY: ProtoBillingInterval.BILLING_INTERVAL_MONTHLY,
  QUARTERLY: ProtoBillingInterval.BILLING_INTERVAL_QUARTERLY,
  YEARLY: ProtoBillingInterval.BILLING_INTERVAL_YEARLY,
  ONE_TIME: ProtoBillingInterval.BILLING_INTERVAL_ONE_TIME,
};

const discountTypes: Readonly<Record<DiscountType, ProtoDiscountType>> = {
  PERCENTAGE: ProtoDiscountType.DISCOUNT_TYPE_PERCENTAGE,
  FIXED: ProtoDiscountType.DISCOUNT_TYPE_FIXED,
};

/** Throws an Error for a kind of price that this version does not know: selling it by guess would be wrong. */
export function fromProtoPrice(price: Price): PriceTerms {
  const { id, amount, intervalCount, trialDays, active, tiers } = price;
  return {
    id,
    type: known(pricingTypes, price.type),
    currency: parseCurrency(price.currency),
    amount,
    // An empty list is how a message says that there is none.
    tiers:
      tiers.length === 0
        ? null
        : tiers.map(({ upTo, unitAmount, flatAmount }) => ({
            upTo: upTo ?? null,
            unitAmount,
            flatAmount: flatAmount ?? '0',
          })),
    billingInterval: known(billingIntervals, price.billingInterval),
    intervalCount,
    trialDays: trialDays ?? 0,
    active,
  };
}

/** What a redeemed discount takes off the session's invoice. */
export function fromProtoDiscount({ id, name, type, value }: Discount): DiscountOnInvoice {
  return { discountId: id, name, type: known(discountTypes, type), value };
}

interface Message<T> {
  toJSON(message: T): unknown;
  fromJSON(json: unknown): T;
}

function snapshotsOf<T>(message: Message<T>) {
  return {
    write: (value: T): string => JSON.stringify(message.toJSON(value)),
    read: (text: string): T => message.fromJSON(JSON.parse(text)),
  };
}

function known<T extends string>(names: Readonly<Record<T, number>>, value: number): T {
  const name = (Object.keys(names) as T[]).find((candidate) => names[candidate] === value);
  if (name === undefined) throw new Error(`An offer has the unknown kind ${String(value)}`);
  return name;
}
