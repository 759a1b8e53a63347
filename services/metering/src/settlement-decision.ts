import { createHash } from 'node:crypto';
import { Decimal } from '@billing/kernel/decimal';
import { parseUnits } from '@billing/kernel/units';
import {
  type CreditAccount,
  decidedBy,
  grantsFor,
  type GrantUse,
  periodKey,
  type PeriodConsumption,
  setConsumption,
  usesOf,
} from './credit-account';
import type { BurnableGrant } from './credit-burning';
import type { SettlementWindow } from './settlement';
import { burnWindow, type WindowUsage } from './usage-burning';
import {
  hourMs,
  hourOf,
  type HourVersion,
  type MeasuredSeries,
  sealableUntil,
  type Span,
} from './usage-hour';

/** For what the usage of a meter is decided. */
export interface Decider {
  readonly subscriptionId: string;
  /** The settlement's key. */
  readonly settlement: string;
  readonly series: MeasuredSeries;
}

/** A window with what is known of it before its events are read. */
export interface KnownWindow {
  readonly window: SettlementWindow;
  /** See changesIn. */
  readonly changes: number | null;
  /** Events that are counted already: about as many as must be read. */
  readonly events: number;
  /** As an earlier settlement decided it. */
  readonly earlier: PeriodConsumption | undefined;
}

/** A window that may be decided: its events were read, or need not be. */
export interface ReadWindow extends KnownWindow {
  readonly usage: WindowUsage | undefined;
}

// About a second's reading: what is read is decided and kept before more is read.
const eventsMax = 20_000;
const none = Decimal.of(0n);

/**
 * Counts what happened to the hours of a window besides plain inserts; null: while events may still come unnoticed. An event of an hour
 * that is past announces itself in the hour before it is stored and leaves it afterwards, both of which change its version, and an hour is
 * never forgotten: where this is what it was, no event has come in between. Hours are to be read before the events, `now` (real time)
 * before the hours.
 */
export function changesIn(
  { start, end }: Span,
  hours: readonly HourVersion[],
  { isManual, now }: { readonly isManual: boolean; readonly now: Date },
): number | null {
  // Where the clock is manual every event announces itself.
  if (!isManual && end > sealableUntil(now)) return null;
  const own = hoursOf({ start, end }, hours);
  if (own.some(({ isPending }) => isPending)) return null;
  return own.reduce((sum, { version }) => sum + version, 0);
}

/** What is known of windows before anything is read, by the hours of them all. */
export function knownWindows(
  account: CreditAccount,
  windows: readonly SettlementWindow[],
  {
    decider: { subscriptionId },
    hours,
    ...clock
  }: {
    readonly decider: Decider;
    readonly hours: readonly HourVersion[];
    readonly isManual: boolean;
    readonly now: Date;
  },
): KnownWindow[] {
  const decided = new Map(account.consumptions.map((one) => [one.period, one]));
  return windows.map((window) => ({
    window,
    changes: changesIn(window, hours, clock),
    events: hoursOf(window, hours).reduce((sum, { events }) => sum + events, 0),
    earlier: decided.get(periodKey(subscriptionId, window.periodIndex)),
  }));
}

/** Those that the settlement has not decided. */
export function undecided<Known extends { readonly window: SettlementWindow }>(
  account: CreditAccount,
  windows: readonly Known[],
  { subscriptionId, settlement }: Decider,
): Known[] {
  return windows.filter(({ window: { periodIndex } }) => {
    const period = periodKey(subscriptionId, periodIndex);
    return decidedBy(account, { period, settlement }) === undefined;
  });
}

/** The first of some windows, to be decided in one step, and which of them must be read for it. */
export function nextStep(
  account: CreditAccount,
  windows: readonly KnownWindow[],
  decider: Decider,
): { readonly known: KnownWindow; readonly isRead: boolean }[] {
  const step: { known: KnownWindow; isRead: boolean }[] = [];
  let events = 0;
  for (const known of windows) {
    const grants = settledGrants(account, known.window, decider);
    const isRead = !isAsBefore(known, grants, decider);
    if (isRead && events > 0 && events + known.events > eventsMax) break;
    if (isRead) events += known.events;
    step.push({ known, isRead });
  }
  return step;
}

/**
 * The account after it has decided windows, one after another. It remembers for which settlement: whoever repeats the settlement after a
 * crash, or races with it, bills the very same, and what came since is a difference of the next one. Ends before the first window whose
 * events must be read, because what there is of credits is no more what it was.
 */
export function decideWindows(
  account: CreditAccount,
  windows: readonly ReadWindow[],
  {
    decider,
    grantIds,
    now,
  }: {
    readonly decider: Decider;
    /** The boundaries of grants must be those that were read by: a grant that came meanwhile begins at its own time. */
    readonly grantIds: ReadonlySet<string>;
    readonly now: Date;
  },
): CreditAccount {
  const { subscriptionId, settlement, series } = decider;
  let after = account;
  for (const read of windows) {
    const { window, earlier, usage } = read;
    const period = periodKey(subscriptionId, window.periodIndex);
    if (decidedBy(after, { period, settlement }) !== undefined) continue;
    const grants = settledGrants(after, window, decider).filter(({ id }) => grantIds.has(id));
    let consumption: PeriodConsumption;
    if (earlier !== undefined && isAsBefore(read, grants, decider)) {
      consumption = { ...earlier, settlement };
    } else if (usage === undefined) return after;
    else {
      const includedUnits = parseUnits(window.includedUnits, 'includedUnits');
      const burnt = burnWindow(usage, series, { window, grants, includedUnits });
      const decided = { quantity: burnt.quantity.toString(), uses: usesOf(burnt) };
      const limits = limitsOf(grants, decided.uses);
      const basis = basisOf(read, grants, { decider, uses: decided.uses, limits });
      consumption = { period, settlement, ...decided, limits, ...basis };
    }
    after = setConsumption(after, consumption, now);
  }
  return after;
}

/**
 * The grants that may burn for a window. A period that has ended keeps its invoice: no grant that was made later reaches back into it.
 */
export function settledGrants(
  account: CreditAccount,
  { periodIndex, end }: SettlementWindow,
  { subscriptionId }: Decider,
): BurnableGrant[] {
  const grants = grantsFor(account, periodKey(subscriptionId, periodIndex));
  return grants.filter(({ createdAt }) => createdAt < end);
}

/** Whether deciding a window anew would come to what was decided before, because it would be decided from the same. */
function isAsBefore(
  known: KnownWindow,
  grants: readonly BurnableGrant[],
  decider: Decider,
): boolean {
  const { changes, earlier } = known;
  if (changes === null || earlier?.basis === undefined) return false;
  const { uses, limits = [] } = earlier;
  return earlier.basis === basisOf(known, grants, { decider, uses, limits }).basis;
}

/**
 * The grants of which it matters how much exactly they had available: those that came to their end. Of another one the same would have
 * burnt, in the same order, as long as it has what it burnt: what was taken back was used last, so what stayed never met its end.
 */
function limitsOf(grants: readonly BurnableGrant[], uses: readonly GrantUse[]): string[] {
  const used = usedOf(uses);
  const isAtEnd = ({ id, available }: BurnableGrant) =>
    available.compare(none) > 0 && used(id).compare(available) === 0;
  return grants.filter(isAtEnd).map(({ id }) => id);
}

// To be changed together with how usage is counted or burnt: what was decided by other rules is to be decided again.
const rules = 1;

/** Everything that a decision depends on; a grant's terms never change. Empty where the events are not known for certain. */
function basisOf(
  { window, changes }: KnownWindow,
  grants: readonly BurnableGrant[],
  {
    decider: { series },
    uses,
    limits,
  }: {
    readonly decider: Decider;
    readonly uses: readonly GrantUse[];
    readonly limits: readonly string[];
  },
): { basis?: string } {
  if (changes === null) return {};
  const { aggregation, uniqueProperty } = series;
  const { start, end, taken, includedUnits } = window;
  const used = usedOf(uses);
  const limited = new Set(limits);
  const credits = grants
    .filter(({ effectiveAt, expiresAt }) => effectiveAt < end && !(expiresAt && expiresAt <= start))
    .map(({ id, available }) => {
      const isEnough = available.compare(none) > 0 && used(id).compare(available) <= 0;
      return [id, isEnough && !limited.has(id) ? 'enough' : available.toString()];
    });
  const all = { rules, start, end, taken, includedUnits, aggregation, uniqueProperty, changes };
  const text = JSON.stringify({ ...all, credits });
  return { basis: createHash('sha256').update(text).digest('base64url') };
}

function usedOf(uses: readonly GrantUse[]): (grantId: string) => Decimal {
  const used = new Map(uses.map(({ grantId, quantity }) => [grantId, Decimal.parse(quantity)]));
  return (grantId) => used.get(grantId) ?? none;
}

function hoursOf({ start, end }: Span, hours: readonly HourVersion[]): HourVersion[] {
  const first = hourOf(start);
  return hours.filter(({ hour }) => hour >= first && hour < end);
}

/** The hours that windows touch. */
export function hoursTouched(windows: readonly Span[]): Span {
  const starts = windows.map(({ start }) => start.getTime());
  const ends = windows.map(({ end }) => end.getTime());
  const start = hourOf(new Date(Math.min(...starts)));
  const end = new Date(Math.ceil(Math.max(...ends) / hourMs) * hourMs);
  return { start, end };
}
