import type { AnyBulkWriteOperation, Collection, Db, Filter } from 'mongodb';
import { type Clock, systemClock } from '@billing/chassis/clock';
import { derivedId } from '@billing/chassis/ids';
import { ensureIndexes, retryTransient } from '@billing/chassis/mongo';
import { insertMissing } from '@billing/chassis/inserts';
import type { Delivery } from './delivery';
import { DeliveryDayStore } from './day-store';
import type { EndpointKey } from '../endpoint/endpoint';

/**
 * The id of a message's delivery to an endpoint. Deterministic, so that a retry creates no second
 * one.
 */
export function deliveryId(environmentId: string, messageId: string, endpointId: string): string {
  return derivedId(environmentId, 'delivery', messageId, endpointId);
}

/** The new state of a claimed delivery. */
export interface Settlement {
  readonly delivery: Delivery;
  readonly claim: string;
  readonly status: Delivery['status'];
  readonly dueAt: Date | undefined;
  readonly failures: number;
}

// Below this number the answer covers every endpoint with due work; above it, the rest is queried
// endpoint by endpoint.
const dueRowsMax = 200;
const dueStepsMax = 100;
const inTurn = { isOutOfTurn: { $ne: true } };

/** The deliveries of all environments. */
export class DeliveryStore {
  private readonly deliveries: Collection<Delivery>;

  constructor(
    db: Db,
    private readonly clock: Clock = systemClock,
    private readonly days = new DeliveryDayStore(db),
  ) {
    this.deliveries = db.collection<Delivery>('deliveries');
  }

  /** Collections that decide which deliveries are due. */
  get collections(): readonly object[] {
    return [this.deliveries];
  }

  async ensureIndexes(): Promise<void> {
    const endpoint = { environmentId: 1, endpointId: 1 } as const;
    await ensureIndexes(this.deliveries, [
      { name: 'due', key: { status: 1, dueAt: 1 } },
      { name: 'dueEndpoints', key: { status: 1, endpointId: 1, dueAt: 1 } },
      { name: 'dueAtEndpoint', key: { ...endpoint, status: 1, dueAt: 1, sequence: 1 } },
      { name: 'newest', key: { ...endpoint, createdAt: -1, _id: -1 } },
      { name: 'order', key: { ...endpoint, status: 1, subscriptionId: 1, sequence: 1 } },
    ]);
  }

  /**
   * Stores new deliveries; leaves those unchanged that an earlier run of the same step has stored.
   */
  async insert(deliveries: readonly Delivery[]): Promise<void> {
    await insertMissing(this.deliveries, deliveries);
  }

  /**
   * Returns endpoints with due deliveries, and where to continue; undefined: no more. The
   * deliveries that have been due longest usually cover all endpoints. Where they are the backlog
   * of a few that hang, the other endpoints are queried one by one, past that backlog.
   */
  async findDueEndpoints({
    now,
    after,
  }: {
    now: Date;
    /** Continue after this endpoint. */
    after?: string;
  }): Promise<{ endpoints: EndpointKey[]; next: string | undefined }> {
    const due = await retryTransient(() =>
      this.deliveries
        .find({ status: 'PENDING', dueAt: { $lte: now } })
        .project<EndpointKey>({ _id: 0, environmentId: 1, endpointId: 1 })
        .sort({ dueAt: 1 })
        .limit(dueRowsMax)
        .toArray(),
    );
    const endpoints = new Map(due.map((key) => [key.endpointId, key]));
    if (due.length < dueRowsMax) return { endpoints: [...endpoints.values()], next: undefined };
    let last = after ?? '';
    for (let step = 1; step <= dueStepsMax; step += 1) {
      const first = await this.findFirstOfNext(last);
      if (first === undefined) return { endpoints: [...endpoints.values()], next: undefined };
      last = first.endpointId;
      if (first.dueAt !== null && first.dueAt <= now) {
        const { environmentId, endpointId } = first;
        endpoints.set(endpointId, { environmentId, endpointId });
      }
    }
    return { endpoints: [...endpoints.values()], next: last };
  }

  private async findFirstOfNext(
    endpointId: string,
  ): Promise<Pick<Delivery, 'environmentId' | 'endpointId' | 'dueAt'> | undefined> {
    const first = await retryTransient(() =>
      this.deliveries
        .find({ status: 'PENDING', endpointId: { $gt: endpointId } })
        .sort({ endpointId: 1, dueAt: 1 })
        .limit(1)
        .next(),
    );
    return first ?? undefined;
  }

  /**
   * Returns an endpoint's due deliveries, longest due first and in the order of each subscription,
   * except those of some subscriptions.
   */
  async findDue(
    { environmentId, endpointId }: EndpointKey,
    { now, except, limit }: { now: Date; except: readonly string[]; limit: number },
  ): Promise<Delivery[]> {
    return retryTransient(() =>
      this.deliveries
        .find({
          environmentId,
          endpointId,
          status: 'PENDING',
          dueAt: { $lte: now },
          ...(except.length > 0 && { subscriptionId: { $nin: except } }),
        })
        .sort({ dueAt: 1, sequence: 1 })
        .limit(limit)
        .toArray(),
    );
  }

  /** Returns those of the given deliveries that are unfinished and block others, by id. */
  async findUnfinished(
    environmentId: string,
    ids: readonly string[],
  ): Promise<Map<string, Delivery>> {
    if (ids.length === 0) return new Map();
    const unfinished = await retryTransient(() =>
      this.deliveries
        .find({ _id: { $in: ids }, environmentId, status: 'PENDING', ...inTurn })
        .toArray(),
    );
    return new Map(unfinished.map((delivery) => [delivery._id, delivery]));
  }

  /**
   * Claims an environment's due deliveries until `until`; returns the claimed ones. Each claim has
   * its own name.
   */
  async claim(
    environmentId: string,
    deliveries: readonly Delivery[],
    { claim, now, until }: { claim: string; now: Date; until: Date },
  ): Promise<Delivery[]> {
    if (deliveries.length === 0) return [];
    const ids = deliveries.map(({ _id }) => _id);
    const { modifiedCount } = await retryTransient(() =>
      this.deliveries.updateMany(
        { _id: { $in: ids }, environmentId, status: 'PENDING', dueAt: { $lte: now } },
        { $set: { dueAt: until, claim } },
      ),
    );
    if (modifiedCount === ids.length) return [...deliveries];
    const won = await retryTransient(() =>
      this.deliveries
        .find({ _id: { $in: ids }, environmentId, claim })
        .project<{ _id: string }>({ _id: 1 })
        .toArray(),
    );
    const wonIds = new Set(won.map(({ _id }) => _id));
    return deliveries.filter(({ _id }) => wonIds.has(_id));
  }

  /**
   * Releases claims with the results. Successors of a delivery to be retried are postponed to the
   * same time, so that they are not examined repeatedly. A claim lost in between changes nothing,
   * except that an accepted delivery is recorded as arrived: if it was paused while in flight, it
   * becomes DELIVERED.
   */
  async settle(settlements: readonly Settlement[]): Promise<void> {
    if (settlements.length === 0) return;
    const operations = settlements.map(
      ({ delivery, claim, status, dueAt, failures }): AnyBulkWriteOperation<Delivery> => ({
        updateOne: {
          filter: { _id: delivery._id, environmentId: delivery.environmentId, claim },
          update: { $set: { status, dueAt: dueAt ?? null, failures, claim: null } },
        },
      }),
    );
    const { matchedCount } = await retryTransient(() =>
      this.deliveries.bulkWrite(operations, { ordered: false }),
    );
    const again = settlements.flatMap(({ delivery, dueAt }) =>
      dueAt === undefined ? [] : [{ ...delivery, dueAt }],
    );
    const isAll = matchedCount === settlements.length;
    if (!isAll) await this.recordArrivals(settlements);
    await this.postpone(isAll ? again : await this.findStanding(again));
  }

  private async recordArrivals(settlements: readonly Settlement[]): Promise<void> {
    const arrived = settlements.flatMap(({ status, delivery }) =>
      status === 'DELIVERED' ? [delivery] : [],
    );
    if (arrived.length === 0) return;
    await this.days.reopen(arrived, this.clock.now());
    const theirs: Filter<Delivery> = {
      _id: { $in: arrived.map(({ _id }) => _id) },
      environmentId: { $in: [...new Set(arrived.map(({ environmentId }) => environmentId))] },
    };
    const paused: Filter<Delivery> = { ...theirs, status: 'PAUSED' };
    const others: Filter<Delivery> = { ...theirs, status: { $ne: 'DELIVERED' } };
    await retryTransient(() =>
      this.deliveries.updateMany(paused, { $set: { status: 'DELIVERED', hasArrived: true } }),
    );
    await retryTransient(() => this.deliveries.updateMany(others, { $set: { hasArrived: true } }));
  }

  /**
   * Returns the deliveries whose state is that of their settlement: the others had lost their claim
   * before.
   */
  private async findStanding(settled: readonly Delivery[]): Promise<Delivery[]> {
    if (settled.length === 0) return [];
    const ids = settled.map(({ _id }) => _id);
    const environmentIds = [...new Set(settled.map(({ environmentId }) => environmentId))];
    const free = await retryTransient(() =>
      this.deliveries
        .find({
          _id: { $in: ids },
          environmentId: { $in: environmentIds },
          status: 'PENDING',
          claim: null,
        })
        .project<Pick<Delivery, '_id' | 'dueAt'>>({ dueAt: 1 })
        .toArray(),
    );
    const dueMs = new Map(free.map(({ _id, dueAt }) => [_id, dueAt?.getTime()]));
    return settled.filter(({ _id, dueAt }) => dueMs.get(_id) === dueAt?.getTime());
  }

  /** Postpones the successors of a delivery until it is due itself. */
  async postpone(heads: readonly Delivery[]): Promise<void> {
    const operations = heads.flatMap((head) =>
      head.dueAt === null || head.isOutOfTurn === true
        ? []
        : [postponeSuccessors(head, head.dueAt)],
    );
    if (operations.length === 0) return;
    await retryTransient(() => this.deliveries.bulkWrite(operations, { ordered: false }));
  }

  /**
   * Pauses the deliveries of a disabled endpoint, except one that is about to be settled.
   * `createdUntil` is a time at which the endpoint was known to be disabled or failing: a delivery
   * accepted or requested later may belong to an endpoint that is active again.
   */
  async pause(
    { environmentId, endpointId }: EndpointKey,
    { createdUntil, except }: { createdUntil: Date; except?: string },
  ): Promise<void> {
    const others = except === undefined ? {} : { _id: { $ne: except } };
    await retryTransient(() =>
      this.deliveries.updateMany(
        {
          environmentId,
          endpointId,
          status: 'PENDING',
          createdAt: { $lte: createdUntil },
          requestedAt: { $not: { $gt: createdUntil } },
          ...others,
        },
        { $set: { status: 'PAUSED', dueAt: null, claim: null } },
      ),
    );
  }

  /** Removes deliveries that no message names. */
  async discardStray(environmentId: string, strays: readonly Delivery[]): Promise<void> {
    if (strays.length === 0) return;
    const ids = strays.map(({ _id }) => _id);
    await retryTransient(() =>
      this.deliveries.deleteMany({ _id: { $in: ids }, environmentId, status: 'PENDING' }),
    );
  }

  /** Removes an endpoint's unfinished deliveries. */
  async discard({ environmentId, endpointId }: EndpointKey): Promise<void> {
    await retryTransient(() =>
      this.deliveries.deleteMany({
        environmentId,
        endpointId,
        status: { $in: ['PENDING', 'PAUSED'] },
      }),
    );
  }
}

function postponeSuccessors(head: Delivery, until: Date): AnyBulkWriteOperation<Delivery> {
  const { environmentId, endpointId, subscriptionId, sequence } = head;
  return {
    updateMany: {
      filter: {
        environmentId,
        endpointId,
        status: 'PENDING',
        subscriptionId,
        sequence: { $gt: sequence },
        // A delivery in flight belongs to its sender until the lease ends.
        claim: null,
        dueAt: { $lt: until },
        ...inTurn,
      },
      update: { $set: { dueAt: until } },
    },
  };
}
