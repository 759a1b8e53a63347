import type { Collection, Db } from 'mongodb';
import { ensureIndexes } from '@billing/chassis/indexes';
import { duplicateKeyIndex, retryTransient } from '@billing/chassis/mongo';
import { retryUpsert } from '@billing/chassis/upsert';
import { type CalendarDay, calendarDayOf } from '@billing/kernel/calendar-day';
import type { DeliveryOutcomes } from './delivery-outcomes';
import type { Delivery } from './delivery-store';
import type { EndpointKey } from './endpoint-store';

type Count = number | bigint;

interface DayDocument extends EndpointKey {
  /** `<environment>:<endpoint>:<day>`. */
  readonly _id: string;
  /** The day's end in real time: when it is forgotten follows from it. */
  readonly end: Date;
  /** Real time at which somebody last said that deliveries of the day are about to change. */
  readonly reopenedAt: Date;
  /** Null: they must be counted. */
  readonly total: { readonly delivered: Count; readonly failed: Count } | null;
}

const beginning = new Date(0);
/** What changes a delivery without anybody waiting for an attempt has happened so long after it was announced, or never will. */
const changeMsMax = 5 * 60_000;
/** A delivery is stored so long after the time at which it was made, at the latest. */
const insertMsMax = 60 * 60_000;

/**
 * What became of the deliveries of days that are over. A total is kept while nothing of the day is on its way; whoever lets something of
 * an earlier day be sent again, which people alone do, says so before and takes the total away. So sending costs nothing for it.
 */
export class DeliveryDayStore {
  private readonly days: Collection<DayDocument>;

  constructor(db: Db) {
    this.days = db.collection<DayDocument>('deliveryDays');
  }

  async ensureIndexes(): Promise<void> {
    await ensureIndexes(this.days, [{ name: 'end', key: { end: 1 } }]);
  }

  /** The totals that stand, by day. */
  async find(
    key: EndpointKey,
    days: readonly CalendarDay[],
  ): Promise<Map<string, DeliveryOutcomes>> {
    const idOfDay = new Map(days.map((day) => [dayId(key, day), day.day]));
    const { environmentId } = key;
    const found = await retryTransient(() =>
      this.days
        .find({ _id: { $in: [...idOfDay.keys()] }, environmentId, total: { $ne: null } })
        .toArray(),
    );
    return new Map(
      found.flatMap(({ _id, total }) => {
        const day = idOfDay.get(_id);
        if (day === undefined || total === null) return [];
        return [[day, { delivered: Number(total.delivered), failed: Number(total.failed) }]];
      }),
    );
  }

  /** Keeps a total that was counted from `countedAt` on, unless something of the day may be changing; a day that is hardly over is not kept. */
  async keep(
    key: EndpointKey,
    { day, countedAt, total }: { day: CalendarDay; countedAt: Date; total: DeliveryOutcomes },
  ): Promise<void> {
    if (day.end.getTime() + insertMsMax > countedAt.getTime()) return;
    const unchangedSince = new Date(countedAt.getTime() - changeMsMax);
    const { environmentId, endpointId } = key;
    try {
      await retryTransient(() =>
        this.days.updateOne(
          { _id: dayId(key, day), environmentId, reopenedAt: { $lt: unchangedSince } },
          {
            $set: { total },
            $setOnInsert: { endpointId, end: day.end, reopenedAt: beginning },
          },
          { upsert: true },
        ),
      );
    } catch (error) {
      // The day is there, and was reopened a moment ago.
      if (duplicateKeyIndex(error) === undefined) throw error;
    }
  }

  /** Says that deliveries are about to change that may be of days whose total is kept. */
  async reopen(
    deliveries: readonly Pick<Delivery, keyof EndpointKey | 'createdAt'>[],
    now: Date,
  ): Promise<void> {
    const days = new Map(
      deliveries.map(({ environmentId, endpointId, createdAt }) => {
        const day = calendarDayOf(createdAt);
        const key = { environmentId, endpointId };
        return [dayId(key, day), { ...key, end: day.end }];
      }),
    );
    // Of the running day nothing is kept.
    const over = [...days].filter(([, { end }]) => end <= now);
    await Promise.all(over.map(([_id, fields]) => this.reopenDay(_id, fields, now)));
  }

  /** Forgets days that ended before a time, of all environments. */
  async forget(before: Date): Promise<void> {
    await retryTransient(() => this.days.deleteMany({ end: { $lt: before } }));
  }

  private async reopenDay(
    _id: string,
    { environmentId, ...fields }: Pick<DayDocument, keyof EndpointKey | 'end'>,
    now: Date,
  ): Promise<void> {
    await retryUpsert(() =>
      this.days.updateOne(
        { _id, environmentId },
        { $max: { reopenedAt: now }, $set: { total: null }, $setOnInsert: fields },
        { upsert: true },
      ),
    );
  }
}

function dayId(
  { environmentId, endpointId }: EndpointKey,
  { day }: Pick<CalendarDay, 'day'>,
): string {
  return `${environmentId}:${endpointId}:${day}`;
}
