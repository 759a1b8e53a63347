import type { CallContext } from '@billing/chassis/call-context';
import { redemptionRefusal } from '@billing/kernel/discount-validity';
import { appliesToProduct } from '@billing/kernel/discounting';
import { invalidInput, unlessNotFound } from '@billing/kernel/domain-error';
import { Discount, RedemptionHolder } from '@billing/proto/billing/discount/v1/discount';
import { discountTypes } from '@billing/proto/values/discount';
import type { DiscountOnInvoice } from '../invoice/invoice-discount';
import type { Peers } from '../peers';
import { snapshotsOf } from './snapshot';

export const discountSnapshot = snapshotsOf(Discount);

/** Discount of the session's invoice from its redemption. */
export function fromProtoDiscount({
  id,
  name,
  type,
  value,
  productIds,
}: Discount): DiscountOnInvoice {
  return { discountId: id, name, type: discountTypes.nameOf(type), value, productIds };
}

/** Error for a discount that cannot be redeemed; `field` is the input field that names it. */
export function discountNotValid(field: 'discountId' | 'checkoutLinkId' = 'discountId'): Error {
  return invalidInput({ [field]: ['Discount is not valid'] });
}

/** Refuses an unknown discount. The reservation decides if it can be redeemed. */
export async function checkDiscountIsKnown(
  { discount }: Peers,
  id: string | undefined,
  context: CallContext,
): Promise<void> {
  if (id === undefined) return;
  if ((await unlessNotFound(discount.getDiscount({ id }, context))) === undefined) {
    throw discountNotValid();
  }
}

/**
 * Refuses the discount of a link if it cannot be redeemed for any of the link's products. A
 * discount that applies to some of the products is checked again when a product is bought.
 */
export async function checkDiscountOfLink(
  { discount: discounts }: Peers,
  {
    discountId,
    productIds,
  }: { readonly discountId: string | undefined; readonly productIds: readonly string[] },
  context: CallContext,
): Promise<void> {
  if (discountId === undefined) return;
  const found = await unlessNotFound(discounts.getDiscount({ id: discountId }, context));
  const discount = found?.discount;
  if (discount === undefined) throw discountNotValid();
  const limits = {
    active: discount.active,
    startsAt: discount.startsAt ?? null,
    endsAt: discount.endsAt ?? null,
    maxRedemptions: discount.maxRedemptions ?? null,
  };
  const { redemptionCount: redemptions } = discount;
  const isRefused = redemptionRefusal(limits, { at: context.now, redemptions }) !== null;
  const isForNone = !productIds.some((productId) => appliesToProduct(discount, productId));
  if (isRefused || isForNone) throw discountNotValid();
}

/** A session that may hold a redemption. */
interface Holder {
  readonly id: string;
  readonly discountId: string | undefined;
}

/** Reference of the redemption that a session holds, for the discount service. */
export function heldRedemption({ id: holderId, discountId }: Holder) {
  if (discountId === undefined) throw new Error(`Session ${holderId} has no discount`);
  return { discountId, holderId };
}

/**
 * Reserves a redemption for the session and returns the discount's terms; undefined if it cannot be
 * redeemed.
 */
export async function holdRedemption(
  { discount: peer }: Peers,
  session: Holder & {
    readonly productId: string;
    readonly otherItems?: readonly { readonly productId: string }[] | undefined;
    readonly currency: string;
  },
  context: CallContext,
): Promise<string | undefined> {
  const { productId, otherItems = [], currency } = session;
  const otherProductIds = otherItems.map((item) => item.productId);
  const holder = RedemptionHolder.REDEMPTION_HOLDER_CHECKOUT_SESSION;
  const request = { ...heldRedemption(session), holder, productId, otherProductIds, currency };
  const answer = await unlessNotFound(peer.reserveRedemption(request, context));
  if (answer === undefined) return undefined;
  if (answer.discount === undefined) throw new Error('Response without a discount');
  return discountSnapshot.write(answer.discount);
}
