import { z } from 'zod';
import { currency, id, listOf, metadata, time, timestamps } from './scalars';

export const Discount = z
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

export const DiscountList = listOf(Discount, 'DiscountList');
