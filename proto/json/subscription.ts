import {
  CancelReason,
  type Subscription,
  type SubscriptionCustomer,
  type SubscriptionItem,
  type SubscriptionStatus,
} from '../gen/billing/subscription/v1/subscription';
import { toJsonPrice } from './product';
import { toJsonMetadata, toJsonOptionalTime, toJsonTime } from './scalars';
import { cancelReasons, subscriptionPhases, subscriptionStatuses } from '../values/subscription';

/** Subscription in REST responses and webhooks. */
export function toJsonSubscription(subscription: Subscription) {
  return {
    id: subscription.id,
    organizationId: subscription.organizationId,
    customerId: subscription.customerId,
    productId: subscription.productId,
    priceId: subscription.priceId,
    status: toJsonSubscriptionStatus(subscription.status),
    phase: subscriptionPhases.nameOf(subscription.phase),
    entitled: subscription.entitled,
    quantity: subscription.quantity,
    currency: subscription.currency,
    startAt: toJsonTime(subscription.startAt),
    currentPeriodStart: toJsonTime(subscription.currentPeriodStart),
    currentPeriodEnd: toJsonTime(subscription.currentPeriodEnd),
    nextInvoiceAt: toJsonOptionalTime(subscription.nextInvoiceAt),
    trialStart: toJsonOptionalTime(subscription.trialStart),
    trialEnd: toJsonOptionalTime(subscription.trialEnd),
    cancelAtPeriodEnd: subscription.cancelAtPeriodEnd,
    canceledAt: toJsonOptionalTime(subscription.canceledAt),
    endedAt: toJsonOptionalTime(subscription.endedAt),
    cancelReason: toJsonCancelReason(subscription.cancelReason),
    discountId: subscription.discountId ?? null,
    discountEndsAt: toJsonOptionalTime(subscription.discountEndsAt),
    latestInvoiceId: subscription.latestInvoiceId ?? null,
    authorizedTransactionId: subscription.authorizedTransactionId ?? null,
    metadata: toJsonMetadata(subscription.metadata),
    createdAt: toJsonTime(subscription.createdAt),
    updatedAt: toJsonTime(subscription.updatedAt),
    items: subscription.items.map(toJsonItem),
    price: subscription.price === undefined ? null : toJsonPrice(subscription.price),
    customer: subscription.customer === undefined ? null : toJsonCustomer(subscription.customer),
  };
}

/** ACTIVE, PAST_DUE or CANCELED. */
export function toJsonSubscriptionStatus(status: SubscriptionStatus): string {
  return subscriptionStatuses.nameOf(status);
}

/** REQUESTED or PAYMENT_FAILED; null if no end was requested. */
export function toJsonCancelReason(reason: CancelReason): string | null {
  return reason === CancelReason.CANCEL_REASON_UNSPECIFIED ? null : cancelReasons.nameOf(reason);
}

function toJsonItem(item: SubscriptionItem) {
  return {
    id: item.id,
    priceId: item.priceId,
    quantity: item.quantity,
    price: item.price === undefined ? null : toJsonPrice(item.price),
  };
}

function toJsonCustomer({ id, email, name }: SubscriptionCustomer) {
  return { id, email, name: name ?? null };
}
