import { DomainError, invalidInput } from '@billing/kernel/domain-error';
import { positionMax } from './feed-store';

/** Kept part of a feed. */
export interface FeedRange {
  /** Position of the oldest kept entry; undefined if none is kept. */
  readonly oldest: number | undefined;
  /** Position of the newest entry, 0 if there is none. */
  readonly newest: number;
  /** Code of the last restore, empty before any. */
  readonly restoreCode: string;
}

// A position, after a restore with the code of the restore in front.
const cursorPattern = /^(?:([0-9A-HJKMNP-TV-Z]{5,8})\.)?(0|[1-9]\d{0,11})$/;

/** Text of a position for callers. `restoreCode` is that of the feed, empty before any restore. */
export function toCursor(position: number, restoreCode: string): string {
  return restoreCode === '' ? String(position) : `${restoreCode}.${String(position)}`;
}

/**
 * Position after which a reader continues. Throws invalid_input for a text that is no cursor or
 * lies beyond the newest entry, and gone for one whose next entry is not kept.
 */
export function positionAfter(
  cursor: string | undefined,
  { oldest, newest, restoreCode }: FeedRange,
): number {
  if (cursor === undefined) return (oldest ?? newest + 1) - 1;
  const [matched, code = '', digits] = cursorPattern.exec(cursor) ?? [];
  if (matched === undefined) throw invalidInput({ after: ['Must be a cursor'] });
  const position = Number(digits);
  // Before the first event of a feed no event was lost.
  const isBeginning = code === '' && position === 0;
  if (code !== restoreCode && !isBeginning) throw cursorExpired();
  if (position > newest || position > positionMax) {
    throw invalidInput({ after: ['Beyond the newest event'] });
  }
  if (oldest !== undefined && position < oldest - 1) throw cursorExpired();
  return position;
}

/** Error for a cursor whose next events are not kept, or of a feed before a restore. */
export function cursorExpired(): DomainError {
  return new DomainError('gone', 'CURSOR_EXPIRED', 'Events after this cursor are no longer kept');
}
