import { z } from 'zod';
import type { InvoiceFacts, MailEvent, SubscriptionFacts } from './mail-event';

// Only what mails use is read, so that bodies may gain fields.
const instant = z.iso.datetime().transform((text) => new Date(text));
const amount = z.int().transform(BigInt);

const paymentFacts = z.object({
  status: z.string(),
  card: z.object({ brand: z.string(), last4: z.string() }).nullish(),
});

const lineFacts = z.object({
  description: z.string(),
  kind: z.string().nullish(),
  amount,
  quantity: z.string(),
});

const invoiceFacts = z.object({
  id: z.string(),
  customerId: z.string(),
  subscriptionId: z.string().nullable(),
  number: z.string().nullable(),
  status: z.string(),
  billingReason: z.string(),
  currency: z.string(),
  total: amount,
  amountDue: amount,
  amountPaid: amount,
  balanceApplied: amount,
  finalizedAt: instant.nullable(),
  dueDate: instant.nullable(),
  paidAt: instant.nullable(),
  hostedUrl: z.string().nullable(),
  lineItems: z.array(lineFacts),
  payments: z.array(paymentFacts).optional(),
});

const invoiceData = z.object({
  invoice: invoiceFacts,
  charging: z.boolean().optional(),
  payment: paymentFacts.optional(),
  attempt: z.int().optional(),
  failureCode: z.string().nullish(),
  initiator: z.string().optional(),
  collection: z.string().optional(),
  nextAttemptAt: instant.optional(),
});

const creditNoteData = z.object({
  creditNote: z.object({
    id: z.string(),
    customerId: z.string(),
    number: z.string().nullable(),
    currency: z.string(),
    total: amount,
  }),
  invoice: z.object({
    id: z.string(),
    subscriptionId: z.string().nullable(),
    number: z.string().nullable(),
    hostedUrl: z.string().nullable(),
  }),
});

const cardData = z.object({
  customerId: z.string(),
  paymentMethod: z.object({
    brand: z.string(),
    last4: z.string(),
    expiryMonth: z.int().nullable(),
    expiryYear: z.int().nullable(),
  }),
});

const subscriptionFacts = z.object({
  id: z.string(),
  customerId: z.string(),
  productId: z.string(),
  phase: z.string(),
  trialEnd: instant.nullable(),
  currentPeriodEnd: instant,
  endedAt: instant.nullable(),
});

const subscriptionData = z
  .object({
    subscription: subscriptionFacts,
    upcoming: z.object({ at: instant, amount, currency: z.string() }).optional(),
    changes: z.object({ cancelAtPeriodEnd: z.object({ to: z.unknown() }).optional() }).optional(),
  })
  .transform(({ subscription, upcoming, changes }) => ({
    subscription,
    upcoming,
    isEndScheduled: changes?.cancelAtPeriodEnd?.to === true,
  }));

const head = z.object({ type: z.string(), timestamp: instant, data: z.unknown() });

/** Environment time of an event and its facts; undefined for a resource without mails. */
export function readMailEvent(body: string): { at: Date; event: MailEvent } | undefined {
  const { type, timestamp: at, data } = head.parse(JSON.parse(body));
  const [resource] = type.split('.');
  switch (resource) {
    case 'invoice':
      return { at, event: { kind: 'INVOICE', type, data: invoiceData.parse(data) } };
    case 'credit_note':
      return { at, event: { kind: 'CREDIT_NOTE', type, data: creditNoteData.parse(data) } };
    case 'payment_method':
      return { at, event: { kind: 'CARD', type, data: cardData.parse(data) } };
    case 'subscription':
      return { at, event: { kind: 'SUBSCRIPTION', type, data: subscriptionData.parse(data) } };
    default:
      return undefined;
  }
}

/** The facts of an invoice as REST shows it. */
export function readInvoiceFacts(invoice: unknown): InvoiceFacts['invoice'] {
  return invoiceFacts.parse(invoice);
}

/** The facts of a subscription as REST shows it. */
export function readSubscriptionFacts(subscription: unknown): SubscriptionFacts['subscription'] {
  return subscriptionFacts.parse(subscription);
}
