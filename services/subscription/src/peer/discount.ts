import type { CallContext } from '@billing/chassis/call-context';
import { derivedId } from '@billing/chassis/ids';
import type { Logger } from '@billing/chassis/logging';
import { invalidInput, isNotFound } from '@billing/kernel/domain-error';
import type { DiscountTerms as ProtoDiscountTerms } from '@billing/proto/billing/checkout/v1/checkout';
import {
  type Discount as ProtoDiscount,
  RedemptionHolder,
  type ReserveRedemptionRequest,
} from '@billing/proto/billing/discount/v1/discount';
import { discountDurations, discountTypes } from '@billing/proto/values/discount';
import type { Peers } from './peers';
import { heldRedemption } from '../subscription/change-side';
import type { DiscountSnapshot, Subscription } from '../subscription/subscription';
import type { SubscriptionChange } from '../subscription/subscription-change';

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
  discount: Pick<DiscountSnapshot, 'id' | 'name' | 'type' | 'value'> &
    Partial<Pick<DiscountSnapshot, 'productIds'>>,
): ProtoDiscountTerms {
  const { id: discountId, name, type, value, productIds } = discount;
  return {
    ...{ discountId, name, type: discountTypes.valueOf(type), value },
    productIds: [...(productIds ?? [])],
  };
}

/** Products of items: a discount must be for one of all. */
export interface ProductsOfItems {
  /** Product of the main item. */
  readonly productId: string;
  readonly otherProductIds: string[];
}

/** A discount that is to be redeemed for a purchase. */
interface WantedRedemption extends ProductsOfItems {
  readonly discountId: string;
  readonly currency: string;
}

/** Products of the items after the main one. */
export function otherProductIdsOf({ items: [, ...others] }: Pick<Subscription, 'items'>): string[] {
  return others.map(({ productId }) => productId);
}

/**
 * Reserves one redemption for a subscription about to be created, or finds its existing one;
 * refuses a discount that cannot be redeemed.
 */
export async function reserveRedemption(
  { discount: peer }: Pick<Peers, 'discount'>,
  { subscriptionId: holderId, ...wanted }: WantedRedemption & { readonly subscriptionId: string },
  context: CallContext,
): Promise<DiscountSnapshot> {
  const holder = RedemptionHolder.REDEMPTION_HOLDER_SUBSCRIPTION;
  return redeemable(peer.reserveRedemption({ ...wanted, holder, holderId }, context));
}

/** A change of a subscription, in one round of its reservations. */
type ChangeRound = NonNullable<ReserveRedemptionRequest['change']>;

/** Id of the holder of a change's redemption: each round of its reservations has another one. */
export function changeHolderId(
  { changeId, round }: Pick<ChangeRound, 'changeId' | 'round'>,
  { tenant }: Pick<CallContext, 'tenant'>,
): string {
  return derivedId(tenant.environmentId, 'redemption', changeId, round);
}

/** Reads the discount that a change could redeem now; refuses one that it could not. */
export async function quoteRedemption(
  { discount: peer }: Pick<Peers, 'discount'>,
  wanted: WantedRedemption & { readonly holderId: string },
  context: CallContext,
): Promise<DiscountSnapshot> {
  return redeemable(peer.quoteRedemption(wanted, context));
}

/** Reserves one redemption for a change about to be stored, or finds its existing one. */
export async function reserveForChange(
  { discount: peer }: Pick<Peers, 'discount'>,
  wanted: WantedRedemption & { readonly holderId: string; readonly change: ChangeRound },
  context: CallContext,
): Promise<void> {
  const holder = RedemptionHolder.REDEMPTION_HOLDER_SUBSCRIPTION_CHANGE;
  await redeemable(peer.reserveRedemption({ ...wanted, holder }, context));
}

async function redeemable(
  answer: Promise<{ readonly discount: ProtoDiscount | undefined }>,
): Promise<DiscountSnapshot> {
  try {
    const { discount } = await answer;
    if (discount === undefined) throw new Error('An answer carries no discount');
    return fromProtoDiscount(discount);
  } catch (error) {
    if (!isNotFound(error)) throw error;
    throw invalidInput({ discountId: ['Discount is not valid'] });
  }
}

/** Confirms a redemption that was reserved before its use was stored. */
export async function confirmRedemption(
  { discountId, holderId }: { readonly discountId: string; readonly holderId: string },
  context: CallContext,
  {
    peers,
    logger,
  }: { readonly peers: Pick<Peers, 'discount'>; readonly logger: Pick<Logger, 'error'> },
): Promise<void> {
  try {
    await peers.discount.confirmRedemption({ discountId, holderId }, context);
  } catch (error) {
    if (!isNotFound(error)) throw error;
    // The redemption was reserved before, and is never returned later. A retry would not find it
    // either.
    const lost = { alarm: 'redemption_lost', err: error, id: holderId, discountId };
    logger.error(lost, 'discount redemption lost');
  }
}

/**
 * Settles the redemption of a finished change: one that has taken effect uses it. A failed call is
 * left to the discount service, which asks for the fate of the redemption: it must not hold up the
 * commands that follow.
 */
export async function settleRedemption(
  { status, wanted }: Pick<SubscriptionChange, 'status' | 'wanted'>,
  context: CallContext,
  {
    peers,
    logger,
  }: Parameters<typeof confirmRedemption>[2] & {
    readonly logger: Pick<Logger, 'warn'>;
  },
): Promise<void> {
  const held = heldRedemption(wanted);
  if (held === null) return;
  try {
    if (status === 'APPLIED') await confirmRedemption(held, context, { peers, logger });
    else await peers.discount.releaseRedemption(held, context);
  } catch (err) {
    logger.warn({ err, ...held }, 'redemption of a change is left to the discount service');
  }
}
