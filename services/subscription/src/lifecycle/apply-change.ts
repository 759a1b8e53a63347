import { DomainError } from '@billing/kernel/domain-error';
import { unchanged } from '@billing/kernel/transition';
import {
  paymentFailed,
  type PaymentOutcome,
  paymentSucceeded,
  type SubscriptionEvent,
  updated,
} from '../subscription/announcement';
import type { BillingCommand, CreditChange, RecordChanges } from '../subscription/command';
import { openChangeInvoice } from '../subscription/open-invoices';
import {
  type ChangeAt,
  type ChangeFailure,
  type ChangePlan,
  findChange,
  type SubscriptionChange,
  type SubscriptionChanges,
} from '../subscription/subscription-change';
import { currentPeriod, nextChange, type Subscription } from '../subscription/subscription';
import type { Decision, SubscriptionTransition } from '../subscription/transition';
import {
  expectedAt,
  pausedAtEnd,
  planAtRenewal,
  withItemsAtRenewal,
} from '../subscription/change-at-renewal';
import { withDiscountAfter } from '../subscription/change-side';
import { runningDiscount } from '../subscription/discount';
import { putOffAfter, waitingPutOff } from '../subscription/put-off';
import { withoutPlanned } from '../subscription/usage-stretch';
import { type ChangeRequest, checkRequest } from './check-change';
import {
  cancelWaiting,
  renewedBy,
  withAppliedChange,
  withFinished,
  withLatest,
  withoutPaying,
  withRevenue,
} from './applied-change';
import { billCycleEnds, mayHaveUsage, oweCycleEnd } from '../usage/cycle-end-bill';
import { withKeptProducts, withStretch } from './meter-moves';
import { pauseInvoice } from './pause';
import { planChange } from './plan-change';

const recentIdsMax = 50;

/**
 * Stores a change of the items or the discount:
 * - PENDING: it takes effect at the end of the period, or at a later period start;
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
  return storeRequest(current, request, { at: checkRequest(current, request, now), now });
}

/** Stores a change that was not stored before, and that the state of the subscription allows. */
export function storeRequest(
  current: Subscription,
  request: ChangeRequest,
  { at, now }: { readonly at: ChangeAt; readonly now: Date },
): SubscriptionTransition {
  return at === 'PERIOD_END' ? wait(current, request, now) : changeNow(current, request, now);
}

function wait(
  subscription: Subscription,
  request: ChangeRequest,
  now: Date,
): SubscriptionTransition {
  const { notBefore } = request;
  const change: SubscriptionChange = {
    ...newChange(request, now),
    ...planAtRenewal(subscription, request),
    status: 'PENDING',
    at: 'PERIOD_END',
    ...(notBefore !== undefined && { notBefore }),
    effectiveAt: expectedAt(subscription, request),
  };
  const isNext = change.effectiveAt <= currentPeriod(subscription).end;
  const kept = isNext ? withKeptProducts(subscription, change) : subscription;
  const replaced = cancelWaiting(kept, { now, replacedBy: change.id });
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
  const planned = planChange(subscription, { ...request, at: effectiveAt });
  const change: SubscriptionChange = {
    ...newChange(request, now),
    ...planned,
    ...usageEndOf(subscription, { ...request, ...planned }),
    status: 'PAYING',
    at: 'NOW',
    effectiveAt,
  };
  const { invoice } = change;
  const metered = withStretch(subscription, change, request);
  if (invoice?.isPaidFirst !== true) return applied(metered, change, now);
  const changes = { ...remembered(metered.changes, change.id), paying: change };
  const state = { ...metered, changes };
  return { state, events: [], commands: invoiceOf(change) };
}

/** Meter prices of the period that a change begins, and the invoice of the usage until then. */
function usageEndOf(
  subscription: Subscription,
  {
    kind,
    beginsCycle,
    sets,
    usageInvoiceIdOf,
  }: Pick<ChangeRequest, 'kind' | 'sets' | 'usageInvoiceIdOf'> & Pick<ChangePlan, 'beginsCycle'>,
): Pick<SubscriptionChange, 'sets' | 'usageInvoiceId'> {
  const { phase, periodIndex } = subscription;
  const endsPeriod = phase === 'REGULAR' && (beginsCycle || kind === 'PAUSE');
  const invoiceIdOf = endsPeriod && mayHaveUsage(subscription) ? usageInvoiceIdOf : undefined;
  return {
    ...(sets !== undefined && { sets }),
    ...(invoiceIdOf !== undefined &&
      periodIndex !== null && { usageInvoiceId: invoiceIdOf(periodIndex) }),
  };
}

/** Applies a change that is not paid first. */
function applied(
  subscription: Subscription,
  change: SubscriptionChange,
  now: Date,
): SubscriptionTransition {
  const known = withRemembered(subscription, change.id);
  const { invoice } = change;
  const changed = withAppliedChange(known, change, now);
  const state = invoice === null ? changed : openChangeInvoice(changed, invoice, change);
  return {
    state,
    events: [updated(subscription, state, { changeId: change.id }), ...renewedBy(change, state)],
    commands: [
      ...invoiceOf(change),
      ...creditsOf(change),
      ...recordChanges(state),
      ...billCycleEnds(subscription, state),
    ],
  };
}

/** Orders the invoice of a change, if it has one. */
function invoiceOf({ id: changeId, invoice }: SubscriptionChange): BillingCommand[] {
  return invoice === null ? [] : [{ type: 'invoiceChange', payload: { changeId } }];
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
    commands: [...creditsOf(change), ...recordChanges(state), ...billCycleEnds(before, state)],
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
    commands: [...creditsOf(change), ...recordChanges(state), ...billCycleEnds(before, state)],
  };
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
  const before = withoutPlanned(withoutPaying(subscription));
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

/** Ends a pause at its planned time: a new cycle begins, and its invoice is collected. */
export function resumeByTime(
  subscription: Subscription,
  at: Date,
  { invoiceIdOf, resumeIdOf }: Decision,
): SubscriptionTransition {
  const next = (subscription.periodIndex ?? -1) + 1;
  const request: ChangeRequest = {
    changeId: resumeIdOf(next),
    ...{ kind: 'RESUME', at: 'NOW', resumeAt: null, proration: 'PRORATE', metadata: {} },
    collect: 'NOW',
    wanted: { product: null, quantity: null, discount: null },
    ...{ instant: at, requirePayment: false, balanceRound: null, reservedRound: null },
    ...{ invoiceId: invoiceIdOf(next), creditNoteIdOf: () => '', facts: null },
    taxFacts: { buyer: null, taxCategory: null },
  };
  const plan = planChange(subscription, { ...request, at });
  const invoice = plan.invoice === null ? null : { ...plan.invoice, isByTime: true };
  const change: SubscriptionChange = {
    ...newChange(request, at),
    ...{ ...plan, invoice },
    ...{ status: 'APPLIED', at: 'NOW', effectiveAt: at },
  };
  return applied(subscription, change, at);
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

/**
 * Applies the change that waits for the end of the period; one that waits for an instant after it
 * stays pending. The renewal follows in this write, but not after the beginning of a pause.
 */
export function applyWaitingChange(
  subscription: Subscription,
  at: Date,
  decision: Pick<Decision, 'pauseInvoiceIdOf' | 'usageInvoiceIdOf'>,
): SubscriptionTransition {
  const waiting = nextChange(subscription);
  if (waiting === null) return unchanged(subscription);
  const ofPause = waiting.kind === 'PAUSE' ? billedByPause(subscription, at, decision) : undefined;
  const applied: SubscriptionChange = {
    ...waiting,
    ...planAtRenewal(subscription, waiting),
    ...ofPause,
    status: 'APPLIED',
    effectiveAt: at,
    updatedAt: at,
  };
  const changed =
    waiting.kind === 'PAUSE'
      ? pausedByTime(subscription, waiting, decision)
      : withItemsAtRenewal(withDiscountAfter(subscription, waiting.wanted), applied.to.items);
  const putOff = putOffAfter(changed.changes.putOff, applied);
  const done = { ...changed, changes: { ...changed.changes, waiting: null, putOff } };
  const finished = withFinished(withRevenue(done, applied, subscription), applied);
  const { invoice } = applied;
  const state = invoice === null ? finished : openChangeInvoice(finished, invoice, applied);
  return {
    state,
    events: [updated(subscription, state, { changeId: waiting.id })],
    commands: [
      ...invoiceOf(applied),
      ...recordChanges(state),
      ...billCycleEnds(subscription, state),
    ],
  };
}

/** The subscription in a pause that begins at the end of its period, whose usage it owes. */
function pausedByTime(
  subscription: Subscription,
  waiting: SubscriptionChange,
  { usageInvoiceIdOf }: Pick<Decision, 'usageInvoiceIdOf'>,
): Subscription {
  const { periodIndex } = subscription;
  const paused = pausedAtEnd(subscription, waiting);
  if (periodIndex === null || !mayHaveUsage(subscription)) return paused;
  const invoiceId = usageInvoiceIdOf(periodIndex);
  return oweCycleEnd(paused, { periodIndex, invoiceId, discount: runningDiscount(subscription) });
}

/** The lines put off, which a pause at the end of the period bills. */
function billedByPause(
  subscription: Subscription,
  at: Date,
  { pauseInvoiceIdOf }: Pick<Decision, 'pauseInvoiceIdOf'>,
): Pick<SubscriptionChange, 'invoice' | 'takenChangeIds'> {
  const invoice = pauseInvoice(subscription, [], {
    ...{ at, invoiceId: pauseInvoiceIdOf(subscription.periodIndex ?? 0) },
    ...{ requirePayment: false, balanceRound: null },
    // They are read when the invoice is created.
    taxFacts: { buyer: null, taxCategory: null },
  });
  return {
    invoice: invoice === null ? null : { ...invoice, isByTime: true },
    takenChangeIds: waitingPutOff(subscription).changeIds,
  };
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

function newChange({ changeId, migrationId, ...request }: ChangeRequest, now: Date) {
  return {
    id: changeId,
    ...(migrationId !== undefined && { migrationId }),
    kind: request.kind,
    resumeAt: request.resumeAt,
    requirePayment: request.requirePayment,
    proration: request.proration,
    collect: request.collect,
    billedOn: null,
    reservedRound: request.reservedRound,
    wanted: request.wanted,
    failure: null,
    replacedBy: null,
    metadata: request.metadata,
    createdAt: now,
    updatedAt: now,
  };
}

/** The subscription that knows the id of a call, for its retries. */
export function withRemembered(subscription: Subscription, id: string): Subscription {
  return { ...subscription, changes: remembered(subscription.changes, id) };
}

function remembered(changes: SubscriptionChanges, id: string): SubscriptionChanges {
  return { ...changes, recentIds: [...changes.recentIds, id].slice(-recentIdsMax) };
}

/** True if a change was stored under an id, unless many others followed it. */
export function isStoredChange(changes: SubscriptionChanges, id: string): boolean {
  return changes.recentIds.includes(id) || findChange(changes, id) !== undefined;
}

/** True if the round of a change or an end was refused: what it has reserved is released. */
export function isRefused(
  { refused }: SubscriptionChanges,
  request: Pick<ChangeRequest, 'changeId' | 'reservedRound'>,
): boolean {
  return refused.some(
    ({ changeId, round }) => changeId === request.changeId && round === request.reservedRound,
  );
}

/** Refusal of a round whose reservation was released: the call tries the next one. */
export function roundRefused(): DomainError {
  return new DomainError('unavailable', 'ROUND_REFUSED', 'Service unavailable');
}
