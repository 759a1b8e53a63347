import type { Collection, Db } from 'mongodb';
import type { AggregateCollection } from './aggregate-collection';
import type { AggregateDocument } from './aggregate-document';
import type { Tenant } from './call-context';
import type { Clock } from './clock';
import { type MilestoneFields, milestonesBetween } from './milestones';
import { duplicateKeyIndex, retryTransient } from './mongo';
import { type Addend, type Totals, TotalsSum } from './totals';

/** A document with the fields that a definition names. */
export type CountedDocument = MilestoneFields &
  Pick<AggregateDocument, '_id' | 'createdAt'> &
  Record<string, unknown>;

/** What is added up of one kind of aggregate. */
export interface TotalsDefinition {
  /** Where the sums are kept, one document an environment. */
  readonly collection: string;
  /** Another number counts everything anew: to be raised with every change of `addendsOf`. */
  readonly revision: number;
  /** The fields of the aggregates' documents that `addendsOf` reads. None of them changes once its milestone is reached. */
  readonly fields: readonly string[];
  /** The oldest row that anybody asks for, where that is the newest; those before it are dropped. Absent: all are kept. */
  readonly oldestRow?: (newest: string) => string;
  /** What reaching a milestone adds, the same whenever it is asked. */
  readonly addendsOf: (document: CountedDocument, milestone: string) => readonly Addend[];
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

type Kept = Pick<TotalsDocument, 'upTo'> & {
  readonly version: number | undefined;
  readonly totals: Totals;
};

const beginning = new Date(0);
// A few hundred bytes each.
const batchSize = 5_000;
/**
 * A milestone carries the time of the decision, and stands in the database after all attempts to write it: 10 s of repeating, 10 s of
 * waiting for a connection and 120 s at its socket, with a minute by which the clocks of two machines may differ.
 */
const settledAfterMs = 4 * 60_000;
// Less often a reading costs more; more often a document is read for it more than three times.
const keptEveryMs = 2 * 60_000;
/** Whoever writes later than this after the decision, because its process stood still, has everything counted anew. */
const lateAfterMs = 150_000;

/**
 * Sums over all aggregates of one kind, exact at every moment, at the cost of what was reached in the last minutes: what was reached
 * earlier is kept added up. Every milestone is added to what is kept once, because the sums and the time up to which they count are one
 * compare-and-set; what is reached later lies after that time. Nothing here depends on business time.
 */
export class RunningTotals {
  private readonly kept: Collection<TotalsDocument>;
  /** Environments in which something waits to be added to what is kept, by the real time from which on that is possible. */
  private readonly waiting = new Map<string, Date>();

  constructor(
    db: Db,
    private readonly aggregates: Pick<AggregateCollection<never>, 'documents' | 'onMilestone'>,
    private readonly definition: TotalsDefinition,
    private readonly clock: Clock,
  ) {
    this.kept = db.collection<TotalsDocument>(definition.collection);
    aggregates.onMilestone = (environmentId, at) => this.note(environmentId, at);
  }

  /** The sums of an environment as they are now. */
  async read({ environmentId }: Pick<Tenant, 'environmentId'>): Promise<Totals> {
    const kept = await this.find(environmentId);
    // Perhaps whoever reached something has stopped before it was added to what is kept.
    this.wait(environmentId, kept.upTo);
    return (await this.sumSince(environmentId, kept)).totals;
  }

  /** Adds to what is kept what has settled since. To be repeated; without it reads are slower and never wrong. */
  async keepUp(signal?: AbortSignal): Promise<void> {
    const now = this.clock.now();
    for (const [environmentId, at] of this.waiting) {
      if (signal?.aborted === true) return;
      if (at > now) continue;
      this.waiting.delete(environmentId);
      try {
        await this.keep(environmentId, now);
      } catch (error) {
        this.waiting.set(environmentId, at);
        throw error;
      }
    }
  }

  /** Adds what settled before `now` to what is kept of one environment, unless somebody else was faster. */
  async keep(environmentId: string, now: Date): Promise<void> {
    const until = new Date(now.getTime() - settledAfterMs);
    const kept = await this.find(environmentId);
    if (kept.upTo >= until) return;
    const { totals, last } = await this.sumSince(environmentId, kept, until);
    if (last === undefined) return;
    await this.replace(environmentId, kept.version, { upTo: until, totals: this.asked(totals) });
    if (last >= until) this.wait(environmentId, until);
  }

  /** Something was reached, by the decision of `at`, and is written now. */
  private async note(environmentId: string, at: Date): Promise<void> {
    const lateMs = this.clock.now().getTime() - at.getTime();
    if (lateMs > lateAfterMs) await this.forget(environmentId);
    this.wait(environmentId, at);
  }

  private wait(environmentId: string, since: Date): void {
    const at = new Date(since.getTime() + settledAfterMs + keptEveryMs);
    const present = this.waiting.get(environmentId);
    if (present === undefined || at < present) this.waiting.set(environmentId, at);
  }

  private async find(environmentId: string): Promise<Kept> {
    const document = await retryTransient(() => this.kept.findOne({ _id: environmentId }));
    const version = document === null ? undefined : Number(document.version);
    if (document === null || Number(document.revision) !== this.definition.revision) {
      return { version, upTo: beginning, totals: new Map() };
    }
    return { version, upTo: document.upTo, totals: totalsOf(document) };
  }

  /** What is kept with what was reached since, up to `until` where it is given; and the latest of all that was reached since. */
  private sumSince(
    environmentId: string,
    { upTo: from, totals }: Kept,
    until?: Date,
  ): Promise<{ totals: Totals; last: Date | undefined }> {
    const { fields, addendsOf } = this.definition;
    const read = ['createdAt', 'milestones', 'milestonesAt', ...fields];
    return retryTransient(async () => {
      const documents = this.aggregates.documents
        .find({ environmentId, milestonesAt: { $gte: from } })
        .project<CountedDocument>(Object.fromEntries(read.map((field) => [field, 1])))
        .batchSize(batchSize);
      const sum = new TotalsSum(totals);
      let last: Date | undefined;
      for await (const document of documents) {
        for (const milestone of milestonesBetween(document, { from, until })) {
          for (const addend of addendsOf(document, milestone)) sum.add(addend);
        }
        const { milestonesAt: at = from } = document;
        if (last === undefined || at > last) last = at;
      }
      return { totals: sum.totals(), last };
    });
  }

  // Rows that matter in time are named so that they sort by it.
  private asked(totals: Totals): Totals {
    const { oldestRow } = this.definition;
    if (oldestRow === undefined || totals.size === 0) return totals;
    const newest = [...totals.keys()].reduce((last, row) => (row > last ? row : last), '');
    const oldest = oldestRow(newest);
    return new Map([...totals].filter(([row]) => row >= oldest));
  }

  private async replace(
    _id: string,
    version: number | undefined,
    { upTo, totals }: Pick<Kept, 'upTo' | 'totals'>,
  ): Promise<void> {
    const { revision } = this.definition;
    const rows = [...totals].map(([row, counts]) => ({ row, counts }));
    const fields = { revision, version: (version ?? 0) + 1, upTo, rows };
    await retryTransient(async () => {
      if (version !== undefined) {
        await this.kept.updateOne({ _id, version }, { $set: fields });
        return;
      }
      try {
        await this.kept.insertOne({ _id, ...fields });
      } catch (error) {
        if (duplicateKeyIndex(error) === undefined) throw error;
      }
    });
  }

  // The version goes on, also where nothing is kept yet, so that who adds up at this moment loses.
  private async forget(environmentId: string): Promise<void> {
    await this.replace(environmentId, undefined, { upTo: beginning, totals: new Map() });
    await retryTransient(() =>
      this.kept.updateOne(
        { _id: environmentId },
        { $set: { upTo: beginning, rows: [] }, $inc: { version: 1 } },
      ),
    );
  }
}

function totalsOf({ rows }: TotalsDocument): Totals {
  return new Map(
    rows.map(({ row, counts }) => {
      const exact = Object.entries(counts).map(([name, count]) => [name, BigInt(count)] as const);
      return [row, Object.fromEntries(exact)] as const;
    }),
  );
}
