import type { WindowUsage } from '../span/read-usage';
import type { UsageReader } from '../span/read-in-time';
import type { MeasuredSeries, Span } from '../usage/hour';
import { type BurnableWindow, burningSpans, unclaimedSpans, windowsToMarks } from './usage-window';

/** Reads the usage of windows. */
export type WindowReader = Pick<UsageReader, 'read'>;

// An account may have thousands of grants, but spans without usage need not be split.
const splitsMax = 16;

/**
 * Reads windows, all with the same set of events, as the spans that burning needs. A window with
 * many boundaries of grants is split only if it has events. Other spans are read with them.
 */
export async function readWindows(
  reader: WindowReader,
  series: MeasuredSeries,
  windows: readonly BurnableWindow[],
  others: readonly (readonly Span[])[] = [],
): Promise<readonly WindowUsage[]> {
  const marked = windows.map(({ window }) => windowsToMarks(window).map(unclaimedSpans));
  const read = await readSplit(reader, series, windows, [...others, ...marked.flat()]);
  let next = windows.length + others.length;
  const known = read.slice(0, next);
  return known.map((usage, index) => {
    const count = marked[index]?.length ?? 0;
    if (count === 0) return usage;
    const marks = read.slice(next, (next += count)).map(({ quantity }) => quantity);
    return { ...usage, marks };
  });
}

async function readSplit(
  reader: WindowReader,
  series: MeasuredSeries,
  windows: readonly BurnableWindow[],
  others: readonly (readonly Span[])[],
): Promise<readonly WindowUsage[]> {
  const spans = windows.map((burnable) => {
    const split = burningSpans(burnable, series);
    return { split, whole: split.length > splitsMax ? unclaimedSpans(burnable.window) : split };
  });
  const used = new Set<number>();
  for (;;) {
    const toRead = spans.map(({ split, whole }, index) => (used.has(index) ? split : whole));
    const read = await reader.read(series, [...toRead, ...others]);
    const found = spans.flatMap(({ split, whole }, index) => {
      const isOpen = split.length !== whole.length && !used.has(index);
      return isOpen && (read[index]?.events ?? 0) > 0 ? [index] : [];
    });
    if (found.length === 0) return read;
    for (const index of found) used.add(index);
  }
}
