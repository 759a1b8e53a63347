import type { Stored } from '@billing/chassis/aggregate';
import type { Price as ProtoPrice } from '@billing/proto/billing/catalog/v1/catalog';
import {
  type CancelReason as ProtoCancelReason,
  type Subscription as ProtoSubscription,
} from '@billing/proto/billing/subscription/v1/subscription';
import type {
  ChangeSide as ProtoSide,
  SubscriptionChange as ProtoChange,
  SubscriptionItem as ProtoItem,
} from '@billing/proto/billing/subscription/v1/change';
import { billingIntervals, pricingTypes } from '@billing/proto/values/catalog';
import {
  cancelReasons,
  changeAts,
  changeCollects,
  changeKinds,
  changeProrations,
  changeStatuses,
  subscriptionPhases,
  subscriptionStatuses,
} from '@billing/proto/values/subscription';
import {
  type ChangeSide,
  pendingChange,
  type SubscriptionChange,
} from '../subscription/subscription-change';
import { planAtRenewal } from '../subscription/change-at-renewal';
import { discountEndsAt } from '../subscription/discount';
import { isEntitled } from '../subscription/entitlement';
import {
  type CancelReason,
  currentPeriod,
  mainItem,
  nextInvoiceAt,
  type PriceSnapshot,
  type Subscription,
  type SubscriptionItem,
} from '../subscription/subscription';

/** Maps a subscription to its public form. */
export function toProtoSubscription(stored: Stored<Subscription>): ProtoSubscription {
  const { state, tenant } = stored;
  const { id, customer } = state;
  const { productId, quantity } = mainItem(state);
  const price = toProtoPrice(mainItem(state).price, productId);
  const period = currentPeriod(state);
  const pending = pendingChange(state.changes);
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
    items: state.items.map(toProtoItem),
    price,
    customer: { id: customer.id, email: customer.email, name: customer.name ?? undefined },
    version: BigInt(stored.version),
    discountId: state.discount?.id,
    discountEndsAt: discountEndsAt(state) ?? undefined,
    pausedAt: state.pausedAt ?? undefined,
    resumeAt: state.resumeAt ?? undefined,
    pendingChange: pending === null ? undefined : toProtoChange(pending, state),
  };
}

/** Unspecified when no end was requested. */
export function toProtoCancelReason(reason: CancelReason | null): ProtoCancelReason {
  return cancelReasons.valueOf(reason ?? undefined);
}

/** Maps a change to its public form; a waiting one as it would be today. */
export function toProtoChange(change: SubscriptionChange, subscription: Subscription): ProtoChange {
  const isPending = change.status === 'PENDING';
  const shown = isPending ? planAtRenewal(subscription, change) : change;
  const { from, to, monthlyAmountBefore, monthlyAmountAfter } = shown;
  return {
    id: change.id,
    subscriptionId: subscription.id,
    status: changeStatuses.valueOf(change.status),
    at: changeAts.valueOf(change.at),
    notBefore: change.notBefore,
    effectiveAt: change.effectiveAt,
    requirePayment: change.requirePayment,
    proration: changeProrations.valueOf(change.proration),
    collect: changeCollects.valueOf(change.collect),
    kind: changeKinds.valueOf(change.kind),
    resumeAt: change.resumeAt ?? undefined,
    from: toProtoSide(from),
    to: toProtoSide(to),
    monthlyAmountBefore,
    monthlyAmountAfter,
    invoiceId: change.invoice?.invoiceId ?? change.billedOn ?? undefined,
    creditNoteIds: change.status === 'APPLIED' ? change.creditNotes.map(({ id }) => id) : [],
    failure: change.failure ?? undefined,
    replacedBy: change.replacedBy ?? undefined,
    migrationId: change.migrationId,
    metadata: change.metadata,
    createdAt: change.createdAt,
    updatedAt: change.updatedAt,
  };
}

function toProtoSide({ items, discountId, ...period }: ChangeSide): ProtoSide {
  return { items: items.map(toProtoItem), discountId: discountId ?? undefined, ...period };
}

/** Maps an item to its public form. */
function toProtoItem(item: SubscriptionItem): ProtoItem {
  const { id, productId, quantity } = item;
  const price = toProtoPrice(item.price, productId);
  return { id, productId, priceId: price.id, quantity, price };
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
