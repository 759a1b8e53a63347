import type { DiscountTerms as ProtoDiscountTerms } from '@billing/proto/billing/checkout/v1/checkout';
import type { Discount as ProtoDiscount } from '@billing/proto/billing/discount/v1/discount';
import { discountDurations, discountTypes } from '@billing/proto/values/discount';
import type { DiscountSnapshot } from './subscription';

/**
 * Throws an Error for a kind of discount unknown to this version: a guessed deduction would be
 * wrong.
 */
export function fromProtoDiscount(discount: ProtoDiscount): DiscountSnapshot {
  const { id, name, value, durationInMonths } = discount;
  return {
    id,
    name,
    type: discountTypes.nameOf(discount.type),
    value,
    duration: discountDurations.nameOf(discount.duration),
    durationInMonths: durationInMonths ?? null,
  };
}

/** Maps a discount to the terms that checkout deducts from an invoice. */
export function toProtoDiscountTerms(discount: DiscountSnapshot): ProtoDiscountTerms {
  const { id: discountId, name, type, value } = discount;
  return { discountId, name, type: discountTypes.valueOf(type), value };
}
