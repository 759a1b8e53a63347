import { recurringTotal } from './recurring-charge';
import { firstBilledPeriod, type Subscription } from './subscription';

/** True while the customer may use the product. */
export function isEntitled(
  subscription: Subscription,
  creation: { readonly createdAt: Date },
): boolean {
  const { status, phase } = subscription;
  if (status === 'CANCELED' || phase === 'SCHEDULED' || phase === 'PAUSED') return false;
  return !awaitsFirstPayment(subscription, creation);
}

/**
 * True while the first invoice still has to be paid. A trial and an invoice that is sent grant
 * access without payment. An invoice with nothing due is PAID as soon as it is created.
 */
function awaitsFirstPayment(
  subscription: Subscription,
  creation: { readonly createdAt: Date },
): boolean {
  const { collectionMethod, trialEnd, openInvoices } = subscription;
  if (collectionMethod === 'SEND_INVOICE' || trialEnd !== null) return false;
  const first = firstBilledPeriod(subscription, creation);
  const isOpen = openInvoices.some(
    ({ periodIndex, isOfChange = false, isOfCycleEnd = false }) =>
      periodIndex === first && !isOfChange && !isOfCycleEnd,
  );
  return isOpen && recurringTotal(subscription, first) > 0n;
}
