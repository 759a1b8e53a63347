import type { BillingPeriod } from '@billing/kernel/billing-period';
import { invalidInput } from '@billing/kernel/domain-error';
import type {
  CreateInvoiceRequest,
  LineItem as ProtoLineItem,
} from '@billing/proto/billing/checkout/v1/checkout';
import type { ApplyCollectionResultRequest } from '@billing/proto/billing/subscription/v1/subscription';
import { billingReasons } from '@billing/proto/values/checkout';
import { collectionMethods } from '@billing/proto/values/customer';
import { collectionOutcomes } from '@billing/proto/values/subscription';
import type { CollectionResult } from './collection';
import type { BillPeriod } from './command';
import { fromProtoCollectionMethod } from './customer-rpc';
import { toProtoDiscountTerms } from './discount-rpc';
import type { PeriodLine } from './recurring-charge';
import type { Subscription } from './subscription';
import type { UsageLine } from './usage-line';

/** The content of a new invoice. */
export interface NewInvoice extends Pick<
  BillPeriod['payload'],
  'invoiceId' | 'reason' | 'authorizedTransactionId' | 'isDiscounted'
> {
  readonly period: BillingPeriod;
  /** Undefined: the invoice bills usage alone. */
  readonly recurring: PeriodLine | undefined;
  readonly usage: readonly UsageLine[];
}

/** Builds the request for an invoice. */
export function toProtoNewInvoice(
  subscription: Subscription,
  { invoiceId, reason, authorizedTransactionId, isDiscounted, period, ...lines }: NewInvoice,
): CreateInvoiceRequest {
  const { discount } = subscription;
  const { recurring, usage } = lines;
  return {
    invoiceId,
    subscriptionId: subscription.id,
    customerId: subscription.customer.id,
    billingReason: billingReasons.valueOf(reason),
    collectionMethod: collectionMethods.valueOf(subscription.collectionMethod),
    currency: subscription.price.currency,
    periodStart: period.start,
    periodEnd: period.end,
    lineItems: [...(recurring === undefined ? [] : [recurring]), ...usage].map(toProtoLineItem),
    authorizedTransactionId: authorizedTransactionId ?? undefined,
    discount: isDiscounted && discount !== null ? toProtoDiscountTerms(discount) : undefined,
  };
}

/** Maps the outcome of a payment attempt reported by checkout. */
export function fromProtoCollectionResult(request: ApplyCollectionResultRequest): CollectionResult {
  const { invoice, resultNumber, attempt, nextAttemptAt } = request;
  const outcome = collectionOutcomes.knownName(request.outcome);
  if (invoice === undefined) throw invalidInput({ invoice: ['Required'] });
  if (outcome === undefined) throw invalidInput({ outcome: ['Required'] });
  return {
    invoiceId: invoice.id,
    resultNumber,
    outcome,
    collectionMethod: fromProtoCollectionMethod(invoice.collectionMethod),
    payment: { invoice, attempt, nextAttemptAt: nextAttemptAt ?? null },
  };
}

/** Checkout assigns ids and discounts to the lines. */
function toProtoLineItem(line: PeriodLine | UsageLine): ProtoLineItem {
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
    meterId: 'meterId' in line ? line.meterId : undefined,
    periodStart: period.start,
    periodEnd: period.end,
    details: {
      ...details,
      tiers: details.tiers.map((tier) => ({ ...tier, upTo: tier.upTo ?? undefined })),
      creditsUsed: 'creditsUsed' in details ? [...details.creditsUsed] : [],
    },
    metadata: {},
  };
}
