import type { Stored } from '@billing/chassis/aggregate';
import { invalidInput } from '@billing/kernel/domain-error';
import {
  CancelReason as ProtoCancelReason,
  type Subscription as ProtoSubscription,
  SubscriptionPhase as ProtoPhase,
  SubscriptionStatus as ProtoStatus,
} from '@billing/proto/billing/subscription/v1/subscription';
import { discountEndsAt } from './discount';
import { toProtoPrice } from './price-rpc';
import {
  type CancelReason,
  currentPeriod,
  isEntitled,
  nextInvoiceAt,
  type Subscription,
  type SubscriptionPhase,
  type SubscriptionStatus,
} from './subscription';

/** A subscription in the contract's form. */
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
    status: protoStatuses[state.status],
    phase: protoPhases[state.phase],
    entitled: isEntitled(state),
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

/** Unspecified where nobody asked for the end. */
export function toProtoCancelReason(reason: CancelReason | null): ProtoCancelReason {
  return reason === null ? ProtoCancelReason.CANCEL_REASON_UNSPECIFIED : protoCancelReasons[reason];
}

const protoStatuses: Readonly<Record<SubscriptionStatus, ProtoStatus>> = {
  ACTIVE: ProtoStatus.SUBSCRIPTION_STATUS_ACTIVE,
  PAST_DUE: ProtoStatus.SUBSCRIPTION_STATUS_PAST_DUE,
  CANCELED: ProtoStatus.SUBSCRIPTION_STATUS_CANCELED,
};

/** Refuses what is no status that a subscription can be in. */
export function fromProtoStatus(sent: ProtoStatus): SubscriptionStatus {
  const statuses = Object.keys(protoStatuses) as SubscriptionStatus[];
  const known = statuses.find((status) => protoStatuses[status] === sent);
  if (known === undefined) throw invalidInput({ status: ['Invalid status'] });
  return known;
}

const protoPhases: Readonly<Record<SubscriptionPhase, ProtoPhase>> = {
  SCHEDULED: ProtoPhase.SUBSCRIPTION_PHASE_SCHEDULED,
  TRIAL: ProtoPhase.SUBSCRIPTION_PHASE_TRIAL,
  REGULAR: ProtoPhase.SUBSCRIPTION_PHASE_REGULAR,
  ENDED: ProtoPhase.SUBSCRIPTION_PHASE_ENDED,
};

const protoCancelReasons: Readonly<Record<CancelReason, ProtoCancelReason>> = {
  REQUESTED: ProtoCancelReason.CANCEL_REASON_REQUESTED,
  PAYMENT_FAILED: ProtoCancelReason.CANCEL_REASON_PAYMENT_FAILED,
};
