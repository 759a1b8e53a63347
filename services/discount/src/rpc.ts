import type { Stored } from '@billing/chassis/aggregate';
import { type CallContext, newResourceId } from '@billing/chassis/call-context';
import { checkMetadata, readPage, expectedVersionOf } from '@billing/chassis/request-fields';
import { rpcService } from '@billing/chassis/rpc';
import { DomainError } from '@billing/kernel/domain-error';
import {
  type CreateDiscountRequest,
  type DiscountServiceServer,
  DiscountServiceService,
  type UpdateDiscountRequest,
  type ValidateCodeRequest,
} from '@billing/proto/billing/discount/v1/discount';
import { productIdsMax } from '@billing/kernel/input/discount';
import { discountCallers } from './callers';
import {
  changeDiscount,
  createDiscount,
  type Discount,
  isLower,
  redemptionsHeld,
} from './discount';
import { fromProtoDiscountChanges, fromProtoDiscountInput, toProtoDiscount } from './discount-rpc';
import { currencyOfProduct, type Peers, unknownProducts } from './peers';
import { purchaseRefusal, redemptionNotFound, refusedRedemption } from './redemption';
import { isStale, bumpVersion, type RedemptionDependencies, reserve } from './redemption-rpc';
import { closeSlots } from './slot-claims';
import { discountsWith } from './store';

export interface DiscountDependencies extends RedemptionDependencies {
  readonly peers: Peers;
}

// Same limit as the store's compare-and-set retries.
const attemptsMax = 8;

/** gRPC handlers of the service. */
export function discountRpc(dependencies: DiscountDependencies) {
  const { discounts, slotsOf } = dependencies;
  const answer = async (stored: Stored<Discount>, context: CallContext) => ({
    discount: toProtoDiscount(stored, await slotsOf(context).count(stored.state.id)),
  });
  return rpcService<DiscountServiceServer>(
    DiscountServiceService,
    {
      createDiscount: async (request, context) => {
        const { stored, inserted } = await create(request, context, dependencies);
        return inserted ? { discount: toProtoDiscount(stored, 0) } : answer(stored, context);
      },

      getDiscount: async ({ id }, context) =>
        answer(await discounts.within(context).get(id), context),

      listDiscounts: async (request, context) => {
        const { data, total } = await discounts
          .within(context)
          .list({ filter: discountsWith(request), ...readPage(request) });
        const answers = await Promise.all(data.map((stored) => answer(stored, context)));
        return { discounts: answers.map(({ discount }) => discount), total };
      },

      updateDiscount: async (request, context) =>
        answer(await update(request, context, dependencies), context),

      validateCode: async (request, context) => validate(request, context, dependencies),

      reserveRedemption: async (request, context) =>
        answer(await reserve(request, context, dependencies), context),

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

/**
 * Retries an update that lost against a concurrent one, unless the caller expected a specific
 * version.
 */
async function update(
  request: UpdateDiscountRequest,
  context: CallContext,
  dependencies: DiscountDependencies,
): Promise<Stored<Discount>> {
  const changes = fromProtoDiscountChanges(request);
  const metadataProblems = checkMetadata(changes.metadata);
  const { expectedVersion } = expectedVersionOf(request);
  const store = dependencies.discounts.within(context);
  for (let attempt = 1; attempt <= attemptsMax; attempt += 1) {
    const stored = await store.get(request.id);
    const change = (discount: Discount) => changeDiscount(discount, changes, { metadataProblems });
    const version = expectedVersion ?? stored.version;
    if (version === stored.version) {
      await closeSlotsAbove(stored, { after: change(stored.state), context, dependencies });
    }
    try {
      return await store.mutate(
        request.id,
        (discount) => ({ state: change(discount), events: [], commands: [] }),
        { expectedVersion: version },
      );
    } catch (error) {
      if (!isStale(error) || expectedVersion !== undefined) throw error;
    }
  }
  throw new DomainError('unavailable', 'TOO_MANY_WRITERS', 'Service unavailable');
}

/**
 * Closes the slots above a lowered maximum. Throws if one of them is taken; then all are opened
 * again.
 */
async function closeSlotsAbove(
  stored: Stored<Discount>,
  {
    after: { maxRedemptions: maximum },
    context,
    dependencies: { discounts, slotsOf },
  }: { after: Discount; context: CallContext; dependencies: DiscountDependencies },
): Promise<void> {
  const { id, maxRedemptions: before } = stored.state;
  if (maximum === null || !isLower(maximum, before)) return;
  const slots = slotsOf(context);
  // Refuses in the common case before anything is closed.
  if (await slots.isTakenAbove(id, maximum)) throw redemptionsHeld();
  if (await closeSlots(slots, id, { maximum, version: stored.version + 1 })) return;
  await bumpVersion(stored, context, discounts);
  throw redemptionsHeld();
}

async function validate(
  { code, productId }: ValidateCodeRequest,
  context: CallContext,
  { discounts, slotsOf, peers }: DiscountDependencies,
) {
  const stored = await discounts.within(context).findBy(discountsWith({ code }));
  if (stored === undefined) throw refusedRedemption('DISCOUNT_NOT_FOUND');
  const { id, currency } = stored.state;
  const needsCurrency = productId !== undefined && currency !== null;
  const [redemptions, productCurrency] = await Promise.all([
    slotsOf(context).count(id),
    needsCurrency ? currencyOfProduct(peers, productId, context) : undefined,
  ]);
  const purchase = { productId, currency: productCurrency, at: context.now, redemptions };
  const refusal = purchaseRefusal(stored.state, purchase);
  if (refusal !== null) throw refusedRedemption(refusal);
  return { discount: toProtoDiscount(stored, redemptions) };
}
