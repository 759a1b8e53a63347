import type { Span } from '../usage/hour';
import type { SeriesStorage } from './series-storage';
import type { SpanBucket } from './span-bucket';

/** Reads one span or stub. */
export async function storedSpan(
  storage: SeriesStorage,
  { start, end }: Span,
): Promise<SpanBucket | undefined> {
  const found = await storage.spans({ start, end: new Date(start.getTime() + 1) });
  return found.find((span) => span.end.getTime() === end.getTime());
}
