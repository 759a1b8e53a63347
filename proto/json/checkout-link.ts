import { z } from 'zod';
import type { CheckoutLink } from '../gen/billing/checkout/v1/checkout_link';
import { id, metadata, toJsonMetadata, toJsonTime, timestamps, url } from './scalars';

export const CheckoutLinkJson = z
  .object({
    id,
    organizationId: id,
    label: z.string(),
    productIds: z.array(id),
    successUrl: z.string().nullable(),
    returnUrl: z.string().nullable(),
    active: z.boolean(),
    discountId: id.nullable(),
    metadata,
    url: url.meta({ description: 'URL of the public page.' }),
    ...timestamps,
  })
  .meta({ id: 'CheckoutLink' });
export type CheckoutLinkJson = z.infer<typeof CheckoutLinkJson>;

/** Checkout link in REST responses. */
export function toJsonCheckoutLink(link: CheckoutLink): CheckoutLinkJson {
  return {
    id: link.id,
    organizationId: link.organizationId,
    label: link.label,
    productIds: link.productIds,
    successUrl: link.successUrl ?? null,
    returnUrl: link.returnUrl ?? null,
    active: link.active,
    discountId: link.discountId ?? null,
    metadata: toJsonMetadata(link.metadata),
    url: link.url,
    createdAt: toJsonTime(link.createdAt),
    updatedAt: toJsonTime(link.updatedAt),
  };
}
