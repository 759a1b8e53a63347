import { isSameData } from '@billing/kernel/equality';
import { refuseProblems } from '@billing/kernel/input-problems';
import {
  checkoutLinkProblems,
  type CollectedFact,
  collectedFacts,
  type QuantityBounds,
} from '@billing/kernel/input/checkout-link';
import { only, type Transition } from '@billing/kernel/transition';

/** A public offer of some products; every visitor gets a session of their own. */
export interface CheckoutLink {
  readonly id: string;
  /** Name for the merchant's staff. */
  readonly label: string;
  /** 1 to 10 distinct products. */
  readonly productIds: readonly string[];
  readonly successUrl: string | undefined;
  /** Address for a visitor who cancels. */
  readonly returnUrl: string | undefined;
  /** An inactive link sells nothing. */
  readonly active: boolean;
  /** Discount of the link's sessions. */
  readonly discountId: string | undefined;
  /** Visitors choose the quantity within these bounds; undefined: the quantity is 1. */
  readonly quantity: QuantityBounds | undefined;
  /** Facts that visitors must give, in the order of `collectedFacts`. */
  readonly collect: readonly CollectedFact[];
  /** The pages of its sessions take discount codes. */
  readonly allowDiscountCodes: boolean;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** Changes to a link: an absent field stays, a null field is cleared. */
export interface CheckoutLinkChanges {
  readonly label?: string | null;
  readonly productIds?: readonly string[] | null;
  readonly discountId?: string | null;
  readonly active?: boolean | null;
  readonly successUrl?: string | null;
  readonly returnUrl?: string | null;
  readonly metadata?: Readonly<Record<string, unknown>> | null;
  readonly quantity?: QuantityBounds | null;
  readonly collect?: readonly CollectedFact[] | null;
  readonly allowDiscountCodes?: boolean | null;
}

/** Problems found in the input. Metadata is validated by the same code in all services. */
interface LinkFindings {
  readonly metadataProblems: readonly string[];
}

/** Creates a link. Throws one error that names every invalid field. */
export function createCheckoutLink(
  link: CheckoutLink,
  { metadataProblems }: LinkFindings,
): Transition<CheckoutLink> {
  refuseProblems({ ...checkoutLinkProblems(link), metadata: metadataProblems });
  const state = {
    ...link,
    productIds: [...new Set(link.productIds)],
    collect: collectedFacts.filter((fact) => link.collect.includes(fact)),
  };
  return only(state);
}

/**
 * Changes a link. The result is what a creation with its fields would give, so a cleared field
 * returns to its default. Sessions keep the products and the discount that they began with. Returns
 * the same object if nothing differs.
 */
export function changeCheckoutLink(
  link: CheckoutLink,
  changes: CheckoutLinkChanges,
  findings: LinkFindings,
): Transition<CheckoutLink> {
  refuseProblems({ active: changes.active === null ? ['Required'] : [] });
  const after = { ...link, ...changes };
  const changed = createCheckoutLink(
    {
      ...after,
      label: after.label ?? '',
      productIds: after.productIds ?? [],
      discountId: after.discountId ?? undefined,
      active: after.active ?? link.active,
      successUrl: after.successUrl ?? undefined,
      returnUrl: after.returnUrl ?? undefined,
      metadata: after.metadata ?? {},
      quantity: after.quantity ?? undefined,
      collect: after.collect ?? [],
      allowDiscountCodes: after.allowDiscountCodes ?? false,
    },
    findings,
  );
  return isSameData(link, changed.state) ? only(link) : changed;
}
