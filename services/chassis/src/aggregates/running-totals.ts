import type { Collection, Db } from 'mongodb';
import type { AggregateCollection } from './aggregate-collection';
import type { AggregateDocument } from './aggregate';
import type { Tenant } from '../grpc/call-context';
import type { Clock } from '../clock';
import { type FirstReachedFields, firstReachedBetween } from './first-reached';
import { duplicateKeyIndex, retryTransient } from '../mongo/mongo';

/** A document with the fields that a definition names. */
export type CountedDocument = FirstReachedFields &
  Pick<AggregateDocument, '_id' | 'createdAt'> &
  Record<string, unknown>;

/** Definition of sums over one kind of aggregate. */
export interface TotalsDefinition {
  /** Collection of the snapshots, one document per environment. */
  readonly collection: string;
  /** Version of `addendsOf`; raise it with every change. A new revision recounts everything. */
  readonly revision: number;
  /**
   * Fields of the aggregates' documents that `addendsOf` reads. None of them changes after its step
   * is reached.
   */
  readonly fields: readonly string[];
  /**
   * Returns the oldest row to keep, given the newest one; earlier rows are dropped. Absent: all are
   * kept.
   */
  readonly oldestRow?: (newest: string) => string;
  /**
   * The earlier step without which a step does not count. Documents stored before timestamps were
   * recorded are then excluded from all sums, instead of being counted by half.
   */
  readonly follows?: Readonly<Record<string, string>>;
  /** Addends of a step; must not depend on the time of the call. */
  readonly addendsOf: (document: CountedDocument, step: string) => readonly Addend[];
}

// The driver returns integers as stored, 32 or 64 bits wide.
type Count = number | bigint;

interface TotalsDocument {
  readonly _id: string;
  readonly revision: Count;
  readonly version: Count;
  /** Real time up to which the rows include all reached steps. */
  readonly upTo: Date;
  readonly rows: readonly {
    readonly row: string;
    readonly counts: Record<string, Count>;
  }[];
}

type Snapshot = Pick<TotalsDocument, 'upTo'> & {
  readonly version: number | undefined;
  readonly totals: Totals;
};

/** Version and time of the latest snapshot that this process has seen. */
type SnapshotVersion = Pick<Snapshot, 'version' | 'upTo'>;

const beginning = new Date(0);
// A few hundred bytes each.
const batchSize = 5_000;
// Maximum difference between the clocks of two machines.
const clocksApartMs = 60_000;
/**
 * Time after which a reached step is surely stored. A timestamp is the time of the decision; the
 * document is stored after all attempts to write it: 10 s of retries, 10 s of waiting for a
 * connection and 120 s of socket timeout, plus a minute of clock difference between machines.
 */
const settledAfterMs = 4 * 60_000;
// Larger intervals make reads more expensive; with smaller ones, the updates read each document
// more than three times.
const snapshotEveryMs = 2 * 60_000;
/**
 * A process that writes later than this after the decision, because it stalled, causes a full
 * recount.
 */
const lateAfterMs = 150_000;
// Errors that no process detects, due to a kill or another machine's clock, are corrected by this
// recount and by each start of a process.
const recountEveryMs = 24 * 60 * 60_000;

/**
 * Sums over all aggregates of one kind, exact at every moment, at the cost of reading the steps
 * reached in the last minutes. A snapshot contains the sums of everything reached before. Sums and
 * time of a snapshot are replaced by one compare-and-set, so each step is added once; later steps
 * lie after that time. Nothing here depends on environment time.
 */
export class RunningTotals {
  private readonly snapshots: Collection<TotalsDocument>;
  /**
   * Environments with steps to add to the snapshot, with the real time from which that is possible.
   */
  private readonly scheduled = new Map<string, Date>();
  private readonly versions = new Map<string, SnapshotVersion>();
  /** Time at which this process last recounted each environment. */
  private readonly recounted = new Map<string, Date>();
  /** The latest real time since the clock last went back. */
  private latest = beginning;

  constructor(
    db: Db,
    private readonly aggregates: Pick<
      AggregateCollection<never>,
      'documents' | 'writeFirstReached'
    >,
    private readonly definition: TotalsDefinition,
    private readonly clock: Clock,
  ) {
    this.snapshots = db.collection<TotalsDocument>(definition.collection);
    aggregates.writeFirstReached = (step, write) => this.writeReached(step, write);
  }

  /** Returns the current sums of an environment. */
  async read({ environmentId }: Pick<Tenant, 'environmentId'>): Promise<Totals> {
    const snapshot = await this.findSnapshot(environmentId);
    // A process that reached a step may have died before it updated the snapshot.
    const isRecountDue = this.isRecountDue(environmentId, this.now());
    this.schedule(environmentId, isRecountDue ? beginning : snapshot.upTo);
    return (await this.sumSince(environmentId, snapshot)).totals;
  }

  /**
   * Adds settled steps to the snapshots. Must run periodically; without it, reads are slower but
   * never wrong.
   */
  async updateSnapshots(signal?: AbortSignal): Promise<void> {
    const now = this.now();
    for (const [environmentId, at] of this.scheduled) {
      if (signal?.aborted === true) return;
      if (at > now) continue;
      this.scheduled.delete(environmentId);
      try {
        await this.updateSnapshot(environmentId, now);
      } catch (error) {
        this.scheduled.set(environmentId, at);
        throw error;
      }
    }
  }

  /**
   * Adds the steps that settled before `now` to the snapshot of one environment, unless another
   * replica was faster. From time to time this recounts everything.
   */
  async updateSnapshot(environmentId: string, now: Date): Promise<void> {
    const until = new Date(now.getTime() - settledAfterMs);
    const found = await this.findSnapshot(environmentId);
    const isRecount = this.isRecountDue(environmentId, now);
    const snapshot = isRecount ? emptySnapshot(found.version) : found;
    if (snapshot.upTo >= until) return;
    const { totals, last } = await this.sumSince(environmentId, snapshot, until);
    if (last === undefined) return;
    const next = { upTo: until, totals: this.withoutOldRows(totals) };
    const isReplaced = await this.replaceSnapshot(environmentId, snapshot.version, next);
    if (isReplaced && isRecount) this.recounted.set(environmentId, now);
    if (!isReplaced || last >= until) this.schedule(environmentId, until);
  }

  /**
   * Wraps a write that reaches a step by a decision at `at`. If a snapshot may already be past that
   * time, it is discarded before the write, in case the process dies right after it, and again
   * after the write, because it may have been taken again in between.
   */
  private async writeReached<T>(
    { environmentId, at }: { readonly environmentId: string; readonly at: Date },
    write: () => Promise<T>,
  ): Promise<T> {
    this.now();
    if (!this.versions.has(environmentId)) await this.findSnapshot(environmentId);
    const wasLate = this.isLate(environmentId, at);
    if (wasLate) await this.discardSnapshot(environmentId);
    this.schedule(environmentId, at);
    try {
      return await write();
    } finally {
      // A failed write may have taken effect.
      if (wasLate || this.isLate(environmentId, at)) await this.discardSnapshot(environmentId);
    }
  }

  private isLate(environmentId: string, at: Date): boolean {
    const { upTo = beginning } = this.versions.get(environmentId) ?? {};
    return at < upTo || this.now().getTime() - at.getTime() > lateAfterMs;
  }

  private isRecountDue(environmentId: string, now: Date): boolean {
    const last = this.recounted.get(environmentId);
    return last === undefined || now.getTime() - last.getTime() >= recountEveryMs;
  }

  // After the clock went back, recorded times are invalid.
  private now(): Date {
    const now = this.clock.now();
    if (now.getTime() < this.latest.getTime() - clocksApartMs) {
      this.versions.clear();
      this.recounted.clear();
      this.latest = now;
    }
    if (now > this.latest) this.latest = now;
    return now;
  }

  private schedule(environmentId: string, since: Date): void {
    const at = new Date(since.getTime() + settledAfterMs + snapshotEveryMs);
    const present = this.scheduled.get(environmentId);
    if (present === undefined || at < present) this.scheduled.set(environmentId, at);
  }

  private async findSnapshot(environmentId: string): Promise<Snapshot> {
    const document = await retryTransient(() => this.snapshots.findOne({ _id: environmentId }));
    const version = document === null ? undefined : Number(document.version);
    this.trackVersion(environmentId, { version, upTo: document?.upTo ?? beginning });
    if (document === null || Number(document.revision) !== this.definition.revision) {
      return emptySnapshot(version);
    }
    // Taken by a clock that was ahead, or before this clock went back: steps reached now would lie
    // before it.
    const soonest = this.now().getTime() - settledAfterMs + clocksApartMs;
    if (document.upTo.getTime() > soonest) return emptySnapshot(version);
    return { version, upTo: document.upTo, totals: totalsOf(document) };
  }

  private trackVersion(environmentId: string, now: SnapshotVersion): void {
    const before = this.versions.get(environmentId);
    if ((before?.version ?? 0) <= (now.version ?? 0)) this.versions.set(environmentId, now);
  }

  /**
   * Adds steps reached since the snapshot, up to `until` if given. Also returns the latest
   * timestamp of all steps since the snapshot.
   */
  private sumSince(
    environmentId: string,
    { upTo: from, totals }: Snapshot,
    until?: Date,
  ): Promise<{ totals: Totals; last: Date | undefined }> {
    const { fields, addendsOf, follows = {} } = this.definition;
    const read = ['createdAt', 'milestones', 'milestonesAt', ...fields];
    return retryTransient(async () => {
      const documents = this.aggregates.documents
        .find({ environmentId, milestonesAt: { $gte: from } })
        .project<CountedDocument>(Object.fromEntries(read.map((field) => [field, 1])))
        .batchSize(batchSize);
      const sum = new TotalsSum(totals);
      let last: Date | undefined;
      for await (const document of documents) {
        for (const step of firstReachedBetween(document, { from, until })) {
          const earlier = follows[step];
          if (earlier !== undefined && document.milestones?.[earlier] === undefined) continue;
          for (const addend of addendsOf(document, step)) sum.add(addend);
        }
        const { milestonesAt: at = from } = document;
        if (last === undefined || at > last) last = at;
      }
      return { totals: sum.totals(), last };
    });
  }

  // Names of rows sort by time if rows expire.
  private withoutOldRows(totals: Totals): Totals {
    const { oldestRow } = this.definition;
    if (oldestRow === undefined || totals.size === 0) return totals;
    const newest = [...totals.keys()].reduce((last, row) => (row > last ? row : last), '');
    const oldest = oldestRow(newest);
    return new Map([...totals].filter(([row]) => row >= oldest));
  }

  /** False if another process has replaced the snapshot since that version. */
  private async replaceSnapshot(
    _id: string,
    version: number | undefined,
    { upTo, totals }: Pick<Snapshot, 'upTo' | 'totals'>,
  ): Promise<boolean> {
    const { revision } = this.definition;
    const rows = [...totals].map(([row, counts]) => ({ row, counts }));
    const fields = { revision, version: (version ?? 0) + 1, upTo, rows };
    const isReplaced = await retryTransient(async () => {
      if (version !== undefined) {
        const { matchedCount } = await this.snapshots.updateOne({ _id, version }, { $set: fields });
        return matchedCount > 0;
      }
      try {
        await this.snapshots.insertOne({ _id, ...fields });
        return true;
      } catch (error) {
        if (duplicateKeyIndex(error) === undefined) throw error;
        return false;
      }
    });
    if (isReplaced) this.trackVersion(_id, fields);
    return isReplaced;
  }

  // Increments the version even if there is no snapshot yet, so that a concurrent update loses.
  private async discardSnapshot(environmentId: string): Promise<void> {
    await this.replaceSnapshot(environmentId, undefined, { upTo: beginning, totals: new Map() });
    await retryTransient(() =>
      this.snapshots.updateOne(
        { _id: environmentId },
        { $set: { upTo: beginning, rows: [] }, $inc: { version: 1 } },
      ),
    );
    this.versions.delete(environmentId);
  }
}

function emptySnapshot(version: number | undefined): Snapshot {
  return { version, upTo: beginning, totals: new Map() };
}

function totalsOf({ rows }: TotalsDocument): Totals {
  return new Map(
    rows.map(({ row, counts }) => {
      const exact = Object.entries(counts).map(([name, count]) => [name, BigInt(count)] as const);
      return [row, Object.fromEntries(exact)] as const;
    }),
  );
}

/** Integers by name. */
export type Counts = Readonly<Record<string, bigint>>;

/** Counts that are added to one row. */
export interface Addend {
  readonly row: string;
  readonly counts: Counts;
}

/** Sums by row and name. */
export type Totals = ReadonlyMap<string, Counts>;

/** Accumulates exact sums. */
export class TotalsSum {
  private readonly rows = new Map<string, Record<string, bigint>>();

  constructor(totals: Iterable<readonly [string, Counts]> = []) {
    for (const [row, counts] of totals) this.add({ row, counts });
  }

  add({ row, counts }: Addend): void {
    const sums = this.rows.get(row) ?? {};
    for (const [name, count] of Object.entries(counts)) sums[name] = (sums[name] ?? 0n) + count;
    this.rows.set(row, sums);
  }

  totals(): Totals {
    return this.rows;
  }
}
