import { z } from 'zod';
import { BillingInterval, PricingType } from '@billing/proto/billing/catalog/v1/catalog';
import { toJsonProduct } from '@billing/proto/json/product';
import { amount, metadata, optional, readBody } from '../input';
import { created, etag, ok, param, present, type Route } from '../route';

const CreateProduct = z.object({
  name: z.string(),
  description: optional(z.string()),
  type: z
    .enum(['FLAT', 'PER_UNIT', 'TIERED', 'VOLUME'])
    .refine((type) => type === 'FLAT', 'Only FLAT is supported'),
  currency: z.string(),
  amount,
  billingInterval: z.enum(['DAILY', 'WEEKLY', 'MONTHLY', 'QUARTERLY', 'YEARLY', 'ONE_TIME']),
  intervalCount: optional(z.int().min(1).max(365)),
  trialDays: optional(z.int().min(0).max(730)),
  active: optional(z.boolean()),
  metadata: optional(metadata),
  lookupKey: optional(z.string()),
});

const intervals = {
  DAILY: BillingInterval.BILLING_INTERVAL_DAILY,
  WEEKLY: BillingInterval.BILLING_INTERVAL_WEEKLY,
  MONTHLY: BillingInterval.BILLING_INTERVAL_MONTHLY,
  QUARTERLY: BillingInterval.BILLING_INTERVAL_QUARTERLY,
  YEARLY: BillingInterval.BILLING_INTERVAL_YEARLY,
  ONE_TIME: BillingInterval.BILLING_INTERVAL_ONE_TIME,
};

export const productRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: '/products',
    handle: async (request, peers) => {
      const { input, ignoredHeaders } = readBody(CreateProduct, request);
      const answer = await peers.catalog.createProduct(
        {
          ...input,
          type: PricingType.PRICING_TYPE_FLAT,
          amount: BigInt(input.amount),
          billingInterval: intervals[input.billingInterval],
        },
        request.context,
      );
      const product = present(answer.product);
      return created(`/products/${product.id}`, toJsonProduct(product), {
        ...ignoredHeaders,
        ...etag(product.version),
      });
    },
  },
  {
    method: 'GET',
    path: '/products/:id',
    handle: async (request, peers) => {
      const { product } = await peers.catalog.getProduct(
        { id: param(request, 'id') },
        request.context,
      );
      const current = present(product);
      return ok(toJsonProduct(current), etag(current.version));
    },
  },
];
