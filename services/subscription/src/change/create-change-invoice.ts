import type { Stored } from '@billing/chassis/aggregate';
import type { CallContext } from '@billing/chassis/call-context';
import type { Logger } from '@billing/chassis/logging';
import { derivedId } from '@billing/chassis/ids';
import { InvoiceStatus } from '@billing/proto/billing/checkout/v1/checkout';
import { applyUnchargedChange } from '../lifecycle/apply-change';
import { decideAfterDueSteps } from '../lifecycle/due-steps';
import { settleRedemption } from '../peer/discount';
import { type InvoiceClient, toProtoChangeInvoice, voidInvoice } from '../peer/checkout';
import type { Peers } from '../peer/peers';
import { recordInvoice } from '../subscription/open-invoices';
import type {
  ChangeCreditNote,
  ChangeInvoice,
  SubscriptionChange,
} from '../subscription/subscription-change';
import { withCustomer } from '../subscription/customer';
import type { Subscription } from '../subscription/subscription';
import { fetchTaxCategories } from '../peer/catalog';
import { meterPricesOf } from '../peer/period-prices';
import { pinRates } from '../usage/usage-period';
import { unchanged } from '@billing/kernel/transition';
import type { Changes } from './change-store';
import type { Subscriptions } from '../storage/subscription-store';

export interface ChangeCommandDependencies {
  readonly subscriptions: Subscriptions;
  readonly changes: Changes;
  readonly invoices: InvoiceClient;
  readonly peers: Peers;
  readonly logger: Logger;
}

/** Creates the invoice of a change, under its derived id. */
export async function invoiceChange(
  { id, changeId }: { readonly id: string; readonly changeId: string },
  context: CallContext,
  { subscriptions, changes, invoices, peers }: ChangeCommandDependencies,
): Promise<void> {
  const stored = await subscriptions.getRecent(id, context);
  const { state } = stored;
  const change = await changes.get(state, changeId, context);
  if (change.invoice === null) throw new Error(`Change ${changeId} has no invoice`);
  // A result of its invoice has failed it, or the subscription's next step: then it is undone.
  if (change.status === 'FAILED') return;
  const { invoiceId, periodIndex } = change.invoice;
  const present = change.invoice.isByTime
    ? await fetchPresentFacts(stored, change.invoice, context, peers)
    : { invoice: change.invoice, known: (current: Subscription) => current };
  const request = toProtoChangeInvoice(present.known(state), present.invoice);
  const { invoice, collecting } = await invoices.create(request, context);
  if (invoice?.status === InvoiceStatus.INVOICE_STATUS_VOID) return;
  await recordTaken(change, context, changes);
  if (change.status === 'APPLIED') {
    await subscriptions.record(id, context, (current) =>
      recordChangeInvoice(present.known(current), {
        ...{ invoiceId, periodIndex, isCollecting: collecting },
      }),
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

/**
 * Records that the invoice of a change has billed lines that earlier changes have put off. One that
 * has failed leaves them to the next invoice.
 */
async function recordTaken(
  { status, invoice, takenChangeIds }: SubscriptionChange,
  context: CallContext,
  changes: Changes,
): Promise<void> {
  if (invoice === null || status !== 'APPLIED') return;
  for (const id of takenChangeIds) await changes.recordBilledOn(id, invoice.invoiceId, context);
}

/** Reads the facts of an invoice that time has ordered, and the meter prices of its period. */
async function fetchPresentFacts(
  stored: Stored<Subscription>,
  planned: ChangeInvoice,
  context: CallContext,
  peers: Peers,
): Promise<{
  readonly invoice: ChangeInvoice;
  readonly known: (current: Subscription) => Subscription;
}> {
  const { periodIndex } = planned;
  const { items, customer: payer } = stored.state;
  const [customer, categories, { sets }] = await Promise.all([
    peers.customers.find(payer.id, context),
    fetchTaxCategories(peers, items, context),
    meterPricesOf(stored, periodIndex, context, peers),
  ]);
  const facts = { buyer: customer?.buyer ?? null, ...categories };
  return {
    invoice: { ...planned, ...facts },
    known: (current) => pinRates(withCustomer(current, customer), { periodIndex, ...sets }),
  };
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

/**
 * Undoes a change that has failed: voids its invoice, or credits all of one that was paid all the
 * same to the customer's balance. Checkout refuses while a payment is in flight, and the command is
 * retried.
 */
export async function undoChange(
  { id, changeId }: { readonly id: string; readonly changeId: string },
  context: CallContext,
  { subscriptions, changes, peers }: ChangeCommandDependencies,
): Promise<void> {
  const { state } = await subscriptions.getRecent(id, context);
  const { invoice, reservedRound: round } = await changes.get(state, changeId, context);
  const isCredited =
    invoice !== null && (await voidOrCredit(invoice, { state, changeId }, context, peers));
  if (round === null) return;
  // An invoice that is paid has used what was taken of the balance.
  const released = { changeId, round, keepBalance: isCredited };
  await peers.checkout.releaseForChange(released, context);
}

/** True if the invoice could not be voided any more, and is credited. */
async function voidOrCredit(
  { invoiceId }: ChangeInvoice,
  { state, changeId }: { readonly state: Subscription; readonly changeId: string },
  context: CallContext,
  peers: Peers,
): Promise<boolean> {
  const found = await voidInvoice(invoiceId, state, context, peers);
  // Undefined: it was never created, and never will be.
  if (found === undefined || found.status === InvoiceStatus.INVOICE_STATUS_VOID) return false;
  const creditNoteId = creditNoteIdOf({ changeId, invoiceId }, context);
  const credit = { creditNoteId, invoiceId, changeId, lines: [], inFull: true };
  await peers.checkout.issueCreditNote(credit, context);
  return true;
}

/** Issues the credit notes of a change, under their derived ids. */
export async function creditChange(
  { id, changeId }: { readonly id: string; readonly changeId: string },
  context: CallContext,
  { subscriptions, changes, peers }: ChangeCommandDependencies,
): Promise<void> {
  const { state } = await subscriptions.getRecent(id, context);
  const { creditNotes } = await changes.get(state, changeId, context);
  await issueNotes(creditNotes, { changeId }, context, peers);
}

/**
 * Issues credit notes of the end of a subscription, under their derived ids. An invoice that the
 * end has voided gets none.
 */
export async function creditCancellation(
  { id, invoiceIds }: { readonly id: string; readonly invoiceIds: readonly string[] },
  context: CallContext,
  {
    subscriptions,
    peers,
    logger,
  }: Pick<ChangeCommandDependencies, 'subscriptions' | 'peers' | 'logger'>,
): Promise<void> {
  const { state } = await subscriptions.getRecent(id, context);
  const { cancellation } = state.changes;
  if (cancellation === null) {
    // A retry would not find them either, and would hold up the commands behind it.
    const lost = { alarm: 'cancellation_credits_lost', subscriptionId: id, invoiceIds };
    logger.error(lost, 'credits of a cancellation lost');
    return;
  }
  const { id: changeId, creditNotes } = cancellation;
  const wanted = creditNotes.filter(({ invoiceId }) => invoiceIds.includes(invoiceId));
  await issueNotes(wanted, { changeId }, context, peers);
}

async function issueNotes(
  creditNotes: readonly ChangeCreditNote[],
  { changeId }: { readonly changeId: string },
  context: CallContext,
  { checkout }: Pick<Peers, 'checkout'>,
): Promise<void> {
  for (const { id: creditNoteId, invoiceId, lines: credited } of creditNotes) {
    const lines = credited.map(({ lineItemId, priced: amount }) => ({ lineItemId, amount }));
    const credit = { creditNoteId, invoiceId, changeId, lines, inFull: false };
    await checkout.issueCreditNote(credit, context);
  }
}

/** Id of a change's credit note on an invoice. */
export function creditNoteIdOf(
  { changeId, invoiceId }: { readonly changeId: string; readonly invoiceId: string },
  { tenant }: Pick<CallContext, 'tenant'>,
): string {
  return derivedId(tenant.environmentId, 'creditNote', changeId, invoiceId);
}

/** Moves the finished changes of a subscription to their records, and settles their redemptions. */
export async function recordFinishedChanges(
  id: string,
  context: CallContext,
  {
    subscriptions,
    changes,
    ...settling
  }: Pick<ChangeCommandDependencies, 'subscriptions' | 'changes' | 'peers' | 'logger'>,
): Promise<void> {
  const { state } = await subscriptions.getRecent(id, context);
  const { finished } = state.changes;
  for (const change of finished) {
    await changes.record({ ...change, subscriptionId: id }, context);
    // A change that was paid first takes effect after its invoice is created.
    await recordTaken(change, context, changes);
  }
  for (const change of finished) await settleRedemption(change, context, settling);
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
