import type { CalendarDay } from '@billing/kernel/calendar-day';
import { Decimal } from '@billing/kernel/decimal';
import { consumedIn, type CreditAccount, type CreditGrant, unitsOf } from '../credit/account';

/** The part of an account that a report reads. */
export interface ReportedAccount extends Pick<CreditAccount, 'meterId' | 'consumptions' | 'burns'> {
  readonly grants: readonly Pick<CreditGrant, 'id' | 'amount' | 'effectiveAt' | 'expiresAt'>[];
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

  add({ meterId, grants, consumptions, burns }: ReportedAccount): void {
    if (grants.length === 0) return;
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
    // Settlements made before burns were recorded by day precede every report.
    let early = unitsOf(consumptions);
    for (const { day, quantity } of burns) {
      const burnt = Decimal.parse(quantity);
      meter.move('used', new Date(`${day}T00:00:00Z`), burnt);
      early = early.subtract(burnt);
    }
    meter.move('used', beginning, early);
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

  byDay(): CreditDay[] {
    let balance = this.opening;
    return this.movements.map(({ granted, used, expired }) => {
      balance = balance.add(granted).subtract(used).subtract(expired);
      return { granted, used, expired, balance };
    });
  }
}
