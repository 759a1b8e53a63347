import type { WindowUsage } from '../span/read-usage';
import type { UsageReader } from '../span/read-in-time';
import type { MeasuredSeries, Span } from '../usage/hour';
import { type BurnableWindow, burningSpans, unclaimedSpans } from './usage-window';

// An account may have thousands of grants, but spans without usage need not be split.
const splitsMax = 16;

/**
 * Reads windows, all with the same set of events, as the spans that burning needs. A window with
 * many boundaries of grants is split only if it has events. Other spans are read with them.
 */
export async function readWindows(
  reader: Pick<UsageReader, 'read'>,
  series: MeasuredSeries,
  windows: readonly BurnableWindow[],
  others: readonly (readonly Span[])[] = [],
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
