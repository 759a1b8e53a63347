import type { Completion, OutboxDocument, OutboxEntry } from './aggregate';
import { sleep } from '../clock';

// Events are published within milliseconds, unless the stream is unavailable.
const waitMs = 250;

type Numbers = Record<OutboxEntry['kind'], number>;
type Numbered = Pick<OutboxEntry, 'kind' | 'sequence'>;
/**
 * Progress of the relay with one document. Entries are processed in the order of their sequence,
 * events and commands independently. Done entries may stay in the document for a while, so that one
 * write removes all of them.
 */
export class OutboxProgress {
  private readonly started: Numbers = { event: 0, command: 0 };
  private readonly done: Numbers = { event: 0, command: 0 };
  private readonly removed: Numbers = { event: 0, command: 0 };
  private emptiedAt: Numbers = { event: -1, command: -1 };
  // Called after each entry that is done.
  private readonly listeners = new Set<() => void>();

  isDone({ kind, sequence }: Numbered): boolean {
    return sequence <= this.done[kind];
  }

  recordStarted(entries: readonly Numbered[]): void {
    for (const { kind, sequence } of entries) {
      this.started[kind] = Math.max(this.started[kind], sequence);
    }
  }

  recordDone({ kind, sequence }: Numbered): void {
    this.done[kind] = Math.max(this.done[kind], sequence);
    for (const check of this.listeners) check();
  }

  recordRemoved(entries: readonly Numbered[]): void {
    for (const { kind, sequence } of entries) {
      this.removed[kind] = Math.max(this.removed[kind], sequence);
    }
  }

  /** Records that the outbox was emptied as it was read, with these sequences. */
  recordEmptied({ outbox, eventSequence, commandSequence }: OutboxDocument): void {
    this.recordRemoved(outbox);
    this.emptiedAt = { event: eventSequence, command: commandSequence };
  }

  /** Pending entries of a kind, in order. */
  pending({ outbox }: OutboxDocument, kind: OutboxEntry['kind']): OutboxEntry[] {
    return outbox
      .filter((entry) => entry.kind === kind && !this.isDone(entry))
      .sort((a, b) => a.sequence - b.sequence);
  }

  /** Entries that are done and still in the document. */
  removable({ outbox }: OutboxDocument): OutboxEntry[] {
    return outbox.filter(
      (entry) => this.isDone(entry) && entry.sequence > this.removed[entry.kind],
    );
  }

  /** True if nothing in the outbox is pending; with `last`, once that is done, too. */
  isFinished({ outbox }: Pick<OutboxDocument, 'outbox'>, last?: Numbered): boolean {
    return outbox.every(
      (entry) =>
        this.isDone(entry) || (entry.kind === last?.kind && entry.sequence === last.sequence),
    );
  }

  /** True if the document needs no further write, as far as it is known. */
  isEmptied({ outbox, eventSequence, commandSequence, pendingSince }: OutboxDocument): boolean {
    if (outbox.length === 0 && pendingSince === null) return true;
    const { event, command } = this.emptiedAt;
    return eventSequence <= event && commandSequence <= command;
  }

  /**
   * Lets the write of a command's last step remove the command, with all other entries that are
   * done. `isOtherInFlight` returns true while other work of the document is in flight. `onEmptied`
   * is called after such a write.
   */
  completionOf(
    entry: Numbered,
    {
      document,
      isOtherInFlight,
      onEmptied,
    }: { document: OutboxDocument; isOtherInFlight: () => boolean; onEmptied?: () => void },
  ): Completion {
    return {
      whenLast: () => this.untilFinished(document, { last: entry, isOtherInFlight }),
      isLastOf: (found) => this.isFinished(found, entry),
      recordWritten: (found) => {
        this.recordDone(entry);
        this.recordEmptied(found);
        onEmptied?.();
      },
    };
  }

  private async untilFinished(
    document: OutboxDocument,
    { last, isOtherInFlight }: { last: Numbered; isOtherInFlight: () => boolean },
  ): Promise<void> {
    const isFollowed = this.pending(document, last.kind).some(
      ({ sequence }) => sequence > last.sequence,
    );
    // Events of an earlier write of the command are not in the document as it was read.
    const isReady = () => this.isFinished(document, last) && this.started.event <= this.done.event;
    if (isFollowed || isReady() || !isOtherInFlight()) return;
    const given = new AbortController();
    const check = () => {
      if (isReady()) given.abort();
    };
    this.listeners.add(check);
    await sleep(waitMs, given.signal);
    this.listeners.delete(check);
  }
}
