import type { CallContext } from '@billing/chassis/call-context';
import { newId } from '@billing/chassis/ids';
import type { Peer } from '@billing/chassis/peer';
import {
  type CreateDiscountRequest,
  type Discount,
  DiscountDuration,
  type DiscountServiceServer,
  DiscountType,
  RedemptionHolder,
  type UpdateDiscountRequest,
} from '@billing/proto/billing/discount/v1/discount';

// Fixtures of this service's integration tests.

/** Creates a discount of 10 % without limits, except for the given fields. */
export async function create(
  discounts: Peer<DiscountServiceServer>,
  context: CallContext,
  request: Partial<CreateDiscountRequest> = {},
): Promise<Discount> {
  const { discount } = await discounts.createDiscount(
    {
      name: 'Spring',
      type: DiscountType.DISCOUNT_TYPE_PERCENTAGE,
      value: '10',
      duration: DiscountDuration.DISCOUNT_DURATION_FOREVER,
      productIds: [],
      startsAt: undefined,
      endsAt: undefined,
      metadata: undefined,
      ...request,
    },
    context,
  );
  return present(discount);
}

async function update(
  discounts: Peer<DiscountServiceServer>,
  context: CallContext,
  request: Partial<UpdateDiscountRequest> & Pick<UpdateDiscountRequest, 'id' | 'updateMask'>,
): Promise<Discount> {
  const { discount } = await discounts.updateDiscount(
    { endsAt: undefined, metadata: undefined, ...request },
    context,
  );
  return present(discount);
}

/** Changes only the maximum. */
export function setMaximum(
  discounts: Peer<DiscountServiceServer>,
  context: CallContext,
  { id, maxRedemptions }: { id: string; maxRedemptions: number | undefined },
): Promise<Discount> {
  return update(discounts, context, { id, updateMask: ['max_redemptions'], maxRedemptions });
}

export async function read(
  discounts: Peer<DiscountServiceServer>,
  context: CallContext,
  id: string,
): Promise<Discount> {
  const { discount } = await discounts.getDiscount({ id }, context);
  return present(discount);
}

/** Reserves for a new session or the given one, and returns its id. */
export async function reserve(
  discounts: Peer<DiscountServiceServer>,
  context: CallContext,
  {
    discountId,
    holder = RedemptionHolder.REDEMPTION_HOLDER_CHECKOUT_SESSION,
    holderId = newId(),
    productId = newId(),
    currency = 'USD',
  }: {
    discountId: string;
    holder?: RedemptionHolder;
    holderId?: string;
    productId?: string;
    currency?: string;
  },
): Promise<string> {
  const wanted = { discountId, holder, holderId, productId, otherProductIds: [], currency };
  await discounts.reserveRedemption(wanted, context);
  return holderId;
}

export function present<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('Field missing in the response');
  return value;
}
