import { type AggregateCollection, unfinishedPass } from '@billing/chassis/aggregate-collection';
import type { CallContext } from '@billing/chassis/call-context';
import { DomainError } from '@billing/kernel/domain-error';
import type { BalanceStore } from '../balance/balance-store';
import type { CollectionWorker } from '../collection/collection-worker';
import { hasPaymentOrCredit, type Invoice, type InvoiceRecord } from '../invoice/invoice';
import { deleteDraft } from '../one-off/draft-store';
import { isChangeable } from '../one-off/one-off-invoice';
import { isUnfinished } from './erased-session';
import type { SessionRecord } from '../sales/session';
import type { SessionWorker } from '../sales/session-worker';

export interface LateWriteDependencies {
  readonly sessions: AggregateCollection<SessionRecord>;
  readonly invoices: AggregateCollection<InvoiceRecord>;
  readonly balances: Pick<BalanceStore, 'positiveOf' | 'clear'>;
  readonly sessionWorker: Pick<SessionWorker, 'withdraw'>;
  readonly collection: Pick<CollectionWorker, 'voidForCaller' | 'markUncollectible'>;
}

/**
 * Ends what requests that ran at the deletion of a customer have created: sessions, drafts, open
 * invoices, balances. Throws while something is still running that ends by its own.
 */
export async function endLateWrites(
  customerId: string,
  context: CallContext,
  dependencies: LateWriteDependencies,
): Promise<void> {
  await endSessions(customerId, context, dependencies);
  await endInvoices(customerId, context, dependencies);
  await dependencies.balances.clear(customerId, context);
}

async function endSessions(
  customerId: string,
  context: CallContext,
  { sessions, sessionWorker }: LateWriteDependencies,
): Promise<void> {
  const found = await sessions.within(context).listAll({ customerId });
  const ended = await Promise.all(
    found
      .filter(({ state }) => isUnfinished(state))
      .map(({ state }) => sessionWorker.withdraw(state.id, context)),
  );
  if (ended.some(({ state }) => isUnfinished(state))) throw unfinishedPass();
}

async function endInvoices(
  customerId: string,
  context: CallContext,
  { invoices, collection }: LateWriteDependencies,
): Promise<void> {
  const filter = { isTombstone: false, customerId, status: { $in: ['DRAFT', 'OPEN'] } };
  for (const { state } of await invoices.within(context).listAll(filter)) {
    if (state.isTombstone) continue;
    if (state.status === 'OPEN') await endOpen(state, context, collection);
    else if (isChangeable(state)) await deleteDraft(invoices, { id: state.id }, context);
  }
  const { environmentId } = context.tenant;
  const [open, isPending] = await Promise.all([
    invoices.within(context).list({ filter, page: 1, perPage: 1 }),
    invoices.hasPending({ environmentId, isTombstone: false, customerId }),
  ]);
  if (open.total > 0 || isPending) throw unfinishedPass();
}

async function endOpen(
  invoice: Invoice,
  context: CallContext,
  collection: LateWriteDependencies['collection'],
): Promise<void> {
  const { id } = invoice;
  try {
    if (isKept(invoice)) await collection.markUncollectible(id, { callId: undefined }, context);
    else await collection.voidForCaller(id, {}, context);
  } catch (error) {
    // Paid, credited, or with a payment in progress in between: the next pass looks again.
    if (!(error instanceof DomainError) || error.kind !== 'failed_precondition') throw error;
    throw unfinishedPass();
  }
}

/** True if a void would lose money that moved, or usage that was accepted. */
function isKept(invoice: Invoice): boolean {
  return (
    hasPaymentOrCredit(invoice) || invoice.lineItems.some(({ meterId }) => meterId !== undefined)
  );
}
