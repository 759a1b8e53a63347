import type { CallContext } from '@billing/chassis/call-context';
import { invalidInput, isNotFound } from '@billing/kernel/domain-error';
import type { DiscountTerms as ProtoDiscountTerms } from '@billing/proto/billing/checkout/v1/checkout';
import {
  type Discount as ProtoDiscount,
  RedemptionHolder,
} from '@billing/proto/billing/discount/v1/discount';
import { discountDurations, discountTypes } from '@billing/proto/values/discount';
import type { Peers } from './peers';
import type { DiscountSnapshot } from '../subscription/subscription';

/**
 * Throws an Error for a kind of discount unknown to this version: a guessed deduction would be
 * wrong.
 */
export function fromProtoDiscount(discount: ProtoDiscount): DiscountSnapshot {
  const { id, name, value, durationInMonths } = discount;
  return {
    id,
    name,
    type: discountTypes.nameOf(discount.type),
    value,
    duration: discountDurations.nameOf(discount.duration),
    durationInMonths: durationInMonths ?? null,
    productIds: [...discount.productIds],
  };
}

/** Maps a discount to the terms that checkout deducts from an invoice. */
export function toProtoDiscountTerms(
  discount: Pick<DiscountSnapshot, 'id' | 'name' | 'type' | 'value'>,
): ProtoDiscountTerms {
  const { id: discountId, name, type, value } = discount;
  return { discountId, name, type: discountTypes.valueOf(type), value };
}

/**
 * Reserves one redemption for a subscription about to be created, or finds its existing one;
 * refuses a discount that cannot be redeemed.
 */
export async function reserveRedemption(
  { discount: peer }: Peers,
  {
    subscriptionId: holderId,
    ...wanted
  }: {
    readonly subscriptionId: string;
    readonly discountId: string;
    readonly productId: string;
    readonly currency: string;
  },
  context: CallContext,
): Promise<DiscountSnapshot> {
  const holder = RedemptionHolder.REDEMPTION_HOLDER_SUBSCRIPTION;
  try {
    const { discount } = await peer.reserveRedemption({ ...wanted, holder, holderId }, context);
    if (discount === undefined) throw new Error('An answer carries no discount');
    return fromProtoDiscount(discount);
  } catch (error) {
    if (!isNotFound(error)) throw error;
    throw invalidInput({ discountId: ['Discount is not valid'] });
  }
}
