import type { Collection, Filter } from 'mongodb';
import type { AggregateDefinition, AggregateDocument } from './aggregate';
import type { Tenant } from '../grpc/call-context';
import type { Clock } from '../clock';
import { retryTransient } from '../mongo/mongo';

/** Filter of a list on the document's own fields. */
export type ListFilter = Readonly<Record<string, unknown>>;

type Hiding = Pick<AggregateDefinition<never>, 'hiddenSince'>;

/** Filter of a list without hidden aggregates. */
export function shownBy({ hiddenSince }: Hiding, filter: ListFilter): ListFilter {
  return hiddenSince === undefined ? filter : { ...filter, [hiddenSince]: null };
}

/** Cached number of a list's documents that were created up to a moment. */
interface CachedCount {
  readonly count: number;
  readonly upTo: Date;
  /** Time at which the oldest of them were counted. */
  readonly countedAt: Date;
}

const startOfTime = new Date(-8.64e15);
const endOfTime = new Date(8.64e15);
const isSet = { $gt: startOfTime };
/**
 * Time after which a decision's document is surely stored. A document has the time of its decision
 * and is stored after the call's 30 s and all attempts to write it: 10 s of retries, 10 s of
 * waiting for a connection and 120 s of socket timeout, plus a minute of clock difference between
 * machines.
 */
const settledAfterMs = 5 * 60_000;
// About as many as are counted in a millisecond. Shorter lists are not cached, and longer tails are
// added to the cached count.
const uncachedMax = 1_000;
// Limits refreshes while documents arrive fast; otherwise each list would add a few of them.
const extendEveryMs = 15_000;
// Recounted in the background, so that a list requested at least this often never waits for it.
const recountAfterMs = 5 * 60_000;
/**
 * Maximum age of a cached count. Bounds the effect of unforeseen events, such as a process that
 * stood still between decision and write.
 */
const cacheTtlMs = 10 * 60_000;
// Some 300 bytes each.
const cacheEntriesMax = 1_000;

/**
 * Totals of lists, at a cost that does not grow with the list. Documents created up to a moment
 * some minutes ago are counted once and cached in memory; later ones are counted for every list, by
 * a short range of the index. The result is exact if the filtered fields never change and no
 * document is inserted before that moment later; deleted documents count up to ten minutes longer.
 * Counts are therefore not cached for filters on other fields, nor under a manual clock, where
 * environment time does not tell when a document was written.
 */
export class ListCounts {
  /** LRU order: most recent last. */
  private readonly cache = new Map<string, CachedCount>();
  private readonly refreshes = new Map<string, Promise<void>>();
  private readonly fixedFields: ReadonlySet<string>;
  private readonly hiddenSince: string | undefined;

  constructor(
    private readonly collection: Collection<AggregateDocument>,
    { fixedFields = [], hiddenSince }: Hiding & Pick<AggregateDefinition<never>, 'fixedFields'>,
    private readonly clock: Clock,
  ) {
    this.hiddenSince = hiddenSince;
    this.fixedFields = new Set(fixedFields);
  }

  /** Number of matching documents in the environment that are not hidden, all pages together. */
  async total(filter: ListFilter, tenant: Tenant): Promise<number> {
    const { hiddenSince } = this;
    if (hiddenSince === undefined) return this.all(filter, tenant);
    // The number of all may be cached, and few are hidden.
    const hidden = { ...filter, environmentId: tenant.environmentId, [hiddenSince]: isSet };
    const [all, left] = await Promise.all([
      this.all(filter, tenant),
      this.count(hidden, { after: startOfTime }),
    ]);
    return all - left;
  }

  private async all(filter: ListFilter, { environmentId, manualClock }: Tenant): Promise<number> {
    const matching = { ...filter, environmentId };
    if (manualClock || !this.isFixed(filter)) return this.count(matching, { after: startOfTime });
    const key = JSON.stringify(Object.entries(matching).sort());
    const now = this.clock.now();
    const cached = this.findFresh(key, now) ?? emptyCount(now);
    const newer = await this.count(matching, { after: cached.upTo });
    if (isOlder(cached.countedAt, recountAfterMs, now)) {
      this.startRefresh(key, matching, { from: emptyCount(now), now });
    } else if (newer > uncachedMax && isOlder(cached.upTo, settledAfterMs + extendEveryMs, now)) {
      this.startRefresh(key, matching, { from: cached, now });
    }
    return cached.count + newer;
  }

  /** Resolves when no refresh is in flight. */
  async idle(): Promise<void> {
    await Promise.all(this.refreshes.values());
  }

  private isFixed(filter: ListFilter): boolean {
    return Object.entries(filter).every(
      ([field, value]) => this.fixedFields.has(field) && typeof value !== 'object',
    );
  }

  /**
   * Returns the cached count if it is still valid. After the clock went back, new documents may be
   * older than the cached moment.
   */
  private findFresh(key: string, now: Date): CachedCount | undefined {
    const cached = this.cache.get(key);
    if (cached === undefined) return undefined;
    const isAhead = cached.countedAt > now || !isOlder(cached.upTo, settledAfterMs, now);
    if (isAhead || isOlder(cached.countedAt, cacheTtlMs, now)) {
      this.cache.delete(key);
      return undefined;
    }
    this.store(key, cached);
    return cached;
  }

  // At most one refresh per list. Failures are ignored; the next request retries.
  private startRefresh(
    key: string,
    matching: ListFilter,
    { from, now }: { readonly from: CachedCount; readonly now: Date },
  ): void {
    if (this.refreshes.has(key)) return;
    const work = this.refresh(key, matching, { from, now })
      .catch(() => undefined)
      .finally(() => this.refreshes.delete(key));
    this.refreshes.set(key, work);
  }

  private async refresh(
    key: string,
    matching: ListFilter,
    { from, now }: { readonly from: CachedCount; readonly now: Date },
  ): Promise<void> {
    const upTo = new Date(now.getTime() - settledAfterMs);
    const settled = await this.count(matching, { after: from.upTo, upTo });
    if (this.clock.now() < now) return;
    this.store(key, { count: from.count + settled, upTo, countedAt: from.countedAt });
  }

  private store(key: string, cached: CachedCount): void {
    this.cache.delete(key);
    this.cache.set(key, cached);
    if (this.cache.size <= cacheEntriesMax) return;
    for (const oldest of this.cache.keys()) {
      this.cache.delete(oldest);
      return;
    }
  }

  // Every server reads a range with both ends from the index.
  private count(
    matching: ListFilter,
    { after, upTo = endOfTime }: { readonly after: Date; readonly upTo?: Date },
  ): Promise<number> {
    const query = { ...matching, createdAt: { $gt: after, $lte: upTo } };
    return retryTransient(() => this.collection.countDocuments(query as Filter<AggregateDocument>));
  }
}

function emptyCount(now: Date): CachedCount {
  return { count: 0, upTo: startOfTime, countedAt: now };
}

function isOlder(at: Date, ms: number, now: Date): boolean {
  return now.getTime() - at.getTime() >= ms;
}
