import { type PartialTotal, RunningTotal } from '../meter/aggregation';
import {
  endOfHour,
  hourMs,
  hourOf,
  type MeasuredSeries,
  type Span,
  validTotal,
  type UsageStorage,
} from './hour';

/**
 * Totals of adjacent spans, split at `boundaries`, which lie inside the window in ascending order.
 * Hours with a valid total are not read again. An hour cut by a boundary or by the edge of the
 * window is read event by event. Includes everything stored before the read started.
 */
export async function readUsage(
  storage: UsageStorage,
  series: MeasuredSeries,
  { window, boundaries = [] }: { readonly window: Span; readonly boundaries?: readonly Date[] },
): Promise<PartialTotal[]> {
  const starts = [window.start, ...boundaries];
  const spans = starts.map(() => new RunningTotal(series.aggregation));
  const spanAt = (at: Date) => {
    const index = starts.findLastIndex((start) => start <= at);
    const span = spans[index];
    if (span === undefined) throw new Error('An event lies before the window');
    return span;
  };
  // The order matters: anything sealed in between is then read from events, and nothing is counted
  // twice.
  const sealedUntil = await storage.sealedUntil(series);
  const hours = wholeHours(window);
  const cut = new Set(boundaries.map((at) => hourOf(at).getTime()));
  const raw: Span[] = [];
  if (sealedUntil === null || hours === undefined || sealedUntil <= hours.start) raw.push(window);
  else {
    const known = { start: hours.start, end: earlier(sealedUntil, hours.end) };
    raw.push({ start: window.start, end: known.start });
    for (const kept of await storage.hoursIn(series, known)) {
      const total = validTotal(kept);
      if (total === null || cut.has(kept.hour.getTime())) {
        raw.push({ start: kept.hour, end: endOfHour(kept.hour) });
      } else spanAt(kept.hour).merge(total);
    }
    raw.push({ start: known.end, end: window.end });
  }
  for (const span of joined(raw)) {
    for await (const event of storage.eventsIn(series, span)) spanAt(event.at).add(event);
  }
  return spans.map((span) => span.total());
}

/** The complete hours inside a span; undefined if there are none. */
function wholeHours({ start, end }: Span): Span | undefined {
  const first = new Date(Math.ceil(start.getTime() / hourMs) * hourMs);
  const last = hourOf(end);
  return first < last ? { start: first, end: last } : undefined;
}

/** Merges adjacent spans and drops empty ones; input in order. */
function joined(spans: readonly Span[]): Span[] {
  const joined: Span[] = [];
  const ordered = spans
    .filter(({ start, end }) => start < end)
    .toSorted((a, b) => a.start.getTime() - b.start.getTime());
  for (const span of ordered) {
    const last = joined.at(-1);
    if (last?.end.getTime() === span.start.getTime()) {
      joined[joined.length - 1] = { start: last.start, end: span.end };
    } else joined.push(span);
  }
  return joined;
}

function earlier(a: Date, b: Date): Date {
  return a <= b ? a : b;
}
