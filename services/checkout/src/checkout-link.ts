import { optionalProblems, refuseProblems, textProblems } from '@billing/kernel/input-problems';
import { only, type Transition } from '@billing/kernel/transition';
import { webAddressProblems } from '@billing/kernel/web-address';

const labelLengthMax = 200;
const productsMax = 10;

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

/** A new link. Refuses the input once, for everything that is wrong with it by itself. */
export function createCheckoutLink(
  link: CheckoutLink,
  { metadataProblems }: { metadataProblems: readonly string[] },
): Transition<CheckoutLink> {
  const { label, productIds, successUrl, returnUrl } = link;
  refuseProblems({
    label: textProblems(label, { min: 1, max: labelLengthMax }),
    productIds: productProblems(productIds),
    successUrl: optionalProblems(successUrl, webAddressProblems),
    returnUrl: optionalProblems(returnUrl, webAddressProblems),
    metadata: metadataProblems,
  });
  const state = { ...link, productIds: [...new Set(productIds)] };
  return only(state);
}

function productProblems({ length }: readonly string[]): string[] {
  if (length === 0) return ['Required'];
  return length > productsMax ? [`Must have at most ${String(productsMax)} elements`] : [];
}
