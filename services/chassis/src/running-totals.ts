import type { Collection, Db } from 'mongodb';
import type { AggregateCollection } from './aggregate-collection';
import type { AggregateDocument } from './aggregate-document';
import type { Tenant } from './call-context';
import type { Clock } from './clock';
import { type FirstReachedFields, firstReachedBetween } from './first-reached';
import { duplicateKeyIndex, retryTransient } from './mongo';
import { type Addend, type Totals, TotalsSum } from './totals';

/** A document with the fields that a definition names. */
export type CountedDocument = FirstReachedFields &
  Pick<AggregateDocument, '_id' | 'createdAt'> &
  Record<string, unknown>;

/** What is added up of one kind of aggregate. */
export interface TotalsDefinition {
  /** Where the sums are kept, one document an environment. */
  readonly collection: string;
  /** Another number counts everything again: to be raised with every change of `addendsOf`. */
  readonly revision: number;
  /** The fields of the aggregates' documents that `addendsOf` reads. None of them changes once its milestone is reached. */
  readonly fields: readonly string[];
  /** The oldest row that anybody asks for, where that is the newest; those before it are dropped. Absent: all are kept. */
  readonly oldestRow?: (newest: string) => string;
  /** What counts only where an earlier milestone is noted, too: nothing is counted by half that was stored before milestones were noted. */
  readonly follows?: Readonly<Record<string, string>>;
  /** What reaching a milestone adds, the same whenever it is asked. */
  readonly addendsOf: (document: CountedDocument, step: string) => readonly Addend[];
}

// The driver gives whole numbers as it finds them, 32 or 64 bits wide.
type Count = number | bigint;

interface TotalsDocument {
  readonly _id: string;
  readonly revision: Count;
  readonly version: Count;
  /** What was reached before, in real time, is in the rows. */
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

/** Up to when sums are kept, as this process has seen it last. */
type SnapshotVersion = Pick<Snapshot, 'version' | 'upTo'>;

const beginning = new Date(0);
// A few hundred bytes each.
const batchSize = 5_000;
// As much as the clocks of two machines may differ.
const clocksApartMs = 60_000;
/**
 * A milestone carries the time of the decision, and stands in the database after all attempts to write it: 10 s of repeating, 10 s of
 * waiting for a connection and 120 s at its socket, with a minute by which the clocks of two machines may differ.
 */
const settledAfterMs = 4 * 60_000;
// Less often a reading costs more; more often a document is read for it more than three times.
const snapshotEveryMs = 2 * 60_000;
/** A process that writes later than this after the decision, because it stood still, has everything counted again. */
const lateAfterMs = 150_000;
// What nobody noticed, because of a kill or of another machine's clock, is put right by this and by every start of a process.
const recountEveryMs = 24 * 60 * 60_000;

/**
 * Sums over all aggregates of one kind, exact at every moment, at the cost of what was reached in the last minutes: what was reached
 * earlier is kept added up. Every milestone is added to what is kept once, because the sums and the time up to which they count are one
 * compare-and-set; what is reached later lies after that time. Nothing here depends on business time.
 */
export class RunningTotals {
  private readonly snapshots: Collection<TotalsDocument>;
  /** Environments in which something waits to be added to what is kept, by the real time from which on that is possible. */
  private readonly scheduled = new Map<string, Date>();
  private readonly versions = new Map<string, SnapshotVersion>();
  /** When this process has counted all of an environment. */
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

  /** The sums of an environment as they are now. */
  async read({ environmentId }: Pick<Tenant, 'environmentId'>): Promise<Totals> {
    const snapshot = await this.findSnapshot(environmentId);
    // Perhaps whoever reached something has stopped before it was added to what is kept.
    const isRecountDue = this.isRecountDue(environmentId, this.now());
    this.schedule(environmentId, isRecountDue ? beginning : snapshot.upTo);
    return (await this.sumSince(environmentId, snapshot)).totals;
  }

  /** Adds to what is kept what has settled since. To be repeated; without it reads are slower and never wrong. */
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
   * Adds what settled before `now` to what is kept of one environment, unless somebody else was faster; now and then by counting all of
   * it again.
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
   * Something is reached by a decision of `at`. Where the sums may be kept beyond that already, they are forgotten before the write, so
   * that it may be the last thing that the process does, and after it, because they may have been kept again in the meantime.
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
      // One that has failed may have been carried out all the same.
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

  // Once the clock has gone back, nothing holds any more that was known of times.
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
    // By a clock that went ahead, or before this one went back: what is reached now would lie before it.
    const soonest = this.now().getTime() - settledAfterMs + clocksApartMs;
    if (document.upTo.getTime() > soonest) return emptySnapshot(version);
    return { version, upTo: document.upTo, totals: totalsOf(document) };
  }

  private trackVersion(environmentId: string, now: SnapshotVersion): void {
    const before = this.versions.get(environmentId);
    if ((before?.version ?? 0) <= (now.version ?? 0)) this.versions.set(environmentId, now);
  }

  /** What is kept with what was reached since, up to `until` where it is given; and the latest of all that was reached since. */
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

  // Rows that matter in time are named so that they sort by it.
  private withoutOldRows(totals: Totals): Totals {
    const { oldestRow } = this.definition;
    if (oldestRow === undefined || totals.size === 0) return totals;
    const newest = [...totals.keys()].reduce((last, row) => (row > last ? row : last), '');
    const oldest = oldestRow(newest);
    return new Map([...totals].filter(([row]) => row >= oldest));
  }

  /** Whether nobody else has replaced them since that version. */
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

  // The version goes on, also where nothing is kept yet, so that who adds up at this moment loses.
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
