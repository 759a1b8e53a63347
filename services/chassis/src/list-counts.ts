import type { Collection, Filter } from 'mongodb';
import type { AggregateDefinition } from './aggregate';
import type { AggregateDocument } from './aggregate-document';
import type { Tenant } from './call-context';
import type { Clock } from './clock';
import { retryTransient } from './mongo';

/** What a list shows, by the document's own fields. */
export type ListFilter = Readonly<Record<string, unknown>>;

/** So many documents of a list were made up to a moment. */
interface Kept {
  readonly count: number;
  readonly upTo: Date;
  /** When the oldest of them were counted. */
  readonly countedAt: Date;
}

const startOfTime = new Date(-8.64e15);
const endOfTime = new Date(8.64e15);
/**
 * A document carries the time of its decision, and stands in the database after the call's 30 s and all attempts to write it: 10 s of
 * repeating, 10 s of waiting for a connection and 120 s at its socket, with a minute by which the clocks of two machines may differ.
 */
const settledAfterMs = 5 * 60_000;
// So many are counted in a millisecond: what is shorter is counted, and what has become longer is added to what is kept.
const countedMax = 1_000;
// While documents come fast, each list would move what is kept by a few of them.
const movedEveryMs = 15_000;
// Counted beside the lists, so that whoever lists at least as often never waits for it.
const recountedAfterMs = 5 * 60_000;
/** What nobody foresaw, such as a process that stood still between decision and write, makes a total wrong for no longer than this. */
const trustedForMs = 10 * 60_000;
// Some 300 bytes each.
const keptMax = 1_000;

/**
 * The totals of lists, at a cost that does not grow with the list: what was made up to a moment some minutes ago is counted once and kept
 * in memory, and what was made since is counted at every list, a short range of the index. That is exact where aggregates are never
 * deleted, where what the filter names never changes, and where nothing comes to lie before the moment any more. So nothing is kept for
 * filters on other fields, nor where the clock is manual: business time says nothing of when a document was written.
 */
export class ListCounts {
  /** The one that was asked for last stands last. */
  private readonly kept = new Map<string, Kept>();
  private readonly underWay = new Map<string, Promise<void>>();
  private readonly fixedFields: ReadonlySet<string>;

  constructor(
    private readonly collection: Collection<AggregateDocument>,
    { fixedFields = [] }: Pick<AggregateDefinition<never>, 'fixedFields'>,
    private readonly clock: Clock,
  ) {
    this.fixedFields = new Set(fixedFields);
  }

  /** How many documents of the environment match, all pages together. */
  async total(filter: ListFilter, { environmentId, manualClock }: Tenant): Promise<number> {
    const matching = { ...filter, environmentId };
    if (manualClock || !this.isFixed(filter)) return this.count(matching, { after: startOfTime });
    const key = JSON.stringify(Object.entries(matching).sort());
    const now = this.clock.now();
    const kept = this.find(key, now) ?? nothingCounted(now);
    const newer = await this.count(matching, { after: kept.upTo });
    if (isOlder(kept.countedAt, recountedAfterMs, now)) {
      this.keepCounting(key, matching, { from: nothingCounted(now), now });
    } else if (newer > countedMax && isOlder(kept.upTo, settledAfterMs + movedEveryMs, now)) {
      this.keepCounting(key, matching, { from: kept, now });
    }
    return kept.count + newer;
  }

  /** Resolves when nothing is counted beside the lists. */
  async idle(): Promise<void> {
    await Promise.all(this.underWay.values());
  }

  private isFixed(filter: ListFilter): boolean {
    return Object.entries(filter).every(
      ([field, value]) => this.fixedFields.has(field) && typeof value !== 'object',
    );
  }

  /** What is kept and still holds. Before a clock that went back there may be new documents. */
  private find(key: string, now: Date): Kept | undefined {
    const kept = this.kept.get(key);
    if (kept === undefined) return undefined;
    const isAhead = kept.countedAt > now || !isOlder(kept.upTo, settledAfterMs, now);
    if (isAhead || isOlder(kept.countedAt, trustedForMs, now)) {
      this.kept.delete(key);
      return undefined;
    }
    this.keep(key, kept);
    return kept;
  }

  // One count at a time of each list. Whatever it fails of, the next list tries again.
  private keepCounting(
    key: string,
    matching: ListFilter,
    { from, now }: { readonly from: Kept; readonly now: Date },
  ): void {
    if (this.underWay.has(key)) return;
    const work = this.move(key, matching, { from, now })
      .catch(() => undefined)
      .finally(() => this.underWay.delete(key));
    this.underWay.set(key, work);
  }

  private async move(
    key: string,
    matching: ListFilter,
    { from, now }: { readonly from: Kept; readonly now: Date },
  ): Promise<void> {
    const upTo = new Date(now.getTime() - settledAfterMs);
    const settled = await this.count(matching, { after: from.upTo, upTo });
    if (this.clock.now() < now) return;
    this.keep(key, { count: from.count + settled, upTo, countedAt: from.countedAt });
  }

  private keep(key: string, kept: Kept): void {
    this.kept.delete(key);
    this.kept.set(key, kept);
    if (this.kept.size <= keptMax) return;
    for (const oldest of this.kept.keys()) {
      this.kept.delete(oldest);
      return;
    }
  }

  // A range with both ends is read from the index by every server.
  private count(
    matching: ListFilter,
    { after, upTo = endOfTime }: { readonly after: Date; readonly upTo?: Date },
  ): Promise<number> {
    const query = { ...matching, createdAt: { $gt: after, $lte: upTo } };
    return retryTransient(() => this.collection.countDocuments(query as Filter<AggregateDocument>));
  }
}

function nothingCounted(now: Date): Kept {
  return { count: 0, upTo: startOfTime, countedAt: now };
}

function isOlder(at: Date, ms: number, now: Date): boolean {
  return now.getTime() - at.getTime() >= ms;
}
