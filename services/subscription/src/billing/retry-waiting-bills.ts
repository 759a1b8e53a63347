import type { Stored } from '@billing/chassis/aggregate';
import type { CallContext } from '@billing/chassis/call-context';
import { closeOverLimitBills, owedBill } from '../over-limit/over-limit-bill';
import { voidInvoice } from '../peer/checkout';
import { decisionOn } from '../storage/subscription-store';
import type { BillPeriod } from '../subscription/command';
import { takeDiscount } from '../subscription/discount';
import type { Closing } from '../subscription/over-limit-state';
import type { Subscription } from '../subscription/subscription';
import {
  attemptFinalBill,
  attemptLateBill,
  attemptPeriodBill,
  type BillingDependencies,
  type FinalBillCarryOver,
  nothingOwed,
  usageOfUnfinishedInvoice,
} from './create-bill';

/** Creates the bills that are waiting, oldest first, until one of them is over the limit again. */
export async function billOwed(
  id: string,
  context: CallContext,
  dependencies: BillingDependencies,
): Promise<void> {
  let isMade = true;
  while (isMade)
    isMade = await billOldest(
      await dependencies.subscriptions.get(id, context),
      context,
      dependencies,
    );
}

/** Adds the bill of the end to the waiting bills, and creates them in order. */
export async function billOwedAndEnd(
  id: string,
  closing: Closing,
  context: CallContext,
  dependencies: BillingDependencies,
): Promise<void> {
  const { subscriptions } = dependencies;
  await subscriptions.record(id, context, (current) => closeOverLimitBills(current, closing));
  return billOwed(id, context, dependencies);
}

/** Returns false when no bill is waiting, or the oldest one is still over the limit. */
async function billOldest(
  stored: Stored<Subscription>,
  context: CallContext,
  dependencies: BillingDependencies,
): Promise<boolean> {
  const { state, tenant } = stored;
  const bill = owedBill(state);
  switch (bill?.kind) {
    case undefined:
      return false;
    case 'PERIOD': {
      const { periodIndex } = bill;
      const { isDiscounted } = takeDiscount(state, periodIndex);
      const { invoiceIdOf } = decisionOn(state.id, tenant, context.now);
      // Nothing is settled for the first bill, so a bill ordered by a caller is never over the
      // limit.
      const payload: BillPeriod['payload'] = {
        periodIndex,
        invoiceId: invoiceIdOf(periodIndex),
        reason: 'SUBSCRIPTION_CYCLE',
        authorizedTransactionId: null,
        isDiscounted,
      };
      return attemptPeriodBill(stored, payload, { context }, dependencies);
    }
    case 'END': {
      const owed = await owedAtEnd(stored, bill.closing, context, dependencies);
      return attemptFinalBill(stored, { closing: bill.closing, owed }, context, dependencies);
    }
    case 'LATE':
      return attemptLateBill(stored, { round: bill.round }, context, dependencies);
  }
}

async function owedAtEnd(
  stored: Stored<Subscription>,
  { voidedInvoiceId }: Closing,
  context: CallContext,
  dependencies: BillingDependencies,
): Promise<FinalBillCarryOver> {
  const { state } = stored;
  // The invoice of the period in which it ended was over the limit itself.
  if (state.usage.overLimit?.bill === state.periodIndex) {
    return usageOfUnfinishedInvoice(stored, undefined, context, dependencies);
  }
  if (voidedInvoiceId === null) return nothingOwed;
  const voided = await voidInvoice(voidedInvoiceId, state, context, dependencies.peers);
  return usageOfUnfinishedInvoice(stored, voided, context, dependencies);
}
