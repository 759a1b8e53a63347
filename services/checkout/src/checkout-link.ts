import { isSameData } from '@billing/kernel/equality';
import { refuseProblems } from '@billing/kernel/input-problems';
import { checkoutLinkProblems } from '@billing/kernel/input/checkout-link';
import { only, type Transition } from '@billing/kernel/transition';

/** A public offer of some products; every visitor gets a session of their own. */
export interface CheckoutLink {
  readonly id: string;
  /** For people. */
  readonly label: string;
  /** 1 to 10, each once. */
  readonly productIds: readonly string[];
  readonly successUrl: string | undefined;
  /** Where a visitor who gives up goes. */
  readonly returnUrl: string | undefined;
  /** An inactive link sells nothing. */
  readonly active: boolean;
  /** Of its sessions. */
  readonly discountId: string | undefined;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** What is to change about a link: a field that is absent stays, one that is null is cleared. */
export interface CheckoutLinkChanges {
  readonly label?: string | null;
  readonly active?: boolean | null;
  readonly successUrl?: string | null;
  readonly returnUrl?: string | null;
  readonly metadata?: Readonly<Record<string, unknown>> | null;
}

/** Metadata is checked alike by all services. */
interface LinkFindings {
  readonly metadataProblems: readonly string[];
}

/** A new link. Refuses the input once, for everything that is wrong with it by itself. */
export function createCheckoutLink(
  link: CheckoutLink,
  { metadataProblems }: LinkFindings,
): Transition<CheckoutLink> {
  refuseProblems({ ...checkoutLinkProblems(link), metadata: metadataProblems });
  const state = { ...link, productIds: [...new Set(link.productIds)] };
  return only(state);
}

/**
 * The link after a change: what a creation with its fields would make of them, so that a cleared field is back at its default. What it
 * offers stays. The very same link where nothing differs.
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
      active: after.active ?? link.active,
      successUrl: after.successUrl ?? undefined,
      returnUrl: after.returnUrl ?? undefined,
      metadata: after.metadata ?? {},
    },
    findings,
  );
  return isSameData(link, changed.state) ? only(link) : changed;
}
