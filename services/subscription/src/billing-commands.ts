import type { CommandDelivery } from '@billing/chassis/aggregate-collection';
import type { Stored } from '@billing/chassis/aggregate';
import type { CallContext } from '@billing/chassis/call-context';
import type { Invoice } from '@billing/proto/billing/checkout/v1/checkout';
import {
  type BillingDependencies,
  nothingOwed,
  type Owed,
  tryEnd,
  tryLate,
  tryPeriod,
  usageOwed,
} from './bill-attempt-commands';
import type { BillPeriod } from './billing';
import { takeDiscount } from './discount';
import { closeHeld, isBilled, owedBill } from './held-bill';
import type { Peers } from './peers';
import { decisionOn } from './store';
import { type Closing, endedWithin, type Subscription } from './subscription';

/** Bills a period that was entered, and the usage of those before it, where no earlier bill is held. */
export async function billPeriod(
  payload: BillPeriod['payload'],
  { aggregateId: id, context, completion: completes }: CommandDelivery,
  dependencies: BillingDependencies,
): Promise<void> {
  const stored = await dependencies.subscriptions.get(id, context);
  const { state } = stored;
  const { periodIndex } = payload;
  // Ended in this very period: an invoice made now would charge for what nobody wants any more, before the command that voids it.
  if (endedWithin(state, periodIndex) || isBilled(state, periodIndex)) return;
  // One after the other: a bill tells what differs from what those before it have billed.
  if (state.usage.held !== null) return billOwed(id, context, dependencies);
  await tryPeriod(stored, payload, { context, completes }, dependencies);
}

/** Makes the bills that are held, the oldest first, until one of them comes to too much again. */
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

/** Bills the usage of the period in which a subscription ended, behind whatever is held. */
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
    await subscriptions.note(id, context, (current) => closeHeld(current, closing));
    return billOwed(id, context, dependencies);
  }
  const isOwed = closing.voidedInvoiceId !== null;
  const owed = isOwed ? await usageOwed(stored, voided, context, dependencies) : nothingOwed;
  await tryEnd(stored, { closing, owed }, context, dependencies);
}

/** Bills what came after the end of a subscription for its last periods. */
export async function billLate(
  id: string,
  context: CallContext,
  dependencies: BillingDependencies,
): Promise<void> {
  const stored = await dependencies.subscriptions.get(id, context);
  if (stored.state.periodIndex !== null) await tryLate(stored, context, dependencies);
}

/** Makes sure that an invoice that may be under way is never made, or never paid. Refused while a payment runs, and repeated until that has an outcome. */
export async function voidInvoice(
  invoiceId: string,
  { id: subscriptionId, customer, price }: Subscription,
  context: CallContext,
  { checkout }: Peers,
): Promise<Invoice | undefined> {
  const { invoice } = await checkout.voidDerivedInvoice(
    { invoiceId, subscriptionId, customerId: customer.id, currency: price.currency },
    context,
  );
  return invoice;
}

/** False where nothing is held, or it is held still. */
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
      // Nothing is settled for the first bill, so that none is held that a caller ordered.
      const payload: BillPeriod['payload'] = {
        periodIndex,
        invoiceId: invoiceIdOf(periodIndex),
        reason: 'SUBSCRIPTION_CYCLE',
        authorizedTransactionId: null,
        isDiscounted,
      };
      return tryPeriod(stored, payload, { context }, dependencies);
    }
    case 'END': {
      const owed = await owedAtEnd(stored, bill.closing, context, dependencies);
      return tryEnd(stored, { closing: bill.closing, owed }, context, dependencies);
    }
    case 'LATE':
      return tryLate(stored, context, dependencies);
  }
}

async function owedAtEnd(
  stored: Stored<Subscription>,
  { voidedInvoiceId }: Closing,
  context: CallContext,
  dependencies: BillingDependencies,
): Promise<Owed> {
  const { state } = stored;
  // The invoice of the period in which it ended was held itself.
  if (state.usage.held?.bill === state.periodIndex) {
    return usageOwed(stored, undefined, context, dependencies);
  }
  if (voidedInvoiceId === null) return nothingOwed;
  const voided = await voidInvoice(voidedInvoiceId, state, context, dependencies.peers);
  return usageOwed(stored, voided, context, dependencies);
}
