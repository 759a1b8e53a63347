import { Price } from '@billing/proto/billing/catalog/v1/catalog';
import { Customer } from '@billing/proto/billing/customer/v1/customer';
import { Discount } from '@billing/proto/billing/discount/v1/discount';
import { billingIntervals, fromProtoTiers, pricingTypes } from '@billing/proto/values/catalog';
import { discountTypes } from '@billing/proto/values/discount';
import { parseCurrency } from '@billing/kernel/currency';
import type { DiscountOnInvoice } from '../invoice/invoice-discount';
import type { PriceTerms } from './session-input';

// Snapshots of other services' messages are stored in their JSON mapping, which stays readable when
// the messages gain fields.

export const customerSnapshot = snapshotsOf(Customer);
export const priceSnapshot = snapshotsOf(Price);
export const discountSnapshot = snapshotsOf(Discount);

/**
 * Throws an Error for a kind of price that this version does not know, because guessing its terms
 * would be wrong.
 */
export function fromProtoPrice(price: Price): PriceTerms {
  const { id, amount, intervalCount, trialDays, active, tiers } = price;
  return {
    id,
    type: pricingTypes.nameOf(price.type),
    currency: parseCurrency(price.currency),
    amount,
    tiers: fromProtoTiers(tiers),
    billingInterval: billingIntervals.nameOf(price.billingInterval),
    intervalCount,
    trialDays: trialDays ?? 0,
    active,
  };
}

/** Discount of the session's invoice from its redemption. */
export function fromProtoDiscount({ id, name, type, value }: Discount): DiscountOnInvoice {
  return { discountId: id, name, type: discountTypes.nameOf(type), value };
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
