import { DomainError } from '@billing/kernel/domain-error';
import { unchanged } from '@billing/kernel/transition';
import {
  paymentFailed,
  type PaymentOutcome,
  paymentSucceeded,
  renewed,
  type SubscriptionEvent,
  updated,
} from '../subscription/announcement';
import type { BillingCommand, CreditChange, RecordChanges } from '../subscription/command';
import { openChangeInvoice } from '../subscription/open-invoices';
import {
  type ChangeAt,
  type ChangeFailure,
  findChange,
  type SubscriptionChange,
  type SubscriptionChanges,
} from '../subscription/subscription-change';
import { periodOf } from '../subscription/billing-cycle';
import {
  currentPeriod,
  mainItem,
  type Subscription,
  type SubscriptionItems,
} from '../subscription/subscription';
import type { Decision, SubscriptionTransition } from '../subscription/transition';
import {
  itemsAfter,
  monthlyAmountOf,
  sideOf,
  withItemsAtRenewal,
} from '../subscription/change-side';
import { pinRates } from '../usage/usage-period';
import type { ChangePlan, ChangeTerms } from './change-terms';
import { type ChangeRequest, checkRequest } from './check-change';
import { planChange } from './plan-change';
import { startNewCycle } from './plan-new-cycle';

const recentIdsMax = 50;

/**
 * Stores a change of the items:
 * - PENDING: it takes effect at the end of the period;
 * - PAYING: its invoice is charged first;
 * - APPLIED otherwise, and its invoice is collected like any other.
 *
 * A repeat of a stored change changes nothing. The caller has taken the due steps.
 */
export function requestChange(
  current: Subscription,
  request: ChangeRequest,
  { now }: Pick<Decision, 'now'>,
): SubscriptionTransition {
  if (isStoredChange(current.changes, request.changeId)) return unchanged(current);
  if (isRefused(current.changes, request)) throw roundRefused();
  return checkRequest(current, request, now) === 'PERIOD_END'
    ? wait(current, request, now)
    : changeNow(current, request, now);
}

function wait(
  subscription: Subscription,
  request: ChangeRequest,
  now: Date,
): SubscriptionTransition {
  const { end } = currentPeriod(subscription);
  const change: SubscriptionChange = {
    ...newChange(request, now),
    ...planAtRenewal(subscription, request.wanted),
    status: 'PENDING',
    at: 'PERIOD_END',
    effectiveAt: end,
  };
  const replaced = cancelWaiting(subscription, { now, replacedBy: change.id });
  const changes = { ...remembered(replaced.changes, change.id), waiting: change };
  const state: Subscription = { ...replaced, changes };
  return {
    state,
    events: [updated(subscription, state, { changeId: change.id })],
    commands: recordChanges(state),
  };
}

function changeNow(
  subscription: Subscription,
  request: ChangeRequest,
  now: Date,
): SubscriptionTransition {
  const effectiveAt = request.instant ?? now;
  const change: SubscriptionChange = {
    ...newChange(request, now),
    ...planChange(subscription, { ...request, at: effectiveAt }),
    status: 'PAYING',
    at: 'NOW',
    effectiveAt,
  };
  const known = { ...subscription, changes: remembered(subscription.changes, change.id) };
  const { invoice } = change;
  const ordered: BillingCommand[] =
    invoice === null ? [] : [{ type: 'invoiceChange', payload: { changeId: change.id } }];
  if (invoice?.isPaidFirst === true) {
    const state = { ...known, changes: { ...known.changes, paying: change } };
    return { state, events: [], commands: ordered };
  }
  const applied = withAppliedChange(known, change, now);
  const state = invoice === null ? applied : openChangeInvoice(applied, invoice, change);
  return {
    state,
    events: [updated(subscription, state, { changeId: change.id }), ...renewedBy(change, state)],
    commands: [...ordered, ...creditsOf(change), ...recordChanges(state)],
  };
}

/** A change of the items at the end of the period; after it, that period is the running one. */
export function planAtRenewal(
  subscription: Subscription,
  wanted: ChangeTerms['wanted'],
): ChangePlan {
  const items = itemsAfter(subscription, wanted);
  const state = withItemsAtRenewal(subscription, items);
  const { periodIndex } = state;
  const { start, end } = periodOf(state, periodIndex === null ? 0 : periodIndex + 1);
  return {
    from: sideOf(subscription),
    to: { ...sideOf(state), currentPeriodStart: start, currentPeriodEnd: end },
    monthlyAmountBefore: monthlyAmountOf(subscription, subscription.items),
    monthlyAmountAfter: monthlyAmountOf(subscription, items),
    ...{ invoice: null, creditNotes: [], charges: [], beginsCycle: false },
  };
}

/** Applies the change that was being paid; its invoice is PAID. */
export function applyPaidChange(
  subscription: Subscription,
  change: SubscriptionChange,
  { payment, isCharged }: { readonly payment: PaymentOutcome; readonly isCharged: boolean },
  now: Date,
): SubscriptionTransition {
  const before = withoutPaying(subscription);
  const state = withLatest(withAppliedChange(before, change, now), change);
  const announced: SubscriptionEvent[] = isCharged ? [paymentSucceeded(before, payment)] : [];
  const news = { changeId: change.id, invoice: payment.invoice };
  return {
    state,
    events: [...announced, updated(before, state, news), ...renewedBy(change, state)],
    commands: [...creditsOf(change), ...recordChanges(state)],
  };
}

/**
 * Applies the change that was being paid, although its invoice cannot be charged: the provider
 * cannot take the amount, or there is none. The invoice stays open.
 */
export function applyUnchargedChange(
  subscription: Subscription,
  change: SubscriptionChange,
  { lastResult, now }: { readonly lastResult: number; readonly now: Date },
): SubscriptionTransition {
  const { invoice } = change;
  if (invoice === null) throw new Error(`Change ${change.id} has no invoice`);
  const before = withoutPaying(subscription);
  const applied = withLatest(withAppliedChange(before, change, now), change);
  const { beginsCycle } = change;
  const news = { beginsCycle, lastResult, isSettling: false };
  const state = openChangeInvoice(applied, invoice, news);
  return {
    state,
    events: [updated(before, state, { changeId: change.id }), ...renewedBy(change, state)],
    commands: [...creditsOf(change), ...recordChanges(state)],
  };
}

/** The period that begins with a change is announced like any other. */
function renewedBy(
  { beginsCycle, invoice }: SubscriptionChange,
  state: Subscription,
): SubscriptionEvent[] {
  return beginsCycle ? [renewed(state, invoice?.invoiceId ?? null)] : [];
}

/** Orders the credit notes of a change that is in force. */
function creditsOf({ id: changeId, creditNotes }: SubscriptionChange): CreditChange[] {
  return creditNotes.length === 0 ? [] : [{ type: 'creditChange', payload: { changeId } }];
}

/**
 * Ends the change that was being paid; nothing else has changed. Checkout has voided its invoice if
 * the payment was declined; otherwise, and if the change has reserved credits, it is undone.
 */
export function failChange(
  subscription: Subscription,
  change: SubscriptionChange,
  {
    failure,
    payment,
  }: { readonly failure: ChangeFailure; readonly payment: PaymentOutcome | null },
  now: Date,
): SubscriptionTransition {
  const before = withoutPaying(subscription);
  const failed: SubscriptionChange = { ...change, status: 'FAILED', failure, updatedAt: now };
  const state = withFinished(before, failed);
  const isUndone = payment === null || change.creditNotes.length > 0;
  const undo: BillingCommand[] = isUndone
    ? [{ type: 'undoChange', payload: { changeId: change.id } }]
    : [];
  return {
    state,
    events: payment === null ? [] : [paymentFailed(state, payment)],
    commands: [...undo, ...recordChanges(state)],
  };
}

/** Takes back a change that waits; a canceled one stays as it is. */
export function cancelChange(
  subscription: Subscription,
  changeId: string,
  now: Date,
): SubscriptionTransition {
  if (subscription.changes.waiting?.id !== changeId) return unchanged(subscription);
  const state = cancelWaiting(subscription, { now, replacedBy: null });
  return {
    state,
    events: [updated(subscription, state, { changeId })],
    commands: recordChanges(state),
  };
}

/** Applies the change that waits for the period that begins; the renewal follows in this write. */
export function applyWaitingChange(subscription: Subscription, at: Date): SubscriptionTransition {
  const { waiting } = subscription.changes;
  if (waiting === null) return unchanged(subscription);
  const applied: SubscriptionChange = {
    ...waiting,
    ...planAtRenewal(subscription, waiting.wanted),
    status: 'APPLIED',
    effectiveAt: at,
    updatedAt: at,
  };
  const { changes } = subscription;
  const state = withFinished(
    withRevenue(
      {
        ...withItemsAtRenewal(subscription, applied.to.items),
        changes: { ...changes, waiting: null },
      },
      applied,
      subscription,
    ),
    applied,
  );
  return {
    state,
    events: [updated(subscription, state, { changeId: waiting.id })],
    commands: recordChanges(state),
  };
}

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

/** Orders that the finished changes are recorded. */
export function recordChanges({ changes }: Subscription): RecordChanges[] {
  return changes.finished.length === 0 ? [] : [{ type: 'recordChanges', payload: {} }];
}

/**
 * Fails the change that is being paid, because the subscription ends or enters its next period in
 * the same write: that step comes first. A payment may succeed all the same, so the order to undo
 * the change voids its invoice or credits it. It comes last: it waits for a payment in flight, and
 * must not hold up the bill of the step.
 */
export function superseding(
  subscription: Subscription,
  now: Date,
  then: (current: Subscription) => SubscriptionTransition,
): SubscriptionTransition {
  const { paying } = subscription.changes;
  if (paying === null) return then(subscription);
  const failed = failChange(subscription, paying, { failure: superseded, payment: null }, now);
  const { state, events, commands } = then(failed.state);
  return { state, events, commands: [...commands, ...failed.commands] };
}

const superseded: ChangeFailure = {
  code: 'superseded',
  message: 'The subscription ended or was renewed before the payment',
};

function newChange({ changeId, ...request }: ChangeRequest, now: Date) {
  return {
    id: changeId,
    requirePayment: request.requirePayment,
    proration: request.proration,
    reservedRound: request.reservedRound,
    wanted: request.wanted,
    failure: null,
    replacedBy: null,
    metadata: request.metadata,
    createdAt: now,
    updatedAt: now,
  };
}

function withAppliedChange(
  subscription: Subscription,
  change: SubscriptionChange,
  now: Date,
): Subscription {
  const isOfProducts = mainItem(change.to).productId !== mainItem(change.from).productId;
  const current = isOfProducts
    ? cancelWaiting(subscription, { now, replacedBy: change.id })
    : subscription;
  const { changes, periodIndex } = current;
  const { charges } = change;
  const earlier = changes.period?.periodIndex === periodIndex ? changes.period : null;
  const invoiceIds = [
    ...(earlier?.invoiceIds ?? (current.latestInvoice === null ? [] : [current.latestInvoice.id])),
    ...(change.invoice === null ? [] : [change.invoice.invoiceId]),
  ];
  const exchanged = withChangedItems(current, change);
  const period =
    exchanged.periodIndex === null
      ? null
      : {
          periodIndex: exchanged.periodIndex,
          applied: (earlier?.applied ?? 0) + 1,
          charges,
          invoiceIds,
        };
  const next = { ...exchanged, changes: { ...changes, period } };
  const applied: SubscriptionChange = { ...change, status: 'APPLIED', updatedAt: now };
  return withFinished(withRevenue(next, change, current), applied);
}

/** The items after a change, in the running period or in the new cycle that it begins. */
function withChangedItems(
  subscription: Subscription,
  { to, beginsCycle, effectiveAt: at, invoice }: SubscriptionChange,
): Subscription {
  if (!beginsCycle) return { ...subscription, items: to.items };
  const invoiceId = invoice?.invoiceId ?? null;
  const { state, periodIndex } = startNewCycle(subscription, to.items, { at, invoiceId });
  // A change does not begin a cycle of metered prices, so its period has no usage to bill.
  const { usage } = pinRates(state, { periodIndex, set: 0 });
  return { ...state, usage: { ...usage, lastBill: periodIndex } };
}

function withRevenue(
  next: Subscription,
  { effectiveAt, monthlyAmountBefore, monthlyAmountAfter }: SubscriptionChange,
  before: Subscription,
): Subscription {
  if (before.periodIndex === null || before.phase !== 'REGULAR') return next;
  const { startedAmount, revenue } = before.changes;
  const step = { at: effectiveAt, before: monthlyAmountBefore, after: monthlyAmountAfter };
  return {
    ...next,
    changes: {
      ...next.changes,
      startedAmount: startedAmount ?? monthlyAmountBefore,
      revenue: [...revenue, step],
    },
  };
}

function withFinished(subscription: Subscription, change: SubscriptionChange): Subscription {
  const { changes } = subscription;
  return { ...subscription, changes: { ...changes, finished: [...changes.finished, change] } };
}

function withoutPaying(subscription: Subscription): Subscription {
  return { ...subscription, changes: { ...subscription.changes, paying: null } };
}

function withLatest(
  subscription: Subscription,
  { invoice }: Pick<SubscriptionChange, 'invoice'>,
): Subscription {
  if (invoice === null) return subscription;
  const { invoiceId: id, periodIndex } = invoice;
  return { ...subscription, latestInvoice: { id, periodIndex } };
}

function remembered(changes: SubscriptionChanges, id: string): SubscriptionChanges {
  return { ...changes, recentIds: [...changes.recentIds, id].slice(-recentIdsMax) };
}

/** True if a change was stored under an id, unless many others followed it. */
export function isStoredChange(changes: SubscriptionChanges, id: string): boolean {
  return changes.recentIds.includes(id) || findChange(changes, id) !== undefined;
}

function isRefused({ refused }: SubscriptionChanges, request: ChangeRequest): boolean {
  return refused.some(
    ({ changeId, round }) => changeId === request.changeId && round === request.reservedRound,
  );
}

function roundRefused(): DomainError {
  return new DomainError('unavailable', 'ROUND_REFUSED', 'Service unavailable');
}
