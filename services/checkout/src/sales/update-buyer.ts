import type { Stored } from '@billing/chassis/aggregate';
import type { CallContext } from '@billing/chassis/call-context';
import type { SessionInvoices } from '../collection/session-invoice-worker';
import { customerSnapshot } from '../peer/customer';
import type { BillingSettingsStore } from '../seller/billing-settings-store';
import { buyerFactsOf } from '../tax/finalization-message';
import type { TypedBuyer } from '../tax/typed-buyer';
import { currentSession, type SessionPaymentDependencies } from './pay-session';
import type { SessionRecord } from './session';

export interface BuyerChangeDependencies extends SessionPaymentDependencies {
  readonly sessionInvoices: SessionInvoices;
  readonly settings: Pick<BillingSettingsStore, 'read'>;
}

/**
 * Takes what the payer of a session typed about the buyer. The invoice decides: it stays as it is
 * while a payment runs, and once the session has ended.
 */
export async function changeSessionBuyer(
  id: string,
  typed: TypedBuyer,
  context: CallContext,
  dependencies: BuyerChangeDependencies,
): Promise<Stored<SessionRecord>> {
  const stored = await currentSession(id, context, dependencies);
  const { state } = stored;
  if (state.isTombstone || (state.phase !== 'READY' && state.phase !== 'PAYING')) return stored;
  const settings = await dependencies.settings.read(context);
  const { taxExempt } = buyerFactsOf(customerSnapshot.read(state.snapshots.customer));
  const change = { invoiceId: state.invoiceId, typed, settings, taxExempt };
  await dependencies.sessionInvoices.changeBuyer(change, context);
  return stored;
}
