import { mergePacked } from '../distinct/packed-values';
import type { PartMinute, PartValues } from '../flush/part';
import type { Aggregation } from '../meter/aggregation';
import { type NumberedPart, flushesOf } from './bucket';
import { mergedMinutes, minuteMs } from './entries';
import { hourMs } from '../usage/hour';

/** The hours that a read needs, since 1970: from one to before another. */
export interface PartHours {
  readonly from: number;
  readonly until: number;
}

/** A part without the usage of other hours. */
export function partWithin(part: NumberedPart, { from, until }: PartHours): NumberedPart {
  const isWithin = (hour: number) => hour >= from && hour < until;
  const minutes = part.minutes.filter(([minute]) => isWithin(hourOf(minute)));
  if (minutes.length === part.minutes.length) return part;
  return { ...part, minutes, values: part.values.filter(([hour]) => isWithin(hour)) };
}

/**
 * Merges parts, so that they take memory for each minute instead of each flush. Parts up to an
 * epoch of `cuts` stay apart from those above it. What is merged is whole for every reader whose
 * buckets are folded up to one of these epochs.
 */
export function mergedParts(
  aggregation: Aggregation,
  parts: readonly NumberedPart[],
  cuts: readonly number[],
): NumberedPart[] {
  const sideOf = ({ epoch }: NumberedPart) => cuts.filter((cut) => cut < epoch).length;
  return [...Map.groupBy(parts, sideOf).values()].map((group) => merged(aggregation, group));
}

function merged(aggregation: Aggregation, parts: readonly NumberedPart[]): NumberedPart {
  const [first] = parts;
  if (first === undefined) throw new Error('No parts to merge');
  if (parts.length === 1) return first;
  let { epoch, from = epoch } = first;
  for (const part of parts) {
    from = Math.min(from, part.from ?? part.epoch);
    epoch = Math.max(epoch, part.epoch);
  }
  const minutes: readonly (readonly PartMinute[])[] = parts.map((part) => part.minutes);
  return {
    epoch,
    from,
    flush: first.flush,
    flushes: parts.flatMap(flushesOf),
    minutes: mergedMinutes(aggregation, minutes),
    values: mergedValues(parts.flatMap(({ values }) => values)),
  };
}

function mergedValues(all: readonly PartValues[]): PartValues[] {
  return [...Map.groupBy(all, ([hour]) => hour)]
    .toSorted(([a], [b]) => a - b)
    .map(([hour, values]) => [hour, mergePacked(values.map(([, packed]) => packed))] as const);
}

function hourOf(minute: number): number {
  return Math.floor((minute * minuteMs) / hourMs);
}
