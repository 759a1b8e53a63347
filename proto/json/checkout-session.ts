import { z } from 'zod';
import type { Invoice } from '../gen/billing/checkout/v1/checkout';
import { type Session, type SessionStatus } from '../gen/billing/checkout/v1/session';
import type { Subscription } from '../gen/billing/subscription/v1/subscription';
import { CustomerJson, DeletedCustomerJson, toJsonEmbeddedCustomer } from './customer';
import { InvoiceJson, PaymentErrorJson, toJsonInvoice, toJsonPaymentError } from './invoice';
import {
  id,
  metadata,
  time,
  toJsonMetadata,
  toJsonOptionalTime,
  toJsonTime,
  timestamps,
  url,
} from './scalars';
import { SubscriptionJson, toJsonSubscription } from './subscription';
import { sessionStatuses } from '../values/checkout';

const SessionItemJson = z
  .object({ productId: id, priceId: id, quantity: z.int().min(1).max(1_000_000) })
  .meta({ id: 'CheckoutSessionItem' });

export const SessionJson = z
  .object({
    id,
    organizationId: id,
    customerId: id,
    productId: id,
    priceId: id,
    quantity: z.int().min(1).max(1_000_000),
    items: z.array(SessionItemJson).meta({
      description:
        'What is bought. `productId`, `priceId` and `quantity` of the session are those of the first item.',
    }),
    discountId: id.nullable(),
    allowDiscountCodes: z.boolean().meta({
      description: 'Whether the payer may type a discount code on the payment page.',
    }),
    checkoutLinkId: id.nullable(),
    invoiceId: id.nullable(),
    subscriptionId: id.nullable(),
    status: z.enum(['OPEN', 'COMPLETE', 'EXPIRED']),
    checkoutUrl: url.meta({ description: 'URL of the hosted payment page.' }),
    successUrl: z.string().nullable(),
    cancelUrl: z.string().nullable(),
    locale: z.string().nullable().meta({ description: 'BCP 47 tag of its pages.' }),
    expiresAt: time,
    completedAt: time.nullable(),
    lastPaymentError: PaymentErrorJson.nullable().meta({
      description: 'Reason of the latest failed payment.',
    }),
    metadata,
    ...timestamps,
    invoice: InvoiceJson.nullable(),
    subscription: SubscriptionJson.nullable(),
    customer: z.union([CustomerJson, DeletedCustomerJson]).nullable(),
  })
  .meta({ id: 'CheckoutSession' });
export type SessionJson = z.infer<typeof SessionJson>;

/** Resources of a session that are not stored in it, if any. */
export interface SessionCompanions {
  readonly invoice: Invoice | undefined;
  readonly subscription: Subscription | undefined;
}

/** Checkout session in REST responses and webhooks. */
export function toJsonSession(
  session: Session,
  { invoice, subscription }: SessionCompanions,
): SessionJson {
  return {
    id: session.id,
    organizationId: session.organizationId,
    customerId: session.customerId,
    productId: session.productId,
    priceId: session.priceId,
    quantity: session.quantity,
    items: itemsOf(session),
    discountId: session.discountId ?? null,
    allowDiscountCodes: session.allowDiscountCodes ?? false,
    checkoutLinkId: session.checkoutLinkId ?? null,
    invoiceId: session.invoiceId ?? null,
    subscriptionId: session.subscriptionId ?? null,
    status: toJsonSessionStatus(session.status),
    checkoutUrl: session.checkoutUrl,
    successUrl: session.successUrl ?? null,
    cancelUrl: session.cancelUrl ?? null,
    locale: session.locale ?? null,
    expiresAt: toJsonTime(session.expiresAt),
    completedAt: toJsonOptionalTime(session.completedAt),
    lastPaymentError: toJsonPaymentError(session.lastPaymentError),
    metadata: toJsonMetadata(session.metadata),
    createdAt: toJsonTime(session.createdAt),
    updatedAt: toJsonTime(session.updatedAt),
    invoice: invoice === undefined ? null : toJsonInvoice(invoice),
    subscription: subscription === undefined ? null : toJsonSubscription(subscription),
    customer: session.customer === undefined ? null : toJsonEmbeddedCustomer(session.customer),
  };
}

/** Items of a session; messages of earlier releases have only the main one. */
export function soldItemsOf({ items, ...session }: Session) {
  return items.length === 0 ? [session] : items;
}

function itemsOf(session: Session): SessionJson['items'] {
  return soldItemsOf(session).map(({ productId, priceId, quantity }) => {
    return { productId, priceId, quantity };
  });
}

/** OPEN, COMPLETE or EXPIRED. */
export function toJsonSessionStatus(status: SessionStatus): SessionJson['status'] {
  return sessionStatuses.nameOf(status);
}
