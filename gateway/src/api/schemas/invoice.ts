import { z } from 'zod';
import { PricingTier } from './product';
import {
  amount,
  collectionMethod,
  currency,
  decimal,
  id,
  listOf,
  metadata,
  time,
  timestamps,
} from './scalars';

const text = z.string().nullable();

const LineDetails = z
  .object({
    tiers: z.array(PricingTier.extend({ quantity: decimal, amount: decimal })),
    includedUnits: decimal,
    creditsUsed: z.array(z.object({ grantId: id, quantity: decimal })),
    billedQuantity: decimal,
    exactAmount: decimal,
  })
  .meta({ id: 'LineDetails', description: 'Calculation of the amount of a line.' });

const LineItem = z
  .object({
    id,
    invoiceId: id,
    description: z.string(),
    quantity: decimal,
    unitAmount: decimal.nullable(),
    amount: z.int().meta({ description: "In the currency's smallest unit." }),
    discountAmount: amount,
    priceId: id.nullable(),
    meterId: id.nullable(),
    periodStart: time.nullable(),
    periodEnd: time.nullable(),
    details: LineDetails.nullable(),
    metadata,
  })
  .meta({ id: 'LineItem' });

const Payment = z
  .object({
    id,
    invoiceId: id,
    amount,
    currency,
    provider: z.string(),
    providerPaymentId: text,
    status: z.enum(['PENDING', 'REQUIRES_ACTION', 'SUCCEEDED', 'FAILED']),
    failureCode: text,
    createdAt: time,
  })
  .meta({ id: 'Payment' });

export const Invoice = z
  .object({
    id,
    organizationId: id,
    customerId: id,
    subscriptionId: id.nullable(),
    number: text.meta({ examples: ['INV-000001'] }),
    status: z.enum(['DRAFT', 'OPEN', 'PAID', 'VOID', 'UNCOLLECTIBLE']),
    collectionMethod,
    billingReason: z.enum([
      'CHECKOUT',
      'SUBSCRIPTION_CREATE',
      'SUBSCRIPTION_CYCLE',
      'SUBSCRIPTION_CANCEL',
    ]),
    currency,
    subtotal: amount,
    discountAmount: amount,
    tax: amount,
    total: amount.meta({ description: 'subtotal − discountAmount + tax.' }),
    amountPaid: amount,
    amountDue: amount,
    dueDate: time.nullable(),
    paidAt: time.nullable(),
    periodStart: time.nullable(),
    periodEnd: time.nullable(),
    hostedUrl: text.meta({
      description: 'URL of the page on which the payer can view and pay the invoice.',
    }),
    discounts: z.array(z.object({ discountId: id, name: z.string(), amount })),
    lastPaymentError: z
      .object({ code: z.string(), message: z.string(), at: time })
      .nullable()
      .meta({ description: 'Reason of the latest failed payment. Null once the invoice is paid.' }),
    metadata,
    ...timestamps,
    lineItems: z.array(LineItem),
    payments: z.array(Payment),
  })
  .meta({ id: 'Invoice' });

export const InvoiceList = listOf(Invoice, 'InvoiceList');
