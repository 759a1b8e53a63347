import type { AnyBulkWriteOperation, Collection, Db, Filter } from 'mongodb';
import { ensureIndexes, retryTransient } from '@billing/chassis/mongo';
import { insertMissing } from '@billing/chassis/inserts';
import { DeliveryDayStore } from '../delivery/day-store';
import { linksInOrder } from '../delivery/order';
import { dueAgain, type Delivery } from '../delivery/delivery';
import type { EndpointKey } from '../endpoint/endpoint';

/** A stored request to resend an endpoint's undelivered events; removed when done. */
export interface Replay extends EndpointKey {
  readonly _id: string;
  /** Real time: messages accepted before it are not replayed. */
  readonly since: Date;
  /**
   * Real time of the request. Messages accepted later are not replayed, and deliveries requested
   * later are not requested again.
   */
  readonly requestedAt: Date;
  /** Real time from which a process may resume it. A claim moves it ahead. */
  readonly dueAt: Date;
  /**
   * Resends delivered events, too. Absent in replays that were stored before the option existed.
   */
  readonly all?: boolean;
  /** Subscriptions up to this one are done. */
  readonly doneUpTo: string;
}

/** The listed fields of an undelivered delivery. */
export type Undelivered = Pick<Delivery, '_id' | 'messageId' | 'subscriptionId' | 'sequence'>;

type FindFilter = Filter<Delivery>;

const undelivered = ['PENDING', 'FAILED', 'PAUSED'] as const;
const stopped = ['FAILED', 'PAUSED'] as const;
const finished = [...stopped, 'DELIVERED'] as const;
const ofAll = [...undelivered, 'DELIVERED'] as const;
const rowsMax = 500;
const beginning = new Date(0);

/** Stores replays, and finds undelivered events. */
export class ReplayStore {
  private readonly deliveries: Collection<Delivery>;
  private readonly replays: Collection<Replay>;

  constructor(
    db: Db,
    private readonly days = new DeliveryDayStore(db),
  ) {
    this.deliveries = db.collection<Delivery>('deliveries');
    this.replays = db.collection<Replay>('replays');
  }

  async ensureIndexes(): Promise<void> {
    await ensureIndexes(this.replays, [{ name: 'due', key: { dueAt: 1 } }]);
  }

  /** Counts the messages since a time that a replay covers: undelivered ones, or all. */
  async count(
    { environmentId, endpointId }: EndpointKey,
    { since, all }: Pick<Replay, 'since' | 'all'>,
  ): Promise<number> {
    const key = { environmentId, endpointId };
    const filter: FindFilter =
      all === true
        ? { ...key, status: { $in: [...ofAll] }, sequence: { $gte: 1 }, createdAt: { $gte: since } }
        : undeliveredSince(key, since);
    return retryTransient(() => this.deliveries.countDocuments(filter));
  }

  /** Returns undelivered deliveries since a time, by subscription and sequence. */
  async findUndelivered(key: EndpointKey, since: Date, limit: number): Promise<Undelivered[]> {
    return retryTransient(() =>
      this.deliveries
        .find(undeliveredSince(key, since))
        .project<Undelivered>({ messageId: 1, subscriptionId: 1, sequence: 1 })
        .sort({ subscriptionId: 1, sequence: 1 })
        .limit(limit)
        .toArray(),
    );
  }

  /** Stores a replay; a retry finds it stored. */
  async add(replay: Replay): Promise<void> {
    await insertMissing(this.replays, [replay]);
  }

  /** Claims the replay that has waited longest; undefined if none is due. */
  async claim({ now, until }: { now: Date; until: Date }): Promise<Replay | undefined> {
    const due = await retryTransient(() =>
      this.replays
        .find({ dueAt: { $lte: now } })
        .sort({ dueAt: 1 })
        .limit(1)
        .next(),
    );
    if (due === null) return undefined;
    const { _id, environmentId, dueAt } = due;
    const { modifiedCount } = await retryTransient(() =>
      this.replays.updateOne({ _id, environmentId, dueAt }, { $set: { dueAt: until } }),
    );
    return modifiedCount === 1 ? due : undefined;
  }

  /** Records the progress of a replay; its claim stays in force. */
  async advance(
    { _id, environmentId }: Replay,
    { doneUpTo, until }: { doneUpTo: string; until: Date },
  ): Promise<void> {
    await retryTransient(() =>
      this.replays.updateOne({ _id, environmentId }, { $set: { doneUpTo, dueAt: until } }),
    );
  }

  /** Removes a replay that is done or obsolete. */
  async finish({ _id, environmentId }: Replay): Promise<void> {
    await retryTransient(() => this.replays.deleteOne({ _id, environmentId }));
  }

  /** Makes deliveries that wait for a later attempt due now, and restarts their schedule. */
  async retryNow(
    { environmentId, endpointId, since, requestedAt }: Replay,
    now: Date,
  ): Promise<void> {
    const filter: FindFilter = {
      environmentId,
      endpointId,
      status: 'PENDING',
      dueAt: { $gt: now },
      claim: null,
      createdAt: { $gte: since, $lte: requestedAt },
    };
    await retryTransient(() => this.deliveries.updateMany(filter, { $set: dueAgain(now) }));
  }

  /**
   * Returns the next subscriptions in the order of their ids with deliveries to resend; empty:
   * none.
   */
  async findNextSubscriptions(replay: Replay, after: string): Promise<string[]> {
    const pages = await Promise.all(
      resentStatuses(replay).map((status) => this.findStoppedPage(replay, status, after)),
    );
    // Ids after the end of a page may be missing in it.
    const ends = pages.flatMap((page) => (page.length < rowsMax ? [] : (page.at(-1) ?? [])));
    const ids = [...new Set(pages.flat())].sort();
    return ids.filter((id) => ends.every((end) => id <= end));
  }

  /**
   * Resends the finished or paused deliveries of some subscriptions, the lowest sequence of each
   * first.
   */
  async resend(replay: Replay, subscriptionIds: readonly string[], now: Date): Promise<void> {
    const { environmentId, endpointId } = replay;
    const undeliveredFilter: FindFilter = {
      environmentId,
      endpointId,
      status: { $in: replay.all === true ? [...ofAll] : [...undelivered] },
      subscriptionId: { $in: [...subscriptionIds] },
    };
    const found = await retryTransient(() => this.deliveries.find(undeliveredFilter).toArray());
    const subscriptions = Map.groupBy(found, ({ subscriptionId }) => subscriptionId);
    const operations = [...subscriptions.values()].flatMap((some) =>
      operationsOf(some, { replay, now }),
    );
    if (operations.length === 0) return;
    await this.days.reopen(found, now);
    await retryTransient(() => this.deliveries.bulkWrite(operations, { ordered: true }));
  }

  private async findStoppedPage(
    { environmentId, endpointId, since, requestedAt }: Replay,
    status: Delivery['status'],
    after: string,
  ): Promise<string[]> {
    const filter: FindFilter = {
      environmentId,
      endpointId,
      status,
      subscriptionId: { $gt: after },
      sequence: { $gte: 1 },
      createdAt: { $gte: since, $lte: requestedAt },
    };
    const rows = await retryTransient(() =>
      this.deliveries
        .find(filter)
        .project<Pick<Delivery, 'subscriptionId'>>({ subscriptionId: 1 })
        .sort({ subscriptionId: 1, sequence: 1 })
        .limit(rowsMax)
        .toArray(),
    );
    return rows.map(({ subscriptionId }) => subscriptionId);
  }
}

function undeliveredSince({ environmentId, endpointId }: EndpointKey, since: Date): FindFilter {
  return {
    environmentId,
    endpointId,
    status: { $in: [...undelivered] },
    // Test webhooks belong to no sequence.
    sequence: { $gte: 1 },
    createdAt: { $gte: since },
    hasArrived: { $ne: true },
  };
}

/** The statuses that a replay resends. */
function resentStatuses({ all }: Replay): readonly Delivery['status'][] {
  return all === true ? finished : stopped;
}

/**
 * True if a replay resends a delivery: once, and only if it was finished or paused at the time of
 * the request.
 */
function isResent(delivery: Delivery, replay: Replay): boolean {
  const { since, requestedAt, all } = replay;
  const { status, sequence, createdAt, hasArrived, requestedAt: askedAt } = delivery;
  return (
    resentStatuses(replay).includes(status) &&
    sequence >= 1 &&
    createdAt >= since &&
    createdAt <= requestedAt &&
    (all === true || hasArrived !== true) &&
    (askedAt ?? beginning) < requestedAt
  );
}

/** The writes of one subscription, its lowest sequence first. */
function operationsOf(
  deliveries: readonly Delivery[],
  { replay, now }: { replay: Replay; now: Date },
): AnyBulkWriteOperation<Delivery>[] {
  const again = deliveries.filter((delivery) => isResent(delivery, replay));
  const againIds = new Set(again.map(({ _id }) => _id));
  return linksInOrder(deliveries, ({ _id }) => againIds.has(_id)).map(({ _id, previousId }) =>
    againIds.has(_id)
      ? {
          updateOne: {
            filter: {
              _id,
              environmentId: replay.environmentId,
              status: { $in: [...resentStatuses(replay)] },
            },
            update: { $set: { ...dueAgain(now), isOutOfTurn: false, previousId } },
          },
        }
      : {
          updateOne: {
            filter: { _id, environmentId: replay.environmentId, status: 'PENDING', claim: null },
            update: { $set: { isOutOfTurn: false, previousId } },
          },
        },
  );
}
