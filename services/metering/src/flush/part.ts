import {
  type Aggregation,
  type MeasuredEvent,
  type PartialTotal,
  RunningTotal,
} from '../meter/aggregation';
import type { Meter } from '../meter/meter';
import { epochText, fromEpochText } from '../epoch/epoch';
import { type EventDocument, measuredEvent } from '../usage/event-store';
import { hourMs } from '../usage/hour';
import { seriesKey } from '../usage/series-key';
import { hashedValue, packValues } from '../distinct/packed-values';

/**
 * Total of the events of one minute: the minute since 1970, the number of events, and the quantity
 * of `PartialTotal`. LATEST adds the position of the event that the quantity comes from.
 */
export type PartMinute = readonly [
  minute: number,
  events: number,
  quantity: string | null,
  latest?: readonly [at: Date, arrival: number, id: string],
];

/** Distinct values of one hour since 1970, packed as `packValues` does. */
export type PartValues = readonly [hour: number, packed: Buffer];

/** Contribution of one flush to one series. Insert-only, deleted after folding. */
export interface UsagePart {
  /** `<k>:<epoch>:<flush>`. */
  readonly _id: string;
  /** Key of the series. */
  readonly k: string;
  /** In order of time. */
  readonly minutes: readonly PartMinute[];
  /** UNIQUE_COUNT only, in order of time. */
  readonly values?: readonly PartValues[];
}

/** Identity of a flush in stored events and parts. */
export interface FlushName {
  readonly epoch: number;
  readonly flush: string;
}

/** An event with the rules by which it counts. */
export interface MeteredEvent<Document extends EventDocument = EventDocument> {
  readonly document: Document;
  readonly meter: Pick<Meter, 'aggregation' | 'uniqueProperty'>;
}

/** A series whose events are totalled. */
export interface PartSeries {
  readonly k: string;
  readonly meterId: string;
  readonly aggregation: Aggregation;
}

const minuteMs = 60_000;

export function partId(k: string, { epoch, flush }: FlushName): string {
  return `${k}:${epochText(epoch)}:${flush}`;
}

/** Epoch of the flush that a stored part belongs to. */
export function epochOfPart({ _id, k }: Pick<UsagePart, '_id' | 'k'>): number {
  const [epoch = ''] = _id.slice(k.length + 1).split(':');
  return fromEpochText(epoch);
}

/** The parts of a flush, one for each series. */
export function partsOf(name: FlushName, events: readonly MeteredEvent[]): UsagePart[] {
  const series = new Map<string, { of: PartSeries; events: MeasuredEvent[] }>();
  for (const { document, meter } of events) {
    const k = document.k ?? seriesKey(document.environmentId, document);
    let own = series.get(k);
    if (own === undefined) {
      const { meterId } = document;
      own = { of: { k, meterId, aggregation: meter.aggregation }, events: [] };
      series.set(k, own);
    }
    own.events.push(measuredEvent(document, meter.uniqueProperty));
  }
  return [...series.values()].map((own) => partOf(name, own.of, own.events));
}

/**
 * The part of a flush and series. The same events give the same part in any order, so that
 * inserting it again changes nothing.
 */
export function partOf(
  name: FlushName,
  { k, meterId, aggregation }: PartSeries,
  events: Iterable<MeasuredEvent>,
): UsagePart {
  const minutes = new Map<number, RunningTotal>();
  const values = new Map<number, Buffer[]>();
  for (const event of events) {
    const time = event.at.getTime();
    const minute = Math.floor(time / minuteMs);
    let total = minutes.get(minute);
    if (total === undefined) {
      // Distinct values are kept by hour.
      total = new RunningTotal(aggregation === 'UNIQUE_COUNT' ? 'COUNT' : aggregation);
      minutes.set(minute, total);
    }
    total.add(event);
    if (aggregation !== 'UNIQUE_COUNT' || event.uniqueValue === null) continue;
    const hour = Math.floor(time / hourMs);
    const hashes = values.get(hour) ?? [];
    hashes.push(hashedValue(meterId, event.uniqueValue));
    values.set(hour, hashes);
  }
  return {
    _id: partId(k, name),
    k,
    minutes: inOrder(minutes).map(([minute, total]) => toMinute(minute, total.total())),
    ...(values.size > 0 && {
      values: inOrder(values).map(([hour, hashes]) => [hour, packValues(hashes)] as const),
    }),
  };
}

function inOrder<T>(byTime: ReadonlyMap<number, T>): [time: number, value: T][] {
  return [...byTime].sort(([a], [b]) => a - b);
}

function toMinute(minute: number, { events, quantity, latest }: PartialTotal): PartMinute {
  if (latest === null) return [minute, events, quantity];
  return [minute, events, quantity, [latest.at, latest.arrival, latest.id]];
}

/** The total of a minute in the form of all totals, without distinct values. */
export function totalOfMinute([, events, quantity, latest]: PartMinute): PartialTotal {
  if (latest === undefined) return { events, quantity, latest: null, distinct: [] };
  const [at, arrival, id] = latest;
  return { events, quantity, latest: { at, arrival, id }, distinct: [] };
}
