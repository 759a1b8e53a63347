import {
  beginCycle,
  endCycle,
  isSameInterval,
  nextPeriodIndex,
  periodIndexAt,
  periodOf,
} from './billing-cycle';
import { itemsAfter, monthlyAmountOf, sideOf, withDiscountAfter } from './change-side';
import {
  currentPeriod,
  mainItem,
  nextChange,
  nextInvoiceAt,
  type Subscription,
  type SubscriptionItems,
} from './subscription';
import { type ChangePlan, keepsPutOff, type SubscriptionChange } from './subscription-change';
import { isSameProducts, keepStretches } from './usage-stretch';

/**
 * The subscription right before it enters its next period with other items: another billing
 * interval begins a cycle there.
 */
export function withItemsAtRenewal(
  subscription: Subscription,
  items: SubscriptionItems,
): Subscription {
  const kept = isSameProducts(subscription.items, items)
    ? subscription
    : keepStretches(subscription);
  const isSame = isSameInterval(mainItem(subscription).price, items[0].price);
  if (subscription.phase !== 'REGULAR' || isSame) return { ...kept, items };
  const { end: at } = currentPeriod(subscription);
  return beginCycle(kept, { at, items, invoiceId: null });
}

/**
 * The subscription right before its next period, after a change that waits or the end of a pause;
 * null: no period follows.
 */
export function beforeNextPeriod(current: Subscription): Subscription | null {
  const at = nextInvoiceAt(current);
  if (at === null) return null;
  const next = nextChange(current);
  const items = next === null ? current.items : itemsAfter(current, next.wanted);
  const subscription = next === null ? current : withDiscountAfter(current, next.wanted);
  if (subscription.phase !== 'PAUSED' && next?.kind !== 'PAUSE') {
    return withItemsAtRenewal(subscription, items);
  }
  const { changes } = subscription;
  // The pause bills the lines put off that wait.
  const putOff = changes.putOff.filter(({ bill }) => bill !== null);
  const resumed = { ...subscription, changes: { ...changes, putOff } };
  return beginCycle(resumed, { at, items, invoiceId: null });
}

/** A subscription in a pause: its running period ends with the beginning of the pause. */
export function paused(
  subscription: Subscription,
  { at, resumeAt }: { readonly at: Date; readonly resumeAt: Date | null },
): Subscription {
  if (subscription.phase === 'PAUSED') return { ...subscription, resumeAt };
  return { ...endCycle(subscription, at), phase: 'PAUSED', pausedAt: at, resumeAt };
}

/**
 * A change at the end of the period, or of a later one that its instant names; it has no invoice of
 * its own. After one of the items, the next period is the running one; after the beginning of a
 * pause, the last one stays.
 */
export function planAtRenewal(
  current: Subscription,
  change: Pick<SubscriptionChange, 'kind' | 'wanted' | 'resumeAt' | 'notBefore'>,
): ChangePlan {
  const subscription = beforeChange(current, change);
  const { to, monthlyAmountAfter } =
    change.kind === 'PAUSE'
      ? { to: sideOf(pausedAtEnd(subscription, change)), monthlyAmountAfter: 0n }
      : itemsAtEnd(subscription, change);
  return {
    from: sideOf(subscription),
    to,
    monthlyAmountBefore: monthlyAmountOf(subscription, subscription.items),
    monthlyAmountAfter,
    ...{ invoice: null, creditNotes: [], charges: [], beginsCycle: false, ...keepsPutOff },
  };
}

function itemsAtEnd(
  subscription: Subscription,
  { wanted }: Pick<SubscriptionChange, 'wanted'>,
): Pick<SubscriptionChange, 'to' | 'monthlyAmountAfter'> {
  const items = itemsAfter(subscription, wanted);
  const state = withItemsAtRenewal(withDiscountAfter(subscription, wanted), items);
  const { start, end } = periodOf(state, nextPeriodIndex(state));
  return {
    to: { ...sideOf(state), currentPeriodStart: start, currentPeriodEnd: end },
    monthlyAmountAfter: monthlyAmountOf(subscription, items),
  };
}

/** The subscription in a pause that begins at the end of the running period. */
export function pausedAtEnd(
  subscription: Subscription,
  { resumeAt }: Pick<SubscriptionChange, 'resumeAt'>,
): Subscription {
  return paused(subscription, { at: currentPeriod(subscription).end, resumeAt });
}

/** A change that waits, as far as its time follows from it. */
type WaitingTerms = Pick<SubscriptionChange, 'notBefore'>;

/**
 * Expected time of a change that waits: the first period start at or after its instant, counted by
 * the present cycle, and never before the end of the running period or trial.
 */
export function expectedAt(subscription: Subscription, { notBefore }: WaitingTerms): Date {
  const { end } = currentPeriod(subscription);
  if (notBefore === undefined || notBefore <= end) return end;
  const { start, end: next } = periodOf(subscription, periodIndexAt(subscription, notBefore));
  return start < notBefore ? next : start;
}

/** The subscription as it would be in the last period before a change that waits. */
function beforeChange(subscription: Subscription, waiting: WaitingTerms): Subscription {
  const at = expectedAt(subscription, waiting);
  if (at <= currentPeriod(subscription).end) return subscription;
  const periodIndex = periodIndexAt(subscription, at) - 1;
  return { ...subscription, phase: 'REGULAR', periodIndex };
}

/** The subscription in a period, with the expected time of the change that waits. */
export function withExpectedTime(subscription: Subscription): Subscription {
  const { changes } = subscription;
  const { waiting } = changes;
  if (waiting === null) return subscription;
  const expected = { ...waiting, effectiveAt: expectedAt(subscription, waiting) };
  return keptBeforeChange({ ...subscription, changes: { ...changes, waiting: expected } });
}

/**
 * The subscription with the products of the periods so far, where a change of products takes effect
 * at the end of the running period: an earlier release may take that change, and would not keep
 * them.
 */
export function keptBeforeChange(subscription: Subscription): Subscription {
  const next = nextChange(subscription);
  if (next === null) return subscription;
  const items = itemsAfter(subscription, next.wanted);
  return isSameProducts(subscription.items, items) ? subscription : keepStretches(subscription);
}
