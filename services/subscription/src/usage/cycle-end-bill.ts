import { periodOf } from '../subscription/billing-cycle';
import type { BillCycleEnd } from '../subscription/command';
import type { Subscription } from '../subscription/subscription';
import type { CycleEndBill } from '../subscription/usage-billing';
import { isMetered } from '../subscription/usage-stretch';
import { endBefore, hasMeters, mayStillChange, pinnedSets } from './usage-period';

/** Finds the bill of the end of a cycle that had a period as its last one. */
export function findCycleEndBill(
  { cycleEndBills = [] }: Subscription,
  periodIndex: number,
): CycleEndBill | undefined {
  return cycleEndBills.find((bill) => bill.periodIndex === periodIndex);
}

/**
 * True if the running period may have usage to bill. Its meter prices are known once its invoice is
 * created.
 */
export function mayHaveUsage(subscription: Subscription): boolean {
  const { periodIndex } = subscription;
  if (periodIndex === null) return false;
  const sets = pinnedSets(subscription, periodIndex);
  return sets === undefined || isMetered(sets) || hasMeters(subscription);
}

/**
 * The subscription that owes the bill of the period that a change has ended, with its invoice open:
 * a result of that may arrive before the news of its creation.
 */
export function oweCycleEnd(
  subscription: Subscription,
  { periodIndex, invoiceId, discount }: Omit<CycleEndBill, 'isBilled' | 'retryAt'>,
): Subscription {
  const { end } = periodOf(subscription, periodIndex);
  const { cycleEndBills = [], openInvoices } = subscription;
  const kept = cycleEndBills.filter(
    (bill) => !bill.isBilled || mayStillChange(subscription, bill.periodIndex, end),
  );
  const bill = { periodIndex, invoiceId, discount, isBilled: false, retryAt: null };
  const opened = {
    ...{ invoiceId, periodIndex, lastResult: 0, isPastDue: false },
    ...{ isSettling: true, isOfCycleEnd: true },
  };
  return {
    ...subscription,
    cycleEndBills: [...kept, bill],
    openInvoices: [...openInvoices, opened],
  };
}

/** Orders the bills that a change owes. */
export function billCycleEnds(before: Subscription, after: Subscription): BillCycleEnd[] {
  const { cycleEndBills = [] } = after;
  return cycleEndBills
    .filter(({ periodIndex }) => findCycleEndBill(before, periodIndex) === undefined)
    .map(({ periodIndex }) => ({ type: 'billCycleEnd', payload: { periodIndex } }));
}

/** The bill that a change orders now; undefined: it ends no period that may have usage. */
export function orderedCycleEnd(
  before: Subscription,
  after: Subscription,
): CycleEndBill | undefined {
  const [order] = billCycleEnds(before, after);
  return order && findCycleEndBill(after, order.payload.periodIndex);
}

/** The subscription with news of a bill that is not billed yet; any other stays as it is. */
export function withCycleEndBill(
  subscription: Subscription,
  periodIndex: number,
  news: Partial<Pick<CycleEndBill, 'isBilled' | 'retryAt'>>,
): Subscription {
  const { cycleEndBills = [] } = subscription;
  return {
    ...subscription,
    cycleEndBills: cycleEndBills.map((bill) =>
      bill.periodIndex === periodIndex && !bill.isBilled ? { ...bill, ...news } : bill,
    ),
  };
}

/** The subscription without the bills that a later one has made up for: it settles their usage. */
export function withCycleEndsBilledBy(subscription: Subscription, later: number): Subscription {
  const { cycleEndBills = [], openInvoices } = subscription;
  const owed = cycleEndBills.filter((bill) => !bill.isBilled && bill.periodIndex < later);
  if (owed.length === 0) return subscription;
  const settledBefore = endBefore(subscription, later - 1);
  const settled = owed.filter(
    ({ periodIndex }) =>
      periodIndex === later - 1 || mayStillChange(subscription, periodIndex, settledBefore),
  );
  const isSettled = ({ invoiceId }: { readonly invoiceId: string }) =>
    settled.some((bill) => bill.invoiceId === invoiceId);
  return {
    ...subscription,
    cycleEndBills: cycleEndBills.map((bill) =>
      isSettled(bill) ? { ...bill, isBilled: true, retryAt: null } : bill,
    ),
    openInvoices: openInvoices.filter((invoice) => !isSettled(invoice)),
  };
}

/** True if the invoice is the one of a bill that is still owed. */
export function isOwedAtCycleEnd({ cycleEndBills = [] }: Subscription, invoiceId: string): boolean {
  return cycleEndBills.some((bill) => bill.invoiceId === invoiceId && !bill.isBilled);
}
