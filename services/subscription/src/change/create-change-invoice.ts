import type { CallContext } from '@billing/chassis/call-context';
import { InvoiceStatus } from '@billing/proto/billing/checkout/v1/checkout';
import { applyUnchargedChange } from '../lifecycle/apply-change';
import { decideAfterDueSteps } from '../lifecycle/renewals';
import { type InvoiceClient, toProtoChangeInvoice, voidInvoice } from '../peer/checkout';
import type { Peers } from '../peer/peers';
import { recordInvoice } from '../subscription/open-invoices';
import type { Subscription } from '../subscription/subscription';
import { unchanged } from '@billing/kernel/transition';
import type { Changes } from './change-store';
import type { Subscriptions } from '../subscription-store';

export interface ChangeCommandDependencies {
  readonly subscriptions: Subscriptions;
  readonly changes: Changes;
  readonly invoices: InvoiceClient;
  readonly peers: Peers;
}

/** Creates the invoice of a change, under its derived id. */
export async function invoiceChange(
  { id, changeId }: { readonly id: string; readonly changeId: string },
  context: CallContext,
  { subscriptions, changes, invoices }: ChangeCommandDependencies,
): Promise<void> {
  const { state } = await subscriptions.getRecent(id, context);
  const change = await changes.get(state, changeId, context);
  if (change.invoice === null) throw new Error(`Change ${changeId} has no invoice`);
  // A change that has failed was decided by a result of its invoice.
  if (change.status === 'FAILED') return;
  const { invoiceId, periodIndex } = change.invoice;
  const request = toProtoChangeInvoice(state, change.invoice);
  const { invoice, collecting } = await invoices.create(request, context);
  if (invoice?.status === InvoiceStatus.INVOICE_STATUS_VOID) return;
  if (change.status === 'APPLIED') {
    await subscriptions.record(id, context, (current) =>
      recordChangeInvoice(current, { invoiceId, periodIndex, isCollecting: collecting }),
    );
    return;
  }
  if (collecting) return;
  // Nothing collects it: no payment provider is configured.
  await subscriptions.change(id, context, (current, decision) =>
    decideAfterDueSteps(current, decision, (caughtUp) => {
      const { paying } = caughtUp.changes;
      return paying?.id === changeId
        ? applyUnchargedChange(caughtUp, paying, { lastResult: 0, now: decision.now })
        : unchanged(caughtUp);
    }),
  );
}

function recordChangeInvoice(
  current: Subscription,
  news: Parameters<typeof recordInvoice>[1],
): Subscription {
  const recorded = recordInvoice(current, news);
  const { latestInvoice } = recorded;
  const isNewest = latestInvoice === null || (latestInvoice.periodIndex ?? -1) <= news.periodIndex;
  if (!isNewest || latestInvoice?.id === news.invoiceId) return recorded;
  return { ...recorded, latestInvoice: { id: news.invoiceId, periodIndex: news.periodIndex } };
}

/** Moves the finished changes of a subscription to their records. */
export async function recordFinishedChanges(
  id: string,
  context: CallContext,
  { subscriptions, changes }: Pick<ChangeCommandDependencies, 'subscriptions' | 'changes'>,
): Promise<void> {
  const { state } = await subscriptions.getRecent(id, context);
  const { finished } = state.changes;
  for (const change of finished) await changes.record({ ...change, subscriptionId: id }, context);
  const ids = new Set(finished.map((change) => change.id));
  await subscriptions.record(id, context, (current) => {
    const left = current.changes.finished.filter((change) => !ids.has(change.id));
    return { ...current, changes: { ...current.changes, finished: left } };
  });
}

/** Voids unpaid invoices of changes in the period in which a subscription was canceled. */
export async function voidChangeInvoices(
  { id, invoiceIds }: { readonly id: string; readonly invoiceIds: readonly string[] },
  context: CallContext,
  { subscriptions, peers }: Pick<ChangeCommandDependencies, 'subscriptions' | 'peers'>,
): Promise<void> {
  const { state } = await subscriptions.get(id, context);
  for (const invoiceId of invoiceIds) await voidInvoice(invoiceId, state, context, peers);
}
