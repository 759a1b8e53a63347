import { Decimal } from '@billing/kernel/decimal';

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

/** Usage of one customer, day by day and as a whole. */
export interface CustomerDays {
  readonly customerId: string;
  readonly days: readonly UsageDay[];
  readonly whole: UsageDay;
}

const nothing: UsageDay = { value: Decimal.of(0n), events: 0 };

/** Usage by day and by customer, collected customer by customer. */
export class UsageReport {
  readonly days: UsageDay[];
  private largest: CustomerUsage[] = [];

  constructor(private readonly size: { readonly days: number; readonly customersMax: number }) {
    this.days = Array.from({ length: size.days }, () => nothing);
  }

  /** Adds all days of a customer. Call once per customer. */
  add({ customerId, days, whole }: CustomerDays): void {
    if (whole.events === 0) return;
    days.forEach((own, index) => {
      const { value, events } = this.days[index] ?? nothing;
      this.days[index] = { value: value.add(own.value), events: events + own.events };
    });
    this.rank({ customerId, ...whole });
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
