import type { Invoice } from '../gen/billing/checkout/v1/checkout';
import { type Session, type SessionStatus } from '../gen/billing/checkout/v1/session';
import type { Subscription } from '../gen/billing/subscription/v1/subscription';
import { toJsonCustomer } from './customer';
import { toJsonInvoice, toJsonPaymentError } from './invoice';
import { toJsonMetadata, toJsonOptionalTime, toJsonTime } from './scalars';
import { toJsonSubscription } from './subscription';
import { sessionStatuses } from '../values/checkout';

/** Resources of a session that are not stored in it, if any. */
export interface SessionCompanions {
  readonly invoice: Invoice | undefined;
  readonly subscription: Subscription | undefined;
}

/** Checkout session in REST responses and webhooks. */
export function toJsonSession(session: Session, { invoice, subscription }: SessionCompanions) {
  return {
    id: session.id,
    organizationId: session.organizationId,
    customerId: session.customerId,
    productId: session.productId,
    priceId: session.priceId,
    quantity: session.quantity,
    discountId: session.discountId ?? null,
    checkoutLinkId: session.checkoutLinkId ?? null,
    invoiceId: session.invoiceId ?? null,
    subscriptionId: session.subscriptionId ?? null,
    status: toJsonSessionStatus(session.status),
    checkoutUrl: session.checkoutUrl,
    successUrl: session.successUrl ?? null,
    cancelUrl: session.cancelUrl ?? null,
    expiresAt: toJsonTime(session.expiresAt),
    completedAt: toJsonOptionalTime(session.completedAt),
    lastPaymentError: toJsonPaymentError(session.lastPaymentError),
    metadata: toJsonMetadata(session.metadata),
    createdAt: toJsonTime(session.createdAt),
    updatedAt: toJsonTime(session.updatedAt),
    invoice: invoice === undefined ? null : toJsonInvoice(invoice),
    subscription: subscription === undefined ? null : toJsonSubscription(subscription),
    customer: session.customer === undefined ? null : toJsonCustomer(session.customer),
  };
}

/** OPEN, COMPLETE or EXPIRED. */
export function toJsonSessionStatus(status: SessionStatus): string {
  return sessionStatuses.nameOf(status);
}
