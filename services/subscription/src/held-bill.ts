import type { SubscriptionTransition } from './announcement';
import type { BillingCommand } from './billing';
import {
  type Closing,
  endedWithin,
  type HeldBills,
  type OpenInvoice,
  periodOf,
  type Subscription,
  type UnbilledSettlements,
  type UsageBilling,
} from './subscription';
import { lateForMs, mayBeSettled } from './usage-period';
import type { Settlement } from './usage-settlement';

const dayMs = 86_400_000;
// Each try leaves a settlement behind, and metering is told of all of them: a caller who writes every minute must not make thousands.
const triesADayMax = 20;
const settlementsMax = 1_000;

/** A settlement as it is asked for: a new one for each try, as what was settled once never changes. */
export interface SettlementTry extends UnbilledSettlements {
  /** Those that were made and never billed. */
  readonly unbilledKeys: readonly string[];
}

/** What is tried next of the bills that are held. */
export type OwedBill =
  | { readonly kind: 'PERIOD'; readonly periodIndex: number }
  | { readonly kind: 'END'; readonly closing: Closing }
  | { readonly kind: 'LATE' };

/** A bill that came to too much. */
export interface FailedTry {
  readonly bill: number;
  /** What was settled for it. */
  readonly settled: readonly UnbilledSettlements[];
  /** Of the end. */
  readonly closing: Closing | null;
  readonly now: Date;
}

/** How the next try has a settlement made. The one after the last that there is room for finds the last one again. */
export function nextTry({ unbilled }: UsageBilling, { key, through }: Settlement): SettlementTry {
  const unbilledKeys = unbilled.flatMap((one) =>
    Array.from({ length: one.tries }, (_, index) => keyOfTry({ ...one, tries: index + 1 })),
  );
  const made = unbilled.find((one) => one.key === key)?.tries ?? 0;
  const tries = unbilledKeys.length < settlementsMax || made === 0 ? made + 1 : made;
  return { key, through, tries, unbilledKeys };
}

/** What the settlement of a try is called. */
export function keyOfTry({ key, tries }: UnbilledSettlements): string {
  return tries === 1 ? key : `${key}/${String(tries)}`;
}

/** Keeps a bill that came to too much, and all that follow it, for another try; a repeat of a try changes nothing. */
export function holdBill(
  subscription: Subscription,
  { bill, settled, closing, now }: FailedTry,
): Subscription {
  const { usage } = subscription;
  if (isBilled(subscription, bill)) return subscription;
  const { held } = usage;
  const unbilled = settled.reduce(withTry, usage.unbilled);
  const isFirst = held === null || unbilled.length > usage.unbilled.length;
  const kept: HeldBills = {
    bill,
    retryAt: isFirst ? nextRetryAt(subscription, bill, now) : held.retryAt,
    triesLeft: isFirst ? triesADayMax : held.triesLeft,
    closing: closing ?? held?.closing ?? null,
  };
  return { ...subscription, usage: { ...usage, held: kept, unbilled } };
}

/** The bill of the end joins those that are held. */
export function closeHeld(subscription: Subscription, closing: Closing): Subscription {
  const { usage } = subscription;
  const { held } = usage;
  if (held === null || held.closing !== null) return subscription;
  return { ...subscription, usage: { ...usage, held: { ...held, closing } } };
}

/** The first bill of those that are held; undefined: none is, or that of the end has not been ordered yet. */
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

/** What is still held once a bill is made. */
export function heldAfter(subscription: Subscription, bill: number): HeldBills | null {
  const { phase, periodIndex, usage } = subscription;
  if (usage.held === null || periodIndex === null) return null;
  const last = phase === 'ENDED' ? periodIndex + 1 : periodIndex;
  return bill < last ? { ...usage.held, bill: bill + 1 } : null;
}

/** Those settlements whose periods a later one may be about, too: it must know that nobody has billed what they found. */
export function stillUnbilled(
  subscription: Subscription,
  bill: number,
): readonly UnbilledSettlements[] {
  const { periodIndex, usage } = subscription;
  if (periodIndex === null || bill > periodIndex) return usage.unbilled;
  return usage.unbilled.filter(({ through }) => mayBeSettled(subscription, through, bill));
}

/** Has what is held tried again with a change of the subscription, which may have been made for that. */
export function triedWith(
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

/** Has what is held tried again because its time has come. */
export function tryAgain(subscription: Subscription, now: Date): SubscriptionTransition {
  const { usage } = subscription;
  const { held } = usage;
  if (held === null) return { state: subscription, events: [], commands: [] };
  const retryAt = nextRetryAt(subscription, held.bill, now);
  const next = { ...usage, held: { ...held, retryAt, triesLeft: triesADayMax } };
  return { state: { ...subscription, usage: next }, events: [], commands: [billOwed] };
}

/** Puts the next try off after a step of the subscription's life, which has what is held tried with its own bill. */
export function triedAt(transition: SubscriptionTransition, at: Date): SubscriptionTransition {
  const { state } = transition;
  const { held } = state.usage;
  if (held === null || held.retryAt === null || held.retryAt > at) return transition;
  const retryAt = nextRetryAt(state, held.bill, at);
  const usage = { ...state.usage, held: { ...held, retryAt } };
  return { ...transition, state: { ...state, usage } };
}

/** Whether people are to be told: a bill came to too much for the first time. */
export function isAlarming(before: Subscription, { usage }: Subscription): boolean {
  const known = new Set(before.usage.unbilled.map(({ key }) => key));
  return usage.held !== null && usage.unbilled.some(({ key }) => !known.has(key));
}

/** Whether the bill of a period was made. */
export function isBilled({ usage: { lastBill } }: Subscription, bill: number): boolean {
  return lastBill !== null && lastBill >= bill;
}

/** Whether the invoice of a period that had run its course has not been made because its bill is held: nobody may void its place. */
export function isInvoiceHeld(
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

// As long as an event may come for what the bill is about.
function nextRetryAt(subscription: Subscription, bill: number, now: Date): Date | null {
  const closedAt = subscription.endedAt ?? periodOf(subscription, bill).start;
  const last = closedAt.getTime() + lateForMs;
  return now.getTime() >= last ? null : new Date(Math.min(now.getTime() + dayMs, last));
}

function withTry(
  unbilled: readonly UnbilledSettlements[],
  { key, through, tries }: UnbilledSettlements,
): readonly UnbilledSettlements[] {
  const known = unbilled.find((one) => one.key === key);
  if (known === undefined) return [...unbilled, { key, through, tries }];
  if (known.tries >= tries) return unbilled;
  return unbilled.map((one) => (one === known ? { ...one, tries } : one));
}
