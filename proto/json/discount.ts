import { type Discount } from '../gen/billing/discount/v1/discount';
import { toJsonMetadata, toJsonOptionalTime, toJsonTime } from './scalars';
import { discountDurations, discountTypes } from '../values/discount';

/** Discount in REST responses. */
export function toJsonDiscount(discount: Discount) {
  return {
    id: discount.id,
    organizationId: discount.organizationId,
    name: discount.name,
    code: discount.code ?? null,
    type: discountTypes.nameOf(discount.type),
    // At most 11 digits with at most 2 decimals, so a JSON number is exact.
    value: Number(discount.value),
    currency: discount.currency ?? null,
    duration: discountDurations.nameOf(discount.duration),
    durationInMonths: discount.durationInMonths ?? null,
    maxRedemptions: discount.maxRedemptions ?? null,
    redemptionCount: discount.redemptionCount,
    startsAt: toJsonOptionalTime(discount.startsAt),
    endsAt: toJsonOptionalTime(discount.endsAt),
    productIds: discount.productIds,
    active: discount.active,
    metadata: toJsonMetadata(discount.metadata),
    createdAt: toJsonTime(discount.createdAt),
    updatedAt: toJsonTime(discount.updatedAt),
  };
}
