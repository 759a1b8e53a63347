import { z } from 'zod';
import type { CheckoutLink } from '../gen/billing/checkout/v1/checkout_link';
import { collectedFacts } from '../values/checkout';
import { id, metadata, toJsonMetadata, toJsonTime, timestamps, url } from './scalars';

const quantity = z.int().min(1).max(1_000_000);

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
    quantity: z
      .object({ min: quantity, max: quantity })
      .nullable()
      .meta({ description: 'Bounds within which visitors choose the quantity. Null: 1.' }),
    collect: z
      .array(z.enum(['NAME', 'ADDRESS']))
      .meta({ description: 'Facts that the page asks for and requires.' }),
    allowDiscountCodes: z.boolean().meta({
      description: 'Whether payers may type a discount code on the payment page.',
    }),
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
    quantity: link.quantity ?? null,
    collect: link.collect.map((fact) => collectedFacts.nameOf(fact)),
    allowDiscountCodes: link.allowDiscountCodes ?? false,
    metadata: toJsonMetadata(link.metadata),
    url: link.url,
    createdAt: toJsonTime(link.createdAt),
    updatedAt: toJsonTime(link.updatedAt),
  };
}
