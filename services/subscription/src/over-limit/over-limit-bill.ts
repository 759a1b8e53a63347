import type { BillingCommand } from '../subscription/command';
import {
  endedWithin,
  type OpenInvoice,
  periodOf,
  type Subscription,
} from '../subscription/subscription';
import type { SubscriptionTransition } from '../subscription/transition';
import {
  type Closing,
  isBilled,
  type OverLimitBills,
  type UnbilledSettlements,
  type UsageBilling,
} from '../subscription/usage-billing';
import { lateForMs, mayBeSettled } from '../usage/usage-period';
import type { Settlement } from '../usage/settlement';

const dayMs = 86_400_000;
// Each retry leaves a settlement behind, and metering is sent all of them: a caller with a change
// every minute must not create thousands.
const retriesADayMax = 20;
const settlementsMax = 1_000;

/** Request for a settlement: a new one for each attempt, because a settlement never changes. */
export interface SettlementAttempt extends UnbilledSettlements {
  /** Keys of the settlements that were made and never billed. */
  readonly unbilledKeys: readonly string[];
}

/** The next retry among the bills over the limit. */
export type OwedBill =
  | { readonly kind: 'PERIOD'; readonly periodIndex: number }
  | { readonly kind: 'END'; readonly closing: Closing }
  | { readonly kind: 'LATE' };

/** A bill that was over the limit. */
export interface OverLimitAttempt {
  readonly bill: number;
  /** The settlements made for it. */
  readonly settled: readonly UnbilledSettlements[];
  /** Set for the bill of the end. */
  readonly closing: Closing | null;
  readonly now: Date;
}

/**
 * Determines the settlement of the next attempt. When no settlement is left, the last one is used
 * again.
 */
export function nextSettlement(
  { unbilled }: UsageBilling,
  { key, through }: Settlement,
): SettlementAttempt {
  const unbilledKeys = unbilled.flatMap((one) =>
    Array.from({ length: one.tries }, (_, index) => attemptKey({ ...one, tries: index + 1 })),
  );
  const attempts = unbilled.find((one) => one.key === key)?.tries ?? 0;
  const tries = unbilledKeys.length < settlementsMax || attempts === 0 ? attempts + 1 : attempts;
  return { key, through, tries, unbilledKeys };
}

/** Derives the key of an attempt's settlement. */
export function attemptKey({ key, tries }: UnbilledSettlements): string {
  return tries === 1 ? key : `${key}/${String(tries)}`;
}

/**
 * Records a bill as over the limit, so that it and all later ones are retried; a duplicate of an
 * attempt changes nothing.
 */
export function recordOverLimitBill(
  subscription: Subscription,
  { bill, settled, closing, now }: OverLimitAttempt,
): Subscription {
  const { usage } = subscription;
  if (isBilled(subscription, bill)) return subscription;
  const { held } = usage;
  const unbilled = settled.reduce(withAttempt, usage.unbilled);
  const isFirst = held === null || unbilled.length > usage.unbilled.length;
  const overLimit: OverLimitBills = {
    bill,
    retryAt: isFirst ? nextRetryAt(subscription, bill, now) : held.retryAt,
    triesLeft: isFirst ? retriesADayMax : held.triesLeft,
    closing: closing ?? held?.closing ?? null,
  };
  return { ...subscription, usage: { ...usage, held: overLimit, unbilled } };
}

/** Adds the bill of the end to the waiting bills. */
export function closeOverLimitBills(subscription: Subscription, closing: Closing): Subscription {
  const { usage } = subscription;
  const { held } = usage;
  if (held === null || held.closing !== null) return subscription;
  return { ...subscription, usage: { ...usage, held: { ...held, closing } } };
}

/**
 * Returns the first waiting bill; undefined: none is waiting, or the bill of the end has not been
 * ordered yet.
 */
export function owedBill(subscription: Subscription): OwedBill | undefined {
  const { periodIndex, usage } = subscription;
  const { held } = usage;
  if (held === null || periodIndex === null) return undefined;
  const { bill, closing } = held;
  if (bill > periodIndex + 1) return { kind: 'LATE' };
  if (bill <= periodIndex && !endedWithin(subscription, bill)) {
    return { kind: 'PERIOD', periodIndex: bill };
  }
  return closing === null ? undefined : { kind: 'END', closing };
}

/** Returns the bills that still wait once a bill is created. */
export function overLimitBillsAfter(
  subscription: Subscription,
  bill: number,
): OverLimitBills | null {
  const { phase, periodIndex, usage } = subscription;
  if (usage.held === null || periodIndex === null) return null;
  const last = phase === 'ENDED' ? periodIndex + 1 : periodIndex;
  return bill < last ? { ...usage.held, bill: bill + 1 } : null;
}

/**
 * Returns the unbilled settlements whose periods a later settlement may be about, too: that one
 * must know that their usage was not billed.
 */
export function stillUnbilled(
  subscription: Subscription,
  bill: number,
): readonly UnbilledSettlements[] {
  const { periodIndex, usage } = subscription;
  if (periodIndex === null || bill > periodIndex) return usage.unbilled;
  return usage.unbilled.filter(({ through }) => mayBeSettled(subscription, through, bill));
}

/**
 * Orders a retry of the waiting bills with a change of the subscription; the change may have been
 * made for that purpose.
 */
export function retriedWithChange(
  before: Subscription,
  transition: SubscriptionTransition,
): SubscriptionTransition {
  const { state, commands } = transition;
  const { held } = state.usage;
  const isTried = commands.some(({ type }) => billing.has(type));
  if (state === before || held === null || held.triesLeft === 0 || isTried) return transition;
  const usage = { ...state.usage, held: { ...held, triesLeft: held.triesLeft - 1 } };
  return { ...transition, state: { ...state, usage }, commands: [...commands, billOwed] };
}

/** Orders the retry of the waiting bills that is due. */
export function retryBills(subscription: Subscription, now: Date): SubscriptionTransition {
  const { usage } = subscription;
  const { held } = usage;
  if (held === null) return { state: subscription, events: [], commands: [] };
  const retryAt = nextRetryAt(subscription, held.bill, now);
  const next = { ...usage, held: { ...held, retryAt, triesLeft: retriesADayMax } };
  return { state: { ...subscription, usage: next }, events: [], commands: [billOwed] };
}

/**
 * Postpones the next retry after a step of the subscription's life, which retries the waiting bills
 * with its own bill.
 */
export function withRetryPostponed(
  transition: SubscriptionTransition,
  at: Date,
): SubscriptionTransition {
  const { state } = transition;
  const { held } = state.usage;
  if (held === null || held.retryAt === null || held.retryAt > at) return transition;
  const retryAt = nextRetryAt(state, held.bill, at);
  const usage = { ...state.usage, held: { ...held, retryAt } };
  return { ...transition, state: { ...state, usage } };
}

/** True when operators have to be alarmed: a bill is over the limit for the first time. */
export function isAlarming(before: Subscription, { usage }: Subscription): boolean {
  const known = new Set(before.usage.unbilled.map(({ key }) => key));
  return usage.held !== null && usage.unbilled.some(({ key }) => !known.has(key));
}

/**
 * True while the invoice of a completed period has not been created because its bill is over the
 * limit: its id must not be voided.
 */
export function isInvoiceOverLimit(
  subscription: Subscription,
  { periodIndex }: Pick<OpenInvoice, 'periodIndex'>,
): boolean {
  const { held } = subscription.usage;
  return held !== null && held.bill <= periodIndex && !endedWithin(subscription, periodIndex);
}

const billOwed: BillingCommand = { type: 'billOwed', payload: {} };
const billing: ReadonlySet<string> = new Set<BillingCommand['type']>([
  'billOwed',
  'billPeriod',
  'billEnd',
  'billLate',
  'close',
]);

// Retries continue while an event may be accepted for the periods of the bill.
function nextRetryAt(subscription: Subscription, bill: number, now: Date): Date | null {
  const closedAt = subscription.endedAt ?? periodOf(subscription, bill).start;
  const last = closedAt.getTime() + lateForMs;
  return now.getTime() >= last ? null : new Date(Math.min(now.getTime() + dayMs, last));
}

function withAttempt(
  unbilled: readonly UnbilledSettlements[],
  { key, through, tries }: UnbilledSettlements,
): readonly UnbilledSettlements[] {
  const known = unbilled.find((one) => one.key === key);
  if (known === undefined) return [...unbilled, { key, through, tries }];
  if (known.tries >= tries) return unbilled;
  return unbilled.map((one) => (one === known ? { ...one, tries } : one));
}
