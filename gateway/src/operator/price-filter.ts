import { z } from 'zod';
import type { PriceFilter } from '@billing/proto/billing/catalog/v1/catalog';
import { billingIntervals } from '@billing/proto/values/catalog';
import { flag, wholeNumber } from '../api/input/input';

/** Query parameters that filter products by the terms of their current price. */
export const priceFilterShape = {
  currency: z.string().max(3).optional(),
  recurring: flag.optional(),
  billingInterval: z
    .enum(['DAILY', 'WEEKLY', 'MONTHLY', 'QUARTERLY', 'YEARLY', 'ONE_TIME'])
    .optional(),
  intervalCount: wholeNumber(1, 365).optional(),
};

type Terms = z.infer<z.ZodObject<typeof priceFilterShape>>;

/** The filter in the form of the services; undefined without a parameter. */
export function toProtoPriceFilter({
  currency,
  recurring,
  billingInterval,
  intervalCount,
}: Terms): PriceFilter | undefined {
  const filter = {
    currency,
    recurring,
    billingInterval: billingInterval && billingIntervals.valueOf(billingInterval),
    intervalCount,
  };
  return Object.values(filter).every((term) => term === undefined) ? undefined : filter;
}
