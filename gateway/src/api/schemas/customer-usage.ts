import { z } from 'zod';
import { currency, decimal, id, listOf, metadata, time } from './scalars';

export const CreditGrant = z
  .object({
    id,
    organizationId: id,
    customerId: id,
    meterId: id,
    amount: decimal,
    remaining: decimal.meta({
      description: 'Remaining units, after the usage of the current period.',
    }),
    consumed: decimal,
    priority: z
      .int()
      .min(0)
      .max(255)
      .meta({ description: 'Grants with a lower number are used first.' }),
    source: z.enum(['PROMOTIONAL', 'PAID']),
    name: z.string().nullable(),
    effectiveAt: time,
    expiresAt: time.nullable(),
    status: z.enum(['ACTIVE', 'SCHEDULED', 'DEPLETED', 'EXPIRED']),
    metadata,
    createdAt: time,
  })
  .meta({ id: 'CreditGrant' });

export const CreditGrantList = listOf(CreditGrant, 'CreditGrantList');

export const UsageStateList = z
  .array(
    z.object({
      meterId: id,
      meterName: z.string(),
      unit: z.string().nullable(),
      subscriptionId: id.nullable(),
      periodStart: time.meta({
        description: "Start of the subscription's period, or of the calendar month.",
      }),
      periodEnd: time,
      usage: decimal,
      includedUnits: decimal,
      creditsGranted: decimal,
      creditsRemaining: decimal,
      balance: decimal.meta({ description: 'Included units plus credits, minus usage.' }),
      overage: decimal,
      estimatedAmount: z.int().nullable().meta({
        description:
          "In the currency's smallest unit. Null if the meter has no price, or if the amount exceeds the maximum amount of an invoice.",
      }),
      currency: currency.nullable(),
      entitled: z.boolean(),
      asOf: time,
    }),
  )
  .meta({ id: 'UsageStateList' });
