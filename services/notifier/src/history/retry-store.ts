import type { Collection, Db } from 'mongodb';
import { type CallContext, newResourceId } from '@billing/chassis/call-context';
import { isId } from '@billing/chassis/ids';
import { retryTransient } from '@billing/chassis/mongo';
import { DomainError, notFound } from '@billing/kernel/domain-error';
import { DeliveryDayStore } from '../delivery/day-store';
import { dueAgain, type Delivery } from '../delivery/delivery';
import type { EndpointKey } from '../endpoint/endpoint';
import { TestLimitStore } from '../endpoint/test-limit-store';

// A delivery changes at most once between two reads, unless several callers retry it concurrently.
const readsMax = 5;

/** Resends single deliveries on request. */
export class RetryStore {
  private readonly deliveries: Collection<Delivery>;

  constructor(
    db: Db,
    private readonly days = new DeliveryDayStore(db),
    private readonly testLimits = new TestLimitStore(db),
  ) {
    this.deliveries = db.collection<Delivery>('deliveries');
  }

  /**
   * Makes a delivery due now and returns it as written, without a read that could fail after the
   * write; throws not_found if the endpoint has none. The retry of a test counts as a test.
   */
  async send(
    key: EndpointKey,
    id: string,
    { now, storing, resourceSeed }: Pick<CallContext, 'now' | 'storing' | 'resourceSeed'>,
  ): Promise<Delivery> {
    const retryId = newResourceId({ resourceSeed }, 'webhookRetry');
    for (let read = 1; read <= readsMax; read += 1) {
      const delivery = await this.get(key, id);
      // Only a test has no number.
      if (delivery.sequence === 0) await this.testLimits.count(key, retryId, { now, storing });
      // A lost race makes no delivery due.
      storing?.check();
      const sent = await this.sendNow(delivery, now);
      if (sent !== undefined) return sent;
    }
    throw new DomainError('unavailable', 'TOO_MANY_WRITERS', 'Service unavailable');
  }

  /** Finds a delivery of an endpoint; throws not_found if there is none. */
  async get({ environmentId, endpointId }: EndpointKey, id: string): Promise<Delivery> {
    const delivery = isId(id)
      ? await retryTransient(() => this.deliveries.findOne({ _id: id, environmentId, endpointId }))
      : null;
    if (delivery === null) throw notFound('Webhook delivery');
    return delivery;
  }

  /**
   * Makes a delivery due now; undefined if its status has changed since it was read. A finished
   * delivery is sent out of order: its successors have been sent, and do not wait for it. A pending
   * one keeps its place, and every pending delivery of its subscription becomes due now. The retry
   * schedule starts again, so that repeated requests do not exhaust it.
   */
  private async sendNow(delivery: Delivery, now: Date): Promise<Delivery | undefined> {
    if (delivery.status === 'PENDING') {
      await this.retrySubscriptionNow(delivery, now);
      const { claim, dueAt } = delivery;
      const isWaiting = claim === null && dueAt !== null && dueAt > now;
      return isWaiting ? { ...delivery, ...dueAgain(now) } : delivery;
    }
    await this.days.reopen([delivery], now);
    const { _id, environmentId, status, hasArrived = false } = delivery;
    const again = {
      ...dueAgain(now),
      previousId: null,
      isOutOfTurn: true,
      hasArrived: hasArrived || status === 'DELIVERED',
    };
    const { matchedCount } = await retryTransient(() =>
      this.deliveries.updateOne({ _id, environmentId, status }, { $set: again }),
    );
    return matchedCount === 1 ? { ...delivery, ...again } : undefined;
  }

  /** Makes the pending deliveries of a subscription due now, except those in flight. */
  private async retrySubscriptionNow(
    { environmentId, endpointId, subscriptionId }: Delivery,
    now: Date,
  ): Promise<void> {
    const waiting = {
      environmentId,
      endpointId,
      status: 'PENDING' as const,
      subscriptionId,
      claim: null,
      dueAt: { $gt: now },
    };
    await retryTransient(() => this.deliveries.updateMany(waiting, { $set: dueAgain(now) }));
  }
}
