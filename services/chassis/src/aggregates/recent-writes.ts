import { monotonicMs } from '../clock';
import type { AggregateDocument, Stored } from './aggregate';

/** An aggregate as this process has last written it. */
export interface RecentWrite<S> {
  readonly document: AggregateDocument;
  readonly stored: Stored<S>;
}

// A step follows the one before it within milliseconds. Later, another replica probably has
// written, and a compare-and-set would fail.
const keptMs = 3_000;

/**
 * Aggregates that this process wrote in the last seconds, so that the next step need not read what
 * the last one wrote. Another replica may have written since: a decision counts only if its
 * compare-and-set succeeds.
 */
export class RecentWrites<S> {
  // In the order of their writes.
  private readonly writes = new Map<string, RecentWrite<S> & { readonly atMs: number }>();

  /** Finds a write that is at most `ageMsMax` old. */
  find(id: string, environmentId: string, ageMsMax = keptMs): RecentWrite<S> | undefined {
    this.dropOld();
    const write = this.writes.get(id);
    if (write?.document.environmentId !== environmentId) return undefined;
    return monotonicMs() - write.atMs <= ageMsMax ? write : undefined;
  }

  record(write: RecentWrite<S>): void {
    this.dropOld();
    const { _id: id, version } = write.document;
    // Two inserts and writes of one document may end in any order.
    if ((this.writes.get(id)?.document.version ?? 0) > version) return;
    this.writes.delete(id);
    this.writes.set(id, { ...write, atMs: monotonicMs() });
  }

  /** Records that the outbox was emptied, unless entries with later sequences were added. */
  recordEmptied(
    id: string,
    {
      eventSequence,
      commandSequence,
    }: Pick<AggregateDocument, 'eventSequence' | 'commandSequence'>,
  ): void {
    const write = this.writes.get(id);
    if (write?.document.eventSequence !== eventSequence) return;
    if (write.document.commandSequence !== commandSequence) return;
    this.writes.set(id, {
      ...write,
      document: { ...write.document, outbox: [], pendingSince: null },
    });
  }

  /** Forgets a write that another one may have followed. */
  forget(id: string): void {
    this.writes.delete(id);
  }

  private dropOld(): void {
    const oldestMs = monotonicMs() - keptMs;
    for (const [id, { atMs }] of this.writes) {
      if (atMs > oldestMs) return;
      this.writes.delete(id);
    }
  }
}
