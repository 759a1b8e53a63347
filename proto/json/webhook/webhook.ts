import { CheckoutLinkEvent } from '../../gen/billing/event/v1/checkout_link_event';
import { CreditEvent } from '../../gen/billing/event/v1/credit_event';
import { CustomerEvent } from '../../gen/billing/event/v1/customer_event';
import { DiscountEvent } from '../../gen/billing/event/v1/discount_event';
import { EmailEvent } from '../../gen/billing/event/v1/email_event';
import { EnvironmentEvent } from '../../gen/billing/event/v1/environment_event';
import { InvoiceEvent } from '../../gen/billing/event/v1/invoice_event';
import { MeterEvent } from '../../gen/billing/event/v1/meter_event';
import { MeterPricesEvent } from '../../gen/billing/event/v1/meter_prices_event';
import { PaymentMethodEvent } from '../../gen/billing/event/v1/payment_method_event';
import { ProductEvent } from '../../gen/billing/event/v1/product_event';
import { SessionEvent } from '../../gen/billing/event/v1/session_event';
import {
  type FieldChange,
  SubscriptionEvent,
  type UpcomingCharge,
} from '../../gen/billing/event/v1/subscription_event';
import {
  chargeInitiators,
  collectionProgress,
  disputeStatuses,
  invoiceStatuses,
  refundStatuses,
} from '../../values/checkout';
import { toJsonCheckoutLink } from '../checkout-link';
import { toJsonSession, toJsonSessionStatus } from '../checkout-session';
import { toJsonCreditNote } from '../credit-note/credit-note';
import { toJsonDispute, toJsonRefund } from '../credit-note/refund';
import { toJsonCustomer } from '../customer';
import { toJsonDiscount } from '../discount';
import { toJsonEmail } from '../email';
import { toJsonFieldChanges } from '../field-changes';
import { toJsonInvoice, toJsonPayment } from '../invoice';
import { toJsonMeter } from '../meter';
import { toJsonPaymentMethod } from '../payment-method';
import { toJsonMeterPrice, toJsonProduct } from '../product';
import { toJsonRestore } from '../restore';
import { toJsonAmount, toJsonTime } from '../scalars';
import { toJsonCancelReason, toJsonSubscription, toJsonSubscriptionStatus } from '../subscription';

/** Data of a webhook by the resource that its type names. */
export type WebhookData =
  | { readonly kind: 'subscription'; readonly event: SubscriptionEvent }
  | { readonly kind: 'checkout'; readonly event: SessionEvent }
  | { readonly kind: 'invoice'; readonly event: InvoiceEvent }
  | { readonly kind: 'credit_note' | 'refund' | 'dispute'; readonly event: CreditEvent }
  | { readonly kind: 'customer'; readonly event: CustomerEvent }
  | { readonly kind: 'payment_method'; readonly event: PaymentMethodEvent }
  | { readonly kind: 'product'; readonly event: ProductEvent }
  | { readonly kind: 'meter_prices'; readonly event: MeterPricesEvent }
  | { readonly kind: 'discount'; readonly event: DiscountEvent }
  | { readonly kind: 'checkout_link'; readonly event: CheckoutLinkEvent }
  | { readonly kind: 'meter'; readonly event: MeterEvent }
  | { readonly kind: 'email'; readonly event: EmailEvent }
  | { readonly kind: 'environment'; readonly event: EnvironmentEvent };

type WebhookResource = WebhookData['kind'];

const readers: Readonly<Record<WebhookResource, (data: unknown) => WebhookData>> = {
  subscription: (data) => ({ kind: 'subscription', event: SubscriptionEvent.fromJSON(data) }),
  checkout: (data) => ({ kind: 'checkout', event: SessionEvent.fromJSON(data) }),
  invoice: (data) => ({ kind: 'invoice', event: InvoiceEvent.fromJSON(data) }),
  credit_note: (data) => ({ kind: 'credit_note', event: CreditEvent.fromJSON(data) }),
  refund: (data) => ({ kind: 'refund', event: CreditEvent.fromJSON(data) }),
  dispute: (data) => ({ kind: 'dispute', event: CreditEvent.fromJSON(data) }),
  customer: (data) => ({ kind: 'customer', event: CustomerEvent.fromJSON(data) }),
  payment_method: (data) => ({
    kind: 'payment_method',
    event: PaymentMethodEvent.fromJSON(data),
  }),
  product: (data) => ({ kind: 'product', event: ProductEvent.fromJSON(data) }),
  meter_prices: (data) => ({ kind: 'meter_prices', event: MeterPricesEvent.fromJSON(data) }),
  discount: (data) => ({ kind: 'discount', event: DiscountEvent.fromJSON(data) }),
  checkout_link: (data) => ({ kind: 'checkout_link', event: CheckoutLinkEvent.fromJSON(data) }),
  meter: (data) => ({ kind: 'meter', event: MeterEvent.fromJSON(data) }),
  email: (data) => ({ kind: 'email', event: EmailEvent.fromJSON(data) }),
  environment: (data) => ({ kind: 'environment', event: EnvironmentEvent.fromJSON(data) }),
};

/** Reads the data of an event as its owner announced it; throws for a type of no webhook. */
export function readWebhookData(type: string, data: unknown): WebhookData {
  const resource = type.slice(0, Math.max(0, type.indexOf('.')));
  if (!Object.hasOwn(readers, resource)) throw new Error(`No webhook has the type ${type}`);
  return readers[resource as WebhookResource](data);
}

/** Event of a webhook. */
export interface Webhook {
  readonly id: string;
  /** Such as `subscription.renewed`. */
  readonly type: string;
  /** Environment time of the transition. */
  readonly time: string;
  readonly sequence: number;
  /** Code of the last restore before the event; null before any. */
  readonly restoreCode: string | null;
  readonly data: WebhookData;
}

/** Head of a webhook's body. */
interface WebhookHead {
  readonly id: string;
  readonly type: string;
  readonly timestamp: string;
  /** Absent for a test, which has no number. */
  readonly sequence?: number;
  /** Absent for a test, which no restore repeats. */
  readonly restoreCode?: string | null;
}

// Keys with a meaning of their own at the top level. Consumers written for the vendor's webhooks
// read `payload`, where there is one, in place of the body.
const notRepeated = new Set([
  'id',
  'type',
  'timestamp',
  'sequence',
  'data',
  'payload',
  'restoreCode',
]);

/** Body of the webhook of an event. */
export function toJsonWebhook({ id, type, time, sequence, restoreCode, data }: Webhook) {
  const head = { id, type, timestamp: new Date(time).toISOString(), sequence, restoreCode };
  return toJsonWebhookBody(head, toJsonData(data));
}

function toJsonData(data: WebhookData): object {
  switch (data.kind) {
    case 'subscription':
      return toJsonTransition(data.event);
    case 'checkout':
      return toJsonEnd(data.event);
    case 'invoice':
      return toJsonInvoiceEvent(data.event);
    case 'credit_note':
      return toJsonNoteEvent(data.event);
    case 'refund':
      return toJsonRefundEvent(data.event);
    case 'dispute':
      return toJsonDisputeEvent(data.event);
    case 'customer': {
      const { customer, changes, customerId: deletedId } = data.event;
      if (deletedId !== undefined) return { customerId: deletedId, customer: null };
      if (customer === undefined) throw new Error('An event without its customer');
      const { id: customerId } = customer;
      return { customerId, customer: toJsonCustomer(customer), ...changed(changes) };
    }
    case 'payment_method': {
      const { customerId, paymentMethod, changes } = data.event;
      if (paymentMethod === undefined) throw new Error('An event without its payment method');
      const { id: paymentMethodId } = paymentMethod;
      const shown = toJsonPaymentMethod(paymentMethod);
      return { paymentMethodId, customerId, paymentMethod: shown, ...changed(changes) };
    }
    case 'product': {
      const { product, changes } = data.event;
      if (product === undefined) throw new Error('An event without its product');
      return { productId: product.id, product: toJsonProduct(product), ...changed(changes) };
    }
    case 'meter_prices': {
      const { productId, prices } = data.event;
      return { productId, prices: prices.map(toJsonMeterPrice) };
    }
    case 'discount': {
      const { discount, changes } = data.event;
      if (discount === undefined) throw new Error('An event without its discount');
      return { discountId: discount.id, discount: toJsonDiscount(discount), ...changed(changes) };
    }
    case 'checkout_link': {
      const { checkoutLink, changes } = data.event;
      if (checkoutLink === undefined) throw new Error('An event without its checkout link');
      const { id: checkoutLinkId } = checkoutLink;
      const shown = toJsonCheckoutLink(checkoutLink);
      return { checkoutLinkId, checkoutLink: shown, ...changed(changes) };
    }
    case 'meter': {
      const { meter, changes } = data.event;
      if (meter === undefined) throw new Error('An event without its meter');
      return { meterId: meter.id, meter: toJsonMeter(meter), ...changed(changes) };
    }
    case 'email': {
      const { email } = data.event;
      if (email === undefined) throw new Error('An event without its email');
      const shown = toJsonEmail(email);
      const { id: emailId, customerId, status } = shown;
      return { emailId, customerId, status, email: shown };
    }
    case 'environment': {
      const { environmentId, restore } = data.event;
      if (restore === undefined) throw new Error('An event without its restore');
      return { environmentId, restore: toJsonRestore(restore) };
    }
  }
}

/**
 * Body of a webhook. Keys of `data` that are undefined are omitted from the JSON text. Consumers
 * written for the vendor's webhooks read scalars at the top level, so the body repeats those of
 * `data`.
 */
export function toJsonWebhookBody(head: WebhookHead, data: object) {
  const scalars = Object.entries(data).filter(
    ([key, value]) => !notRepeated.has(key) && isScalar(value),
  );
  return { ...head, ...Object.fromEntries(scalars), data };
}

function isScalar(value: unknown): boolean {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value);
}

function changed(changes: Readonly<Record<string, FieldChange>>) {
  return { changes: toJsonFieldChanges(changes) };
}

function toJsonTransition(event: SubscriptionEvent) {
  const { subscription, invoice, changes, attempt, nextAttemptAt, canceledAt, reason } = event;
  if (subscription === undefined) throw new Error('An event without its subscription');
  return {
    subscriptionId: subscription.id,
    customerId: subscription.customerId,
    status: toJsonSubscriptionStatus(subscription.status),
    subscription: toJsonSubscription(subscription),
    invoice: invoice === undefined ? undefined : toJsonInvoice(invoice),
    invoiceId: event.invoiceId,
    changeId: event.changeId,
    changes: toJsonFieldChanges(changes),
    attempt,
    nextAttemptAt: nextAttemptAt?.toISOString(),
    canceledAt: canceledAt?.toISOString(),
    reason: toJsonCancelReason(reason) ?? undefined,
    upcoming: event.upcoming === undefined ? undefined : toJsonUpcoming(event.upcoming),
  };
}

function toJsonUpcoming({ at, amount, currency }: UpcomingCharge) {
  return { at: toJsonTime(at), amount: toJsonAmount(amount), currency };
}

function toJsonEnd({ session, invoice }: SessionEvent) {
  if (session === undefined) throw new Error('An event without its checkout session');
  return {
    checkoutSessionId: session.id,
    customerId: session.customerId,
    status: toJsonSessionStatus(session.status),
    // The subscription, if any, has events of its own.
    session: toJsonSession(session, { invoice, subscription: undefined }),
    invoice: invoice === undefined ? null : toJsonInvoice(invoice),
  };
}

function toJsonInvoiceEvent(event: InvoiceEvent) {
  const { invoice, charging, payment, attempt, initiator, collection, nextAttemptAt } = event;
  if (invoice === undefined) throw new Error('An event without its invoice');
  const isFailure = attempt !== undefined;
  return {
    invoiceId: invoice.id,
    customerId: invoice.customerId,
    status: invoiceStatuses.nameOf(invoice.status),
    invoice: toJsonInvoice(invoice),
    subscriptionId: invoice.subscriptionId ?? null,
    charging,
    payment: payment === undefined ? undefined : toJsonPayment(payment),
    attempt,
    failureCode: isFailure ? payment?.failureCode : undefined,
    initiator: chargeInitiators.knownName(initiator),
    collection: collectionProgress.knownName(collection),
    nextAttemptAt: nextAttemptAt?.toISOString(),
    reminder: event.reminder,
  };
}

function toJsonNoteEvent({ creditNote, invoice }: CreditEvent) {
  if (creditNote === undefined) throw new Error('An event without its credit note');
  const shown = toJsonCreditNote(creditNote);
  const { id: creditNoteId, customerId, status } = shown;
  return { creditNoteId, customerId, status, creditNote: shown, ...ofInvoice(invoice) };
}

function toJsonRefundEvent({ refund, creditNote, invoice, changes }: CreditEvent) {
  if (refund === undefined) throw new Error('An event without its refund');
  return {
    refundId: refund.id,
    customerId: refund.customerId,
    status: refundStatuses.nameOf(refund.status),
    refund: toJsonRefund(refund),
    ...ofInvoice(invoice),
    creditNote: creditNote === undefined ? null : toJsonCreditNote(creditNote),
    ...changed(changes),
  };
}

function toJsonDisputeEvent({ dispute, invoice }: CreditEvent) {
  if (dispute === undefined) throw new Error('An event without its dispute');
  return {
    disputeId: dispute.id,
    customerId: dispute.customerId,
    status: disputeStatuses.nameOf(dispute.status),
    dispute: toJsonDispute(dispute),
    ...ofInvoice(invoice),
  };
}

function ofInvoice(invoice: CreditEvent['invoice']) {
  if (invoice === undefined) throw new Error('An event without its invoice');
  return { invoiceId: invoice.id, invoice: toJsonInvoice(invoice) };
}
