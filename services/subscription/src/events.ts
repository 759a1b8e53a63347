import { isDeepStrictEqual } from 'node:util';
import type { Stored } from '@billing/chassis/aggregate';
import type { Price as ProtoPrice } from '@billing/proto/billing/catalog/v1/catalog';
import type { Invoice } from '@billing/proto/billing/checkout/v1/checkout';
import {
  type FieldChange,
  SubscriptionEvent as ProtoSubscriptionEvent,
} from '@billing/proto/billing/event/v1/subscription_event';
import {
  CancelReason as ProtoCancelReason,
  type Subscription as ProtoSubscription,
} from '@billing/proto/billing/subscription/v1/subscription';
import { toJsonSubscription } from '@billing/proto/json/subscription';
import { billingIntervals, pricingTypes } from '@billing/proto/values/catalog';
import {
  cancelReasons,
  subscriptionPhases,
  subscriptionStatuses,
} from '@billing/proto/values/subscription';
import type { PaymentOutcome, SubscriptionEvent } from './subscription/announcement';
import { discountEndsAt } from './subscription/discount';
import { isEntitled } from './subscription/entitlement';
import {
  type CancelReason,
  currentPeriod,
  nextInvoiceAt,
  type PriceSnapshot,
  type Subscription,
} from './subscription/subscription';
import type { SubscriptionRecord } from './subscription/tombstone';

/**
 * Encodes an event's data for the wire: its proto message in JSON mapping. `stored` supplies the
 * tenant and the time of the change.
 */
export function encodeEvent(event: SubscriptionEvent, stored: Stored<SubscriptionRecord>): unknown {
  return ProtoSubscriptionEvent.toJSON(toProtoEvent(event, stored));
}

function toProtoEvent(
  event: SubscriptionEvent,
  stored: Stored<SubscriptionRecord>,
): ProtoSubscriptionEvent {
  const at = (state: Subscription) => toProtoSubscription({ ...stored, state });
  const message: ProtoSubscriptionEvent = {
    subscription: at(event.data.subscription),
    invoice: undefined,
    invoiceId: undefined,
    changes: {},
    attempt: undefined,
    nextAttemptAt: undefined,
    canceledAt: undefined,
    reason: ProtoCancelReason.CANCEL_REASON_UNSPECIFIED,
  };
  switch (event.type) {
    case 'subscription.created':
    case 'subscription.renewed':
      return { ...message, invoiceId: event.data.invoiceId ?? undefined };
    case 'subscription.canceled': {
      const { subscription, payment } = event.data;
      const { canceledAt, cancelReason } = subscription;
      const reason = toProtoCancelReason(cancelReason);
      const given = payment === null ? {} : toProtoPayment(payment);
      return { ...message, ...given, canceledAt: canceledAt ?? undefined, reason };
    }
    case 'subscription.updated':
      return { ...message, changes: changesBetween(at(event.data.before), message.subscription) };
    case 'subscription.payment_succeeded':
    case 'subscription.payment_failed':
      return { ...message, ...toProtoPayment(event.data.payment) };
  }
}

function toProtoPayment({ invoice, attempt, nextAttemptAt }: PaymentOutcome) {
  return {
    // The rules never read it (`InvoiceForm`); rpc.ts gave them checkout's message.
    invoice: invoice as Invoice,
    attempt: attempt === 0 ? undefined : attempt,
    nextAttemptAt: nextAttemptAt ?? undefined,
  };
}

/**
 * Lists every field that differs, in its REST form. Never contains `updatedAt`, because both sides
 * are mapped with the time of the same write.
 */
function changesBetween(
  before: ProtoSubscription,
  after: ProtoSubscription | undefined,
): Record<string, FieldChange> {
  if (after === undefined) throw new Error('An event carries its subscription');
  const from: Readonly<Record<string, unknown>> = toJsonSubscription(before);
  const to: Readonly<Record<string, unknown>> = toJsonSubscription(after);
  return Object.fromEntries(
    Object.keys(to)
      .filter((field) => !isDeepStrictEqual(from[field], to[field]))
      .map((field) => [field, { from: from[field], to: to[field] }]),
  );
}

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
function toProtoCancelReason(reason: CancelReason | null): ProtoCancelReason {
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
