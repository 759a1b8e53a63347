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
  { invoiceId, settlement, owed }: RemadeBill,
  context: CallContext,
  dependencies: StandingDependencies & { readonly restores: () => KnownRestores },
): Promise<void> {
  const restores = dependencies.restores();
  const { createdAt, tenant } = stored;
  if (!mayStand({ createdAt, ...tenant }, restores)) return;
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

/** True if the invoice of a bill of a subscription may have been created before a restore. */
export function mayStand(
  { createdAt, manualClock }: { readonly createdAt: Date } & Pick<Tenant, 'manualClock'>,
  { isRecovering, last }: KnownRestores,
): boolean {
  if (isRecovering) return true;
  // A bill may be decided again at a later time than before, such as that of a cancellation that is
  // repeated. The time of a manual clock does not tell what existed before the restore.
  return last !== undefined && (manualClock || createdAt <= last.at);
}
