import type { Stored } from '@billing/chassis/aggregate';
import { invalidInput } from '@billing/kernel/domain-error';
import type {
  CancelReason as ProtoCancelReason,
  Subscription as ProtoSubscription,
  SubscriptionPhase as ProtoPhase,
  SubscriptionStatus as ProtoStatus,
} from '@billing/proto/billing/subscription/v1/subscription';
import {
  cancelReasons,
  subscriptionPhases,
  subscriptionStatuses,
} from '@billing/proto/values/subscription';
import { discountEndsAt } from './discount';
import { isEntitled } from './entitlement';
import { toProtoPrice } from './price-rpc';
import {
  type CancelReason,
  currentPeriod,
  nextInvoiceAt,
  type Subscription,
  type SubscriptionPhase,
  type SubscriptionStatus,
} from './subscription';

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

/** Maps a status; refuses one that no subscription can have. */
export function fromProtoStatus(sent: ProtoStatus): SubscriptionStatus {
  const known = subscriptionStatuses.knownName(sent);
  if (known === undefined) throw invalidInput({ status: ['Invalid status'] });
  return known;
}

/** Maps a phase; refuses one that no subscription can have. */
export function fromProtoPhase(sent: ProtoPhase): SubscriptionPhase {
  const known = subscriptionPhases.knownName(sent);
  if (known === undefined) throw invalidInput({ phase: ['Invalid phase'] });
  return known;
}
