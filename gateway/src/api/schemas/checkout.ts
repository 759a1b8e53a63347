import { z } from 'zod';
import { Customer } from './customer';
import { Invoice } from './invoice';
import { id, listOf, metadata, time, timestamps } from './scalars';
import { Subscription } from './subscription';

const url = z.string().meta({ format: 'uri' });

export const NewCheckoutSession = z
  .object({
    sessionId: id,
    checkoutUrl: url.meta({ description: 'URL of the hosted payment page.' }),
    invoice: Invoice,
  })
  .meta({ id: 'NewCheckoutSession' });

export const CheckoutSession = z
  .object({
    id,
    organizationId: id,
    customerId: id,
    productId: id,
    priceId: id,
    quantity: z.int().min(1).max(1_000_000),
    discountId: id.nullable(),
    checkoutLinkId: id.nullable(),
    invoiceId: id.nullable(),
    subscriptionId: id.nullable(),
    status: z.enum(['OPEN', 'COMPLETE', 'EXPIRED']),
    checkoutUrl: url.meta({ description: 'URL of the hosted payment page.' }),
    successUrl: z.string().nullable(),
    cancelUrl: z.string().nullable(),
    expiresAt: time,
    completedAt: time.nullable(),
    lastPaymentError: z
      .object({ code: z.string(), message: z.string(), at: time })
      .nullable()
      .meta({ description: 'Reason of the latest failed payment.' }),
    metadata,
    ...timestamps,
    invoice: Invoice.nullable(),
    subscription: Subscription.nullable(),
    customer: Customer.nullable(),
  })
  .meta({ id: 'CheckoutSession' });

export const CheckoutLink = z
  .object({
    id,
    organizationId: id,
    label: z.string(),
    productIds: z.array(id),
    successUrl: z.string().nullable(),
    returnUrl: z.string().nullable(),
    active: z.boolean(),
    discountId: id.nullable(),
    metadata,
    url: url.meta({ description: 'URL of the public page.' }),
    ...timestamps,
  })
  .meta({ id: 'CheckoutLink' });

export const CheckoutLinkList = listOf(CheckoutLink, 'CheckoutLinkList');
