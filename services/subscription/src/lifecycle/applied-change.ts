import { renewed, type SubscriptionEvent } from '../subscription/announcement';
import { mayHaveUsage, oweCycleEnd } from '../usage/cycle-end-bill';
import { noMeters, pinRates } from '../usage/usage-period';
import type { Subscription, SubscriptionItems } from '../subscription/subscription';
import type { SubscriptionChange } from '../subscription/subscription-change';
import { expectedAt, paused, withExpectedTime } from '../subscription/change-at-renewal';
import { endsWaitingItems, withDiscountAfter } from '../subscription/change-side';
import { putOffAfter } from '../subscription/put-off';
import { runningDiscount } from '../subscription/discount';
import { decideStretches, isSameProducts, keepAllStretches } from '../subscription/usage-stretch';
import { startNewCycle } from './plan-new-cycle';

/** Cancels the change that waits, because the subscription ends. */
export function cancelWaiting(
  subscription: Subscription,
  { now, replacedBy }: { readonly now: Date; readonly replacedBy: string | null },
): Subscription {
  const { changes } = subscription;
  const { waiting } = changes;
  if (waiting === null) return subscription;
  const canceled: SubscriptionChange = {
    ...waiting,
    status: 'CANCELED',
    replacedBy,
    updatedAt: now,
  };
  return withFinished({ ...subscription, changes: { ...changes, waiting: null } }, canceled);
}

/** The period that begins with a change is announced like any other. */
export function renewedBy(
  { beginsCycle, invoice }: SubscriptionChange,
  state: Subscription,
): SubscriptionEvent[] {
  return beginsCycle ? [renewed(state, invoice?.invoiceId ?? null)] : [];
}

/** The subscription with a change that takes effect now. */
export function withAppliedChange(
  subscription: Subscription,
  change: SubscriptionChange,
  now: Date,
): Subscription {
  const current = replacesWaiting(subscription, change)
    ? cancelWaiting(subscription, { now, replacedBy: change.id })
    : subscription;
  const { changes, periodIndex } = current;
  const { charges } = change;
  const earlier = changes.period?.periodIndex === periodIndex ? changes.period : null;
  const invoiceIds = [
    ...(earlier?.invoiceIds ?? (current.latestInvoice === null ? [] : [current.latestInvoice.id])),
    ...(change.invoice === null ? [] : [change.invoice.invoiceId]),
  ];
  const changed = withCycleEnd(current, withChangedItems(current, change), change);
  const exchanged = withoutPassedPause(changed, change, now);
  const period =
    exchanged.periodIndex === null
      ? null
      : {
          periodIndex: exchanged.periodIndex,
          applied: change.beginsCycle ? 1 : (earlier?.applied ?? 0) + 1,
          charges,
          invoiceIds,
          discount: change.beginsCycle ? exchanged.discount : runningDiscount(current),
        };
  const expected = withExpectedTime(exchanged);
  const putOff = putOffAfter(expected.changes.putOff, change);
  const next = { ...expected, changes: { ...expected.changes, period, putOff } };
  const applied: SubscriptionChange = { ...change, status: 'APPLIED', updatedAt: now };
  return decideStretches(withFinished(withRevenue(next, change, current), applied));
}

/** Owes the bill of the usage of the period that a change has ended, if it may have any. */
function withCycleEnd(
  before: Subscription,
  changed: Subscription,
  { usageInvoiceId: invoiceId }: SubscriptionChange,
): Subscription {
  const { periodIndex } = before;
  if (periodIndex === null || invoiceId === undefined) return changed;
  return oweCycleEnd(changed, { periodIndex, invoiceId, discount: runningDiscount(before) });
}

/** A pause, and other products, end a change that waits; but a pause survives the latter. */
function replacesWaiting(
  { changes: { waiting } }: Subscription,
  { kind, from, to }: SubscriptionChange,
): boolean {
  if (kind === 'PAUSE') return true;
  if (waiting?.kind !== 'UPDATE') return false;
  return endsWaitingItems({ from: from.items, to: to.items }, waiting.wanted);
}

/**
 * The subscription after a change, without a pause that waits and would end before it begins: a new
 * cycle has moved its beginning to its planned end or past it.
 */
function withoutPassedPause(
  changed: Subscription,
  { id: replacedBy }: SubscriptionChange,
  now: Date,
): Subscription {
  const { waiting } = changed.changes;
  if (waiting?.kind !== 'PAUSE' || waiting.resumeAt === null) return changed;
  const isPassed = waiting.resumeAt <= expectedAt(changed, waiting);
  return isPassed ? cancelWaiting(changed, { now, replacedBy }) : changed;
}

/** The subscription after a change: in the running period, in a new cycle, or in a pause. */
function withChangedItems(
  subscription: Subscription,
  { kind, wanted, to, resumeAt, beginsCycle, effectiveAt: at, invoice, sets }: SubscriptionChange,
): Subscription {
  if (kind === 'PAUSE') return paused(subscription, { at, resumeAt });
  const discounted = withDiscountAfter(subscription, wanted);
  if (!beginsCycle) return { ...discounted, items: to.items };
  const invoiceId = invoice?.invoiceId ?? null;
  const kept = withProductsOfPeriod(discounted, to.items);
  const { state, periodIndex } = startNewCycle(kept, to.items, { at, invoiceId });
  // The meter prices of a period that time begins are known only when its invoice is created.
  const isKnown = invoice?.isByTime !== true;
  const { usage } = isKnown
    ? pinRates(state, { periodIndex, ...(sets ?? noMeters(state)) })
    : state;
  return { ...state, usage: { ...usage, lastBill: periodIndex } };
}

/** The subscription with the products of its running period, if others take their place. */
function withProductsOfPeriod(subscription: Subscription, items: SubscriptionItems): Subscription {
  const isMoved = !isSameProducts(subscription.items, items) && mayHaveUsage(subscription);
  return isMoved ? keepAllStretches(subscription) : subscription;
}

/** Records what a change does to the recurring revenue. */
export function withRevenue(
  next: Subscription,
  { kind, effectiveAt, monthlyAmountBefore, monthlyAmountAfter }: SubscriptionChange,
  before: Subscription,
): Subscription {
  const isRunning = before.phase === 'REGULAR' || kind === 'RESUME';
  if (before.periodIndex === null || !isRunning) return next;
  const { startedAmount, revenue } = before.changes;
  const amounts = { before: monthlyAmountBefore, after: monthlyAmountAfter };
  const step = { at: effectiveAt, kind, ...amounts };
  return {
    ...next,
    changes: {
      ...next.changes,
      startedAmount: startedAmount ?? monthlyAmountBefore,
      revenue: [...revenue, step],
    },
  };
}

/** Adds a change that is to be recorded. */
export function withFinished(subscription: Subscription, change: SubscriptionChange): Subscription {
  const { changes } = subscription;
  return { ...subscription, changes: { ...changes, finished: [...changes.finished, change] } };
}

/** The subscription without the change that was being paid. */
export function withoutPaying(subscription: Subscription): Subscription {
  return { ...subscription, changes: { ...subscription.changes, paying: null } };
}

/** The invoice of a change becomes the newest one. */
export function withLatest(
  subscription: Subscription,
  { invoice }: Pick<SubscriptionChange, 'invoice'>,
): Subscription {
  if (invoice === null) return subscription;
  const { invoiceId: id, periodIndex } = invoice;
  return { ...subscription, latestInvoice: { id, periodIndex } };
}
