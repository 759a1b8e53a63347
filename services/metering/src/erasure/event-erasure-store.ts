import type { Tenant } from '@billing/chassis/call-context';
import { retryTransient } from '@billing/chassis/mongo';
import { hashedValue } from '../distinct/packed-values';
import { type EventCollection, type EventDocument, measuredEvent } from '../usage/event-store';

const batchMax = 1_000;

/** Removes the properties of a customer's events. */
export class EventErasureStore {
  constructor(
    private readonly events: EventCollection,
    private readonly tenant: Pick<Tenant, 'environmentId'>,
  ) {}

  /**
   * Erases one batch; returns true if there may be more. A value that its meter counts is replaced
   * by the hash under which it was counted, so that a recount gives the same number.
   */
  async eraseSome(
    customerId: string,
    uniqueProperties: ReadonlyMap<string, string | null>,
  ): Promise<boolean> {
    const { environmentId } = this.tenant;
    const found = await retryTransient(() =>
      this.events
        .find({ environmentId, customerId, properties: { $exists: true } })
        .limit(batchMax)
        .toArray(),
    );
    if (found.length === 0) return false;
    const writes = found.map((event) => {
      const { _id, meterId } = event;
      const value = hashOf(event, uniqueProperties.get(meterId) ?? null);
      const update = { $unset: { properties: '' as const }, ...(value && { $set: { value } }) };
      return { updateOne: { filter: { _id, environmentId }, update } };
    });
    await retryTransient(() => this.events.bulkWrite(writes, { ordered: false }));
    return found.length === batchMax;
  }
}

function hashOf(event: EventDocument, uniqueProperty: string | null): string | undefined {
  const { uniqueValue } = measuredEvent(event, uniqueProperty);
  if (uniqueValue === null) return undefined;
  return hashedValue(event.meterId, uniqueValue).toString('hex');
}
