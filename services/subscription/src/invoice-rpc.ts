import { invalidInput } from '@billing/kernel/domain-error';
import {
  BillingReason as ProtoBillingReason,
  type CreateInvoiceRequest,
  type LineItem as ProtoLineItem,
} from '@billing/proto/billing/checkout/v1/checkout';
import { CollectionMethod as ProtoCollectionMethod } from '@billing/proto/billing/customer/v1/customer';
import {
  type ApplyCollectionResultRequest,
  CollectionOutcome as ProtoOutcome,
} from '@billing/proto/billing/subscription/v1/subscription';
import { type BillingReason, type BillPeriod, type PeriodLine, periodLine } from './billing';
import type { CollectionOutcome, CollectionResult } from './collection';
import type { CollectionMethod, Subscription } from './subscription';

const protoCollectionMethods: Readonly<Record<CollectionMethod, ProtoCollectionMethod>> = {
  CHARGE_AUTOMATICALLY: ProtoCollectionMethod.COLLECTION_METHOD_CHARGE_AUTOMATICALLY,
  SEND_INVOICE: ProtoCollectionMethod.COLLECTION_METHOD_SEND_INVOICE,
};

const protoBillingReasons: Readonly<Record<BillingReason, ProtoBillingReason>> = {
  SUBSCRIPTION_CREATE: ProtoBillingReason.BILLING_REASON_SUBSCRIPTION_CREATE,
  SUBSCRIPTION_CYCLE: ProtoBillingReason.BILLING_REASON_SUBSCRIPTION_CYCLE,
};

const protoOutcomes: Readonly<Record<CollectionOutcome, ProtoOutcome>> = {
  SUCCEEDED: ProtoOutcome.COLLECTION_OUTCOME_SUCCEEDED,
  FAILED: ProtoOutcome.COLLECTION_OUTCOME_FAILED,
  NOTHING_DUE: ProtoOutcome.COLLECTION_OUTCOME_NOTHING_DUE,
};

/** Asks for the invoice of a period. */
export function toProtoNewInvoice(
  subscription: Subscription,
  { periodIndex, invoiceId, reason, authorizedTransactionId }: BillPeriod['payload'],
): CreateInvoiceRequest {
  const line = periodLine(subscription, periodIndex);
  return {
    invoiceId,
    subscriptionId: subscription.id,
    customerId: subscription.customer.id,
    billingReason: protoBillingReasons[reason],
    collectionMethod: protoCollectionMethods[subscription.collectionMethod],
    currency: subscription.price.currency,
    periodStart: line.period.start,
    periodEnd: line.period.end,
    lineItems: [toProtoLineItem(line)],
    authorizedTransactionId: authorizedTransactionId ?? undefined,
    discount: undefined,
  };
}

/** How a customer's invoices are collected. Unspecified stands for the default. */
export function fromProtoCollectionMethod(method: ProtoCollectionMethod): CollectionMethod {
  return method === ProtoCollectionMethod.COLLECTION_METHOD_SEND_INVOICE
    ? 'SEND_INVOICE'
    : 'CHARGE_AUTOMATICALLY';
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
    },
    metadata: {},
  };
}
