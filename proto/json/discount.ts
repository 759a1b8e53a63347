import { z } from 'zod';
import { type Discount } from '../gen/billing/discount/v1/discount';
import {
  currency,
  id,
  metadata,
  time,
  toJsonMetadata,
  toJsonOptionalTime,
  toJsonTime,
  timestamps,
} from './scalars';
import { discountDurations, discountTypes } from '../values/discount';

export const DiscountJson = z
  .object({
    id,
    organizationId: id,
    name: z.string(),
    code: z
      .string()
      .nullable()
      .meta({
        description: 'In its original case. Null if the discount is applied by id only.',
        examples: ['SPRING-26'],
      }),
    type: z.enum(['PERCENTAGE', 'FIXED']),
    value: z.number().meta({
      description: "Percentage, or for FIXED an amount in the currency's smallest unit.",
      examples: [12.5],
    }),
    currency: currency
      .nullable()
      .meta({ description: "Only for FIXED. Null means the invoice's currency." }),
    duration: z.enum(['ONCE', 'REPEATING', 'FOREVER']),
    durationInMonths: z.int().min(1).max(60).nullable(),
    maxRedemptions: z.int().min(1).nullable(),
    redemptionCount: z
      .int()
      .min(0)
      .meta({ description: 'Confirmed redemptions plus those reserved by open checkouts.' }),
    startsAt: time.nullable().meta({ description: 'Start of validity, inclusive.' }),
    endsAt: time.nullable().meta({ description: 'End of validity, exclusive.' }),
    productIds: z
      .array(id)
      .max(50)
      .meta({ description: 'Products that the discount applies to. Empty means all products.' }),
    active: z.boolean(),
    metadata,
    ...timestamps,
  })
  .meta({ id: 'Discount' });
export type DiscountJson = z.infer<typeof DiscountJson>;

/** Discount in REST responses. */
export function toJsonDiscount(discount: Discount): DiscountJson {
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
