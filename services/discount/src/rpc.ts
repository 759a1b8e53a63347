import type { Stored } from '@billing/chassis/aggregate';
import { type CallContext, newResourceId } from '@billing/chassis/call-context';
import { checkMetadata, filterByIds, readPage } from '@billing/chassis/request-fields';
import { rpcService } from '@billing/chassis/rpc';
import {
  type CreateDiscountRequest,
  type DiscountServiceServer,
  DiscountServiceService,
  type ValidateCodeRequest,
} from '@billing/proto/billing/discount/v1/discount';
import { productIdsMax } from '@billing/kernel/input/discount';
import { discountCallers } from './callers';
import { createDiscount, type Discount } from './discount';
import {
  fromProtoDiscountInput,
  fromProtoQuestion,
  fromProtoReservation,
  fromProtoUpdate,
  toProtoDiscount,
} from './discount-message';
import { currencyOfProduct, type Peers, unknownProducts } from './peers';
import { purchaseRefusal, redemptionNotFound, refusedRedemption } from './redemption';
import {
  quoteRedemption,
  type RedemptionDependencies,
  requireHeld,
  reserve,
} from './reserve-redemption';
import { discountsWith } from './store';
import { updateDiscount } from './update-discount';

export interface DiscountDependencies extends RedemptionDependencies {
  readonly peers: Peers;
}

/** gRPC handlers of the service. */
export function discountRpc(dependencies: DiscountDependencies) {
  const { discounts, slotsOf } = dependencies;
  const toResponse = async (stored: Stored<Discount>, context: CallContext) => ({
    discount: toProtoDiscount(stored, await slotsOf(context).count(stored.state.id)),
  });
  return rpcService<DiscountServiceServer>(
    DiscountServiceService,
    {
      createDiscount: async (request, context) => {
        const { stored, inserted } = await create(request, context, dependencies);
        return inserted ? { discount: toProtoDiscount(stored, 0) } : toResponse(stored, context);
      },

      getDiscount: async ({ id }, context) =>
        toResponse(await discounts.within(context).get(id), context),

      listDiscounts: async (request, context) => {
        const { data, total } = await discounts.within(context).list({
          filter: { ...discountsWith(request), ...filterByIds(request.ids) },
          ...readPage(request),
        });
        const responses = await Promise.all(data.map((stored) => toResponse(stored, context)));
        return { discounts: responses.map(({ discount }) => discount), total };
      },

      updateDiscount: async (request, context) => {
        const update = fromProtoUpdate(request);
        const { stored, redemptionCount } = await updateDiscount(update, context, dependencies);
        return { discount: toProtoDiscount(stored, redemptionCount) };
      },

      validateCode: async (request, context) => validate(request, context, dependencies),

      quoteRedemption: async (request, context) =>
        toResponse(
          await quoteRedemption(fromProtoQuestion(request), context, dependencies),
          context,
        ),

      reserveRedemption: async (request, context) =>
        toResponse(await reserve(fromProtoReservation(request), context, dependencies), context),

      confirmRedemption: async ({ discountId, holderId }, context) => {
        if (await slotsOf(context).confirm(discountId, holderId)) return {};
        throw redemptionNotFound();
      },

      releaseRedemption: async ({ discountId, holderId, evenConfirmed }, context) => {
        await slotsOf(context).release(discountId, holderId, {
          evenConfirmed: evenConfirmed ?? false,
        });
        return {};
      },
    },
    { callers: discountCallers },
  );
}

async function create(
  request: CreateDiscountRequest,
  context: CallContext,
  { discounts, peers }: DiscountDependencies,
) {
  const input = fromProtoDiscountInput(request);
  const { productIds } = input;
  const isTooLong = productIds.length > productIdsMax;
  const discount = createDiscount(input, {
    id: newResourceId(context, 'discount'),
    metadataProblems: checkMetadata(request.metadata),
    productProblems: isTooLong ? [] : await unknownProducts(peers, productIds, context),
  });
  return discounts.within(context).insert({ state: discount, events: [], commands: [] });
}

async function validate(
  { code, productId, holderId }: ValidateCodeRequest,
  context: CallContext,
  { discounts, slotsOf, peers }: DiscountDependencies,
) {
  const stored = await discounts.within(context).findBy(discountsWith({ code }));
  if (stored === undefined) throw refusedRedemption('DISCOUNT_NOT_FOUND');
  const { id, currency } = stored.state;
  const slots = slotsOf(context);
  const needsCurrency = productId !== undefined && currency !== null;
  const [redemptions, productCurrency] = await Promise.all([
    slots.count(id),
    needsCurrency ? currencyOfProduct(peers, productId, context) : undefined,
  ]);
  const productIds = productId === undefined ? undefined : [productId];
  const purchase = { productIds, currency: productCurrency, at: context.now, redemptions };
  const refusal = purchaseRefusal(stored.state, purchase);
  if (refusal !== null) await requireHeld(slots, { discountId: id, holderId }, refusal);
  return { discount: toProtoDiscount(stored, redemptions) };
}
