import type Stripe from 'stripe';
import { isCurrency } from '@billing/kernel/currency';
import type { ProviderCharge, ProviderCharges } from '../port/provider-charge';
import { fromStripeAmount } from './amount';
import { type StripeClient, toProviderError } from './client';
import { idOf } from './methods';
import { stateOf } from './outcome';
import type { StripeStore } from './store';

const perPage = 100;

type PaymentIntent = Stripe.PaymentIntent;

/**
 * The charges of an account at Stripe that carry the metadata of this installation's charges. A
 * PaymentIntent for which no money was requested is none, so another one may take its place.
 */
export class StripeCharges implements ProviderCharges {
  constructor(
    private readonly stripe: StripeClient,
    private readonly storeOf: (environmentId: string) => Pick<StripeStore, 'claimPayment'>,
  ) {}

  async *listSince(since: Date): AsyncGenerator<ProviderCharge> {
    const created = { gte: Math.floor(since.getTime() / 1_000) };
    try {
      for await (const intent of this.stripe.paymentIntents.list({ created, limit: perPage })) {
        const charge = toCharge(intent);
        if (charge === undefined) continue;
        yield { ...charge, adopt: () => this.adopt(intent, charge) };
      }
    } catch (error) {
      throw toProviderError(error);
    }
  }

  async *refundedSince(since: Date): AsyncGenerator<string> {
    const created = { gte: Math.floor(since.getTime() / 1_000) };
    try {
      for await (const refund of this.stripe.refunds.list({ created, limit: perPage })) {
        const id = idOf(refund.payment_intent);
        if (id !== undefined) yield id;
      }
    } catch (error) {
      throw toProviderError(error);
    }
  }

  // A capture may have taken less than was authorized.
  private async adopt(
    intent: PaymentIntent,
    { environmentId, key, isSuccessful }: Listed,
  ): Promise<boolean> {
    const { id: paymentIntentId, currency } = intent;
    const amount = isSuccessful ? intent.amount_received : intent.amount;
    const payment = { kind: 'INTENT', paymentIntentId, amount, currency } as const;
    const recorded = await this.storeOf(environmentId).claimPayment(key, payment);
    return recorded?.kind === 'INTENT' && recorded.paymentIntentId === paymentIntentId;
  }
}

type Listed = Omit<ProviderCharge, 'adopt'>;

function toCharge(intent: PaymentIntent): Listed | undefined {
  const { billing_environment_id: environmentId, billing_invoice_id: invoiceId } = intent.metadata;
  const { billing_key: key } = intent.metadata;
  const currency = intent.currency.toUpperCase();
  if (environmentId === undefined || invoiceId === undefined || key === undefined) return undefined;
  if (!isCurrency(currency)) return undefined;
  const { kind } = stateOf(intent, intent);
  if (kind === 'PREPARED') return undefined;
  const isSuccessful = intent.status === 'succeeded';
  return {
    ...{ provider: 'stripe', providerPaymentId: intent.id, environmentId, invoiceId, key },
    amount: fromStripeAmount(isSuccessful ? intent.amount_received : intent.amount, currency),
    ...{ currency, isSuccessful, metadata: { ...intent.metadata } },
    createdAt: new Date(intent.created * 1_000),
  };
}
