import type { Completion, Stored } from '@billing/chassis/aggregate';
import type { CommandDelivery } from '@billing/chassis/aggregate-collection';
import type { CallContext } from '@billing/chassis/call-context';
import type { CreateInvoiceResponse } from '@billing/proto/billing/checkout/v1/checkout';
import { hasWaitingBills, nextRetryAfter } from '../over-limit/over-limit-bill';
import { settleUsage } from '../peer/metering';
import { fetchUsageFacts } from '../peer/usage-facts';
import { periodOf } from '../subscription/billing-cycle';
import type { BillCycleEnd } from '../subscription/command';
import { recordInvoice } from '../subscription/open-invoices';
import type { UnbilledSettlements } from '../subscription/over-limit-state';
import { nothingPutOff } from '../subscription/put-off';
import type { Subscription } from '../subscription/subscription';
import type { CycleEndBill } from '../subscription/usage-billing';
import { findCycleEndBill, withCycleEndBill } from '../usage/cycle-end-bill';
import { settlementAtCycleEnd } from '../usage/settlement';
import { attemptsOf, withUnbilled } from '../usage/settlement-attempt';
import { type Billed, endBill, withDiscountBegun } from './bill';
import type { BillingDependencies } from './create-bill';
import { toProtoCycleEndInvoice } from './describe-end-bill';
import { billOwed } from './retry-waiting-bills';

/**
 * Bills the usage of a cycle's last period, and of the periods before it, after all waiting bills.
 * An earlier bill over the limit holds it up.
 */
export async function billCycleEnd(
  { periodIndex }: BillCycleEnd['payload'],
  { aggregateId: id, context, completion: completes }: CommandDelivery,
  dependencies: BillingDependencies,
): Promise<void> {
  const { subscriptions } = dependencies;
  const first = await subscriptions.getRecent(id, context);
  if (hasWaitingBills(first.state)) await billOwed(id, context, dependencies);
  const stored = hasWaitingBills(first.state) ? await subscriptions.get(id, context) : first;
  const bill = findCycleEndBill(stored.state, periodIndex);
  if (bill === undefined || bill.isBilled) return;
  if (hasWaitingBills(stored.state)) return postpone(stored, bill, context, dependencies);
  await attemptCycleEndBill(stored, bill, { context, completes }, dependencies);
}

/** Returns false when the bill is over the limit. */
export async function attemptCycleEndBill(
  stored: Stored<Subscription>,
  bill: CycleEndBill,
  {
    context,
    completes,
  }: { readonly context: CallContext; readonly completes?: Completion | undefined },
  dependencies: BillingDependencies,
): Promise<boolean> {
  const { state } = stored;
  const { invoiceId, periodIndex } = bill;
  const settlement = settlementAtCycleEnd(periodIndex);
  await dependencies.adoptRemade(stored, { invoiceId, settlement, owed: [] }, context);
  const settled = await settleUsage(stored, settlement, context, dependencies);
  const content = endBill(state, settled ?? [], { owed: [], putOff: nothingPutOff });
  if (!content.isBillable) {
    const attempts = attemptsOf(state, [settlement]);
    await postpone(stored, bill, context, dependencies, attempts);
    return false;
  }
  const created = await createInvoice(stored, { bill, content }, context, dependencies);
  const record = (current: Subscription) =>
    recordCycleEnd(current, { bill, refunds: content.refunds, created });
  await dependencies.subscriptions.record(state.id, context, record, { completes });
  return true;
}

type Created = { readonly isDiscounted: boolean } & Pick<CreateInvoiceResponse, 'collecting'>;

/** Undefined: there is nothing to bill. */
async function createInvoice(
  { state }: Stored<Subscription>,
  { bill, content: { lines } }: { readonly bill: CycleEndBill; readonly content: Billed },
  context: CallContext,
  { peers, invoices }: BillingDependencies,
): Promise<Created | undefined> {
  if (lines.length === 0) return undefined;
  const invoice = { lines, ...(await fetchUsageFacts(state, lines, context, peers)) };
  const { request, isDiscounted } = toProtoCycleEndInvoice(state, bill, invoice);
  const { collecting } = await invoices.create(request, context);
  return { collecting, isDiscounted };
}

/** Records a bill that was created, or that had nothing to bill; a duplicate changes nothing. */
function recordCycleEnd(
  current: Subscription,
  {
    bill: { periodIndex, invoiceId },
    refunds,
    created,
  }: {
    readonly bill: CycleEndBill;
    readonly refunds: Billed['refunds'];
    readonly created: Created | undefined;
  },
): Subscription {
  const owed = findCycleEndBill(current, periodIndex);
  if (owed === undefined || owed.isBilled) return current;
  const usage = { ...current.usage, refunds };
  const billed = withCycleEndBill({ ...current, usage }, periodIndex, {
    isBilled: true,
    retryAt: null,
  });
  if (created === undefined) {
    const openInvoices = billed.openInvoices.filter((one) => one.invoiceId !== invoiceId);
    return { ...billed, openInvoices };
  }
  const begun = created.isDiscounted ? withDiscountBegun(billed, owed) : billed;
  const recorded = recordInvoice(begun, {
    ...{ invoiceId, periodIndex, isCollecting: created.collecting },
  });
  const { latestInvoice } = recorded;
  const isNewest = (latestInvoice?.periodIndex ?? -1) <= periodIndex;
  return isNewest ? { ...recorded, latestInvoice: { id: invoiceId, periodIndex } } : recorded;
}

/** Has the bill retried later; `attempts` are settlements that were made and not billed. */
async function postpone(
  { state }: Stored<Subscription>,
  { periodIndex }: CycleEndBill,
  context: CallContext,
  { subscriptions }: BillingDependencies,
  attempts: readonly UnbilledSettlements[] = [],
): Promise<void> {
  const retryAt = nextRetryAfter(periodOf(state, periodIndex).end, context.now);
  await subscriptions.record(state.id, context, (current) =>
    withCycleEndBill(withUnbilled(current, attempts), periodIndex, { retryAt }),
  );
}
