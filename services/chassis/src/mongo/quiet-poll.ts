import { type Clock, monotonicMs } from '../clock';
import { ownWritesTo } from './own-writes';

/** Dependencies of a poll. */
export interface QuietPollOptions {
  /** Collections that decide what the poll finds. */
  readonly collections: readonly object[];
  /** True if no other process writes to the database, as far as this one knows. */
  readonly isAlone: () => boolean;
  readonly clock: Clock;
  /**
   * A process that is alone reads this often although it has written nothing. Bounds the delay of
   * what it cannot know: a write that took effect after its failure, or by a process without a
   * heartbeat.
   */
  readonly quietMs?: number;
  /** Monotonic. */
  readonly nowMs?: () => number;
}

/** Default of `quietMs`. */
export const quietMsDefault = 5_000;

interface Quiet {
  readonly written: string;
  readonly from: Date;
  readonly until: Date;
  readonly sinceMs: number;
}

/**
 * Poll for documents that are due. A process that is alone knows all writes: after a poll that
 * found nothing and without a write since, it looks once for what becomes due within the next
 * seconds, and if that is nothing, it skips the polls of that time. With other replicas, and while
 * there is work, each poll reads.
 */
export class QuietPoll {
  // Begun writes at the last poll, if none was in flight.
  private seen: string | undefined;
  private quiet: Quiet | undefined;
  private busyUntil: Date | undefined;

  constructor(private readonly options: QuietPollOptions) {}

  /** `find` returns what is due at a time; its earlier failure does not count as an answer. */
  async poll<T>(find: (until: Date) => Promise<readonly T[]>): Promise<readonly T[]> {
    const now = this.options.clock.now();
    // Before the read: a write during it is seen by the next poll.
    const written = this.written();
    if (this.isQuiet(written, now)) return [];
    this.quiet = undefined;
    const isSame = written !== undefined && written === this.seen;
    this.seen = undefined;
    if (isSame && !this.isBusy(now) && (await this.findsNothingSoon(written, now, find))) return [];
    const found = await find(now);
    // Work that was found may be waiting to be done without a write.
    if (found.length === 0) this.seen = written;
    return found;
  }

  private async findsNothingSoon<T>(
    written: string,
    now: Date,
    find: (until: Date) => Promise<readonly T[]>,
  ): Promise<boolean> {
    const sinceMs = this.nowMs();
    const until = new Date(now.getTime() + this.quietMs());
    if ((await find(until)).length > 0) {
      this.busyUntil = until;
      return false;
    }
    this.seen = written;
    this.quiet = { written, from: now, until, sinceMs };
    return true;
  }

  private isQuiet(written: string | undefined, now: Date): boolean {
    const { quiet } = this;
    if (quiet === undefined || quiet.written !== written) return false;
    // Either clock ends the time: the wall clock may be set, and a test's may stand still.
    return now >= quiet.from && now <= quiet.until && this.nowMs() - quiet.sinceMs < this.quietMs();
  }

  private isBusy(now: Date): boolean {
    const { busyUntil } = this;
    return busyUntil !== undefined && now <= busyUntil;
  }

  /** Identifies the writes so far; undefined if others may write, or a write is in flight. */
  private written(): string | undefined {
    const { collections, isAlone } = this.options;
    if (!isAlone()) return undefined;
    const all = collections.map(ownWritesTo);
    const begun = all.map((writes) => (writes?.inFlight === 0 ? writes.begun : undefined));
    return begun.includes(undefined) ? undefined : begun.join();
  }

  private quietMs(): number {
    return this.options.quietMs ?? quietMsDefault;
  }

  private nowMs(): number {
    return (this.options.nowMs ?? monotonicMs)();
  }
}
