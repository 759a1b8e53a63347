import { type PartMinute, totalOfMinute } from '../flush/part';
import type { Aggregation } from '../meter/aggregation';
import { hourMs, type Span } from '../usage/hour';
import { type BareTotal, type NumberedPart, RunningBareTotal } from './bucket';

export const minuteMs = 60_000;

/** Usage that parts add to a span of time. */
export interface Entries {
  readonly total: BareTotal;
  /** Packed distinct values. */
  readonly values: readonly Buffer[];
  /** Parts with an event in the span. */
  readonly parts: number;
  /**
   * Pieces of the span in which parts have events that may lie inside or outside. They are not in
   * the total.
   */
  readonly cut: readonly Span[];
}

/** The minutes, or hours for distinct values, that parts tell apart. */
function unitMsOf(aggregation: Aggregation): number {
  return aggregation === 'UNIQUE_COUNT' ? hourMs : minuteMs;
}

/** Adds up what parts say about a span. */
export function entriesIn(
  aggregation: Aggregation,
  parts: readonly NumberedPart[],
  span: Span,
): Entries {
  const unitMs = unitMsOf(aggregation);
  const cutUnits = unitsCutBy(span, unitMs).filter((unit) =>
    parts.some((part) => isAmbiguous(part, { unit, unitMs, span })),
  );
  const unitAt = (ms: number) => Math.floor(ms / unitMs);
  const running = new RunningBareTotal(aggregation);
  const values: Buffer[] = [];
  let touched = 0;
  for (const part of parts) {
    const hours = new Set<number>();
    let isTouched = false;
    for (const entry of part.minutes) {
      const start = entry[0] * minuteMs;
      const place = placeOf(start, span);
      if (place === 'outside') continue;
      isTouched = true;
      if (cutUnits.includes(unitAt(start))) continue;
      running.merge(totalOfMinute(entry));
      hours.add(Math.floor(start / hourMs));
    }
    if (isTouched) touched += 1;
    for (const [hour, packed] of part.values) if (hours.has(hour)) values.push(packed);
  }
  const cut = cutUnits.map((unit) => intersection(unitSpan(unit, unitMs), span));
  return { total: running.total(), values, parts: touched, cut };
}

/** Units that contain an edge of a span. */
function unitsCutBy({ start, end }: Span, unitMs: number): number[] {
  const cut = [start, end].filter((at) => at.getTime() % unitMs !== 0);
  return [...new Set(cut.map((at) => Math.floor(at.getTime() / unitMs)))];
}

/** True if a part has events of a unit that the span may contain only in part. */
function isAmbiguous(
  { minutes }: NumberedPart,
  { unit, unitMs, span }: { readonly unit: number; readonly unitMs: number; readonly span: Span },
): boolean {
  const places = minutes
    .filter(([minute]) => Math.floor((minute * minuteMs) / unitMs) === unit)
    .map(([minute]) => placeOf(minute * minuteMs, span));
  return places.includes('cut') || new Set(places).size > 1;
}

/** Where a minute lies. */
export function placeOf(startMs: number, { start, end }: Span): 'inside' | 'outside' | 'cut' {
  const endMs = startMs + minuteMs;
  if (endMs <= start.getTime() || startMs >= end.getTime()) return 'outside';
  return startMs >= start.getTime() && endMs <= end.getTime() ? 'inside' : 'cut';
}

export function unitSpan(unit: number, unitMs: number): Span {
  return { start: new Date(unit * unitMs), end: new Date((unit + 1) * unitMs) };
}

/** The piece of time that two spans share. They must overlap. */
export function intersection(a: Span, b: Span): Span {
  return {
    start: a.start > b.start ? a.start : b.start,
    end: a.end < b.end ? a.end : b.end,
  };
}

/** Minutes of parts, merged by minute, in order of time. */
export function mergedMinutes(
  aggregation: Aggregation,
  all: readonly (readonly PartMinute[])[],
): PartMinute[] {
  const minutes = new Map<number, RunningBareTotal>();
  for (const entry of all.flat()) {
    const running = minutes.get(entry[0]) ?? new RunningBareTotal(aggregation);
    running.merge(totalOfMinute(entry));
    minutes.set(entry[0], running);
  }
  return [...minutes]
    .toSorted(([a], [b]) => a - b)
    .map(([minute, running]) => toMinute(minute, running.total()));
}

function toMinute(minute: number, { events, quantity, latest }: BareTotal): PartMinute {
  if (latest === null) return [minute, events, quantity];
  return [minute, events, quantity, [latest.at, latest.arrival, latest.id]];
}

/** Splits parts by the hours in which they have events. */
export function partsByHour(parts: readonly NumberedPart[]): Map<number, NumberedPart[]> {
  const byHour = new Map<number, NumberedPart[]>();
  for (const part of parts) {
    const hours = Map.groupBy(part.minutes, ([minute]) => Math.floor((minute * minuteMs) / hourMs));
    for (const [hour, minutes] of hours) {
      const values = part.values.filter(([one]) => one === hour);
      const pieces = byHour.get(hour) ?? [];
      pieces.push({ ...part, minutes, values });
      byHour.set(hour, pieces);
    }
  }
  return byHour;
}
