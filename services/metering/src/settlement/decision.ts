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
} from '../credit/account';
import type { BurnableGrant } from '../credit/burning';
import { isFinal } from '../credit/unsettled-usage';
import { burnWindow, type WindowUsage } from '../credit/usage-window';
import {
  hourMs,
  hourOf,
  type HourVersion,
  type MeasuredSeries,
  sealableUntil,
  type Span,
} from '../usage/hour';
import type { SettlementWindow } from './settlement';

/** The settlement and the series of a decision. */
export interface Decider {
  readonly subscriptionId: string;
  /** Key of the settlement. */
  readonly settlement: string;
  readonly series: MeasuredSeries;
}

/** A window before its events are read. */
export interface KnownWindow {
  readonly window: SettlementWindow;
  /** See changesIn. */
  readonly changes: number | null;
  /** Events in hour totals: an estimate of the events to read. */
  readonly events: number;
  /** Decision of an earlier settlement. */
  readonly earlier: PeriodConsumption | undefined;
}

/** A window ready to be decided: its events were read, or need not be. */
export interface ReadWindow extends KnownWindow {
  readonly usage: WindowUsage | undefined;
}

// About a second of reading: each step is decided and stored before the next is read.
const eventsMax = 20_000;
const none = Decimal.of(0n);

/**
 * Counts changes to the hours of a window other than plain inserts; null: events may still arrive
 * without a change. An event of a past hour announces its batch in the hour before it is stored and
 * removes it afterwards. Both change the hour's version, and hour documents are never deleted. So
 * an unchanged count means that no event arrived in between. Read the hours before the events, and
 * `now` (real time) before the hours.
 */
export function changesIn(
  { start, end }: Span,
  hours: readonly HourVersion[],
  { isManual, now }: { readonly isManual: boolean; readonly now: Date },
): number | null {
  // With a manual clock every event announces its batch.
  if (!isManual && end > sealableUntil(now)) return null;
  const own = hoursOf({ start, end }, hours);
  if (own.some(({ isPending }) => isPending)) return null;
  return own.reduce((sum, { version }) => sum + version, 0);
}

/** Describes windows before any event is read, using the hours of all of them. */
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

/** Windows that the settlement has not decided yet. */
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

/** The leading windows to decide in one step, each with whether its events must be read. */
export function nextStep(
  account: CreditAccount,
  windows: readonly KnownWindow[],
  decider: Decider,
): { readonly known: KnownWindow; readonly isRead: boolean }[] {
  const step: { known: KnownWindow; isRead: boolean }[] = [];
  let events = 0;
  for (const known of windows) {
    const grants = settledGrants(account, known.window, decider);
    const isRead = !isLast(known.earlier) && !isUnchanged(known, grants, decider);
    if (isRead && events > 0 && events + known.events > eventsMax) break;
    if (isRead) events += known.events;
    step.push({ known, isRead });
  }
  return step;
}

/**
 * Decides windows in order and records the settlement of each decision. A retry after a crash, or a
 * concurrent call, bills the same; usage that arrives later is a difference in the next settlement.
 * Stops at the first window whose events must be read because the available credits have changed.
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
    /**
     * Grants whose boundaries the usage was read with; a grant created since then has boundaries of
     * its own.
     */
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
    const current = after.consumptions.find((one) => one.period === period);
    let consumption: PeriodConsumption;
    if (current !== undefined && isLast(current)) consumption = { ...current, settlement };
    else if (earlier !== undefined && isUnchanged(read, grants, decider)) {
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
    const finality = isFinal(window, now) ? { isFinal: true } : {};
    after = setConsumption(after, { ...consumption, ...finality }, now);
  }
  return after;
}

/**
 * True if a decision is not made again: no event can change it, and grants that it used may be
 * closed.
 */
function isLast(decision: PeriodConsumption | undefined): boolean {
  return decision?.isFinal === true || decision?.isClosed === true;
}

/**
 * Grants that may burn for a window. Grants created after the end of the period cannot change its
 * invoice.
 */
export function settledGrants(
  account: CreditAccount,
  { periodIndex, end }: SettlementWindow,
  { subscriptionId }: Decider,
): BurnableGrant[] {
  const grants = grantsFor(account, periodKey(subscriptionId, periodIndex));
  return grants.filter(({ createdAt }) => createdAt < end);
}

/**
 * True if deciding a window again would give the earlier decision, because all inputs are the same.
 */
function isUnchanged(
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
 * Ids of the grants that were used up: only their exact available units affect the decision. Any
 * other grant burns the same, in the same order, while it has at least what it burnt: returned
 * units undo the most recent use, so what remained never reached the grant's end.
 */
function limitsOf(grants: readonly BurnableGrant[], uses: readonly GrantUse[]): string[] {
  const used = usedOf(uses);
  const isAtEnd = ({ id, available }: BurnableGrant) =>
    available.compare(none) > 0 && used(id).compare(available) === 0;
  return grants.filter(isAtEnd).map(({ id }) => id);
}

// Version of the counting and burning rules. Increase it with every change to them, so that periods
// decided by older rules are decided again.
const rules = 1;

/**
 * Digest of all inputs of a decision; a grant's terms never change. Empty while events may still
 * arrive unnoticed.
 */
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

/** The span of all hours that the windows overlap. */
export function hoursTouched(windows: readonly Span[]): Span {
  const starts = windows.map(({ start }) => start.getTime());
  const ends = windows.map(({ end }) => end.getTime());
  const start = hourOf(new Date(Math.min(...starts)));
  const end = new Date(Math.ceil(Math.max(...ends) / hourMs) * hourMs);
  return { start, end };
}
