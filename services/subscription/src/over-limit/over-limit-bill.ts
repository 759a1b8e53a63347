import type {
  Closing,
  OverLimitBills,
  OverLimitState,
  UnbilledSettlements,
} from '../subscription/over-limit-state';
import { endedWithin, type OpenInvoice, type Subscription } from '../subscription/subscription';
import { lateRoundOf } from '../subscription/late-bill';
import { isBilled } from '../subscription/usage-billing';
import { type Settlement, settlementAtCycleEnd } from '../usage/settlement';
import { mayBeSettled } from '../usage/usage-period';
import { nextRetryAt, retriesADayMax } from './retries';
import { nextSettlement } from './settlement-attempt';

/** The next retry among the bills over the limit. */
export type OwedBill =
  | { readonly kind: 'PERIOD'; readonly periodIndex: number }
  | { readonly kind: 'END'; readonly closing: Closing }
  | { readonly kind: 'LATE'; readonly round: number };

/** A bill over the largest invoice amount, and the settlements that it was made from. */
export interface OverLimitBill {
  readonly bill: number;
  readonly settlements: readonly Settlement[];
  /** Set for the bill of the end. */
  readonly closing?: Closing;
}

/** A bill that was over the limit. */
export interface OverLimitAttempt {
  readonly bill: number;
  /** The settlements made for it. */
  readonly settled: readonly UnbilledSettlements[];
  /** Set for the bill of the end. */
  readonly closing: Closing | null;
  readonly now: Date;
}

/** Describes the attempt of a bill that was over the limit; bills that wait already come first. */
export function overLimitAttempt(
  { usage }: Subscription,
  { bill, settlements, closing }: OverLimitBill,
  now: Date,
): OverLimitAttempt {
  const settled = attemptsOf({ usage }, settlements);
  return { bill: Math.min(usage.held?.bill ?? bill, bill), settled, closing: closing ?? null, now };
}

/** The attempts of settlements that were just made. */
export function attemptsOf(
  { usage }: Pick<Subscription, 'usage'>,
  settlements: readonly Settlement[],
): UnbilledSettlements[] {
  return settlements.map((settlement) => {
    const { key, through, tries } = nextSettlement(usage, settlement);
    return { key, through, tries };
  });
}

/** The subscription with settlements that no invoice bills. */
export function withUnbilled(
  subscription: Subscription,
  attempts: readonly UnbilledSettlements[],
): Subscription {
  const { usage } = subscription;
  return {
    ...subscription,
    usage: { ...usage, unbilled: attempts.reduce(withAttempt, usage.unbilled) },
  };
}

/** True while the bill of the end of a cycle is over the limit. */
export function isCycleEndOverLimit({ cycleEndBills = [], usage }: Subscription): boolean {
  return cycleEndBills.some(({ periodIndex, isBilled }) => {
    const { key } = settlementAtCycleEnd(periodIndex);
    return !isBilled && usage.unbilled.some((one) => one.key === key);
  });
}

/** True while bills wait because one of them is over the limit. */
export function hasWaitingBills({ usage }: Subscription): boolean {
  return usage.held !== null;
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
  if (bill > periodIndex + 1) return { kind: 'LATE', round: lateRoundOf(subscription, bill) };
  if (bill <= periodIndex && !endedWithin(subscription, bill)) {
    return { kind: 'PERIOD', periodIndex: bill };
  }
  return closing === null ? undefined : { kind: 'END', closing };
}

/** The waiting bills, and the settlements without a bill, once a bill is created. */
export function overLimitAfter(subscription: Subscription, bill: number): OverLimitState {
  const held = waitingAfter(subscription, bill);
  return { held, unbilled: stillUnbilled(subscription, bill) };
}

/** True when operators have to be alarmed: a bill is over the limit for the first time. */
export function isAlarming(before: Subscription, { usage }: Subscription): boolean {
  const known = new Set(before.usage.unbilled.map(({ key }) => key));
  return usage.unbilled.some(({ key }) => !known.has(key));
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

function withAttempt(
  unbilled: readonly UnbilledSettlements[],
  { key, through, tries }: UnbilledSettlements,
): readonly UnbilledSettlements[] {
  const known = unbilled.find((one) => one.key === key);
  if (known === undefined) return [...unbilled, { key, through, tries }];
  if (known.tries >= tries) return unbilled;
  return unbilled.map((one) => (one === known ? { ...one, tries } : one));
}

/** Returns the bills that still wait once a bill is created. */
function waitingAfter(subscription: Subscription, bill: number): OverLimitBills | null {
  const { phase, periodIndex, usage } = subscription;
  if (usage.held === null || periodIndex === null) return null;
  const last = phase === 'ENDED' ? periodIndex + 1 : periodIndex;
  return bill < last ? { ...usage.held, bill: bill + 1 } : null;
}

/**
 * Returns the unbilled settlements whose periods a later settlement may be about, too: that one
 * must know that their usage was not billed.
 */
function stillUnbilled(subscription: Subscription, bill: number): readonly UnbilledSettlements[] {
  const { periodIndex, usage } = subscription;
  if (periodIndex === null || bill > periodIndex) return usage.unbilled;
  return usage.unbilled.filter(({ through }) => mayBeSettled(subscription, through, bill));
}
