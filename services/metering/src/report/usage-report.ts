import type { CalendarDay } from '@billing/kernel/calendar-day';
import { Decimal } from '@billing/kernel/decimal';
import {
  type Aggregation,
  type MeasuredEvent,
  mergedTotal,
  type PartialTotal,
  quantityOf,
  RunningTotal,
} from '../meter/aggregation';

/** Usage of one day by all customers. */
export interface UsageDay {
  /** Sum over customers of the value of their usage on that day. */
  readonly value: Decimal;
  readonly events: number;
}

/** Usage of one customer over all days. */
export interface CustomerUsage extends UsageDay {
  readonly customerId: string;
}

const nothing: UsageDay = { value: Decimal.of(0n), events: 0 };

/** Usage of one customer, day by day. */
export class CustomerDays {
  private readonly totals = new Map<number, RunningTotal>();

  constructor(
    readonly customerId: string,
    private readonly aggregation: Aggregation,
    private readonly days: readonly CalendarDay[],
  ) {}

  add(event: MeasuredEvent): void {
    this.totalAt(event.at).add(event);
  }

  /** Adds a total that lies entirely in the day of `at`. */
  merge(at: Date, total: PartialTotal): void {
    this.totalAt(at).merge(total);
  }

  /** By day index; days without events are omitted. */
  byDay(): Map<number, PartialTotal> {
    return new Map([...this.totals].map(([index, running]) => [index, running.total()]));
  }

  private totalAt(at: Date): RunningTotal {
    const index = this.days.findIndex(({ start, end }) => start <= at && at < end);
    if (index === -1) throw new Error('Usage lies outside of the report');
    let total = this.totals.get(index);
    if (total === undefined) {
      total = new RunningTotal(this.aggregation);
      this.totals.set(index, total);
    }
    return total;
  }
}

/** Usage by day and by customer, collected customer by customer. */
export class UsageReport {
  readonly days: UsageDay[];
  private largest: CustomerUsage[] = [];

  constructor(
    private readonly aggregation: Aggregation,
    private readonly size: { readonly days: number; readonly customersMax: number },
  ) {
    this.days = Array.from({ length: size.days }, () => nothing);
  }

  /** Adds all days of a customer. Call once per customer. */
  add(customer: CustomerDays): void {
    const byDay = customer.byDay();
    if (byDay.size === 0) return;
    for (const [index, total] of byDay) {
      const { value, events } = this.days[index] ?? nothing;
      const own = quantityOf(this.aggregation, total);
      this.days[index] = { value: value.add(own), events: events + total.events };
    }
    const whole = mergedTotal(this.aggregation, byDay.values());
    const value = quantityOf(this.aggregation, whole);
    this.rank({ customerId: customer.customerId, value, events: whole.events });
  }

  /** The customers with the largest values, largest first. */
  get customers(): readonly CustomerUsage[] {
    return this.largest;
  }

  private rank(customer: CustomerUsage): void {
    const last = this.largest.at(-1);
    const isFull = this.largest.length === this.size.customersMax;
    if (isFull && last !== undefined && compareCustomers(customer, last) > 0) return;
    this.largest = [...this.largest, customer]
      .sort(compareCustomers)
      .slice(0, this.size.customersMax);
  }
}

function compareCustomers(a: CustomerUsage, b: CustomerUsage): number {
  return b.value.compare(a.value) || (a.customerId < b.customerId ? -1 : 1);
}
