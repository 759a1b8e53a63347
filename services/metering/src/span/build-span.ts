import { mergedRuns, type RunStore, streamOf, type ValueStream } from '../distinct/merge';
import { mergePacked } from '../distinct/packed-values';
import { totalOfMinute } from '../flush/part';
import { type BareTotal, type NumberedPart, partsIn, RunningBareTotal } from '../fold/bucket';
import { entriesIn, intersection, minuteMs, partsByHour, placeOf, unitSpan } from '../fold/entries';
import {
  cutTotal,
  emptyHour,
  hasMinutes,
  type HourBucket,
  type HourTotal,
  withCut,
} from '../fold/hour-bucket';
import type { FlushedEvent, SeriesStorage } from '../fold/series-storage';
import type { SpanBucket } from '../fold/span-bucket';
import { storedSpan } from '../fold/stored-span';
import { hourMs, type MeasuredSeries, type Span } from '../usage/hour';
import type { EventSet } from './named-set';
import { countRaw, requireEvents } from './raw-count';
import { recountHour } from './recount-hour';

/** Runs a merge of this many distinct values, or queues it. */
export type ValuesLimit = <T>(values: number, merge: () => Promise<T>) => Promise<T>;

/** A span in construction. */
class SpanBuilding {
  readonly values: ValueStream[] = [];
  /** Values in stored hours. */
  storedValues = 0;
  private readonly running: RunningBareTotal;

  constructor(
    readonly storage: SeriesStorage,
    readonly series: MeasuredSeries,
    readonly runs: RunStore,
    private readonly keepsCuts: boolean,
  ) {
    this.running = new RunningBareTotal(series.aggregation);
  }

  get total(): BareTotal {
    return this.running.total();
  }

  merge(total: Parameters<RunningBareTotal['merge']>[0]): void {
    this.running.merge(total);
  }

  mergeParts(parts: readonly NumberedPart[], piece: Span): readonly Span[] {
    const { total, values, cut } = entriesIn(this.series.aggregation, parts, piece);
    this.merge(total);
    if (values.length > 0) this.values.push(streamOf(mergePacked(values)));
    return cut;
  }

  /**
   * Counts the events of a piece of a minute. Stores both halves of a minute with the hour, unless
   * cuts are not kept, so that they are not counted again.
   */
  async mergeCutMinute(
    hour: HourBucket,
    { piece, until }: { readonly piece: Span; readonly until: number },
  ): Promise<void> {
    const { storage, series } = this;
    const whole = unitSpan(Math.floor(piece.start.getTime() / minuteMs), minuteMs);
    const [counted, before, after] = [
      new RunningBareTotal(series.aggregation),
      new RunningBareTotal(series.aggregation),
      new RunningBareTotal(series.aggregation),
    ];
    const at = piece.start > whole.start ? piece.start : piece.end;
    let left = 0;
    for await (const event of storage.events(whole)) {
      if (event.epoch <= until && contains(piece, event.at)) counted.add(event);
      if (event.epoch > hour.folded) continue;
      left += 1;
      (event.at < at ? before : after).add(event);
    }
    const stored = hour.minutes.find(([minute]) => minute === minuteOf(whole));
    requireEvents(stored?.[1] ?? 0, left);
    this.merge(counted.total());
    const isHalf = isSame(piece, { ...whole, end: at }) || isSame(piece, { ...whole, start: at });
    if (!isHalf || hour.version === 0 || !this.keepsCuts) return;
    await storage.storeCuts(withCut(hour, { at, before: before.total(), after: after.total() }));
  }

  /** Counts a piece of an hour. Reads the whole hour, to know that no event is missing. */
  async mergeRaw(
    hour: HourTotal,
    { piece, until }: { readonly piece: Span; readonly until: number },
  ): Promise<void> {
    const { storage, series, runs } = this;
    const span = unitSpan(hour.hour, hourMs);
    let left = 0;
    const isCounted = ({ epoch, at }: FlushedEvent) => {
      if (epoch <= hour.folded) left += 1;
      return epoch <= until && contains(piece, at);
    };
    const { total, values } = await countRaw(storage, series, { span, isCounted, runs });
    requireEvents(hour.total.events, left);
    this.merge(total);
    this.values.push(...values);
  }
}

/** Usage of a span as its hours add up. */
export interface HoursSum {
  readonly total: BareTotal;
  /** UNIQUE_COUNT only. */
  readonly values: readonly ValueStream[];
}

/**
 * Adds up a span from hours, from minutes at its edges, and from the raw events of minutes that its
 * edges cut. The result contains the events up to `until`. Undefined if an hour contains later
 * events.
 */
export async function sumOfHours(
  storage: SeriesStorage,
  series: MeasuredSeries,
  {
    span,
    set,
    hours,
    runs,
    keepsCuts = true,
  }: {
    readonly span: Span;
    readonly set: EventSet;
    /** Stored hours; all that the span touches are among them. */
    readonly hours: readonly HourTotal[];
    readonly runs: RunStore;
    /** False: nothing is stored. */
    readonly keepsCuts?: boolean;
  },
): Promise<(HoursSum & { readonly storedValues: number }) | undefined> {
  const building = new SpanBuilding(storage, series, runs, keepsCuts);
  return (await addHours(building, span, { set, stored: hours })) ? building : undefined;
}

/**
 * Builds a span from hours. With distinct values it is stored unless a fold or another build has
 * changed the stub; `storeBuilt` stores others. Undefined if an hour contains later events.
 */
export async function buildSpan(
  storage: SeriesStorage,
  series: MeasuredSeries,
  {
    stub,
    set,
    hours,
    limit,
  }: {
    readonly stub: SpanBucket;
    readonly set: EventSet;
    readonly hours: readonly HourTotal[];
    readonly limit: ValuesLimit;
  },
): Promise<SpanBucket | undefined> {
  return storage.values.withRuns(stub, async (runs) => {
    const sum = await sumOfHours(storage, series, { span: stub, set, hours, runs });
    if (sum === undefined) return undefined;
    const version = stub.version + 1;
    const values =
      sum.values.length === 0
        ? null
        : await limit(sum.storedValues, async () =>
            storage.values.write(stub, version, await mergedRuns(sum.values, runs)),
          );
    const total = { ...sum.total, values };
    const built = { ...stub, version, folded: set.until, total, isStub: false };
    if (values === null) return built;
    if (!(await storage.storeSpan(built))) return afterLostRace(storage, built);
    await storage.values.deleteOthers(stub, values);
    return built;
  });
}

/** Stores built spans without distinct values. Returns those to read. */
export async function storeBuilt(
  storage: SeriesStorage,
  built: readonly SpanBucket[],
): Promise<readonly SpanBucket[]> {
  if (built.length === 0 || (await storage.storeSpans(built))) return built;
  return Promise.all(built.map((span) => afterLostRace(storage, span)));
}

/** Returns the span that another read has stored, or the own one if a fold has raised the stub. */
async function afterLostRace(storage: SeriesStorage, built: SpanBucket): Promise<SpanBucket> {
  const stored = await storedSpan(storage, built);
  if (stored === undefined || stored.isStub) return built;
  const { values } = built.total;
  const isOwn = stored.total.values?.write === values?.write;
  // The version of the stub was taken: the own span cannot be stored any more.
  if (values !== null && !isOwn) await storage.values.delete(built, values);
  return stored;
}

async function addHours(
  building: SpanBuilding,
  span: Span,
  {
    set: { until, parts },
    stored,
  }: { readonly set: EventSet; readonly stored: readonly HourTotal[] },
): Promise<boolean> {
  const unfolded = partsByHour(partsIn(parts, { above: 0, upTo: until }));
  const fresh = ({ hour, folded }: HourTotal) =>
    partsIn(unfolded.get(hour) ?? [], { above: folded, upTo: until });
  const { first, last, edges } = hoursOf(span);
  for (const number of edges) {
    const isStored = stored.some(({ hour }) => hour === number);
    const hour = isStored ? await edgeHour(building, number) : emptyHour(number);
    if (hour.folded > until) return false;
    const piece = intersection(unitSpan(number, hourMs), span);
    if (hour.version === 0 && fresh(hour).length === 0) continue;
    await addPiece(building, hour, { piece, fresh: fresh(hour), until });
  }
  const isWhole = (hour: number) => hour >= first && hour < last;
  const whole = stored.filter(({ hour }) => isWhole(hour));
  if (whole.some(({ folded }) => folded > until)) return false;
  const hours = new Map(whole.map((hour) => [hour.hour, hour]));
  const touched = [...unfolded.keys()].filter(isWhole);
  for (const number of new Set([...hours.keys(), ...touched])) {
    const hour = hours.get(number) ?? emptyHour(number);
    addHour(building, hour, fresh(hour));
  }
  return true;
}

/** An hour that an edge cuts, with its minutes. Distinct values have none. */
async function edgeHour({ storage, series }: SpanBuilding, number: number): Promise<HourBucket> {
  const [hour = emptyHour(number)] = await storage.hours(number, number + 1);
  const isComplete = series.aggregation === 'UNIQUE_COUNT' || hasMinutes(hour);
  return isComplete ? hour : recountHour(storage, series, number);
}

/** The whole hours of a span, from `first` to before `last`, and the hours that its edges cut. */
function hoursOf({ start, end }: Span): { first: number; last: number; edges: readonly number[] } {
  const first = Math.ceil(start.getTime() / hourMs);
  const last = Math.floor(end.getTime() / hourMs);
  const cut = [start, end].filter((at) => at.getTime() % hourMs !== 0);
  const edges = new Set(cut.map((at) => Math.floor(at.getTime() / hourMs)));
  return { first, last, edges: [...edges] };
}

function addHour(building: SpanBuilding, hour: HourTotal, fresh: readonly NumberedPart[]): void {
  const { values } = hour.total;
  building.merge(hour.total);
  if (values !== null) {
    building.values.push(building.storage.values.read(hour, values));
    building.storedValues += values.entries;
  }
  building.mergeParts(fresh, unitSpan(hour.hour, hourMs));
}

interface HourPiece {
  readonly piece: Span;
  /** Parts that the hour does not contain. */
  readonly fresh: readonly NumberedPart[];
  readonly until: number;
}

async function addPiece(
  building: SpanBuilding,
  hour: HourBucket,
  { piece, fresh, until }: HourPiece,
): Promise<void> {
  // Hours have no minutes of distinct values.
  if (building.series.aggregation === 'UNIQUE_COUNT') {
    await building.mergeRaw(hour, { piece, until });
    return;
  }
  const cut = new Set<number>();
  for (const minute of hour.minutes) {
    const place = placeOf(minute[0] * minuteMs, piece);
    if (place === 'inside') building.merge(totalOfMinute(minute));
    if (place === 'cut') cut.add(minute[0]);
  }
  const unclear = new Set(building.mergeParts(fresh, piece).map((span) => minuteOf(span)));
  for (const minute of new Set([...cut, ...unclear])) {
    const half = intersection(unitSpan(minute, minuteMs), piece);
    const known = unclear.has(minute) ? undefined : cutTotal(hour, half);
    if (known === undefined) await building.mergeCutMinute(hour, { piece: half, until });
    else building.merge(known);
  }
}

function contains({ start, end }: Span, at: Date): boolean {
  return at >= start && at < end;
}

function isSame(a: Span, b: Span): boolean {
  return a.start.getTime() === b.start.getTime() && a.end.getTime() === b.end.getTime();
}

function minuteOf({ start }: Span): number {
  return Math.floor(start.getTime() / minuteMs);
}
