import type { Collection, Db } from 'mongodb';
import type { CallContext } from '@billing/chassis/call-context';
import { isId } from '@billing/chassis/ids';
import { retryTransient } from '@billing/chassis/mongo';
import { DomainError, notFound } from '@billing/kernel/domain-error';
import { DeliveryDayStore } from './delivery-day-store';
import { afresh, type Delivery } from './delivery-store';
import type { EndpointKey } from './endpoint-store';

// A delivery changes at most once between two looks, unless several people retry it at once.
const looksMax = 5;

/** Sends single deliveries again, because somebody asks for them. */
export class RetryStore {
  private readonly deliveries: Collection<Delivery>;

  constructor(
    db: Db,
    private readonly days = new DeliveryDayStore(db),
  ) {
    this.deliveries = db.collection<Delivery>('deliveries');
  }

  /** Returns the delivery as it stands once it is to be sent now; throws not_found for one that the endpoint does not have. */
  async send(
    key: EndpointKey,
    id: string,
    { now, storing }: Pick<CallContext, 'now' | 'storing'>,
  ): Promise<Delivery> {
    for (let look = 1; look <= looksMax; look += 1) {
      const delivery = await this.get(key, id);
      storing?.pass();
      if (await this.sendNow(delivery, now)) return this.get(key, id);
    }
    throw new DomainError('unavailable', 'TOO_MANY_WRITERS', 'Service unavailable');
  }

  private async get({ environmentId, endpointId }: EndpointKey, id: string): Promise<Delivery> {
    const delivery = isId(id)
      ? await retryTransient(() => this.deliveries.findOne({ _id: id, environmentId, endpointId }))
      : null;
    if (delivery === null) throw notFound('Webhook delivery');
    return delivery;
  }

  /**
   * Lets a delivery be sent now, from wherever it stands; false if it does not stand there any more. One that is finished leaves the
   * order: what comes after it has gone its way, and must not wait for it now. One that waits keeps its turn, and everything of its
   * subscription that waits is tried now. The schedule begins again: repeated requests must not use it up.
   */
  private async sendNow(delivery: Delivery, now: Date): Promise<boolean> {
    if (delivery.status === 'PENDING') {
      await this.hurrySubscription(delivery, now);
      return true;
    }
    await this.days.reopen([delivery], now);
    const { _id, environmentId, status, hasArrived = false } = delivery;
    const again = {
      ...afresh(now),
      previousId: null,
      isOutOfTurn: true,
      hasArrived: hasArrived || status === 'DELIVERED',
    };
    const { matchedCount } = await retryTransient(() =>
      this.deliveries.updateOne({ _id, environmentId, status }, { $set: again }),
    );
    return matchedCount === 1;
  }

  /** What is being sent at this moment is left to its sender. */
  private async hurrySubscription(
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
    await retryTransient(() => this.deliveries.updateMany(waiting, { $set: afresh(now) }));
  }
}
