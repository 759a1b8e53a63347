import type { Stored } from '@billing/chassis/aggregate';
import type { CommandDelivery } from '@billing/chassis/aggregate-collection';
import type { CallContext } from '@billing/chassis/call-context';
import type { Invoice } from '@billing/proto/billing/checkout/v1/checkout';
import {
  attemptFinalBill,
  attemptLateBill,
  attemptPeriodBill,
  type BillingDependencies,
  type FinalBillCarryOver,
  nothingOwed,
  usageOfUnfinishedInvoice,
} from './attempt-bill';
import type { BillPeriod } from '../subscription/command';
import { takeDiscount } from '../subscription/discount';
import { voidInvoice } from '../peer/checkout';
import { closeOverLimitBills, owedBill } from '../over-limit/over-limit-bill';
import { endedWithin, type Subscription } from '../subscription/subscription';
import { decisionOn } from '../subscription-store';
import { type Closing, isBilled } from '../subscription/usage-billing';

/**
 * Bills a period that was entered, and the usage of the periods before it, unless an earlier bill
 * is over the limit.
 */
export async function billPeriod(
  payload: BillPeriod['payload'],
  { aggregateId: id, context, completion: completes }: CommandDelivery,
  dependencies: BillingDependencies,
): Promise<void> {
  const stored = await dependencies.subscriptions.get(id, context);
  const { state } = stored;
  const { periodIndex } = payload;
  // The subscription ended in this very period: an invoice created now would charge for an unwanted
  // period until the close command voids it.
  if (endedWithin(state, periodIndex) || isBilled(state, periodIndex)) return;
  // Bills are created in order: each one charges the difference from the bills before it.
  if (state.usage.held !== null) return billOwed(id, context, dependencies);
  await attemptPeriodBill(stored, payload, { context, completes }, dependencies);
}

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

/** Bills the usage of the period in which a subscription ended, after all waiting bills. */
export async function billEnd(
  id: string,
  { closing, voided }: { readonly closing: Closing; readonly voided: Invoice | undefined },
  context: CallContext,
  dependencies: BillingDependencies,
): Promise<void> {
  const { subscriptions } = dependencies;
  const stored = await subscriptions.get(id, context);
  const { periodIndex, usage } = stored.state;
  if (periodIndex === null || isBilled(stored.state, periodIndex + 1)) return;
  if (usage.held !== null) {
    await subscriptions.record(id, context, (current) => closeOverLimitBills(current, closing));
    return billOwed(id, context, dependencies);
  }
  const isOwed = closing.voidedInvoiceId !== null;
  const owed = isOwed
    ? await usageOfUnfinishedInvoice(stored, voided, context, dependencies)
    : nothingOwed;
  await attemptFinalBill(stored, { closing, owed }, context, dependencies);
}

/** Bills usage reported after the end of a subscription for its last periods. */
export async function billLate(
  id: string,
  context: CallContext,
  dependencies: BillingDependencies,
): Promise<void> {
  const stored = await dependencies.subscriptions.get(id, context);
  if (stored.state.periodIndex !== null) await attemptLateBill(stored, context, dependencies);
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
      return attemptLateBill(stored, context, dependencies);
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
  if (state.usage.held?.bill === state.periodIndex) {
    return usageOfUnfinishedInvoice(stored, undefined, context, dependencies);
  }
  if (voidedInvoiceId === null) return nothingOwed;
  const voided = await voidInvoice(voidedInvoiceId, state, context, dependencies.peers);
  return usageOfUnfinishedInvoice(stored, voided, context, dependencies);
}
