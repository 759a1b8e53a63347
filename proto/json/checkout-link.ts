import type { CheckoutLink } from '../gen/billing/checkout/v1/checkout_link';
import { toJsonMetadata, toJsonTime } from './scalars';

/** Checkout link in REST responses. */
export function toJsonCheckoutLink(link: CheckoutLink) {
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
