import type { Aggregation } from '../meter/aggregation';
import type { Span } from '../usage/hour';
import { addedTo, type Bucket, type EpochRange, type NumberedPart, partsIn } from './bucket';
import { entriesIn } from './entries';
import type { FoldedBucket } from './hour-bucket';

/** Kept total of a span of event time that was read before. */
export interface SpanBucket extends Bucket, Span {
  /**
   * True for a stub: the announcement of a span that is being built. Its total is not valid. Folds
   * raise its version, so that a total that lacks their parts is not stored.
   */
  readonly isStub: boolean;
  /** Real time of the last read, to the day. */
  readonly readAt: Date;
}

/** Adds the parts that a span does not contain yet; undefined if there are none. */
export function foldIntoSpan(
  aggregation: Aggregation,
  span: SpanBucket,
  { parts, upTo }: { readonly parts: readonly NumberedPart[] } & Pick<EpochRange, 'upTo'>,
): FoldedBucket<SpanBucket> | undefined {
  const above = span.isStub ? 0 : span.folded;
  const entries = entriesIn(aggregation, partsIn(parts, { above, upTo }), span);
  if (entries.parts === 0) return undefined;
  // Parts do not tell on which side of an edge their events are: the next read builds the span.
  if (span.isStub || entries.cut.length > 0) return { bucket: stubOf(span), values: [] };
  const bucket = addedTo(aggregation, span, { total: entries.total, folded: upTo });
  return { bucket: { ...span, ...bucket }, values: entries.values };
}

/** The next version of a span, which the next read builds. */
export function stubOf(span: SpanBucket): SpanBucket {
  return { ...span, version: span.version + 1, isStub: true };
}

const dayMs = 24 * 60 * 60_000;
// Reads are recorded to the day: it was not read for more than a day.
const unreadMsMin = 2 * dayMs;

/**
 * True for a span that a boundary of a credit grant has cut since it was read: a span that begins
 * later and ends with it was read more than two days after it.
 */
export function isSuperseded(span: SpanBucket, spans: readonly SpanBucket[]): boolean {
  return spans.some(
    ({ start, end, readAt }) =>
      start > span.start &&
      end.getTime() === span.end.getTime() &&
      readAt.getTime() - span.readAt.getTime() > unreadMsMin,
  );
}
