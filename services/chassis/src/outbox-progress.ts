import type { AggregateDocument, OutboxEntry } from './aggregate-document';
import { sleep } from './clock';

// Events are out within milliseconds, unless the stream is away.
const waitMs = 250;

type Numbers = Record<OutboxEntry['kind'], number>;
type Numbered = Pick<OutboxEntry, 'kind' | 'sequence'>;
/** What is known of a document's outbox, from the database or from the write that filled it. */
export type OutboxDocument = Pick<
  AggregateDocument,
  'outbox' | 'eventSequence' | 'commandSequence' | 'pendingSince'
>;

/** A command that is about to be done. The write of its last step may empty the outbox where the command is all that is left to do. */
export interface Completion {
  /** Resolves when all else that stood in the outbox is done, or is not soon: a moment's wait may save a write. */
  whenLast(): Promise<void>;
  /** Whether nothing of the outbox, as it was read for the write, is left to do once the command is done. */
  isLastOf(document: OutboxDocument): boolean;
  /** The write has emptied the outbox as it was read. */
  recordWritten(document: OutboxDocument): void;
}

/**
 * How far the relay has come with one document while it works on it: entries are done in the order of their numbers, each kind apart.
 * Entries that are done may stand in the document for a while, so that one write takes out all of them.
 */
export class OutboxProgress {
  private readonly done: Numbers = { event: 0, command: 0 };
  private readonly removed: Numbers = { event: 0, command: 0 };
  private emptiedAt: Numbers = { event: -1, command: -1 };
  // Whoever wants to know of what is done next.
  private readonly listeners = new Set<() => void>();

  isDone({ kind, sequence }: Numbered): boolean {
    return sequence <= this.done[kind];
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

  /** The outbox was emptied as it stood after so many entries. */
  recordEmptied({ outbox, eventSequence, commandSequence }: OutboxDocument): void {
    this.recordRemoved(outbox);
    this.emptiedAt = { event: eventSequence, command: commandSequence };
  }

  /** Those of a kind that are still to do, in their order. */
  pending({ outbox }: OutboxDocument, kind: OutboxEntry['kind']): OutboxEntry[] {
    return outbox
      .filter((entry) => entry.kind === kind && !this.isDone(entry))
      .sort((a, b) => a.sequence - b.sequence);
  }

  /** Those that are done and still stand there. */
  removable({ outbox }: OutboxDocument): OutboxEntry[] {
    return outbox.filter(
      (entry) => this.isDone(entry) && entry.sequence > this.removed[entry.kind],
    );
  }

  /** Whether nothing of the outbox is left to do; with `last`, once that is done too. */
  isFinished({ outbox }: Pick<OutboxDocument, 'outbox'>, last?: Numbered): boolean {
    return outbox.every(
      (entry) =>
        this.isDone(entry) || (entry.kind === last?.kind && entry.sequence === last.sequence),
    );
  }

  /** Whether the document has nothing more to be told, as far as it was known. */
  isEmptied({ outbox, eventSequence, commandSequence, pendingSince }: OutboxDocument): boolean {
    if (outbox.length === 0 && pendingSince === null) return true;
    const { event, command } = this.emptiedAt;
    return eventSequence <= event && commandSequence <= command;
  }

  /**
   * How a write that is the command's last step takes the command out itself, with all else that stands there. `isOtherInFlight`: whether
   * something else of the document is being done.
   */
  completionOf(
    entry: Numbered,
    { document, isOtherInFlight }: { document: OutboxDocument; isOtherInFlight: () => boolean },
  ): Completion {
    return {
      whenLast: () => this.untilFinished(document, { last: entry, isOtherInFlight }),
      isLastOf: (found) => this.isFinished(found, entry),
      recordWritten: (found) => {
        this.recordDone(entry);
        this.recordEmptied(found);
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
    if (isFollowed || this.isFinished(document, last) || !isOtherInFlight()) return;
    const given = new AbortController();
    const check = () => {
      if (this.isFinished(document, last)) given.abort();
    };
    this.listeners.add(check);
    await sleep(waitMs, given.signal);
    this.listeners.delete(check);
  }
}
