import { orderedInvoiceOf, periodOf } from '../subscription/billing-cycle';
import type { BillPeriod } from '../subscription/command';
import { coversPeriod, runningDiscount } from '../subscription/discount';
import { endedWithin, firstBilledPeriod, type Subscription } from '../subscription/subscription';
import type { SubscriptionChange } from '../subscription/subscription-change';
import type { InvoiceIdOf } from '../subscription/transition';
import { isBilled } from '../subscription/usage-billing';

/** Facts of a subscription that its state does not have. */
interface BillFacts {
  readonly createdAt: Date;
  readonly invoiceIdOf: InvoiceIdOf;
}

/**
 * Orders of the period invoices that the subscription knows to exist, the newest first. Left out
 * are periods that are not billed yet, whose order is still in the outbox; the one in which the
 * subscription was canceled; and those whose invoice a change or a checkout session has created.
 */
export function madePeriodBills(
  subscription: Subscription,
  facts: BillFacts,
): BillPeriod['payload'][] {
  const { periodIndex } = subscription;
  if (periodIndex === null) return [];
  const first = firstBilledPeriod(subscription, facts);
  const indexes = Array.from({ length: periodIndex - first + 1 }, (_, n) => periodIndex - n);
  return indexes
    .filter((index) => isBilled(subscription, index) && !endedWithin(subscription, index))
    .filter((index) => orderedInvoiceOf(subscription, index) === null)
    .filter((index) => index > 0 || !isOfSession(subscription))
    .map((index) => orderOf(subscription, index, facts));
}

/** True if a checkout session has sold the subscription and its period 0; it pays no trial. */
function isOfSession({ id, fingerprint, trialEnd }: Subscription): boolean {
  return fingerprint === id && trialEnd === null;
}

function orderOf(
  subscription: Subscription,
  periodIndex: number,
  facts: BillFacts,
): BillPeriod['payload'] {
  const { trialEnd, startAt, authorizedTransactionId } = subscription;
  const isFirst = periodIndex === firstBilledPeriod(subscription, facts);
  const isOfCreation = isFirst && trialEnd === null && startAt <= facts.createdAt;
  return {
    periodIndex,
    invoiceId: facts.invoiceIdOf(periodIndex),
    reason: isOfCreation ? 'SUBSCRIPTION_CREATE' : 'SUBSCRIPTION_CYCLE',
    authorizedTransactionId: isOfCreation ? authorizedTransactionId : null,
    isDiscounted: isDiscountedIn(subscription, periodIndex),
  };
}

function isDiscountedIn(subscription: Subscription, periodIndex: number): boolean {
  const discount = runningDiscount({ ...subscription, periodIndex });
  if (discount === null || discount.firstPeriodStart === null) return false;
  return coversPeriod(discount, subscription, periodIndex);
}

/**
 * The subscription as it was when it entered a period: with the items that it had before the first
 * change that has taken effect later.
 */
export function atEntryOf(
  subscription: Subscription,
  periodIndex: number,
  changes: readonly SubscriptionChange[],
): Subscription {
  const { start } = periodOf(subscription, periodIndex);
  const [next] = changes
    .filter(({ status, effectiveAt }) => status === 'APPLIED' && effectiveAt > start)
    .toSorted((a, b) => a.effectiveAt.getTime() - b.effectiveAt.getTime());
  return next === undefined ? subscription : { ...subscription, items: next.from.items };
}
