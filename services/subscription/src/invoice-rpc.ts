import { invalidInput } from '@billing/kernel/domain-error';
import {
  BillingReason as ProtoBillingReason,
  type CreateInvoiceRequest,
  type LineItem as ProtoLineItem,
} from '@billing/proto/billing/checkout/v1/checkout';
import {
  type ApplyCollectionResultRequest,
  CollectionOutcome as ProtoOutcome,
} from '@billing/proto/billing/subscription/v1/subscription';
import { type BillingReason, type BillPeriod, type PeriodLine, periodLine } from './billing';
import type { CollectionOutcome, CollectionResult } from './collection';
import { toProtoCollectionMethod } from './customer-rpc';
import { toProtoDiscountTerms } from './discount-rpc';
import type { Subscription } from './subscription';

const protoBillingReasons: Readonly<Record<BillingReason, ProtoBillingReason>> = {
  SUBSCRIPTION_CREATE: ProtoBillingReason.BILLING_REASON_SUBSCRIPTION_CREATE,
  SUBSCRIPTION_CYCLE: ProtoBillingReason.BILLING_REASON_SUBSCRIPTION_CYCLE,
};

const protoOutcomes: Readonly<Record<CollectionOutcome, ProtoOutcome>> = {
  SUCCEEDED: ProtoOutcome.COLLECTION_OUTCOME_SUCCEEDED,
  FAILED: ProtoOutcome.COLLECTION_OUTCOME_FAILED,
  NOTHING_DUE: ProtoOutcome.COLLECTION_OUTCOME_NOTHING_DUE,
  UNCOLLECTIBLE: ProtoOutcome.COLLECTION_OUTCOME_UNCOLLECTIBLE,
  OVERDUE: ProtoOutcome.COLLECTION_OUTCOME_OVERDUE,
  VOIDED: ProtoOutcome.COLLECTION_OUTCOME_VOIDED,
};

/** Asks for the invoice of a period. */
export function toProtoNewInvoice(
  subscription: Subscription,
  { periodIndex, invoiceId, reason, authorizedTransactionId, isDiscounted }: BillPeriod['payload'],
): CreateInvoiceRequest {
  const { discount } = subscription;
  const line = periodLine(subscription, periodIndex);
  return {
    invoiceId,
    subscriptionId: subscription.id,
    customerId: subscription.customer.id,
    billingReason: protoBillingReasons[reason],
    collectionMethod: toProtoCollectionMethod(subscription.collectionMethod),
    currency: subscription.price.currency,
    periodStart: line.period.start,
    periodEnd: line.period.end,
    lineItems: [toProtoLineItem(line)],
    authorizedTransactionId: authorizedTransactionId ?? undefined,
    discount: isDiscounted && discount !== null ? toProtoDiscountTerms(discount) : undefined,
  };
}

/** What came of an attempt, as checkout tells it. */
export function fromProtoCollectionResult(request: ApplyCollectionResultRequest): CollectionResult {
  const { invoice, resultNumber, attempt, nextAttemptAt } = request;
  const outcome = (Object.keys(protoOutcomes) as CollectionOutcome[]).find(
    (name) => protoOutcomes[name] === request.outcome,
  );
  if (invoice === undefined) throw invalidInput({ invoice: ['Required'] });
  if (outcome === undefined) throw invalidInput({ outcome: ['Required'] });
  return {
    invoiceId: invoice.id,
    resultNumber,
    outcome,
    payment: { invoice, attempt, nextAttemptAt: nextAttemptAt ?? null },
  };
}

/** Checkout gives lines their ids and discounts. */
function toProtoLineItem(line: PeriodLine): ProtoLineItem {
  const { description, priceId, quantity, unitAmount, amount, details, period } = line;
  return {
    id: '',
    invoiceId: '',
    description,
    quantity,
    unitAmount,
    amount,
    discountAmount: 0n,
    priceId,
    periodStart: period.start,
    periodEnd: period.end,
    details: {
      ...details,
      tiers: details.tiers.map((tier) => ({ ...tier, upTo: tier.upTo ?? undefined })),
      creditsUsed: [],
    },
    metadata: {},
  };
}
