import type { Stored } from '@billing/chassis/aggregate';
import type { CallContext, Tenant } from '@billing/chassis/call-context';
import type { Restore } from '@billing/chassis/recovery';
import type { RemadeBill } from '../billing/create-bill';
import { settlesUsage } from '../peer/metering';
import type { Subscription } from '../subscription/subscription';
import {
  adoptPeriodBills,
  findInvoice,
  findPeriodBills,
  type StandingDependencies,
} from './reassert-period-bills';
import { adoptInvoice } from './reassert-usage';

/** Restores that the process knows. */
interface KnownRestores {
  /** True while the system recovers from a restore. */
  readonly isRecovering: boolean;
  /** Undefined before any restore. */
  readonly last: Pick<Restore, 'at'> | undefined;
}

/**
 * Gives metering the usage of an invoice that checkout has although its bill is made only now,
 * because a restore has put the subscription back to before that bill. While the system recovers,
 * the bills before it come first: settlements are adopted in their order.
 */
export async function adoptRemadeBill(
  stored: Stored<Subscription>,
  { invoiceId, settlement, owed, dueAt }: RemadeBill,
  context: CallContext,
  dependencies: StandingDependencies & { readonly restores: () => KnownRestores },
): Promise<void> {
  const restores = dependencies.restores();
  if (!mayStand({ dueAt, ...stored.tenant }, restores)) return;
  // Without meters, metering has lost nothing.
  if (!(await settlesUsage(stored, settlement, context, dependencies))) return;
  if (restores.isRecovering) {
    const work = { stored, context, dependencies };
    const { standing } = await findPeriodBills(work);
    await adoptPeriodBills(standing, work);
  }
  const invoice = await findInvoice(invoiceId, context, dependencies);
  if (invoice === undefined) return;
  await adoptInvoice(stored, { settlement, invoice, owed }, context, dependencies);
}

/** True if the invoice of a bill may have been created before a restore. */
export function mayStand(
  { dueAt, manualClock }: Pick<RemadeBill, 'dueAt'> & Pick<Tenant, 'manualClock'>,
  { isRecovering, last }: KnownRestores,
): boolean {
  if (isRecovering) return true;
  // The time of a manual clock does not tell which bills were due before the restore.
  return last !== undefined && (manualClock || dueAt <= last.at);
}
