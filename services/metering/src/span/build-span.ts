import { mergedRuns, type RunStore, streamOf, type ValueStream } from '../distinct/merge';
import { mergePacked } from '../distinct/packed-values';
import { totalOfMinute } from '../flush/part';
import { type NumberedPart, partsIn, RunningBareTotal } from '../fold/bucket';
import { entriesIn, intersection, minuteMs, partsByHour, placeOf, unitSpan } from '../fold/entries';
import { cutTotal, emptyHour, type HourBucket, type HourTotal, withCut } from '../fold/hour-bucket';
import type { SeriesStorage } from '../fold/series-storage';
import type { SpanBucket } from '../fold/span-bucket';
import { storedSpan } from '../fold/stored-span';
import { hourMs, type MeasuredSeries, type Span } from '../usage/hour';
import type { EventSet } from './named-set';
import { countRaw } from './raw-count';

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
  ) {
    this.running = new RunningBareTotal(series.aggregation);
  }

  get total() {
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
   * Counts the events of a piece of a minute. Stores both halves of a minute with the hour, so that
   * they are not counted again.
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
    for await (const event of storage.events(whole)) {
      if (event.epoch <= until && contains(piece, event.at)) counted.add(event);
      if (event.epoch <= hour.folded) (event.at < at ? before : after).add(event);
    }
    this.merge(counted.total());
    const isHalf = isSame(piece, { ...whole, end: at }) || isSame(piece, { ...whole, start: at });
    if (!isHalf || hour.version === 0) return;
    await storage.storeCuts(withCut(hour, { at, before: before.total(), after: after.total() }));
  }

  async mergeRaw(span: Span, until: number): Promise<void> {
    const { storage, series, runs } = this;
    const isCounted = ({ epoch }: { readonly epoch: number }) => epoch <= until;
    const { total, values } = await countRaw(storage, series, { span, isCounted, runs });
    this.merge(total);
    this.values.push(...values);
  }
}

/**
 * Adds up a span from hours, from minutes at its edges, and from the raw events of minutes that its
 * edges cut. The result contains the events up to `until`. It is stored unless a fold or another
 * build has changed the stub. Undefined if an hour contains later events.
 */
export async function buildSpan(
  storage: SeriesStorage,
  series: MeasuredSeries,
  {
    stub,
    set,
    limit,
  }: { readonly stub: SpanBucket; readonly set: EventSet; readonly limit: ValuesLimit },
): Promise<SpanBucket | undefined> {
  return storage.values.withRuns(stub, async (runs) => {
    const building = new SpanBuilding(storage, series, runs);
    if (!(await addHours(building, stub, set))) return undefined;
    const version = stub.version + 1;
    const values =
      building.values.length === 0
        ? null
        : await limit(building.storedValues, async () =>
            storage.values.write(stub, version, await mergedRuns(building.values, runs)),
          );
    const total = { ...building.total, values };
    const built = { ...stub, version, folded: set.until, total, isStub: false };
    if (!(await storage.storeSpan(built))) return afterLostRace(storage, built);
    if (values !== null) await storage.values.deleteOthers(stub, values);
    return built;
  });
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
  { until, parts }: EventSet,
): Promise<boolean> {
  const unfolded = partsByHour(partsIn(parts, { above: 0, upTo: until }));
  const fresh = ({ hour, folded }: HourTotal) =>
    partsIn(unfolded.get(hour) ?? [], { above: folded, upTo: until });
  const { first, last, edges } = hoursOf(span);
  for (const number of edges) {
    const [hour = emptyHour(number)] = await building.storage.hours(number, number + 1);
    if (hour.folded > until) return false;
    const piece = intersection(unitSpan(number, hourMs), span);
    if (hour.version === 0 && fresh(hour).length === 0) continue;
    await addPiece(building, hour, { piece, fresh: fresh(hour), until });
  }
  if (first >= last) return true;
  const stored = await building.storage.hourTotals(first, last);
  if (stored.some(({ folded }) => folded > until)) return false;
  const hours = new Map(stored.map((hour) => [hour.hour, hour]));
  const touched = [...unfolded.keys()].filter((hour) => hour >= first && hour < last);
  for (const number of new Set([...hours.keys(), ...touched])) {
    const hour = hours.get(number) ?? emptyHour(number);
    addHour(building, hour, fresh(hour));
  }
  return true;
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
    await building.mergeRaw(piece, until);
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
