import { canceled } from '../subscription/announcement';
import type {
  BillEnd,
  BillingCommand,
  EndCollection,
  ReleaseRedemption,
} from '../subscription/command';
import { owedInvoices } from '../subscription/open-invoices';
import { withPutOffOn } from '../subscription/put-off';
import { isInvoiceOverLimit } from '../over-limit/over-limit-bill';
import type { CancelReason, OpenInvoice, Subscription } from '../subscription/subscription';
import type { SubscriptionTransition } from '../subscription/transition';
import { isOwedAtCycleEnd } from '../usage/cycle-end-bill';
import { cancelWaiting } from './applied-change';
import { recordChanges } from './apply-change';

// One call per invoice. This number of calls fits into the time of one command, and a retry starts
// with the first of them.
const invoicesPerCommandMax = 50;

/**
 * The subscription from its end on. At the instant of its start an end comes first, unless the
 * start has been stored.
 */
export function ended(subscription: Subscription, endedAt: Date): Subscription {
  const endedBeforeStart = subscription.phase === 'SCHEDULED';
  const current = cancelWaiting(subscription, { now: endedAt, replacedBy: null });
  const { periodIndex } = current;
  // The bill of the end follows that of the last period.
  const billed = periodIndex === null ? current : withPutOffOn(current, periodIndex + 1);
  return { ...billed, status: 'CANCELED', phase: 'ENDED', endedAt, endedBeforeStart };
}

/** Ends the subscription at this instant. */
export function endImmediately(
  subscription: Subscription,
  { now, cancelReason }: { readonly now: Date; readonly cancelReason: CancelReason },
): Subscription {
  return {
    ...ended(subscription, now),
    cancelAtPeriodEnd: false,
    canceledAt: now,
    cancelReason,
  };
}

/**
 * Ends a subscription before its start. No period has begun: nothing is billed, and its redemption
 * is released.
 */
export function endBeforeStart(subscription: Subscription, now: Date): SubscriptionTransition {
  const state = endImmediately(subscription, { now, cancelReason: 'REQUESTED' });
  const commands = [...releaseRedemption(state), ...recordChanges(state)];
  return { state, events: [canceled(state)], commands };
}

/** Releases the redemption of a subscription that never started. */
export function releaseRedemption({ discount }: Subscription): ReleaseRedemption[] {
  if (discount === null) return [];
  const { id: discountId, holderId } = discount;
  const payload = { discountId, ...(holderId !== null && { holderId }) };
  return [{ type: 'releaseRedemption', payload }];
}

/**
 * The owed invoices except those whose bills are still owed, such as bills over the limit: their
 * invoices are created later.
 */
export function createdInvoices(subscription: Subscription): OpenInvoice[] {
  return owedInvoices(subscription).filter(
    (invoice) =>
      !isInvoiceOverLimit(subscription, invoice) &&
      !isOwedAtCycleEnd(subscription, invoice.invoiceId),
  );
}

/** Orders after an end: no more retries, the bill of what is left, the records of changes. */
export function endBilling(
  state: Subscription,
  options: Parameters<typeof endCollection>[1],
): BillingCommand[] {
  return [
    ...endCollection(createdInvoices(state), options),
    ...billEnd(state),
    ...recordChanges(state),
  ];
}

/** Ends the retries of invoices. */
export function endCollection(
  invoices: readonly OpenInvoice[],
  { writeOff }: { readonly writeOff: boolean },
): EndCollection[] {
  const commandsCount = Math.ceil(invoices.length / invoicesPerCommandMax);
  return Array.from({ length: commandsCount }, (_, index) => {
    const start = index * invoicesPerCommandMax;
    const some = invoices.slice(start, start + invoicesPerCommandMax);
    const invoiceIds = some.map(({ invoiceId }) => invoiceId);
    return { type: 'endCollection', payload: { invoiceIds, writeOff } };
  });
}

/**
 * Orders the bill of an ended subscription's usage; before its first billed period there is no
 * usage to bill.
 */
export function billEnd({ periodIndex }: Subscription): BillEnd[] {
  return periodIndex === null ? [] : [{ type: 'billEnd', payload: {} }];
}
