import type { CalendarDay } from '@billing/kernel/calendar-day';
import { Decimal } from '@billing/kernel/decimal';
import {
  type ClosedCredits,
  consumedIn,
  type CreditAccount,
  type CreditGrant,
  unitsOf,
} from '../credit/account';
import type { ClosedGrant } from '../credit/closing';

/**
 * The part of an account that a report reads. Closed grants that neither took effect nor expired on
 * one of its days may be missing from `closedGrants`, but not from the sums in `closed`. `burns`
 * includes closed days.
 */
export interface ReportedAccount extends Pick<
  CreditAccount,
  'meterId' | 'consumptions' | 'burns' | 'closed'
> {
  readonly grants: readonly Pick<CreditGrant, 'id' | 'amount' | 'effectiveAt' | 'expiresAt'>[];
  readonly closedGrants?: readonly ReportedClosedGrant[];
}

/** Closed grants that took effect on the same day and expire on the same day, or one of them. */
export interface ReportedClosedGrant extends Pick<ClosedGrant, 'amount' | 'consumed'> {
  readonly terms: Pick<ClosedGrant['terms'], 'effectiveAt' | 'expiresAt'>;
}

/** Credit movements of one meter on one day. */
export interface CreditDay {
  readonly granted: Decimal;
  readonly used: Decimal;
  /** Units left in grants that expired, according to settled usage. */
  readonly expired: Decimal;
  /** Balance at the end of the day. */
  readonly balance: Decimal;
}

type Movement = Exclude<keyof CreditDay, 'balance'>;

const none = Decimal.of(0n);
const beginning = new Date(0);

/**
 * Credits of all customers by meter and day, collected account by account. Excludes everything
 * after `now`.
 */
export class CreditReport {
  private readonly meters = new Map<string, MeterCredits>();

  constructor(
    private readonly days: readonly CalendarDay[],
    private readonly now: Date,
  ) {}

  add({ meterId, grants, consumptions, burns, closed, closedGrants = [] }: ReportedAccount): void {
    if (grants.length === 0 && closed === undefined) return;
    let meter = this.meters.get(meterId);
    if (meter === undefined) {
      meter = new MeterCredits(this.days, this.now);
      this.meters.set(meterId, meter);
    }
    const consumed = consumedIn(consumptions);
    for (const { id, amount, effectiveAt, expiresAt } of grants) {
      const granted = Decimal.parse(amount);
      meter.move('granted', effectiveAt, granted);
      if (expiresAt === null) continue;
      meter.move('expired', expiresAt, granted.subtract(consumed.get(id) ?? none));
    }
    // Settlements made before burns were recorded by day precede every report, as do closed days
    // that are not listed.
    let early = unitsOf(consumptions).add(Decimal.parse(closed?.consumed ?? '0'));
    for (const { day, quantity } of burns) {
      const burnt = Decimal.parse(quantity);
      meter.move('used', new Date(`${day}T00:00:00Z`), burnt);
      early = early.subtract(burnt);
    }
    meter.move('used', beginning, early);
    if (closed !== undefined) meter.addClosed(closed, closedGrants);
  }

  /** Days in order, by meter. */
  byMeter(): Map<string, CreditDay[]> {
    return new Map([...this.meters].map(([meterId, credits]) => [meterId, credits.byDay()]));
  }
}

class MeterCredits {
  private opening = none;
  private readonly movements: Record<Movement, Decimal>[];

  constructor(
    private readonly days: readonly CalendarDay[],
    private readonly now: Date,
  ) {
    this.movements = days.map(() => ({ granted: none, used: none, expired: none }));
  }

  move(kind: Movement, at: Date, units: Decimal): void {
    if (at > this.now) return;
    const movements = this.movements[this.days.findLastIndex(({ start }) => start <= at)];
    if (movements === undefined) {
      this.opening = kind === 'granted' ? this.opening.add(units) : this.opening.subtract(units);
    } else movements[kind] = movements[kind].add(units);
  }

  /** Adds closed grants by their sums; those that are listed, on their days. */
  addClosed(
    { granted, expired }: Pick<ClosedCredits, 'granted' | 'expired'>,
    grants: readonly ReportedClosedGrant[],
  ): void {
    let [grantedBefore, expiredBefore] = [Decimal.parse(granted), Decimal.parse(expired)];
    for (const { amount, consumed, terms } of grants) {
      const units = Decimal.parse(amount);
      this.move('granted', terms.effectiveAt, units);
      grantedBefore = grantedBefore.subtract(units);
      if (terms.expiresAt === null) continue;
      const left = units.subtract(Decimal.parse(consumed));
      this.move('expired', terms.expiresAt, left);
      expiredBefore = expiredBefore.subtract(left);
    }
    this.move('granted', beginning, grantedBefore);
    this.move('expired', beginning, expiredBefore);
  }

  byDay(): CreditDay[] {
    let balance = this.opening;
    return this.movements.map(({ granted, used, expired }) => {
      balance = balance.add(granted).subtract(used).subtract(expired);
      return { granted, used, expired, balance };
    });
  }
}
