import { Decimal } from '@billing/kernel/decimal';
import { numberIn } from './quantity';

/** How the events of a span of time become one quantity. */
export type Aggregation = 'SUM' | 'COUNT' | 'MAX' | 'LATEST' | 'UNIQUE_COUNT';

/** What aggregations read of an event. */
export interface MeasuredEvent {
  readonly id: string;
  readonly at: Date;
  /** Grows with the order in which events came; decides between those of one instant. */
  readonly arrival: number;
  /** Decimal string; others are skipped where a number is needed. */
  readonly quantity: string | null;
  /** Of the property whose values are counted; null where the event has none. */
  readonly uniqueValue: string | null;
}

/** Where an event stands among others: by time, then arrival, then id. */
export type EventPlace = Pick<MeasuredEvent, 'id' | 'at' | 'arrival'>;

/** What a set of events comes to, in a form that adds up with that of any other set. */
export interface PartialTotal {
  readonly events: number;
  /** The sum, the largest or the latest quantity, as the aggregation has it; null: no number yet. */
  readonly quantity: string | null;
  /** Of LATEST alone: which event the quantity is of. */
  readonly latest: EventPlace | null;
  /** Of UNIQUE_COUNT alone: each value once. */
  readonly distinct: readonly string[];
}

/** What no events come to. */
export const nothing: PartialTotal = { events: 0, quantity: null, latest: null, distinct: [] };

/** The total of events, each of which stands there once. Their order says nothing. */
export function totalOf(aggregation: Aggregation, events: Iterable<MeasuredEvent>): PartialTotal {
  const running = new RunningTotal(aggregation);
  for (const event of events) running.add(event);
  return running.total();
}

/** The total of all events of several totals that have none in common. Their order says nothing. */
export function mergedTotal(
  aggregation: Aggregation,
  totals: Iterable<PartialTotal>,
): PartialTotal {
  const running = new RunningTotal(aggregation);
  for (const total of totals) running.merge(total);
  return running.total();
}

/** The one quantity; 0 where there was nothing. */
export function quantityOf(aggregation: Aggregation, total: PartialTotal): Decimal {
  switch (aggregation) {
    case 'COUNT':
      return Decimal.of(BigInt(total.events));
    case 'UNIQUE_COUNT':
      return Decimal.of(BigInt(total.distinct.length));
    case 'SUM':
    case 'MAX':
    case 'LATEST':
      return total.quantity === null ? Decimal.of(0n) : Decimal.parse(total.quantity, 'quantity');
  }
}

/** Grows event by event without a copy for each. */
export class RunningTotal {
  private events = 0;
  private quantity: Decimal | undefined;
  private latest: EventPlace | null = null;
  private readonly distinct = new Set<string>();

  constructor(private readonly aggregation: Aggregation) {}

  add({ id, at, arrival, quantity, uniqueValue }: MeasuredEvent): void {
    this.events += 1;
    switch (this.aggregation) {
      case 'COUNT':
        return;
      case 'UNIQUE_COUNT':
        if (uniqueValue !== null) this.distinct.add(uniqueValue);
        return;
      case 'SUM':
      case 'MAX':
      case 'LATEST':
        this.addNumber(numberIn(quantity), { id, at, arrival });
    }
  }

  merge({ events, quantity, latest, distinct }: PartialTotal): void {
    this.events += events;
    for (const value of distinct) this.distinct.add(value);
    if (quantity !== null) this.addNumber(Decimal.parse(quantity, 'quantity'), latest);
  }

  total(): PartialTotal {
    return {
      events: this.events,
      quantity: this.quantity?.toString() ?? null,
      latest: this.latest,
      distinct: [...this.distinct],
    };
  }

  private addNumber(number: Decimal | undefined, place: EventPlace | null): void {
    if (number === undefined) return;
    if (this.aggregation === 'LATEST') {
      if (place === null) throw new Error('The latest quantity is of no event');
      if (this.latest !== null && comparePlaces(place, this.latest) <= 0) return;
      this.latest = place;
      this.quantity = number;
    } else if (this.quantity === undefined) this.quantity = number;
    else if (this.aggregation === 'SUM') this.quantity = this.quantity.add(number);
    else if (number.compare(this.quantity) > 0) this.quantity = number;
  }
}

function comparePlaces(a: EventPlace, b: EventPlace): number {
  const byTime = a.at.getTime() - b.at.getTime();
  if (byTime !== 0) return byTime;
  if (a.arrival !== b.arrival) return a.arrival - b.arrival;
  if (a.id === b.id) return 0;
  return a.id < b.id ? -1 : 1;
}
