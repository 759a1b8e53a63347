import type { Stored } from '@billing/chassis/aggregate';
import type { CallContext } from '@billing/chassis/call-context';
import { elseAsWritten } from '@billing/chassis/else-as-written';
import type { SessionInvoices } from '../collection/session-invoice-worker';
import { customerSnapshot } from '../peer/customer';
import type { BillingSettingsStore } from '../seller/billing-settings-store';
import { buyerFactsOf } from '../tax/finalization-message';
import type { TypedBuyer } from '../tax/typed-buyer';
import { currentSession, type SessionPaymentDependencies } from './pay-session';
import type { Session, SessionRecord } from './session';

export interface BuyerChangeDependencies extends SessionPaymentDependencies {
  readonly sessionInvoices: SessionInvoices;
  readonly settings: Pick<BillingSettingsStore, 'read'>;
}

/**
 * Takes what the payer of a session typed about the buyer. The invoice decides: it stays as it is
 * while a payment runs, and once the session has ended. If a discount code has replaced the invoice
 * in the meantime, the next one takes the same facts, or its problem is the answer: on the replaced
 * invoice the facts count for nothing, and a retry gives them to the next one.
 */
export async function changeSessionBuyer(
  id: string,
  typed: TypedBuyer,
  context: CallContext,
  dependencies: BuyerChangeDependencies,
): Promise<Stored<SessionRecord>> {
  const { sessions, settings: sellers, sessionInvoices, preparer, logger } = dependencies;
  let stored = await currentSession(id, context, dependencies);
  const settings = await sellers.read(context);
  let changedId: string | undefined;
  for (;;) {
    const { state } = stored;
    if (!isOpen(state) || state.invoiceId === changedId) return stored;
    const { taxExempt } = buyerFactsOf(customerSnapshot.read(state.snapshots.customer));
    changedId = state.invoiceId;
    // The invoice of a code may still be on its way.
    await preparer.invoiceOf(state, context);
    // Neither due work nor an earlier invoice has what the payer typed.
    context.storing?.close();
    const change = { invoiceId: changedId, typed, settings, taxExempt };
    await sessionInvoices.changeBuyer(change, context);
    const reading = sessions.within(context).get(id);
    stored = await elseAsWritten(stored, reading, { logger, sessionId: id });
  }
}

function isOpen(record: SessionRecord): record is Session {
  return !record.isTombstone && (record.phase === 'READY' || record.phase === 'PAYING');
}
