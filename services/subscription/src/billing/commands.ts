import type { CommandDelivery } from '@billing/chassis/aggregate-collection';
import type { CallContext } from '@billing/chassis/call-context';
import type { Invoice } from '@billing/proto/billing/checkout/v1/checkout';
import { hasWaitingBills } from '../over-limit/over-limit-bill';
import { isCaughtUp } from '../parking/parking';
import { periodOf } from '../subscription/billing-cycle';
import type { BillLate, BillPeriod } from '../subscription/command';
import { lateBillNumber } from '../subscription/late-bill';
import type { Closing } from '../subscription/over-limit-state';
import { endedWithin } from '../subscription/subscription';
import { isBilled } from '../subscription/usage-billing';
import {
  attemptFinalBill,
  attemptLateBill,
  attemptPeriodBill,
  type BillingDependencies,
  nothingOwed,
  usageOfUnfinishedInvoice,
} from './create-bill';
import { billOwed, billOwedAndEnd } from './retry-waiting-bills';

/**
 * Bills a period that was entered, and the usage of the periods before it, unless an earlier bill
 * is over the limit.
 */
export async function billPeriod(
  payload: BillPeriod['payload'],
  { aggregateId: id, context, completion: completes }: CommandDelivery,
  dependencies: BillingDependencies,
): Promise<void> {
  const stored = await dependencies.subscriptions.getRecent(id, context);
  const { state } = stored;
  const { periodIndex } = payload;
  // The subscription ended in this very period: an invoice created now would charge for an unwanted
  // period until the close command voids it.
  if (endedWithin(state, periodIndex) || isBilled(state, periodIndex)) return;
  // Bills are created in order: each one charges the difference from the bills before it.
  if (hasWaitingBills(state)) return billOwed(id, context, dependencies);
  const isBilledNow = await attemptPeriodBill(
    stored,
    payload,
    { context, completes },
    dependencies,
  );
  if (!isBilledNow || payload.reason !== 'SUBSCRIPTION_CYCLE') return;
  const { start } = periodOf(state, periodIndex);
  if (!isCaughtUp(state, start)) dependencies.onRenewalInvoiced(start, stored.tenant);
}

/** Bills the usage of the period in which a subscription ended, after all waiting bills. */
export async function billEnd(
  id: string,
  { closing, voided }: { readonly closing: Closing; readonly voided: Invoice | undefined },
  context: CallContext,
  dependencies: BillingDependencies,
): Promise<void> {
  const stored = await dependencies.subscriptions.get(id, context);
  const { periodIndex } = stored.state;
  if (periodIndex === null || isBilled(stored.state, periodIndex + 1)) return;
  if (hasWaitingBills(stored.state)) return billOwedAndEnd(id, closing, context, dependencies);
  const isOwed = closing.voidedInvoiceId !== null;
  const owed = isOwed
    ? await usageOfUnfinishedInvoice(stored, voided, context, dependencies)
    : nothingOwed;
  await attemptFinalBill(stored, { closing, owed }, context, dependencies);
}

/** Bills usage reported after the end of a subscription for its last periods. */
export async function billLate(
  id: string,
  { round = 1, buyer }: BillLate['payload'],
  context: CallContext,
  dependencies: BillingDependencies,
): Promise<void> {
  const stored = await dependencies.subscriptions.get(id, context);
  const { state } = stored;
  if (state.periodIndex === null) return;
  if (isBilled(state, lateBillNumber(state, round))) return;
  await attemptLateBill(stored, { round, buyer }, context, dependencies);
}
