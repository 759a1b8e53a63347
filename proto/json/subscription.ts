import { z } from 'zod';
import {
  CancelReason,
  type Subscription,
  type SubscriptionCustomer,
  type SubscriptionStatus,
} from '../gen/billing/subscription/v1/subscription';
import { PriceJson, toJsonPrice } from './product';
import {
  itemQuantity,
  SubscriptionChangeJson,
  SubscriptionItemJson,
  toJsonItem,
  toJsonSubscriptionChange,
} from './subscription-change';
import {
  currency,
  id,
  metadata,
  time,
  toJsonMetadata,
  toJsonOptionalTime,
  toJsonTime,
  timestamps,
} from './scalars';
import { cancelReasons, subscriptionPhases, subscriptionStatuses } from '../values/subscription';

export const SubscriptionJson = z
  .object({
    id,
    organizationId: id,
    customerId: id,
    productId: id,
    priceId: id,
    status: z.enum(['ACTIVE', 'PAST_DUE', 'CANCELED']),
    phase: z.enum(['SCHEDULED', 'TRIAL', 'REGULAR', 'PAUSED', 'ENDED']),
    entitled: z.boolean().meta({ description: 'Whether the customer may use the product now.' }),
    quantity: itemQuantity,
    currency,
    startAt: time,
    currentPeriodStart: time,
    currentPeriodEnd: time,
    nextInvoiceAt: time.nullable(),
    trialStart: time.nullable(),
    trialEnd: time.nullable(),
    cancelAtPeriodEnd: z.boolean(),
    canceledAt: time.nullable().meta({ description: 'Time of the latest cancellation request.' }),
    endedAt: time.nullable(),
    cancelReason: z.enum(['REQUESTED', 'PAYMENT_FAILED']).nullable(),
    discountId: id.nullable(),
    discountEndsAt: time.nullable().meta({
      description:
        'End of the discount. Null before the first discounted invoice, and for a discount that never ends.',
    }),
    latestInvoiceId: id.nullable(),
    authorizedTransactionId: z.string().nullable(),
    metadata,
    ...timestamps,
    pendingChange: SubscriptionChangeJson.nullable().meta({
      description: 'The change that is being paid, or waits for a period start.',
    }),
    pausedAt: time.nullable().meta({
      description: 'Beginning of the pause that runs, or in which the subscription ended.',
    }),
    resumeAt: time.nullable().meta({ description: 'Planned end of the pause. Null: none.' }),
    items: z.array(SubscriptionItemJson),
    price: PriceJson.nullable(),
    customer: z
      .object({
        id,
        email: z.string().nullable().meta({ description: 'Null: the customer was deleted.' }),
        name: z.string().nullable(),
      })
      .nullable(),
  })
  .meta({ id: 'Subscription' });
export type SubscriptionJson = z.infer<typeof SubscriptionJson>;

/** Subscription in REST responses and webhooks. */
export function toJsonSubscription(subscription: Subscription): SubscriptionJson {
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
    pendingChange:
      subscription.pendingChange === undefined
        ? null
        : toJsonSubscriptionChange(subscription.pendingChange),
    pausedAt: toJsonOptionalTime(subscription.pausedAt),
    resumeAt: toJsonOptionalTime(subscription.resumeAt),
    items: subscription.items.map(toJsonItem),
    price: subscription.price === undefined ? null : toJsonPrice(subscription.price),
    customer: subscription.customer === undefined ? null : toJsonCustomer(subscription.customer),
  };
}

/** ACTIVE, PAST_DUE or CANCELED. */
export function toJsonSubscriptionStatus(status: SubscriptionStatus): SubscriptionJson['status'] {
  return subscriptionStatuses.nameOf(status);
}

/** REQUESTED or PAYMENT_FAILED; null if no end was requested. */
export function toJsonCancelReason(reason: CancelReason): SubscriptionJson['cancelReason'] {
  return reason === CancelReason.CANCEL_REASON_UNSPECIFIED ? null : cancelReasons.nameOf(reason);
}

function toJsonCustomer({ id, email, name }: SubscriptionCustomer): SubscriptionJson['customer'] {
  return { id, email: email === '' ? null : email, name: name ?? null };
}
