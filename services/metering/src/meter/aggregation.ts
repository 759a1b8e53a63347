import { Decimal } from '@billing/kernel/decimal';

/** Rule that turns the events of a span into one quantity. */
export type Aggregation = 'SUM' | 'COUNT' | 'MAX' | 'LATEST' | 'UNIQUE_COUNT';

/** A value whose distinct values are counted; of one that was erased, its hash. */
export type UniqueValue = string | Buffer;

/** The part of an event that aggregations read. */
export interface MeasuredEvent {
  readonly id: string;
  readonly at: Date;
  /** Increases in order of arrival; breaks ties between events with the same timestamp. */
  readonly arrival: number;
  /** Decimal string; an event without one is skipped where a number is needed. */
  readonly quantity: string | null;
  /** Value of the property whose distinct values are counted; null if the event has none. */
  readonly uniqueValue: UniqueValue | null;
}

/** Sort key of an event: timestamp, then arrival, then id. */
export type EventPosition = Pick<MeasuredEvent, 'id' | 'at' | 'arrival'>;

/** Total of a set of events that can be merged with the total of any disjoint set. */
export interface PartialTotal {
  readonly events: number;
  /** Sum, maximum or latest quantity, depending on the aggregation; null: no number yet. */
  readonly quantity: string | null;
  /** LATEST only: the event that `quantity` comes from. */
  readonly latest: EventPosition | null;
  /** UNIQUE_COUNT only: each distinct value once. */
  readonly distinct: readonly UniqueValue[];
}

/** The total of no events. */
export const nothing: PartialTotal = { events: 0, quantity: null, latest: null, distinct: [] };

/** Totals events. Each event must occur once; their order has no effect. */
export function totalOf(aggregation: Aggregation, events: Iterable<MeasuredEvent>): PartialTotal {
  const running = new RunningTotal(aggregation);
  for (const event of events) running.add(event);
  return running.total();
}

/** Merges totals of disjoint sets of events. Their order has no effect. */
export function mergedTotal(
  aggregation: Aggregation,
  totals: Iterable<PartialTotal>,
): PartialTotal {
  const running = new RunningTotal(aggregation);
  for (const total of totals) running.merge(total);
  return running.total();
}

/** The resulting quantity; 0 without events. */
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

/** Accumulates events in place, without a copy per event. */
export class RunningTotal {
  private events = 0;
  private quantity: Decimal | undefined;
  private latest: EventPosition | null = null;
  private readonly distinct = new Map<string, UniqueValue>();

  constructor(private readonly aggregation: Aggregation) {}

  add({ id, at, arrival, quantity, uniqueValue }: MeasuredEvent): void {
    this.events += 1;
    switch (this.aggregation) {
      case 'COUNT':
        return;
      case 'UNIQUE_COUNT':
        if (uniqueValue !== null) this.addValue(uniqueValue);
        return;
      case 'SUM':
      case 'MAX':
      case 'LATEST':
        this.addNumber(numberIn(quantity), { id, at, arrival });
    }
  }

  merge({ events, quantity, latest, distinct }: PartialTotal): void {
    this.events += events;
    for (const value of distinct) this.addValue(value);
    if (quantity !== null) this.addNumber(Decimal.parse(quantity, 'quantity'), latest);
  }

  total(): PartialTotal {
    return {
      events: this.events,
      quantity: this.quantity?.toString() ?? null,
      latest: this.latest,
      distinct: [...this.distinct.values()],
    };
  }

  private addValue(value: UniqueValue): void {
    const key = typeof value === 'string' ? `text ${value}` : `hash ${value.toString('hex')}`;
    this.distinct.set(key, value);
  }

  private addNumber(number: Decimal | undefined, place: EventPosition | null): void {
    if (number === undefined) return;
    if (this.aggregation === 'LATEST') {
      if (place === null) throw new Error('Latest quantity without an event');
      if (this.latest !== null && comparePositions(place, this.latest) <= 0) return;
      this.latest = place;
      this.quantity = number;
    } else if (this.quantity === undefined) this.quantity = number;
    else if (this.aggregation === 'SUM') this.quantity = this.quantity.add(number);
    else if (number.compare(this.quantity) > 0) this.quantity = number;
  }
}

function comparePositions(a: EventPosition, b: EventPosition): number {
  const byTime = a.at.getTime() - b.at.getTime();
  if (byTime !== 0) return byTime;
  if (a.arrival !== b.arrival) return a.arrival - b.arrival;
  if (a.id === b.id) return 0;
  return a.id < b.id ? -1 : 1;
}

/** Parses a decimal; undefined if the text is not a number. */
export function numberIn(text: string | null): Decimal | undefined {
  if (text === null) return undefined;
  try {
    return Decimal.parse(text, 'quantity');
  } catch {
    return undefined;
  }
}
