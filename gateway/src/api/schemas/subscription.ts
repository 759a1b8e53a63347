import { z } from 'zod';
import { Price } from './product';
import { currency, id, listOf, metadata, time, timestamps } from './scalars';

const quantity = z.int().min(1).max(1_000_000);

export const Subscription = z
  .object({
    id,
    organizationId: id,
    customerId: id,
    productId: id,
    priceId: id,
    status: z.enum(['ACTIVE', 'PAST_DUE', 'CANCELED']),
    phase: z.enum(['SCHEDULED', 'TRIAL', 'REGULAR', 'ENDED']),
    entitled: z.boolean().meta({ description: 'Whether the customer may use the product now.' }),
    quantity,
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
    items: z.array(z.object({ id, priceId: id, quantity, price: Price.nullable() })),
    price: Price.nullable(),
    customer: z.object({ id, email: z.string(), name: z.string().nullable() }).nullable(),
  })
  .meta({ id: 'Subscription' });

export const SubscriptionList = listOf(Subscription, 'SubscriptionList');
