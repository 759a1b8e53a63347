import { canceled, type SubscriptionTransition } from './announcement';
import type { EndCollection, ReleaseRedemption } from './billing';
import { isInvoiceHeld } from './held-bill';
import type { CancelReason, OpenInvoice, Subscription } from './subscription';

// One call per invoice. This many calls fit into the time of one command, and a retry starts with the first of them.
const invoicesPerCommandMax = 50;

/** The subscription as it stands from its end on. At the instant of its start an end comes first, unless the start has been stored. */
export function ended(subscription: Subscription, endedAt: Date): Subscription {
  const endedBeforeStart = subscription.phase === 'SCHEDULED';
  return { ...subscription, status: 'CANCELED', phase: 'ENDED', endedAt, endedBeforeStart };
}

/** The subscription as it stands once it has ended at this instant. */
export function endAtOnce(
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

/** Ends a subscription before its start. No period has begun: nothing is billed, and its redemption is freed. */
export function endBeforeStart(subscription: Subscription, now: Date): SubscriptionTransition {
  const state = endAtOnce(subscription, { now, cancelReason: 'REQUESTED' });
  return { state, events: [canceled(state)], commands: releaseRedemption(state) };
}

/** Frees the redemption of a subscription that never started. */
export function releaseRedemption({ discount }: Subscription): ReleaseRedemption[] {
  if (discount === null) return [];
  return [{ type: 'releaseRedemption', payload: { discountId: discount.id } }];
}

/** The open invoices without those whose bills are held: a held bill is still owed, and is made later. */
export function madeInvoices(subscription: Subscription): OpenInvoice[] {
  return subscription.openInvoices.filter((invoice) => !isInvoiceHeld(subscription, invoice));
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
