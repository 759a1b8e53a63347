import type { Stored } from '@billing/chassis/aggregate';
import type { Price as ProtoPrice } from '@billing/proto/billing/catalog/v1/catalog';
import {
  type CancelReason as ProtoCancelReason,
  type Subscription as ProtoSubscription,
} from '@billing/proto/billing/subscription/v1/subscription';
import { billingIntervals, pricingTypes } from '@billing/proto/values/catalog';
import {
  cancelReasons,
  subscriptionPhases,
  subscriptionStatuses,
} from '@billing/proto/values/subscription';
import { discountEndsAt } from './subscription/discount';
import { isEntitled } from './subscription/entitlement';
import {
  type CancelReason,
  currentPeriod,
  nextInvoiceAt,
  type PriceSnapshot,
  type Subscription,
} from './subscription/subscription';

/** Maps a subscription to its public form. */
export function toProtoSubscription(stored: Stored<Subscription>): ProtoSubscription {
  const { state, tenant } = stored;
  const { id, productId, quantity, customer } = state;
  const price = toProtoPrice(state.price, productId);
  const period = currentPeriod(state);
  return {
    id,
    organizationId: tenant.organizationId,
    customerId: customer.id,
    productId,
    priceId: price.id,
    status: subscriptionStatuses.valueOf(state.status),
    phase: subscriptionPhases.valueOf(state.phase),
    entitled: isEntitled(state, stored),
    quantity,
    currency: price.currency,
    startAt: state.startAt,
    currentPeriodStart: period.start,
    currentPeriodEnd: period.end,
    nextInvoiceAt: nextInvoiceAt(state) ?? undefined,
    trialStart: state.trialStart ?? undefined,
    trialEnd: state.trialEnd ?? undefined,
    cancelAtPeriodEnd: state.cancelAtPeriodEnd,
    canceledAt: state.canceledAt ?? undefined,
    endedAt: state.endedAt ?? undefined,
    cancelReason: toProtoCancelReason(state.cancelReason),
    latestInvoiceId: state.latestInvoice?.id,
    authorizedTransactionId: state.authorizedTransactionId ?? undefined,
    metadata: state.metadata,
    createdAt: stored.createdAt,
    updatedAt: stored.updatedAt,
    items: [{ id: state.itemId, priceId: price.id, quantity, price }],
    price,
    customer: { id: customer.id, email: customer.email, name: customer.name ?? undefined },
    version: BigInt(stored.version),
    discountId: state.discount?.id,
    discountEndsAt: discountEndsAt(state) ?? undefined,
  };
}

/** Unspecified when no end was requested. */
export function toProtoCancelReason(reason: CancelReason | null): ProtoCancelReason {
  return cancelReasons.valueOf(reason ?? undefined);
}

/** Maps the price version to its public form. */
function toProtoPrice(price: PriceSnapshot, productId: string): ProtoPrice {
  return {
    ...price,
    productId,
    type: pricingTypes.valueOf(price.type),
    billingInterval: billingIntervals.valueOf(price.billingInterval),
    trialDays: price.trialDays ?? undefined,
    lookupKey: price.lookupKey ?? undefined,
    tiers: (price.tiers ?? []).map((tier) => ({ ...tier, upTo: tier.upTo ?? undefined })),
  };
}
