import Stripe from 'stripe';
import { isId } from '@billing/chassis/ids';
import { isCurrency } from '@billing/kernel/currency';
import { DomainError } from '@billing/kernel/domain-error';
import {
  type AnnouncedPayment,
  type ProviderEvents,
  type ProviderReport,
  type RefundNotice,
  providerNotFound,
  type ReceivedProviderEvent,
} from '../port/provider-events';
import { fromStripeAmount } from './amount';

const provider = 'stripe';

// Events that may change the state of one of our payments. All others are acknowledged and ignored.
const kinds: ReadonlySet<string> = new Set([
  'payment_intent.amount_capturable_updated',
  'payment_intent.canceled',
  'payment_intent.payment_failed',
  'payment_intent.requires_action',
  'payment_intent.succeeded',
]);

/** Reads Stripe's events: verified by signature, and ours if the payment carries our ids. */
export class StripeEvents implements ProviderEvents {
  constructor(private readonly webhookSecret: string) {}

  read(received: ReceivedProviderEvent): Promise<AnnouncedPayment | undefined> {
    return Promise.resolve().then(() => {
      if (received.provider !== provider) throw providerNotFound();
      const event = this.verify(received);
      const payment = kinds.has(event.type) ? paymentOf(event.data.object) : undefined;
      if (payment === undefined || event.type !== 'payment_intent.succeeded') return payment;
      return { ...payment, succeeded: event.data.object.id };
    });
  }

  readReport(received: ReceivedProviderEvent): Promise<ProviderReport | RefundNotice | undefined> {
    return Promise.resolve().then(() => {
      if (received.provider !== provider) throw providerNotFound();
      const event = this.verify(received);
      return event.type.startsWith(refunds) ? noticeOf(event) : reportOf(event);
    });
  }

  private verify({ body, signature }: ReceivedProviderEvent): Stripe.Event {
    try {
      return Stripe.webhooks.constructEvent(Buffer.from(body), signature, this.webhookSecret);
    } catch (error) {
      if (!(error instanceof Stripe.errors.StripeSignatureVerificationError)) throw error;
      // Without its cause, which contains the whole body.
      throw new DomainError('permission', 'BAD_SIGNATURE', 'Invalid signature');
    }
  }
}

const refunds = 'refund.';
const disputes = 'charge.dispute.';

// Their charge has events of its own, which report the total.
function noticeOf({ data }: Stripe.Event): RefundNotice | undefined {
  const providerPaymentId = paymentIntentOf(data.object as Stripe.Refund);
  return providerPaymentId === undefined
    ? undefined
    : { kind: 'REFUND_CHANGED', providerPaymentId };
}

// A refund is read from its charge, which has the total refunded amount.
function reportOf({ id, type, data }: Stripe.Event): ProviderReport | undefined {
  const isDispute = type.startsWith(disputes);
  if (!isDispute && type !== 'charge.refunded') return undefined;
  const object = data.object as Stripe.Charge | Stripe.Dispute;
  const providerPaymentId = paymentIntentOf(object);
  if (providerPaymentId === undefined) return undefined;
  const amount = object.object === 'charge' ? object.amount_refunded : object.amount;
  const { status } = object;
  const currency = object.currency.toUpperCase();
  return {
    id: `${provider}:${id}`,
    kind: isDispute ? 'DISPUTE' : 'REFUND',
    providerPaymentId,
    // One in a currency that is not ours is of no payment of ours.
    amount: isCurrency(currency) ? fromStripeAmount(amount, currency) : BigInt(amount),
    currency,
    status: isDispute ? status : 'refunded',
    ...(object.object === 'dispute' && { providerDisputeId: object.id }),
  };
}

function paymentIntentOf({
  payment_intent: intent,
}: Pick<Stripe.Refund, 'payment_intent'>): string | undefined {
  return typeof intent === 'string' ? intent : intent?.id;
}

// The account may have other uses.
function paymentOf(object: unknown): AnnouncedPayment | undefined {
  const { metadata } = object as { readonly metadata?: Readonly<Record<string, string>> | null };
  const organizationId = metadata?.billing_organization_id;
  const environmentId = metadata?.billing_environment_id;
  const invoiceId = metadata?.billing_invoice_id;
  if (organizationId === undefined || environmentId === undefined || invoiceId === undefined) {
    return undefined;
  }
  if (![organizationId, environmentId, invoiceId].every(isId)) return undefined;
  // Only live environments are charged here, and those have no manual clock.
  const tenant = { organizationId, environmentId, live: true, manualClock: false };
  return { tenant, invoiceId };
}
