import type { Collection, Db } from 'mongodb';
import { ensureIndexes, duplicateKeyIndex, retryTransient } from '@billing/chassis/mongo';
import type { EndpointKey } from './endpoint';

/** One of an environment's numbered places for endpoints. */
export interface Slot {
  /** `<environment id>:<number from 0>`. */
  readonly _id: string;
  readonly environmentId: string;
  /** The holder. */
  readonly endpointId: string;
  /** Real time. */
  readonly takenAt: Date;
}

const holderIndex = 'holder';

/**
 * Limits the endpoints of an environment without counting them: each needs one of the environment's
 * numbered slots, and a slot can be inserted only once, however many callers race for it.
 */
export class SlotStore {
  private readonly slots: Collection<Slot>;

  constructor(db: Db) {
    this.slots = db.collection<Slot>('webhookEndpointSlots');
  }

  async ensureIndexes(): Promise<void> {
    await ensureIndexes(this.slots, [
      { name: holderIndex, key: { environmentId: 1, endpointId: 1 }, unique: true },
    ]);
  }

  /**
   * Takes the first free slot; returns false if all are taken. An endpoint that holds a slot keeps
   * it.
   */
  async take({
    environmentId,
    endpointId,
    slotsMax,
    takenAt,
  }: Pick<Slot, 'environmentId' | 'endpointId' | 'takenAt'> & {
    slotsMax: number;
  }): Promise<boolean> {
    for (let number = 0; number < slotsMax; number += 1) {
      const slot = {
        _id: `${environmentId}:${String(number)}`,
        environmentId,
        endpointId,
        takenAt,
      };
      try {
        await retryTransient(() => this.slots.insertOne(slot));
        return true;
      } catch (error) {
        const index = duplicateKeyIndex(error);
        if (index === undefined) throw error;
        if (await this.isHolder(slot)) return true;
      }
    }
    return false;
  }

  /** Lists the holders of the environment's slots. */
  async list(environmentId: string): Promise<Slot[]> {
    return retryTransient(() => this.slots.find({ environmentId }).toArray());
  }

  /** Yields every endpoint that holds a slot, of all environments. */
  async *all(): AsyncGenerator<EndpointKey> {
    const holders = this.slots
      .find()
      .project<EndpointKey>({ _id: 0, environmentId: 1, endpointId: 1 });
    yield* holders;
  }

  /** Frees an endpoint's slot; harmless if it holds none. */
  async release({
    environmentId,
    endpointId,
  }: Pick<Slot, 'environmentId' | 'endpointId'>): Promise<void> {
    await retryTransient(() => this.slots.deleteOne({ environmentId, endpointId }));
  }

  // A write that was retried after a lost response meets its own slot.
  private async isHolder({ environmentId, endpointId }: Slot): Promise<boolean> {
    const slot = await retryTransient(() => this.slots.findOne({ environmentId, endpointId }));
    return slot !== null;
  }
}
