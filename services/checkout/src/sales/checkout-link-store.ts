import type { AggregateDefinition } from '@billing/chassis/aggregate';
import type { CollectedFact, QuantityBounds } from '@billing/kernel/input/checkout-link';
import type { CheckoutLink } from './checkout-link';

interface CheckoutLinkDocument {
  readonly _id: string;
  readonly label: string;
  readonly productIds: readonly string[];
  readonly successUrl: string | null;
  readonly returnUrl: string | null;
  readonly active: boolean;
  readonly discountId: string | null;
  /** JSON text, because keys may contain dots. */
  readonly metadata: string;
  /** Links stored before visitors could choose a quantity lack this and the next field. */
  readonly quantity?: QuantityBounds | null;
  readonly collect?: readonly CollectedFact[];
  /** Absent in links of earlier releases. */
  readonly allowDiscountCodes?: boolean;
}

/** Maps checkout links to documents. */
export const checkoutLinkDefinition: AggregateDefinition<CheckoutLink> = {
  collection: 'checkoutLinks',
  aggregate: 'checkoutLink',
  resource: 'Checkout link',
  indexes: [{ name: 'active', keys: { active: 1, createdAt: -1, _id: -1 } }],
  toDocument: ({ id: _id, successUrl, returnUrl, discountId, metadata, quantity, ...link }) => ({
    ...link,
    successUrl: successUrl ?? null,
    returnUrl: returnUrl ?? null,
    discountId: discountId ?? null,
    metadata: JSON.stringify(metadata),
    quantity: quantity ?? null,
  }),
  fromDocument: (document) => {
    const link = document as unknown as CheckoutLinkDocument;
    return {
      id: link._id,
      label: link.label,
      productIds: link.productIds,
      successUrl: link.successUrl ?? undefined,
      returnUrl: link.returnUrl ?? undefined,
      active: link.active,
      discountId: link.discountId ?? undefined,
      metadata: JSON.parse(link.metadata) as Record<string, unknown>,
      quantity: link.quantity ?? undefined,
      collect: link.collect ?? [],
      allowDiscountCodes: link.allowDiscountCodes ?? false,
    };
  },
};

/** Filter of a list by active or inactive links. */
export function linksWith({
  active,
}: {
  readonly active?: boolean | undefined;
}): Record<string, unknown> {
  return active === undefined ? {} : { active };
}
