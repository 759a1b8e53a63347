import { z } from 'zod';
import { amount, currency, decimal, id, listOf, metadata, time, timestamps } from './scalars';

export const PricingTier = z
  .object({
    upTo: decimal
      .nullable()
      .meta({ description: 'Upper bound of the tier, inclusive. Null in the last tier.' }),
    unitAmount: decimal,
    flatAmount: decimal.nullable(),
  })
  .meta({ id: 'PricingTier' });

const tiers = z.array(PricingTier).nullable();

const terms = {
  type: z.enum(['FLAT', 'PER_UNIT', 'TIERED', 'VOLUME']),
  currency,
  amount,
  billingInterval: z.enum(['DAILY', 'WEEKLY', 'MONTHLY', 'QUARTERLY', 'YEARLY', 'ONE_TIME']),
  intervalCount: z.int().min(1).max(365),
  trialDays: z.int().min(0).max(730).nullable(),
};

export const Price = z
  .object({
    id,
    productId: id,
    nickname: z.string().nullable(),
    ...terms,
    active: z.boolean(),
    metadata,
    lookupKey: z.string().nullable(),
    tiers,
    ...timestamps,
  })
  .meta({ id: 'Price', description: 'An immutable version of the price of a product.' });

const MeterPrice = z
  .object({
    id,
    productId: id,
    meterId: id,
    type: z.enum(['PER_UNIT', 'TIERED', 'VOLUME', 'PACKAGE']),
    unitAmount: decimal.nullable(),
    tiers,
    includedUnits: decimal,
    packageSize: decimal.nullable(),
    minimumAmount: amount.nullable(),
    maximumAmount: amount.nullable(),
    metadata,
    createdAt: time,
  })
  .meta({ id: 'MeterPrice' });

export const MeterPriceList = z.array(MeterPrice).meta({ id: 'MeterPriceList' });

export const Product = z
  .object({
    id,
    organizationId: id,
    name: z.string(),
    description: z.string().nullable(),
    ...terms,
    active: z.boolean(),
    metadata,
    lookupKey: z.string().nullable(),
    priceId: id.meta({ description: 'Id of the current price version.' }),
    tiers,
    meterPrices: z.array(MeterPrice),
    ...timestamps,
  })
  .meta({ id: 'Product' });

export const ProductList = listOf(Product, 'ProductList');
