import type { AnyBulkWriteOperation, Collection, Db, Document } from 'mongodb';
import type { Tenant } from '@billing/chassis/call-context';
import { ensureIndexes, duplicateKeyIndex, retryTransient } from '@billing/chassis/mongo';
import { writeErrorsOf, insertMissing } from '@billing/chassis/inserts';
import { calendarDayOf } from '@billing/kernel/calendar-day';
import { DomainError } from '@billing/kernel/domain-error';
import type { PartialTotal } from '../meter/aggregation';
import type { Series, SeriesHour, Span } from './hour';
import { type StoredTotal, totalIn } from './hour-document';

/** A stored day of a series. */
interface DayDocument extends Series {
  /** `<environment>:<customer>:<meter>:<day in ms>`. */
  readonly _id: string;
  readonly environmentId: string;
  /** Start of the day. */
  readonly day: Date;
  readonly version: number | bigint;
  readonly total: StoredTotal | null;
}

export type UsageDayCollection = Collection<DayDocument>;

/** Stored state of one day of a series. */
export interface UsageDay extends Series {
  readonly day: Date;
  /** Change counter; undefined: the day is not stored. */
  readonly version: number | undefined;
  /** Null: read the hours instead. */
  readonly total: PartialTotal | null;
}

const upsertsMax = 5;
// Days with more values are read from their hours, because a document has a size limit.
const distinctMax = 2_000;

export function openUsageDays(db: Db): UsageDayCollection {
  return db.collection<DayDocument>('usageDays');
}

export async function ensureUsageDayIndexes(days: UsageDayCollection): Promise<void> {
  await ensureIndexes(days, [
    { name: 'series', key: { environmentId: 1, customerId: 1, meterId: 1, day: 1 } },
  ]);
}

/**
 * Totals of days of one environment, for reports only. Derived from hour totals; nothing is billed
 * from them.
 */
export class UsageDayStore {
  constructor(
    private readonly days: UsageDayCollection,
    private readonly tenant: Tenant,
  ) {}

  /**
   * Removes the totals of days whose hours are about to change. A day that is not stored yet is
   * stored without a total.
   */
  async reopen(hours: readonly SeriesHour[]): Promise<void> {
    const days = new Map(
      hours.map(({ customerId, meterId, hour }) => {
        const day = calendarDayOf(hour).start;
        return [this.idOf({ customerId, meterId, day }), { customerId, meterId, day }];
      }),
    );
    const { environmentId } = this.tenant;
    await upsertAll(
      this.days,
      [...days].map(([_id, fields]) => ({
        updateOne: {
          filter: { _id },
          update: {
            $setOnInsert: { environmentId, ...fields },
            $set: { total: null },
            $inc: { version: 1 },
          },
          upsert: true,
        },
      })),
    );
  }

  /** Stored days of a meter in a span. */
  async find(
    { meterId, customerIds }: { meterId: string; customerIds: readonly string[] },
    { start, end }: Span,
  ): Promise<UsageDay[]> {
    const { environmentId } = this.tenant;
    const customerId = { $in: [...customerIds] };
    const found = await retryTransient(() =>
      this.days
        .find({ environmentId, customerId, meterId, day: { $gte: start, $lt: end } })
        .toArray(),
    );
    return found.map(({ customerId: whose, day, version, total }) => ({
      customerId: whose,
      meterId,
      day,
      version: Number(version),
      total: total === null ? null : totalIn(total, []),
    }));
  }

  /** Stores totals of days that still have the version that was read. */
  async storeTotals(days: readonly (UsageDay & { readonly total: PartialTotal })[]): Promise<void> {
    const { environmentId } = this.tenant;
    const documents = days.map(({ total, version, ...day }) => ({
      _id: this.idOf(day),
      environmentId,
      ...day,
      version,
      total: total.distinct.length > distinctMax ? null : { ...total, sealId: '', chunks: 0 },
    }));
    const fresh = documents.filter(({ version }) => version === undefined);
    await insertMissing(
      this.days,
      fresh.map((document) => ({ ...document, version: 1 })),
    );
    const known = documents.flatMap(({ _id, version, total }) =>
      version === undefined
        ? []
        : [
            {
              updateOne: {
                filter: { _id, environmentId, version },
                update: { $set: { total }, $inc: { version: 1 } },
              },
            },
          ],
    );
    if (known.length === 0) return;
    await retryTransient(() => this.days.bulkWrite(known, { ordered: false }));
  }

  private idOf({ customerId, meterId, day }: Series & { readonly day: Date }): string {
    return `${this.tenant.environmentId}:${customerId}:${meterId}:${String(day.getTime())}`;
  }
}

/**
 * Writes upserts by primary key. Of two concurrent inserts of the same document, the slower one
 * succeeds on its retry.
 */
export async function upsertAll<T extends Document>(
  collection: Collection<T>,
  operations: readonly AnyBulkWriteOperation<T>[],
): Promise<void> {
  let open = operations;
  for (let attempt = 1; open.length > 0; attempt += 1) {
    if (attempt > upsertsMax)
      throw new DomainError('unavailable', 'TOO_MANY_WRITERS', 'Service unavailable');
    const tried = open;
    const failed = await retryTransient(async () => {
      try {
        await collection.bulkWrite([...tried], { ordered: false });
        return new Map<number, Error>();
      } catch (error) {
        return writeErrorsOf(error);
      }
    });
    for (const error of failed.values()) {
      if (duplicateKeyIndex(error) === undefined) throw error;
    }
    open = tried.filter((_operation, index) => failed.has(index));
  }
}
