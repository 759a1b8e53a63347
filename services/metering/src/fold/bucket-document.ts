import { bufferOf, type StoredBytes, type StoredValues } from '../distinct/value-store';
import { epochText } from '../epoch/epoch';
import { fromSortableNumber, sortableNumber } from '../epoch/sortable-number';
import type { PartMinute, UsagePart } from '../flush/part';
import type { EventPosition } from '../meter/aggregation';
import { type EventDocument, measuredEvent } from '../usage/event-store';
import { hourMs, type Span } from '../usage/hour';
import type { BareTotal, Bucket, BucketTotal, NumberedPart } from './bucket';
import type { CutMinute, HourBucket, HourTotal } from './hour-bucket';
import type { BucketName, FlushedEvent } from './series-storage';
import type { SpanBucket } from './span-bucket';

// The driver returns integers as number or bigint.
type Count = number | bigint;
type StoredLatest = Omit<EventPosition, 'arrival'> & { readonly arrival: Count };

interface StoredTotal {
  readonly events: Count;
  readonly quantity: string | null;
  readonly latest: StoredLatest | null;
}

interface StoredBucketTotal extends StoredTotal {
  readonly values: { readonly [Field in keyof StoredValues]: StoredValues[Field] | bigint } | null;
}

type StoredMinute = readonly [
  minute: Count,
  events: Count,
  quantity: string | null,
  latest?: readonly [at: Date, arrival: Count, id: string],
];

interface BucketDocument {
  readonly _id: string;
  readonly environmentId: string;
  /** Key of the series. */
  readonly k: string;
  readonly version: Count;
  readonly folded: Count;
  readonly total: StoredBucketTotal;
}

/**
 * A stored hour, with `<k>:<hour>` as its id. Hours of earlier versions are in the same collection;
 * they have a customer and a meter, and no key.
 */
export interface HourBucketDocument extends BucketDocument {
  readonly minutes: readonly StoredMinute[];
  readonly cuts: readonly {
    readonly at: Date;
    readonly version: Count;
    readonly before: StoredTotal;
    readonly after: StoredTotal;
  }[];
}

/** A stored span, with `<k>:<start>:<end>` as its id. */
export interface SpanDocument extends BucketDocument {
  /** True for a stub. */
  readonly building: boolean;
  /** Real time of the last read, to the day. */
  readonly readAt: Date;
}

// Ids count from here: a sandbox may start in 1970, and has events of 35 days before.
const firstMs = Date.UTC(1960, 0, 1);
const firstHour = firstMs / hourMs;
// Enough for all later dates.
const hourWidth = 7;
const instantWidth = 11;

export function hourId(k: string, hour: number): string {
  return `${k}:${sortableNumber(hour - firstHour, hourWidth)}`;
}

export function spanId(k: string, { start, end }: Span): string {
  return `${spanStartId(k, start)}:${instantText(end)}`;
}

/** Lowest id of the spans that start at an instant. */
export function spanStartId(k: string, start: Date): string {
  return `${k}:${instantText(start)}`;
}

function instantText(at: Date): string {
  return sortableNumber(at.getTime() - firstMs, instantWidth);
}

function instantIn(text: string): Date {
  return new Date(fromSortableNumber(text) + firstMs);
}

export function bucketId(k: string, bucket: BucketName): string {
  return 'hour' in bucket ? hourId(k, bucket.hour) : spanId(k, bucket);
}

/** Lowest id of the parts of an epoch. */
export function partEpochId(k: string, epoch: number): string {
  return `${k}:${epochText(epoch)}`;
}

export function toHourDocument(
  { environmentId, k }: Pick<BucketDocument, 'environmentId' | 'k'>,
  { hour, version, folded, total, minutes, cuts }: HourBucket,
): HourBucketDocument {
  return { _id: hourId(k, hour), environmentId, k, version, folded, total, minutes, cuts };
}

export function fromHourTotal(document: Omit<HourBucketDocument, 'minutes' | 'cuts'>): HourTotal {
  const { _id, k } = document;
  return { ...bucketOf(document), hour: fromSortableNumber(_id.slice(k.length + 1)) + firstHour };
}

export function fromHourDocument(document: HourBucketDocument): HourBucket {
  const { minutes, cuts } = document;
  return {
    ...fromHourTotal(document),
    minutes: minutes.map(minuteOf),
    cuts: cuts.map(cutOf),
  };
}

export function fromSpanDocument(document: SpanDocument): SpanBucket {
  const { _id, k, building, readAt } = document;
  const [start = '', end = ''] = _id.slice(k.length + 1).split(':');
  return {
    ...bucketOf(document),
    start: instantIn(start),
    end: instantIn(end),
    isStub: building,
    readAt,
  };
}

/** A part with the epoch and the flush that its id names. */
export function fromPartDocument({ _id, k, minutes, values = [] }: UsagePart): NumberedPart {
  const [epoch = '', flush = ''] = _id.slice(k.length + 1).split(':');
  return {
    epoch: fromSortableNumber(epoch),
    flush,
    minutes: minutes.map(minuteOf),
    values: values.map(([hour, packed]: readonly [Count, StoredBytes]) => [
      Number(hour),
      bufferOf(packed),
    ]),
  };
}

/** Events of earlier versions have no flush; they count as epoch 0. */
export function flushedEvent(
  document: Omit<EventDocument, 'environmentId'>,
  uniqueProperty: string | null,
): FlushedEvent {
  const { epoch = 0, flush = '' } = document;
  return { ...measuredEvent(document, uniqueProperty), epoch: Number(epoch), flush };
}

function bucketOf({ version, folded, total }: BucketDocument): Bucket {
  return { version: Number(version), folded: Number(folded), total: bucketTotalOf(total) };
}

function bucketTotalOf({ values, ...total }: StoredBucketTotal): BucketTotal {
  if (values === null) return { ...totalOf(total), values };
  const { version, write, documents, entries, counted } = values;
  return {
    ...totalOf(total),
    values: {
      version: Number(version),
      write: String(write),
      documents: Number(documents),
      entries: Number(entries),
      counted: Number(counted),
    },
  };
}

function totalOf({ events, quantity, latest }: StoredTotal): BareTotal {
  return {
    events: Number(events),
    quantity,
    latest: latest === null ? null : { ...latest, arrival: Number(latest.arrival) },
  };
}

function minuteOf([minute, events, quantity, latest]: StoredMinute): PartMinute {
  const total = [Number(minute), Number(events), quantity] as const;
  if (latest === undefined) return total;
  const [at, arrival, id] = latest;
  return [...total, [at, Number(arrival), id]];
}

function cutOf({ at, version, before, after }: HourBucketDocument['cuts'][number]): CutMinute {
  return { at, version: Number(version), before: totalOf(before), after: totalOf(after) };
}
