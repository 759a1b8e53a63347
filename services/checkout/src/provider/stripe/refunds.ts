import type Stripe from 'stripe';
import { type Currency, isCurrency } from '@billing/kernel/currency';
import {
  type ProviderDispute,
  type ProviderRefund,
  refundDeclined,
  type RefundOutcome,
  type RefundRequest,
} from '../port/refund';
import { fromStripeAmount, toStripeAmount } from './amount';
import { isRefusal, unlessMissing } from './client';
import { idOf, type StripeDependencies } from './methods';

/**
 * Refunds payments at Stripe and reads disputes. A refund has our key in its metadata. It is looked
 * up by that key first, because Stripe stores idempotency keys for a day only; concurrent calls
 * with one key are one refund by Stripe's own key.
 */
export class StripeRefundClient {
  constructor(private readonly dependencies: StripeDependencies) {}

  async refund(
    paymentIntentId: string,
    { key, amount, currency }: RefundRequest,
  ): Promise<RefundOutcome> {
    const found = await this.find(paymentIntentId, key);
    if (found !== undefined) return found;
    const sent = toStripeAmount(amount, currency);
    if (sent === undefined) return refused('amount_not_supported');
    const { stripe, tenant } = this.dependencies;
    const params = {
      payment_intent: paymentIntentId,
      amount: sent,
      metadata: { billing_key: key },
    };
    try {
      // Never without the key, since a second partial refund would return money twice.
      const idempotencyKey = `${tenant.environmentId}:${key}:refund`;
      return outcomeOf(await stripe.refunds.create(params, { idempotencyKey }));
    } catch (error) {
      if (!isRefusal(error)) throw error;
      return refused(error.code ?? refundDeclined);
    }
  }

  async find(paymentIntentId: string, key: string): Promise<RefundOutcome | undefined> {
    const refunds = await this.listAll(paymentIntentId);
    const found = refunds.find(({ metadata }) => metadata?.billing_key === key);
    return found && outcomeOf(found);
  }

  async list(paymentIntentId: string): Promise<ProviderRefund[]> {
    return (await this.listAll(paymentIntentId)).map((refund) => ({
      key: refund.metadata?.billing_key,
      providerRefundId: refund.id,
      amount: fromStripeAmount(refund.amount, readCurrency(refund.currency)),
      outcome: outcomeOf(refund),
    }));
  }

  async findDispute(providerDisputeId: string): Promise<ProviderDispute | undefined> {
    const { stripe } = this.dependencies;
    const dispute = await unlessMissing(stripe.disputes.retrieve(providerDisputeId));
    const providerPaymentId = idOf(dispute?.payment_intent ?? null);
    if (dispute === undefined || providerPaymentId === undefined) return undefined;
    const dueBy = dispute.evidence_details.due_by;
    return {
      providerDisputeId,
      providerPaymentId,
      amount: fromStripeAmount(dispute.amount, readCurrency(dispute.currency)),
      reason: dispute.reason,
      status: disputeStatusOf(dispute.status),
      evidenceDueBy: dueBy === null ? undefined : new Date(dueBy * 1000),
    };
  }

  private async listAll(paymentIntentId: string): Promise<Stripe.Refund[]> {
    const { stripe } = this.dependencies;
    const refunds: Stripe.Refund[] = [];
    const params = { payment_intent: paymentIntentId, limit: pageSize };
    for await (const refund of stripe.refunds.list(params)) refunds.push(refund);
    return refunds;
  }
}

const pageSize = 100;

/** Reads the state of a refund. */
function outcomeOf({
  id: providerRefundId,
  status,
  failure_reason: reason,
}: Pick<Stripe.Refund, 'id' | 'status' | 'failure_reason'>): RefundOutcome {
  switch (status) {
    case 'succeeded':
      return { status: 'SUCCEEDED', providerRefundId };
    case 'failed':
    case 'canceled':
      return { status: 'FAILED', failureCode: reason ?? refundDeclined, providerRefundId };
    default:
      return { status: 'PENDING', providerRefundId };
  }
}

/** A dispute without an effect on the money, such as an inquiry that was closed, counts as won. */
function disputeStatusOf(status: Stripe.Dispute.Status): ProviderDispute['status'] {
  switch (status) {
    case 'lost':
      return 'LOST';
    case 'won':
    case 'warning_closed':
    case 'prevented':
      return 'WON';
    default:
      return 'OPEN';
  }
}

function refused(failureCode: string): RefundOutcome {
  return { status: 'FAILED', failureCode, providerRefundId: undefined };
}

function readCurrency(text: string): Currency {
  const currency = text.toUpperCase();
  if (!isCurrency(currency)) throw new Error(`A payment is in an unknown currency: ${currency}`);
  return currency;
}
