import type { Stored } from '@billing/chassis/aggregate';
import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import type { CallContext } from '@billing/chassis/call-context';
import { reassertChanged, type ScanDependencies } from '@billing/chassis/changed-aggregates';
import { derivedId } from '@billing/chassis/ids';
import type { RecoveryContext, StepCounts } from '@billing/chassis/recovery';
import { addCounts } from '@billing/chassis/visit-all';
import { DomainError } from '@billing/kernel/domain-error';
import { type Invoice, InvoiceStatus } from '@billing/proto/billing/checkout/v1/checkout';
import {
  attemptFinalBill,
  attemptPeriodBill,
  nothingOwed,
  usageOfUnfinishedInvoice,
} from '../billing/create-bill';
import { attemptCycleEndBill } from '../billing/create-cycle-end-bill';
import { creditCancellation, creditChange, invoiceChange } from '../change/create-change-invoice';
import { type CommandDependencies, endCollection } from '../command/commands';
import { createdInvoices } from '../lifecycle/ending';
import { hasWaitingBills } from '../over-limit/over-limit-bill';
import { voidInvoice } from '../peer/checkout';
import { decisionOn } from '../storage/subscription-store';
import { orderedInvoiceOf, periodOf } from '../subscription/billing-cycle';
import { endedWithin, type Subscription } from '../subscription/subscription';
import type { SubscriptionChange } from '../subscription/subscription-change';
import type { SubscriptionRecord } from '../subscription/tombstone';
import { isBilled } from '../subscription/usage-billing';
import { atEntryOf } from './made-bills';
import {
  adoptPeriodBills,
  atTime,
  changesOf,
  findInvoice,
  findPeriodBills,
} from './reassert-period-bills';
import { reassertRedemptions } from './reassert-redemptions';
import { adoptFinalUsage, adoptPeriodUsage, usageRefused } from './reassert-usage';

interface Work {
  readonly stored: Stored<Subscription>;
  readonly context: CallContext;
  readonly dependencies: CommandDependencies;
}

/**
 * Does again, after a restore, what the state of subscriptions says was done at others: it is
 * missing where their databases were put back to an earlier instant. Ids are derived, so what
 * exists is found, and stays as it is. What the last run of a recovery leaves is a finding.
 */
export async function reassertSubscriptions(
  records: AggregateCollection<SubscriptionRecord>,
  recovery: RecoveryContext,
  { isLast }: { readonly isLast: boolean },
  dependencies: CommandDependencies & ScanDependencies,
): Promise<StepCounts> {
  const reassert = async (
    found: Stored<SubscriptionRecord>,
    context: CallContext,
  ): Promise<StepCounts> => {
    if (found.state.isTombstone) return {};
    // The scan may have read it a while ago.
    const stored = await dependencies.subscriptions.get(found.state.id, context);
    const work = { stored, context, dependencies };
    const bills = await unlessRefused(work, async () => ({
      bills: await reassertPeriodBills(work),
    }));
    const changes = await reassertChanges(work);
    const isCanceled = stored.state.status === 'CANCELED';
    const ends = isCanceled
      ? await unlessRefused(work, () => reassertEndOf(work, { isLast }))
      : { ends: 0 };
    await reassertRedemptions(work);
    const counts: Record<string, number> = { changes };
    for (const news of [bills, ends]) addCounts(counts, news);
    return counts;
  };
  return reassertChanged(records, recovery, reassert, dependencies);
}

/** Counts an invoice whose usage metering refuses, and leaves the rest of the work to operators. */
async function unlessRefused(
  { stored, dependencies }: Work,
  reassert: () => Promise<StepCounts>,
): Promise<StepCounts> {
  try {
    return await reassert();
  } catch (error) {
    if (!(error instanceof DomainError) || error.reason !== usageRefused) throw error;
    const { id: subscriptionId } = stored.state;
    dependencies.logger.error({ err: error, subscriptionId }, 'usage of an invoice refused');
    return { usageRefused: 1 };
  }
}

/**
 * Creates the invoices of periods that checkout does not have, and gives metering the usage of
 * those that it has.
 */
async function reassertPeriodBills(work: Work): Promise<number> {
  const { stored, context, dependencies } = work;
  const { state } = stored;
  const { missing, standing } = await findPeriodBills(work);
  await adoptPeriodBills(standing, work);
  const made = { ...dependencies, adoptRemade: nothingStands };
  if (missing.length === 0) return 0;
  const changes = await changesOf(state, context, dependencies);
  for (const order of missing) {
    if ('isBilled' in order) {
      const at = atTime(context, periodOf(state, order.periodIndex).end);
      await attemptCycleEndBill(stored, order, { context: at }, made);
      continue;
    }
    const { periodIndex } = order;
    const asEntered = atEntryOf(state, periodIndex, changes);
    const at = atTime(context, periodOf(state, periodIndex).start);
    const attempt = { context: at };
    await attemptPeriodBill({ ...stored, state: asEntered }, order, attempt, made);
  }
  return missing.length;
}

/** Checkout was asked for the invoice already. */
const nothingStands: CommandDependencies['adoptRemade'] = () => Promise.resolve();

/** Creates invoices and credit notes of the changes of the running period. */
async function reassertChanges({ stored, context, dependencies }: Work): Promise<number> {
  const { state } = stored;
  const { id } = state;
  const { period, paying, finished } = state.changes;
  if (period === null && paying === null && finished.length === 0) return 0;
  let count = 0;
  for (const change of await changesOf(state, context, dependencies)) {
    if (!isOfRunningPeriod(state, change)) continue;
    const { id: changeId, invoice, creditNotes, effectiveAt } = change;
    const at = state.changes.paying?.id === changeId ? context : atTime(context, effectiveAt);
    const isMissing =
      invoice !== null &&
      (await findInvoice(invoice.invoiceId, context, dependencies)) === undefined;
    if (isMissing) await invoiceChange({ id, changeId }, at, dependencies);
    // Checkout answers with the credit notes that it has.
    const isCredited = change.status === 'APPLIED' && creditNotes.length > 0;
    if (isCredited) await creditChange({ id, changeId }, at, dependencies);
    if (isMissing) count += 1;
  }
  return count;
}

function isOfRunningPeriod(state: Subscription, { id, status, effectiveAt }: SubscriptionChange) {
  if (state.changes.paying?.id === id) return true;
  const { periodIndex } = state;
  if (status !== 'APPLIED' || periodIndex === null) return false;
  return effectiveAt >= periodOf(state, periodIndex).start;
}

/**
 * Does an end again, but not while a payment runs: its outcome is looked up between the first run
 * and the last one.
 */
async function reassertEndOf(
  work: Work,
  { isLast }: { readonly isLast: boolean },
): Promise<StepCounts> {
  try {
    return { ends: await reassertEnd(work) };
  } catch (error) {
    const isRunning = error instanceof DomainError && error.reason === 'PAYMENT_IN_PROGRESS';
    if (!isRunning) throw error;
    return isLast ? { endsLeft: 1 } : { endsPostponed: 1 };
  }
}

/** Voids, credits and bills what the end of a subscription has; returns 1 if a bill was missing. */
async function reassertEnd({ stored, context, dependencies }: Work): Promise<number> {
  const { state, tenant } = stored;
  const { peers } = dependencies;
  const { id, periodIndex, endedBeforeStart, discount } = state;
  if (endedBeforeStart) {
    if (discount === null) return 0;
    const held = { discountId: discount.id, holderId: discount.holderId ?? id };
    await peers.discount.releaseRedemption({ ...held, evenConfirmed: true }, context);
    return 0;
  }
  if (periodIndex === null) return 0;
  const { invoiceIdOf } = decisionOn(id, tenant, context.now);
  const runningId = orderedInvoiceOf(state, periodIndex) ?? invoiceIdOf(periodIndex);
  const isCut = isEndedByCall(state) && endedWithin(state, periodIndex);
  const kept = createdInvoices(state).filter((one) => !isCut || one.invoiceId !== runningId);
  const writeOff = state.cancelReason === 'PAYMENT_FAILED';
  for (const { invoiceId } of kept) {
    await endCollection({ invoiceId, writeOff }, state, context, dependencies);
  }
  const voided = isCut ? await voidInvoice(runningId, state, context, peers) : undefined;
  const creditNotes = state.changes.cancellation?.creditNotes ?? [];
  const invoiceIds = creditNotes.map(({ invoiceId }) => invoiceId);
  if (invoiceIds.length > 0) await creditCancellation({ id, invoiceIds }, context, dependencies);
  // The command of the end, still in the outbox, bills what is not billed.
  const isDone = isBilled(state, periodIndex + 1) && !hasWaitingBills(state);
  return isDone ? reassertFinalBill({ stored, context, dependencies }, voided) : 0;
}

/** True if a call has ended the running period, whose invoice was voided. */
function isEndedByCall({ cancelReason, cancelAtPeriodEnd, pausedAt }: Subscription): boolean {
  return cancelReason === 'REQUESTED' && !cancelAtPeriodEnd && pausedAt === null;
}

async function reassertFinalBill(
  { stored, context, dependencies }: Work,
  voided: Invoice | undefined,
): Promise<number> {
  const { state, tenant } = stored;
  const invoiceId = derivedId(tenant.environmentId, state.id, 'end');
  const at = atTime(context, state.endedAt ?? context.now);
  const { periodIndex } = state;
  if (voided !== undefined && periodIndex !== null) {
    await adoptPeriodUsage(stored, { periodIndex, invoice: voided }, at, dependencies);
  }
  if (state.latestInvoice?.id !== invoiceId) return 0;
  const isVoided = voided?.status === InvoiceStatus.INVOICE_STATUS_VOID;
  const owed = isVoided
    ? await usageOfUnfinishedInvoice(stored, voided, at, dependencies)
    : nothingOwed;
  const invoice = await findInvoice(invoiceId, context, dependencies);
  if (invoice !== undefined) {
    await adoptFinalUsage(stored, { invoice, owed: owed.lines }, at, dependencies);
    return 0;
  }
  await attemptFinalBill(stored, { closing: { voidedInvoiceId: null }, owed }, at, dependencies);
  return 1;
}
