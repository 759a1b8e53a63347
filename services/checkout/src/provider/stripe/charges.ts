import type Stripe from 'stripe';
import { isCurrency } from '@billing/kernel/currency';
import type { ListedDispute, ProviderCharge, ProviderCharges } from '../port/provider-charge';
import { fromStripeAmount } from './amount';
import { type StripeClient, toProviderError } from './client';
import { idOf } from './methods';
import { stateOf } from './outcome';
import type { StripeStore } from './store';

const perPage = 100;
// Banks return a refund within some weeks.
const returnedWithinDays = 60;
const dayMs = 24 * 3_600_000;

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

  listSince(since: Date): AsyncGenerator<ProviderCharge> {
    return this.listed(since, async function* (created) {
      for await (const intent of this.stripe.paymentIntents.list({ created, limit: perPage })) {
        const charge = toCharge(intent);
        if (charge === undefined) continue;
        yield { ...charge, adopt: () => this.adopt(intent, charge) };
      }
    });
  }

  refundedSince(since: Date): AsyncGenerator<string> {
    const earliest = new Date(since.getTime() - returnedWithinDays * dayMs);
    return this.listed(earliest, async function* (created) {
      for await (const refund of this.stripe.refunds.list({ created, limit: perPage })) {
        const id = idOf(refund.payment_intent);
        const isNew = refund.created >= secondsOf(since);
        if (id !== undefined && (isNew || refund.status === 'failed')) yield id;
      }
    });
  }

  disputedSince(since: Date): AsyncGenerator<ListedDispute> {
    return this.listed(since, async function* (created) {
      for await (const dispute of this.stripe.disputes.list({ created, limit: perPage })) {
        const providerPaymentId = idOf(dispute.payment_intent);
        if (providerPaymentId !== undefined) {
          yield { providerDisputeId: dispute.id, providerPaymentId };
        }
      }
    });
  }

  async isReturned(providerPaymentId: string): Promise<boolean> {
    try {
      const expand = ['latest_charge'];
      const intent = await this.stripe.paymentIntents.retrieve(providerPaymentId, { expand });
      const charge = intent.latest_charge;
      if (charge === null || typeof charge === 'string') return false;
      return charge.amount_refunded >= intent.amount_received;
    } catch (error) {
      throw toProviderError(error);
    }
  }

  private async *listed<T>(
    since: Date,
    list: (this: StripeCharges, created: { readonly gte: number }) => AsyncGenerator<T>,
  ): AsyncGenerator<T> {
    try {
      yield* list.call(this, { gte: secondsOf(since) });
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

function secondsOf(time: Date): number {
  return Math.floor(time.getTime() / 1_000);
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
