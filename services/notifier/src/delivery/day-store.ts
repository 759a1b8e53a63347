import type { Collection, Db } from 'mongodb';
import { ensureIndexes, duplicateKeyIndex, retryTransient } from '@billing/chassis/mongo';
import { retryUpsert } from '@billing/chassis/inserts';
import { type CalendarDay, calendarDayOf } from '@billing/kernel/calendar-day';
import type { DeliveryOutcomes } from './outcomes';
import type { Delivery } from './delivery';
import type { EndpointKey } from '../endpoint/endpoint';

type Count = number | bigint;

interface DayDocument extends EndpointKey {
  /** `<environment>:<endpoint>:<day>`. */
  readonly _id: string;
  /** The day's end in real time, from which its removal follows. */
  readonly end: Date;
  /** Real time at which a retry or replay last announced changes to deliveries of the day. */
  readonly reopenedAt: Date;
  /** Null: must be counted. */
  readonly total: { readonly delivered: Count; readonly failed: Count } | null;
}

const beginning = new Date(0);
/**
 * A change of a delivery that does not come from an attempt happens within this time after it was
 * announced, or never.
 */
const changeMsMax = 5 * 60_000;
/** The longest time between the creation time of a delivery and its insertion. */
const insertMsMax = 60 * 60_000;

/**
 * Caches the delivery outcomes of past days. A total is cached only while no delivery of the day is
 * in flight. Only a retry or a replay, which a person requests, resends deliveries of an earlier
 * day; it first invalidates the total. So sending itself writes nothing here.
 */
export class DeliveryDayStore {
  private readonly days: Collection<DayDocument>;

  constructor(db: Db) {
    this.days = db.collection<DayDocument>('deliveryDays');
  }

  async ensureIndexes(): Promise<void> {
    await ensureIndexes(this.days, [{ name: 'end', key: { end: 1 } }]);
  }

  /** Returns the valid totals by day. */
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

  /**
   * Caches a total whose count began at `countedAt`, unless deliveries of the day may be changing;
   * a day that has just ended is not cached.
   */
  async cache(
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
      // The day exists, and was reopened a moment ago.
      if (duplicateKeyIndex(error) === undefined) throw error;
    }
  }

  /** Invalidates the totals of days whose deliveries are about to change. */
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
    // The current day has no cached total.
    const over = [...days].filter(([, { end }]) => end <= now);
    await Promise.all(over.map(([_id, fields]) => this.reopenDay(_id, fields, now)));
  }

  /** Removes days that ended before a time, of all environments. */
  async removeBefore(before: Date): Promise<void> {
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
