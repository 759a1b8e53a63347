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
      .meta({ description: 'As it was written; null: works by id only.', examples: ['SPRING-26'] }),
    type: z.enum(['PERCENTAGE', 'FIXED']),
    value: z.number().meta({
      description: "Percent, or for FIXED an amount in the currency's smallest unit.",
      examples: [12.5],
    }),
    currency: currency.nullable().meta({ description: "Of FIXED alone; null: the invoice's." }),
    duration: z.enum(['ONCE', 'REPEATING', 'FOREVER']),
    durationInMonths: z.int().min(1).max(60).nullable(),
    maxRedemptions: z.int().min(1).nullable(),
    redemptionCount: z.int().min(0).meta({ description: 'Held and confirmed.' }),
    startsAt: time.nullable().meta({ description: 'Inclusive.' }),
    endsAt: time.nullable().meta({ description: 'Exclusive.' }),
    productIds: z.array(id).max(50).meta({ description: 'Empty: all products.' }),
    active: z.boolean(),
    metadata,
    ...timestamps,
  })
  .meta({ id: 'Discount' });

export const DiscountList = listOf(Discount, 'DiscountList');
