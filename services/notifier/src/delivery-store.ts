import type { AnyBulkWriteOperation, Collection, Db, Filter } from 'mongodb';
import { type Clock, systemClock } from '@billing/chassis/clock';
import { derivedId } from '@billing/chassis/ids';
import { ensureIndexes } from '@billing/chassis/indexes';
import { insertMissing } from '@billing/chassis/insert-missing';
import { retryTransient } from '@billing/chassis/mongo';
import type { DeliveryStatus } from './delivery';
import { DeliveryDayStore } from './delivery-day-store';
import type { EndpointKey } from './endpoint-store';

/** One message on its way to one endpoint. */
export interface Delivery {
  /** Derived from message and endpoint. */
  readonly _id: string;
  readonly environmentId: string;
  readonly endpointId: string;
  readonly messageId: string;
  /** Its message's: a subscription or a checkout session. */
  readonly subscriptionId: string;
  readonly sequence: number;
  /** The subscription's delivery to the same endpoint before this one, which goes first; null if there is none. */
  readonly previousId: string | null;
  readonly status: DeliveryStatus;
  /**
   * Real time of the next attempt; null unless PENDING. A claim moves it to the end of its lease: a delivery whose sender has
   * died comes due again by itself.
   */
  readonly dueAt: Date | null;
  /** Who is sending it; null while nobody is. */
  readonly claim: string | null;
  /** Failed attempts so far. */
  readonly failures: number;
  readonly createdAt: Date;
  /** Real time at which somebody last asked for it to be sent again; absent or null: never. */
  readonly requestedAt?: Date | null;
  /** It was asked for by itself: it waits for nothing, and nothing waits for it. */
  readonly isOutOfTurn?: boolean;
  /** The endpoint has taken it once, however it stands now. */
  readonly hasArrived?: boolean;
}

/** What makes a delivery one that has not been tried, now that somebody has asked for it. */
export function afresh(now: Date) {
  const attempt = { dueAt: now, claim: null, failures: 0 };
  return { ...attempt, status: 'PENDING', requestedAt: now } as const;
}

/** The id of a message's delivery to an endpoint: however often it is made, it is the same. */
export function deliveryId(environmentId: string, messageId: string, endpointId: string): string {
  return derivedId(environmentId, 'delivery', messageId, endpointId);
}

/** How a claimed delivery goes on. */
export interface Settlement {
  readonly delivery: Delivery;
  readonly claim: string;
  readonly status: Delivery['status'];
  readonly dueAt: Date | undefined;
  readonly failures: number;
}

// Below it every endpoint with due work is in the answer; above, the rest is looked for endpoint by endpoint.
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

  /** Stores new deliveries; those that an earlier run of the same step has stored stay as they are. */
  async insert(deliveries: readonly Delivery[]): Promise<void> {
    await insertMissing(this.deliveries, deliveries);
  }

  /**
   * Endpoints with something due, and where to go on after them; undefined if that were all. A look at what is due longest mostly shows
   * them all. Where it is the backlog of a few that hang, the others are asked for one by one, past however much those have.
   */
  async findDueEndpoints({
    now,
    after,
  }: {
    now: Date;
    /** Goes on after this endpoint. */
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

  /** What is due at an endpoint, longest first and a subscription's in their order, without some subscriptions'. */
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

  /** Those of an environment's deliveries that are not finished and that others wait for, by id. */
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

  /** Claims an environment's due deliveries until `until`; returns those that were won. Each claim has a name of its own. */
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
   * Ends claims. What follows a delivery that will be tried again waits for the same time, so that it is not looked at over and over.
   * A claim that has in the meantime been lost changes nothing, but that what arrived has arrived: one that was paused while it was being sent
   * is DELIVERED.
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
    if (!isAll) await this.noteArrivals(settlements);
    await this.hold(isAll ? again : await this.findStanding(again));
  }

  private async noteArrivals(settlements: readonly Settlement[]): Promise<void> {
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

  /** Those that stand as a settlement would have left them: the others were lost to another claim before. */
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

  /** Lets what follows a delivery wait until it is due itself. */
  async hold(heads: readonly Delivery[]): Promise<void> {
    const operations = heads.flatMap((head) =>
      head.dueAt === null || head.isOutOfTurn === true ? [] : [holdFollowers(head, head.dueAt)],
    );
    if (operations.length === 0) return;
    await retryTransient(() => this.deliveries.bulkWrite(operations, { ordered: false }));
  }

  /**
   * Takes deliveries of a disabled endpoint off the road, but for one that is about to be settled. `createdUntil` is a time at which it
   * was known to be disabled or failing: what was accepted or asked for later may be of an endpoint that is active again.
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

function holdFollowers(head: Delivery, until: Date): AnyBulkWriteOperation<Delivery> {
  const { environmentId, endpointId, subscriptionId, sequence } = head;
  return {
    updateMany: {
      filter: {
        environmentId,
        endpointId,
        status: 'PENDING',
        subscriptionId,
        sequence: { $gt: sequence },
        // One that is being sent belongs to its sender until the lease ends.
        claim: null,
        dueAt: { $lt: until },
        ...inTurn,
      },
      update: { $set: { dueAt: until } },
    },
  };
}
