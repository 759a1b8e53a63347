import { z } from 'zod';
import type { WebhookEventType } from '@billing/kernel/input/webhook-endpoint';
import { CheckoutLinkJson } from '@billing/proto/json/checkout-link';
import { SessionJson } from '@billing/proto/json/checkout-session';
import { CreditNoteJson } from '@billing/proto/json/credit-note/credit-note';
import { DisputeJson, RefundJson } from '@billing/proto/json/credit-note/refund';
import { CustomerJson } from '@billing/proto/json/customer';
import { DiscountJson } from '@billing/proto/json/discount';
import { EmailJson } from '@billing/proto/json/email';
import { InvoiceJson, PaymentJson } from '@billing/proto/json/invoice';
import { MeterJson } from '@billing/proto/json/meter';
import { PaymentMethodJson } from '@billing/proto/json/payment-method';
import { MeterPriceJson, ProductJson } from '@billing/proto/json/product';
import { amount, currency, id, time } from '@billing/proto/json/scalars';
import { RestoreJson } from '@billing/proto/json/restore';
import { SubscriptionJson } from '@billing/proto/json/subscription';

/** A webhook type. */
export interface WebhookKind {
  /** Name of the type, such as `subscription.renewed`. */
  readonly type: string;
  readonly summary: string;
  /** Schema of the body. */
  readonly payload: z.ZodType;
}

const attempt = z
  .int()
  .min(1)
  .meta({ description: 'Number of the payment attempt for the invoice, starting at 1.' });

const sequence = z.int().min(1);
const restoreCode = z.string().nullable().meta({
  description:
    'Code of the last restore of the installation before the event, e.g. `WH5C2`; null before any. Events since a restore have other ids than those that the restore has lost, and may have their sequence numbers.',
});

const ofSubscription = {
  sequence: sequence.meta({
    description: 'Sequence number within the subscription: 1, 2, 3 … without gaps.',
  }),
  scalars: { subscriptionId: id, customerId: id, status: SubscriptionJson.shape.status },
  // The subscription in its state at the time of the event.
  objects: { subscription: SubscriptionJson },
};

const invoiceId = id.optional().meta({
  description:
    'Id of the invoice created with the event. Absent if there is none: for a trial or a start in the future.',
});

const changeId = id.optional().meta({
  description:
    'Id of the change of the subscription that caused the event. Absent for other causes, such as metadata or an invoice.',
});
const changeInvoice = InvoiceJson.optional().meta({
  description: 'Invoice of the change. Absent if it has none.',
});

const ofPeriod = {
  ...ofSubscription,
  scalars: { ...ofSubscription.scalars, invoiceId },
};

const ofWarning = {
  ...ofSubscription,
  objects: {
    ...ofSubscription.objects,
    upcoming: z
      .object({ at: time, amount, currency })
      .meta({ description: 'Next charge, without usage.' }),
  },
};

const ofSession = {
  sequence: sequence.meta({
    description: 'Sequence number within the checkout session: 1, 2, 3 …',
  }),
  scalars: { checkoutSessionId: id, customerId: id, status: SessionJson.shape.status },
  objects: { session: SessionJson, invoice: InvoiceJson.nullable() },
};

const ofInvoice = {
  sequence: sequence.meta({ description: 'Sequence number within the invoice: 1, 2, 3 …' }),
  scalars: {
    invoiceId: id,
    customerId: id,
    status: InvoiceJson.shape.status,
    subscriptionId: id.nullable(),
  },
  // The invoice in its state at the time of the event.
  objects: { invoice: InvoiceJson },
};

// Credit notes, refunds and disputes are numbered with the events of their invoice.
const ofCreditNote = {
  sequence: ofInvoice.sequence,
  scalars: {
    creditNoteId: id,
    customerId: id,
    status: CreditNoteJson.shape.status,
    invoiceId: id,
  },
  objects: { creditNote: CreditNoteJson, invoice: InvoiceJson },
};
const ofRefund = {
  sequence: ofInvoice.sequence,
  scalars: { refundId: id, customerId: id, status: RefundJson.shape.status, invoiceId: id },
  // Without a credit note for a refund made at the provider, or of an overpayment.
  objects: { refund: RefundJson, invoice: InvoiceJson, creditNote: CreditNoteJson.nullable() },
};
const ofDispute = {
  sequence: ofInvoice.sequence,
  scalars: { disputeId: id, customerId: id, status: DisputeJson.shape.status, invoiceId: id },
  objects: { dispute: DisputeJson, invoice: InvoiceJson },
};

const failedPayment = {
  attempt: z.int().min(1).meta({
    description:
      'Number of the attempt in the collection schedule; 1 is the first charge. Other saved methods charged in the same attempt have the same number.',
  }),
  failureCode: z.string(),
  initiator: z.enum(['SCHEDULE', 'CALLER', 'PAYER', 'NEW_METHOD']).meta({
    description:
      'Initiator of the charge: the schedule, a call of the API or a change that is paid first, the payer on a page, or a new default payment method.',
  }),
  collection: z.enum(['TRYING_OTHER', 'WAITING', 'ENDED']).meta({
    description:
      'Collection after the failure: another saved method is charged immediately, the next date or the payer is awaited, or the collection has ended.',
  }),
  nextAttemptAt: time
    .optional()
    .meta({ description: 'Time of the next automatic charge, if one is planned.' }),
};

const changes = z
  .record(z.string(), z.object({ from: z.unknown(), to: z.unknown() }))
  .meta({ description: 'All changed fields except `updatedAt`.' });

const ofResource = (name: string, field: string, schema: z.ZodType) => ({
  sequence: sequence.meta({ description: `Sequence number within the ${name}: 1, 2, 3 …` }),
  scalars: { [`${field}Id`]: id },
  objects: { [field]: schema },
});

const ofCustomer = ofResource('customer', 'customer', CustomerJson);
const ofPaymentMethod = {
  sequence: sequence.meta({
    description: 'Sequence number within the payment methods of the customer: 1, 2, 3 …',
  }),
  scalars: { paymentMethodId: id, customerId: id },
  objects: { paymentMethod: PaymentMethodJson },
};
const ofProduct = ofResource('product', 'product', ProductJson);
const ofDiscount = ofResource('discount', 'discount', DiscountJson);
const ofLink = ofResource('checkout link', 'checkoutLink', CheckoutLinkJson);
const ofMeter = ofResource('meter', 'meter', MeterJson);
const ofEmail = {
  sequence: sequence.meta({ description: 'Always 1: an email has one event at most.' }),
  scalars: { emailId: id, customerId: id, status: EmailJson.shape.status },
  // The email in its state at the time of the event, with `content` null.
  objects: { email: EmailJson },
};

function withChanges<D extends Pick<Description, 'objects'>>(described: D) {
  return { ...described, objects: { ...described.objects, changes } };
}

/** Description of a type in the document. */
interface Description {
  readonly summary: string;
  /** Absent for a test, which has no number. */
  readonly sequence?: z.ZodType;
  /** Scalar fields of `data`, which the body repeats at its top level. */
  readonly scalars: z.ZodRawShape;
  /** The other fields of `data`. */
  readonly objects: z.ZodRawShape;
}

// The types are declared with the rules of an endpoint; each has a description here.
const descriptions: Readonly<Record<WebhookEventType, Description>> = {
  'subscription.created': { ...ofPeriod, summary: 'A subscription was created.' },
  'subscription.renewed': {
    ...ofPeriod,
    summary: 'A billing period started: by renewal, after a trial or at a scheduled start.',
  },
  'subscription.updated': {
    ...ofSubscription,
    summary: 'A subscription changed.',
    scalars: { ...ofSubscription.scalars, changeId },
    objects: { ...ofSubscription.objects, changes, invoice: changeInvoice },
  },
  'subscription.payment_succeeded': {
    ...ofSubscription,
    summary: 'An invoice of a subscription was paid.',
    scalars: { ...ofSubscription.scalars, attempt },
    objects: { ...ofSubscription.objects, invoice: InvoiceJson },
  },
  'subscription.payment_failed': {
    ...ofSubscription,
    summary: 'A payment attempt for an invoice failed.',
    scalars: {
      ...ofSubscription.scalars,
      attempt,
      nextAttemptAt: time
        .optional()
        .meta({ description: 'Time of the next automatic attempt, if one is planned.' }),
    },
    objects: { ...ofSubscription.objects, invoice: InvoiceJson },
  },
  'subscription.canceled': {
    ...ofSubscription,
    summary: 'A subscription ended.',
    // The unpaid invoice and its last payment attempt, if they ended the subscription.
    scalars: {
      ...ofSubscription.scalars,
      attempt: attempt.optional(),
      canceledAt: time,
      reason: z.enum(['REQUESTED', 'PAYMENT_FAILED']),
    },
    objects: { ...ofSubscription.objects, invoice: InvoiceJson.optional() },
  },
  'subscription.trial_ending': {
    ...ofWarning,
    summary: 'The trial of a subscription ends in three days. Shorter trials have no warning.',
  },
  'subscription.renewal_upcoming': {
    ...ofWarning,
    summary: 'A subscription with periods of 180 days or more renews in 30 days.',
  },
  'checkout.completed': {
    ...ofSession,
    summary: 'A checkout session was completed: paid, or confirmed if nothing was due.',
  },
  'checkout.expired': { ...ofSession, summary: 'A checkout session expired.' },
  'invoice.created': {
    ...ofInvoice,
    summary: 'An invoice got its number.',
    scalars: {
      ...ofInvoice.scalars,
      charging: z.boolean().meta({ description: 'True if a charge begins with it.' }),
    },
  },
  'invoice.payment_received': {
    ...ofInvoice,
    summary: 'A payment from elsewhere or from the balance of the customer was recorded.',
    objects: { ...ofInvoice.objects, payment: PaymentJson },
  },
  'invoice.payment_failed': {
    ...ofInvoice,
    summary: 'A charge of an invoice failed.',
    scalars: { ...ofInvoice.scalars, ...failedPayment },
    objects: { ...ofInvoice.objects, payment: PaymentJson },
  },
  'invoice.paid': { ...ofInvoice, summary: 'An invoice was paid, or nothing of it was due.' },
  'invoice.voided': { ...ofInvoice, summary: 'An invoice was voided.' },
  'invoice.uncollectible': {
    ...ofInvoice,
    summary: 'Collection was abandoned, or a caller wrote the invoice off.',
  },
  'invoice.overdue': { ...ofInvoice, summary: 'A sent invoice passed its due date unpaid.' },
  'invoice.reminded': {
    ...ofInvoice,
    summary:
      'An unpaid invoice reached a date of the schedule on which nothing is charged: no saved payment method can be charged, or the invoice was sent and its due date has passed.',
    scalars: {
      ...ofInvoice.scalars,
      reminder: z.int().min(1).meta({ description: 'Number of the date, from 1.' }),
    },
  },
  'credit_note.created': { ...ofCreditNote, summary: 'A credit note got its number.' },
  'refund.succeeded': { ...ofRefund, summary: 'The provider has returned the money of a refund.' },
  'refund.failed': {
    ...ofRefund,
    summary: 'A refund was refused, or the bank of the payer has returned its money.',
  },
  'refund.updated': {
    ...withChanges(ofRefund),
    summary: 'A failed refund was settled: it is retried, or settled in another way.',
  },
  'dispute.opened': { ...ofDispute, summary: 'A payer disputes a payment at the bank.' },
  'dispute.closed': { ...ofDispute, summary: 'A dispute was won or lost.' },
  'customer.created': { ...ofCustomer, summary: 'A customer was created.' },
  'customer.updated': { ...withChanges(ofCustomer), summary: 'A customer changed.' },
  'customer.deleted': {
    ...ofCustomer,
    scalars: { ...ofCustomer.scalars, customer: z.null() },
    objects: {},
    summary: 'A customer was deleted.',
  },
  'payment_method.added': {
    ...ofPaymentMethod,
    summary: 'A payment method was added to those of a customer.',
  },
  'payment_method.updated': {
    ...withChanges(ofPaymentMethod),
    summary: 'A payment method became the default of its customer.',
  },
  'payment_method.removed': {
    ...ofPaymentMethod,
    summary: 'A payment method was removed from those of a customer.',
  },
  'payment_method.expiring': {
    ...ofPaymentMethod,
    summary:
      'A payment method to which a subscription is charged expires in 30 days, at the end of its month.',
  },
  'product.created': { ...ofProduct, summary: 'A product was created.' },
  'product.updated': {
    ...withChanges(ofProduct),
    summary: 'A product changed. Changes of its meter prices have a type of their own.',
  },
  'meter_prices.replaced': {
    sequence: sequence.meta({
      description: 'Sequence number within the meter prices of the product: 1, 2, 3 …',
    }),
    summary: 'The meter prices of a product were replaced.',
    scalars: { productId: id },
    objects: { prices: z.array(MeterPriceJson) },
  },
  'discount.created': { ...ofDiscount, summary: 'A discount was created.' },
  'discount.updated': {
    ...withChanges(ofDiscount),
    summary: 'A discount changed. Redemptions are not announced.',
  },
  'checkout_link.created': { ...ofLink, summary: 'A checkout link was created.' },
  'checkout_link.updated': { ...withChanges(ofLink), summary: 'A checkout link changed.' },
  'meter.created': { ...ofMeter, summary: 'A meter was created.' },
  'meter.updated': { ...withChanges(ofMeter), summary: 'A meter changed.' },
  'meter.deleted': { ...ofMeter, summary: 'A meter was deleted.' },
  'email.failed': { ...ofEmail, summary: 'An email was not sent, and is not retried.' },
  'email.bounced': {
    ...ofEmail,
    summary: 'The address of a customer refused an email. No further email is sent to it.',
  },
  'environment.restored': {
    sequence: sequence.meta({ description: 'Sequence number within the environment: 1, 2, 3 …' }),
    scalars: { environmentId: id },
    objects: { restore: RestoreJson },
    summary:
      'The installation was restored to an earlier instant and opened again. The first event after the opening: send usage events of `restore.usageToResend` again.',
  },
};

// Sent on request only; no endpoint names it.
const testDescription: Description = {
  summary: 'Test webhook, sent by `POST /v1/webhook-endpoints/{id}/test`.',
  scalars: { webhookEndpointId: id },
  objects: {},
};

/** All webhook types. */
export const webhookKinds: readonly WebhookKind[] = Object.entries({
  ...descriptions,
  'webhook_endpoint.test': testDescription,
}).map(([type, description]) => kind(type, description));

function kind(
  type: string,
  { summary, sequence: ofEvent, scalars, objects }: Description,
): WebhookKind {
  const payload = z.object({
    id: z.string().meta({
      description: 'Id of the webhook, the same in every attempt. Also in the header `webhook-id`.',
    }),
    type: z.literal(type),
    timestamp: time.meta({ description: "Time of the event by the environment's clock." }),
    ...(ofEvent !== undefined && { sequence: ofEvent, restoreCode }),
    ...scalars,
    ...nullsOf(objects),
    data: z.object({ ...scalars, ...objects }),
  });
  return { type, summary, payload };
}

/** Fields that the top level repeats where they are null. */
function nullsOf(objects: z.ZodRawShape): z.ZodRawShape {
  const nullable = Object.keys(objects).filter((name) => objects[name] instanceof z.ZodNullable);
  return Object.fromEntries(
    nullable.map((name) => [
      name,
      z.null().optional().meta({ description: 'Only where it is null.' }),
    ]),
  );
}

/** Headers of every webhook. The timestamp and the signatures are computed for each attempt. */
export const webhookHeaders = z.object({
  'webhook-id': z.string(),
  'webhook-timestamp': z
    .string()
    .regex(/^\d+$/)
    .meta({ description: 'Unix time of the attempt, in seconds.' }),
  'webhook-signature': z.string().meta({
    description:
      'Space-separated signatures `v1,<base64>`, one per secret; a rotated secret keeps signing for a day. Each is the HMAC-SHA256 of `id.timestamp.body`, keyed with the decoded bytes after `whsec_`.',
  }),
  'Billing-Event': z.string().meta({
    description:
      'Type of the event. The `headerPrefix` of the endpoint replaces `Billing` in both headers.',
  }),
  'Billing-Signature': z.string().meta({
    description:
      '`t=<seconds>` and one `v1=<hex>` per secret: HMAC-SHA256 of `t.body`, keyed with the whole secret.',
  }),
});
